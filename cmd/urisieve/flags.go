package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/urisieve/urisieve/config"
)

// optionFlag is a flag that sets an option of the configuration.
type optionFlag struct {
	name, short string
	key         string // of the configuration
	value       string // what stands for the value in --help; "" for a boolean
	usage       string
}

// flagGroup is flags under one heading of --help.
type flagGroup struct {
	title string
	flags []optionFlag
}

// Groups of flags. Commands take those that they use.
var (
	inputFlags = flagGroup{"Input", []optionFlag{
		{"input-format", "", "input.format", "FORMAT", "text, tsv, csv, jsonl, clf, combined, vclf or vcombined"},
		{"delimiter", "", "input.delimiter", "BYTE", "between the fields of tsv and csv: one byte, or tab, comma, semicolon, pipe, space"},
		{"header", "", "input.header", "WHEN", "whether the first row of tsv and csv names the fields: auto, yes, no"},
		{"quotes", "", "input.quotes", "WHEN", "whether fields of tsv and csv may be quoted: yes, no"},
		{"ragged", "", "input.ragged", "", "take rows of tsv and csv with too many or too few fields"},
		{"ref-field", "", "input.ref_fields", "FIELD", "the field of the reference: a name, a number, a JSON path (links[].href); repeatable"},
		{"embedded-base-field", "", "input.embedded_base_field", "FIELD", "the field of the base URI within the content (<base href>)"},
		{"entity-base-field", "", "input.entity_base_field", "FIELD", "the field of the enclosing entity's base URI"},
		{"base-field", "", "input.base_field", "FIELD", "the field of the URI that the document was retrieved from"},
		{"pass", "", "input.pass", "FIELD", "pass a field through, as column x_FIELD; repeatable"},
		{"vhost-scheme", "", "input.vhost_scheme", "SCHEME", "the scheme of a log's virtual hosts: http, https, auto"},
		{"max-record-bytes", "", "input.max_record_bytes", "SIZE", "longer records are rejected"},
		{"max-expansion", "", "input.max_expansion", "N", "how many times its size a compressed input may give, beyond 64MiB"},
		{"max-plain-bytes", "", "input.max_plain_bytes", "SIZE", "what a compressed input may give at most"},
		{"max-window-bytes", "", "input.max_window_bytes", "SIZE", "the largest zstd window or xz dictionary"},
	}}
	normalizeFlags = flagGroup{"Normalization", []optionFlag{
		{"profile", "", "normalize.profile", "NAME", "the standard: rfc3986, rfc2396 (before 2005) or whatwg (what browsers do)"},
		{"strict", "", "normalize.strict", "", "refuse what the grammar forbids, rather than mend it"},
		{"base", "", "normalize.base", "URI", "the base URI of references that have no other"},
		{"same-scheme", "", "normalize.same_scheme", "HOW", `what becomes of "http:g" beside a base of that scheme: strip, reject, keep`},
		{"userinfo", "", "normalize.userinfo", "HOW", "what becomes of userinfo in URLs: keep, strip-password, strip, refuse"},
		{"refuse-bad-ports", "", "normalize.refuse_bad_ports", "", "refuse the ports that the fetch standard calls bad"},
		{"reject-flag", "", "normalize.reject_flags", "FLAG", "reject what has this flag (see urisieve rules), such as private_host; repeatable"},
		{"trap-flags", "", "normalize.trap_flags", "", "tell of crawler traps by flags: repeated segments, calendars, sessions, depth, length"},
		{"encoding", "", "normalize.encoding", "LABEL", "the documents' character encoding, in which whatwg writes queries"},
		{"max-uri-bytes", "", "normalize.max_uri_bytes", "SIZE", "longer references are rejected"},
		{"default-port", "", "normalize.default_ports", "SCHEME=PORT", "another scheme's default port; repeatable"},
	}}
	keyFlags = flagGroup{"Key: which URIs count as one; url itself never changes", []optionFlag{
		{"key-preset", "", "key.preset", "PRESET", "spec (none), crawl, surt, gsb"},
		{"key-rule", "", "key.rules", "RULE", "one more rule (see urisieve rules), such as strip-www; repeatable"},
		{"drop-param", "", "key.drop_params", "NAME[@HOST]", "leave this query parameter out, * for any bytes; repeatable"},
		{"drop-param-set", "", "key.param_sets", "SET", "leave out tracking or session parameters; repeatable"},
		{"index-page", "", "key.index_pages", "NAME", "an index page, for the rule drop-index; repeatable"},
	}}
	scopeFlags = flagGroup{"Scope: what is out of it is counted as filtered", []optionFlag{
		{"scope", "", "scope.preset", "PRESET", "web: only http and https"},
		{"scheme", "", "scope.schemes", "SCHEME", "only this scheme; repeatable"},
		{"deny-scheme", "", "scope.deny_schemes", "SCHEME", "not this scheme; repeatable"},
		{"host", "", "scope.hosts", "HOST", `only this host and those below it ("=HOST": that alone, ".HOST": those below alone); repeatable`},
		{"deny-host", "", "scope.deny_hosts", "HOST", "not this host; repeatable"},
		{"path", "", "scope.paths", "GLOB", "only paths that match (*, **, ?); repeatable"},
		{"deny-path", "", "scope.deny_paths", "GLOB", "not the paths that match; repeatable"},
		{"max-url-bytes", "", "scope.max_url_bytes", "SIZE", "only URLs up to this length"},
	}}
	dedupFlags = flagGroup{"Duplicates", []optionFlag{
		{"report", "", "run.report", "FILE", "write the counts, and which rules made which duplicates, as JSON"},
		{"dedup", "", "dedup.mode", "MODE", "exact: each URL once, bloom: nearly so in a tenth of the memory (docs/dedup.md), none: every one"},
		{"dedup-memory", "", "dedup.memory", "SIZE", "for the set of seen URLs, some 27 bytes a URL, the rest goes to disk; auto: half of what there is"},
		{"dedup-filter", "", "dedup.filter", "SIZE", "for a filter by which most new URLs needn't wait for the disk (--order arrival, seen)"},
		{"dedup-capacity", "", "dedup.capacity", "N", "of bloom: how many different URLs it is to hold; must be given"},
		{"dedup-error-rate", "", "dedup.error_rate", "SHARE", "of bloom: the greatest share of new URLs that are taken for seen, and lost"},
		{"dedup-key-file", "", "dedup.key_file", "FILE", "the secret key of the fingerprints that are compared"},
		{"duplicates", "", "dedup.duplicates", "WHAT", "drop, mark, or a file or directory for them"},
	}}
	stateFlags = flagGroup{"State: what is remembered from run to run", []optionFlag{
		{"state", "", "state.dir", "DIR", "keep the set of seen URLs there: only what was in no run before is new"},
		{"resume", "", "state.resume", "", "go on with the job that a crash, a fault or a signal ended"},
		{"ttl", "", "state.ttl", "TIME", "a URL that left so long ago is new again (720h, 30d); 0: never"},
		{"seen", "", "state.seen", "DIR", "a state whose URLs count as seen, too, under its own settings; only read; repeatable"},
		{"checkpoint-records", "", "state.checkpoint_records", "N", "source records between two points to resume from"},
	}}
	outputFlags = flagGroup{"Output", []optionFlag{
		{"output", "o", "output.path", "PATH", `a directory, a file (.parquet, .jsonl, .txt; the latter two also .gz, .zst), or "-"`},
		{"output-format", "", "output.format", "FORMAT", "parquet, jsonl or text, where the path does not say"},
		{"output-compression", "", "output.compression", "HOW", "of jsonl and text: none, gzip, zstd"},
		{"columns", "", "output.columns", "LIST", "presets (min, cc, crawl, log) and names, by commas; -NAME leaves one out"},
		{"order", "", "output.order", "ORDER", "input; arrival: what needn't wait for the disk leaves before what must"},
		{"queue-key", "", "output.queue_key", "WHAT", "the column queue_key: host, authority, registered_domain"},
		{"public-suffix-list", "", "output.public_suffix_list", "FILE", "a list in the place of the built-in one"},
		{"compat", "", "output.compat", "WHAT", "wide: Parquet for old readers"},
		{"row-group-rows", "", "output.row_group_rows", "N", "rows of a Parquet row group"},
		{"file-rows", "", "output.file_rows", "N", "rows after which a part file ends"},
		{"file-bytes", "", "output.file_bytes", "SIZE", "bytes after which a part file ends"},
		{"sort", "", "output.sort", "HOW", "by url_surtkey: none, file (each file), global (all of them as one) (docs/sorting.md)"},
		{"sort-memory", "", "output.sort_memory", "SIZE", "for sorting, the rest goes to disk; auto: a quarter of what there is"},
		{"overwrite", "", "output.overwrite", "", "replace an output that is there, once the new one is whole"},
		{"append", "", "output.append", "", "add to a dataset that is there"},
		{"rejects", "", "rejects.path", "PATH", `where rejected references go, or none (default: OUTPUT.rejects)`},
	}}
	runFlags = flagGroup{"Run", []optionFlag{
		{"workers", "", "run.workers", "N", "goroutines that normalize; 0: one for each CPU"},
		{"limit", "", "run.limit", "N", "stop after this many references; 0: never"},
		{"max-rejects", "", "rejects.max", "N|P%", "end the run when more are rejected; none: never"},
		{"allow-damaged", "", "run.allow_damaged", "", "take damaged input for done: exit code 0"},
		{"fail-on-reject", "", "run.fail_on_reject", "", "exit code 3 when a reference was rejected"},
		{"progress", "", "progress.mode", "HOW", "auto, none, json (lines on standard error), bar"},
		{"progress-interval", "", "progress.interval", "TIME", "between two lines of --progress json"},
	}}
	pipelineFlags = flagGroup{"Work", []optionFlag{
		{"dry-run", "", "run.dry_run", "", "read and count, write nothing"},
		{"pool-bytes", "", "run.pool_bytes", "SIZE", "memory for what is under way"},
		{"temp-dir", "", "run.temp_dir", "DIR", "for what there is no memory for (default: TMPDIR, else beside the output)"},
	}}
	logFlags = flagGroup{"Log", []optionFlag{
		{"log-level", "", "log.level", "LEVEL", "debug, info, warn, error"},
		{"log-format", "", "log.format", "FORMAT", "text, json"},
	}}
)

// configuration is what a command line says about the configuration.
type configuration struct {
	file  string
	quiet bool
	cmd   *cobra.Command
}

// addConfiguration gives a command -c and the flags of the groups.
func addConfiguration(cmd *cobra.Command, groups ...flagGroup) *configuration {
	c := &configuration{cmd: cmd}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&c.file, "config", "c", "", "configuration `FILE` (see urisieve config print)")
	leaves := map[string]config.Leaf{}
	for _, l := range config.Leaves() {
		leaves[l.Key] = l
	}
	defaults := config.Default()
	for _, group := range groups {
		for _, f := range group.flags {
			leaf := leaves[f.key]
			value := &optionValue{flag: f, leaf: leaf, shown: leaf.Text(&defaults)}
			flag := flags.VarPF(value, f.name, f.short, f.usage)
			flag.Annotations = map[string][]string{groupAnnotation: {group.title}}
			if leaf.Kind == config.KindBool {
				flag.NoOptDefVal = "true"
			}
		}
	}
	flags.BoolVarP(&c.quiet, "quiet", "q", false, "no progress and no summary")
	return c
}

// load reads the configuration; paths are the arguments of the command line, if any.
func (c *configuration) load(paths []string) (*config.Loaded, error) {
	var overrides []config.Override
	c.cmd.Flags().Visit(func(f *pflag.Flag) {
		if v, ok := f.Value.(*optionValue); ok {
			overrides = append(overrides, config.Override{Key: v.flag.key, Origin: "--" + v.flag.name, Values: v.texts})
		}
	})
	if len(paths) > 0 {
		overrides = append(overrides, config.Override{Key: "input.paths", Origin: "arguments", Values: paths})
	}
	if c.quiet {
		overrides = append(overrides,
			config.Override{Key: "progress.mode", Origin: "--quiet", Values: []string{"none"}},
			config.Override{Key: "progress.summary", Origin: "--quiet", Values: []string{"false"}})
	}
	return config.Load(c.file, overrides)
}

// groupAnnotation is the annotation of a flag with the title of its group.
const groupAnnotation = "group"

// optionValue is the value of an optionFlag. It checks nothing: config does, for all flags at once.
type optionValue struct {
	flag  optionFlag
	leaf  config.Leaf
	shown string // the default, for --help
	texts []string
}

func (v *optionValue) Set(text string) error {
	if v.leaf.Kind != config.KindStrings && v.leaf.Kind != config.KindPorts {
		v.texts = v.texts[:0]
	}
	v.texts = append(v.texts, text)
	return nil
}

// String is the default, which pflag prints.
func (v *optionValue) String() string {
	if v.leaf.Kind == config.KindBool {
		return ""
	}
	return v.shown
}

// Type is what --help shows for the value.
func (v *optionValue) Type() string {
	if v.leaf.Kind == config.KindBool {
		return "bool"
	}
	return v.flag.value
}
