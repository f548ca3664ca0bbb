package config

import "time"

//go:generate go run gen_example.go

// Config is everything that can be set. Each comment gives default, unit, range and what happens
// at the edge; example.yaml is made from them.
type Config struct {
	Input     Input     `yaml:"input"`
	Normalize Normalize `yaml:"normalize"`
	Key       Key       `yaml:"key"`
	Scope     Scope     `yaml:"scope"`
	Dedup     Dedup     `yaml:"dedup"`
	State     State     `yaml:"state"`
	Output    Output    `yaml:"output"`
	Rejects   Rejects   `yaml:"rejects"`
	Run       Run       `yaml:"run"`
	Progress  Progress  `yaml:"progress"`
	Log       Log       `yaml:"log"`
}

// Input says where references come from and how to find them.
type Input struct {
	// Files, directories and globs, read in this order; "-" is standard input. Arguments of the
	// command line take the place of the whole list. Default: none, and then there must be
	// arguments.
	Paths []string `yaml:"paths"`
	// How a record is written: text (a reference a line), tsv, csv, jsonl, or an access log: clf
	// (common), combined, vclf and vcombined (with the virtual host in front). Compression (gzip,
	// zstd, bzip2, xz) is found by itself. Default text.
	Format string `yaml:"format"`
	// The one byte between the fields of tsv and csv, or its name: tab, comma, semicolon, pipe,
	// space. Default "": a tab for tsv, a comma for csv.
	Delimiter string `yaml:"delimiter"`
	// Whether the first row of each tsv or csv input names the fields: yes or no, or auto: yes if
	// any field is given by name, no if all that are given are numbers; if none is given, yes where
	// the first row has a field "ref" or "url". Default auto.
	Header string `yaml:"header"`
	// Whether a field of tsv or csv that begins with '"' is quoted: yes, or no, which takes quotes
	// as data. Default yes.
	Quotes string `yaml:"quotes"`
	// Take rows of tsv and csv with more or fewer fields than the header. Default false: they are
	// rejected (bad_record), since an unquoted delimiter in a URL would cut it in two.
	Ragged bool `yaml:"ragged"`
	// The fields that hold references, by header name, by number from 1, or by JSON path
	// ("links[].href"); at most 255. Each is a reference of its own. Default none named: "ref", else
	// "url"; field 1 where there is no header.
	RefFields []string `yaml:"ref_fields"`
	// The field with the base URI that the document's content states (<base href>). Default "":
	// "embedded_base" where there is one.
	EmbeddedBaseField string `yaml:"embedded_base_field"`
	// The field with the base URI of the entity that encloses the document. Default "":
	// "entity_base" where there is one.
	EntityBaseField string `yaml:"entity_base_field"`
	// The field with the URI that the document was retrieved from, after redirects. Default "":
	// "base", else "document", where there is one.
	BaseField string `yaml:"base_field"`
	// Further fields to pass through, as columns x_NAME; of logs: agent, client, protocol, user,
	// vhost. Default: none.
	Pass []string `yaml:"pass"`
	// The scheme of an access log's virtual hosts: http, https, or auto: https where the virtual
	// host ends in ":443", else http. Default auto.
	VhostScheme string `yaml:"vhost_scheme"`
	// The longest record that is read, up to 256MiB; a longer one is rejected (too_long), with its
	// first 64KiB kept, and reading goes on. Default auto: normalize.max_uri_bytes for text, 16MiB
	// for the other formats.
	MaxRecordBytes Size `yaml:"max_record_bytes" auto:"true"`
	// A compressed input may give 64MiB and this many times its own size, 1 to 1073741824. One that
	// gives more is taken for a compression bomb: reported as damaged, what came before is kept.
	// Default 1000.
	MaxExpansion int64 `yaml:"max_expansion" min:"1" max:"1073741824"`
	// What one compressed input may give at most; more is damage. Default 0: only max_expansion
	// bounds it.
	MaxPlainBytes Size `yaml:"max_plain_bytes"`
	// The largest window of a zstd frame or dictionary of an xz block, 1KiB to 2GiB: the memory that
	// it takes to read them. More is damage. Default 128MiB (zstd --long=27).
	MaxWindowBytes Size `yaml:"max_window_bytes"`
}

// Normalize says what the canonical form of a URI is.
type Normalize struct {
	// The standard: rfc3986; rfc2396, which it replaced; or whatwg, which is what browsers do with
	// references in HTML. Each is its newest version, or one version by its own name. Default rfc3986.
	Profile string `yaml:"profile"`
	// Refuse what the grammar forbids; otherwise it is mended once and flagged. Not with whatwg. Default
	// false.
	Strict bool `yaml:"strict"`
	// The base URI of references that have no other. Default "": such references are rejected
	// (no_base).
	Base string `yaml:"base" mask:"userinfo"`
	// What becomes of "http:g" beside a base of the same scheme: strip, reject or keep. Default "":
	// strip, or reject with strict. With whatwg always strip.
	SameScheme string `yaml:"same_scheme"`
	// What becomes of userinfo in a URL: keep, strip-password, strip or refuse. Default keep.
	Userinfo string `yaml:"userinfo"`
	// Refuse the ports that the fetch standard calls bad. Default false: they are flagged.
	RefuseBadPorts bool `yaml:"refuse_bad_ports"`
	// Flags that are not let through (reason flagged): their names, such as private_host or
	// repeated_segments; "urisieve rules" lists all. Part of the settings id. Default: none.
	RejectFlags []string `yaml:"reject_flags"`
	// Tell of what a crawler may be caught in too, by flags: repeated_segments, calendar, session_id,
	// deep_path, very_long. Off saves a look at every path and query. Default true.
	TrapFlags bool `yaml:"trap_flags"`
	// The character encoding of the documents that references come from, in which whatwg writes
	// queries: a label such as windows-1252. Default "": UTF-8; only with whatwg.
	Encoding string `yaml:"encoding"`
	// The longest reference, 1B to 64MiB; a longer one is rejected (too_long). Default 64KiB.
	MaxURIBytes Size `yaml:"max_uri_bytes"`
	// Default ports to know beside the profile's own, as {scheme: coap, port: 5683}. In the
	// environment and as a flag: coap=5683. Not with whatwg. Default: none.
	DefaultPorts []DefaultPort `yaml:"default_ports"`
}

// Key says which URIs count as one, beyond what the standards say. Key rules never change url: they
// make another text, the key, that is compared in its place. Each can merge different pages; "urisieve
// rules" tells what each does and its danger. All are part of the settings id.
type Key struct {
	// A set of rules: spec (none), crawl (tracking and session parameters out, query sorted), surt
	// (as web archives key their captures) or gsb (Google Safe Browsing's form, alone). Default "":
	// spec.
	Preset string `yaml:"preset"`
	// Further rules by name, such as strip-www or sort-query. Default: none.
	Rules []string `yaml:"rules"`
	// Query parameters to leave out of the key: a name as it stands in url, "*" for any bytes;
	// NAME@HOST for one host and those below it alone, and a name with an "@" in it as NAME@*.
	// Default: none.
	DropParams []string `yaml:"drop_params"`
	// Ready-made lists of parameters to leave out: tracking, session. Default: those of preset.
	ParamSets []string `yaml:"param_sets"`
	// What the rule drop-index takes for the name of an index page. Default none named: index and
	// default with the usual endings.
	IndexPages []string `yaml:"index_pages"`
}

// DefaultPort is the port that a scheme's URIs have when they name none.
type DefaultPort struct {
	Scheme string `yaml:"scheme"`
	Port   uint16 `yaml:"port"`
}

// Scope says which URLs are wanted; the others are counted as filtered, by rule. A URL must pass
// all that is set here, and each empty list passes everything.
type Scope struct {
	// web adds http and https to schemes. Default "": nothing.
	Preset string `yaml:"preset"`
	// Only these schemes. Default: all.
	Schemes []string `yaml:"schemes"`
	// Not these schemes, such as javascript, data, mailto. Default: none.
	DenySchemes []string `yaml:"deny_schemes"`
	// Only these hosts: example.com is that host and all below it, "=example.com" that host alone,
	// ".example.com" those below it alone. Default: all.
	Hosts []string `yaml:"hosts"`
	// Not these hosts, written in the same way. Default: none.
	DenyHosts []string `yaml:"deny_hosts"`
	// Only paths that match one of these globs: * is anything within a segment, ** anything, ? one
	// character. Default: all.
	Paths []string `yaml:"paths"`
	// Not the paths that match one of these globs. Default: none.
	DenyPaths []string `yaml:"deny_paths"`
	// The longest URL that passes. Default 0: any that normalize.max_uri_bytes lets in.
	MaxURLBytes Size `yaml:"max_url_bytes"`
}

// Dedup says how repeated URLs are told from new ones.
type Dedup struct {
	// exact (every URL leaves once, the first occurrence wins), bloom (the same in some 2 bytes a URL,
	// but up to error_rate of the new URLs are taken for seen, and lost) or none (every one leaves).
	// Default exact.
	Mode string `yaml:"mode" oneof:"exact bloom none"`
	// What the set of seen URLs may take, about 27 bytes a URL; auto is half of what the machine or
	// its cgroup allows. Less than 2MiB is taken as 2MiB. What there is no room for goes to
	// run.temp_dir. Bloom takes what capacity and error_rate make it; if that is more than this,
	// nothing begins. Default auto.
	Memory Size `yaml:"memory" auto:"true"`
	// Memory of a filter, beside memory, by which exact knows of most new URLs at once that they are
	// new, when some are on disk: 10 bits a URL leave one in 80 to wait for the disk. It is of use with
	// output.order arrival and for urisieve seen, and changes no verdict. Default 0: none.
	Filter Size `yaml:"filter"`
	// How many different URLs bloom is to hold, 1 to 1000000000000; it must be given there, and the
	// other modes have no use for it. When there are more, and error_rate would be passed, the run
	// ends with exit code 1; what came before is written. Default 0: not given.
	Capacity int64 `yaml:"capacity" min:"0" max:"1000000000000"`
	// The greatest share of new URLs that bloom may take for seen: 0.000001 to 0.1, or in percent
	// ("0.1%"). It is reached when the capacity is used up; before, it is less. Default 0.001.
	ErrorRate ErrorRate `yaml:"error_rate"`
	// The file with the secret key of the fingerprints that are compared: 16 bytes, or 32 hex
	// digits. Default "": a random key for each run, which is right unless instances share state.
	KeyFile string `yaml:"key_file"`
	// The same key as 32 hex digits. By the environment only (URISIEVE_DEDUP_KEY), in the place of
	// key_file. Default "".
	Key Secret `yaml:"key"`
	// What becomes of duplicates: drop (counted), mark (they leave too, dedup_state says
	// duplicate), or the name of a file or directory that they go to. Default drop.
	Duplicates string `yaml:"duplicates"`
}

// State says what is remembered from one run to the next.
type State struct {
	// A directory with the set of seen URLs, which is kept from run to run and through crashes: only
	// what was in no run before is new. It is made where there is none, and belongs to the settings
	// and the secret key that it was made with. Default "": every run begins with an empty set.
	Dir string `yaml:"dir"`
	// Go on with the job that the state was left with by a crash, a fault or a signal, to the same
	// bytes as if nothing had happened; where there is none, begin one. Default false: a state with
	// such a job is refused.
	Resume bool `yaml:"resume"`
	// A URL that left so long ago is new again, 1s to 876000h (or in days, "30d"), by the time of its
	// record (fetch_time) where there is one, else of the run; 0: never. Default 0.
	TTL time.Duration `yaml:"ttl" min:"0s" max:"876000h"`
	// States whose URLs count as seen, too, each under the settings and the secret key that it was
	// made with; they are only read. Default: none.
	Seen []string `yaml:"seen"`
	// Source records between two checkpoints, from which a job can be resumed, 1000 or more. Each
	// ends the part files of a dataset, and has every run of the set read. Where the output is sorted as
	// one (output.sort), there is one checkpoint, at the end. Default 10000000.
	CheckpointRecords int64 `yaml:"checkpoint_records" min:"1000"`
}

// Output says where unique URLs go, and as what.
type Output struct {
	// A directory (a dataset of part files with a manifest), one file (by its ending: .parquet,
	// .jsonl, .txt, the last two also with .gz or .zst), or "-" for standard output. Default "": it
	// must be given.
	Path string `yaml:"path"`
	// parquet, jsonl or text (a URL a line). Default "": by the ending of path; else parquet for a
	// directory, text for standard output.
	Format string `yaml:"format"`
	// How jsonl and text are compressed: none, gzip or zstd. Default "": by the ending of path,
	// else none. Parquet compresses by itself.
	Compression string `yaml:"compression"`
	// The columns: presets (min, cc, crawl, log), names, "x_*" for all that pass through, "-name" to
	// leave one out again; joined by commas: "min,url_host_name". Default "": crawl. Text has the one
	// column url and takes none.
	Columns string `yaml:"columns"`
	// input (the order of the input, whatever there is memory for) or arrival: a URL that may be on disk
	// waits alone, and what comes after it leaves before it. Default input.
	Order string `yaml:"order" oneof:"input arrival"`
	// What the column queue_key holds: host, authority or registered_domain. Default host.
	QueueKey string `yaml:"queue_key"`
	// A public suffix list to use in the place of the built-in one. Default "".
	PublicSuffixList string `yaml:"public_suffix_list"`
	// wide writes Parquet for old readers: data pages of version 1, plain encoding. Default "".
	Compat string `yaml:"compat"`
	// Rows of a Parquet row group, 1000 to 10000000. Default 100000.
	RowGroupRows int64 `yaml:"row_group_rows" min:"1000" max:"10000000"`
	// A part file ends at the first source record after so many rows, 1 or more. Default 10000000.
	FileRows int64 `yaml:"file_rows" min:"1"`
	// A part file ends at the first source record after so many bytes, 64KiB or more: for Parquet
	// as written, counted at the end of each row group; for jsonl and text before compression.
	// Default 512MiB.
	FileBytes Size `yaml:"file_bytes"`
	// The order of rows: none (that of the input), file (each file is sorted) or global (all files
	// together are one order), by url_surtkey, whether or not that column is written; rejects are never
	// sorted. With global, and for one file or standard output, nothing is written before the end of the
	// input. Default none.
	Sort string `yaml:"sort"`
	// What sorting may use, beside some 12MiB of rows on their way; what there is no room for goes to
	// run.temp_dir. Less than 1MiB is taken as 1MiB. Duplicates with a place of their own have half of it.
	// Default auto: a quarter of what the machine or its cgroup allows, 4GiB at most.
	SortMemory Size `yaml:"sort_memory" auto:"true"`
	// Replace an output that is there, once the new one is whole. Default false: refused.
	Overwrite bool `yaml:"overwrite"`
	// Add to a dataset that is there, under names of this run's own. Default false.
	Append bool `yaml:"append"`
}

// Rejects says where references without a canonical URI go.
type Rejects struct {
	// A directory, a file, or none (they are only counted). Default "": beside the output
	// (OUT.rejects); for standard output it must be given. They are written as the ending says,
	// else as the output is, jsonl where that is text.
	Path string `yaml:"path"`
	// End the run, as misconfigured, when more are rejected: a count, or a share of the references
	// ("5%", looked at after the first 1000,
	// below 100%), or none. Default none.
	Max RejectLimit `yaml:"max"`
}

// Run says how the work is done.
type Run struct {
	// Goroutines that normalize, 1 to 1024; 0 is one for each CPU that the process may use. The
	// output is the same for any number. Default 0.
	Workers int64 `yaml:"workers" min:"0" max:"1024"`
	// Stop after this many references; 0 is no limit. Default 0.
	Limit int64 `yaml:"limit" min:"0"`
	// Read and count, write nothing. Default false.
	DryRun bool `yaml:"dry_run"`
	// Memory of the batches that may be under way between source and sink; when it is used up the
	// source waits for the sink. auto is 64MiB, or what two batches a worker and four more need if
	// that is more. Default auto.
	PoolBytes Size `yaml:"pool_bytes" auto:"true"`
	// A directory for temporary files: the seen URLs, the references that wait for their verdict, and
	// the rows to be sorted, that there is no memory for. Some 16 bytes a URL and 250 bytes a
	// reference that waits; nothing is left of them, however the run ends. Default "": TMPDIR if that
	// is set, else the directory that the output stands in; for standard output and dry runs the
	// system's.
	TempDir string `yaml:"temp_dir"`
	// Take damaged and unreadable input for done: exit code 0 and _SUCCESS. Default false: exit
	// code 3, no _SUCCESS.
	AllowDamaged bool `yaml:"allow_damaged"`
	// Exit code 3 when a reference was rejected. Default false.
	FailOnReject bool `yaml:"fail_on_reject"`
	// A file for the report of the run, JSON: the counts, and which rules had a part in the duplicates,
	// with samples of what each took for the same. A file that is there is replaced with
	// output.overwrite alone. Default "": none.
	Report string `yaml:"report"`
}

// Progress says what is shown while the work goes on.
type Progress struct {
	// bar (one line, redrawn), json (a line of JSON each interval), none, or auto: bar where standard
	// error is a terminal, none elsewhere. Default auto.
	Mode string `yaml:"mode" oneof:"auto none json bar"`
	// Time between two reports of json, 100ms to 24h. Default 10s.
	Interval time.Duration `yaml:"interval" min:"100ms" max:"24h"`
	// Print the summary table at the end. Default true.
	Summary bool `yaml:"summary"`
}

// Log says how the program tells what happens, on standard error.
type Log struct {
	// debug, info, warn or error. Default warn.
	Level string `yaml:"level" oneof:"debug info warn error"`
	// text or json. Default text.
	Format string `yaml:"format" oneof:"text json"`
}

// Default is the configuration when nothing is set.
func Default() Config {
	return Config{
		Input: Input{
			Format: "text", Header: "auto", Quotes: "yes", VhostScheme: "auto",
			MaxRecordBytes: Auto, MaxExpansion: 1000, MaxWindowBytes: 128 << 20,
		},
		Normalize: Normalize{Profile: "rfc3986", Userinfo: "keep", MaxURIBytes: 64 << 10, TrapFlags: true},
		Dedup:     Dedup{Mode: "exact", Memory: Auto, ErrorRate: 0.001, Duplicates: "drop"},
		State:     State{CheckpointRecords: 10_000_000},
		Output: Output{
			Order: "input", QueueKey: "host", RowGroupRows: 100_000, FileRows: 10_000_000, FileBytes: 512 << 20,
			Sort: "none", SortMemory: Auto,
		},
		Run:      Run{PoolBytes: Auto},
		Progress: Progress{Mode: "auto", Interval: 10 * time.Second, Summary: true},
		Log:      Log{Level: "warn", Format: "text"},
	}
}
