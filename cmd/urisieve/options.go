package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urisieve/urisieve/config"
	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/dedup"
	"github.com/urisieve/urisieve/sinks"
	"github.com/urisieve/urisieve/sources"
)

func normalizeOptions(c *config.Config) normalize.Options {
	o := normalize.Options{
		Profile:        c.Normalize.Profile,
		Strict:         c.Normalize.Strict,
		SameScheme:     c.Normalize.SameScheme,
		Userinfo:       c.Normalize.Userinfo,
		RefuseBadPorts: c.Normalize.RefuseBadPorts,
		RejectFlags:    c.Normalize.RejectFlags,
		TrapFlags:      c.Normalize.TrapFlags,
		MaxURIBytes:    int(c.Normalize.MaxURIBytes),
		Encoding:       c.Normalize.Encoding,
		DefaultBase:    c.Normalize.Base,
		Key: keyrule.Options{
			Preset: c.Key.Preset, Rules: c.Key.Rules, Params: paramLists(c.Key.DropParams),
			ParamSets: c.Key.ParamSets, IndexPages: c.Key.IndexPages,
		},
	}
	for _, p := range c.Normalize.DefaultPorts {
		o.DefaultPorts = append(o.DefaultPorts, normalize.DefaultPort{Scheme: p.Scheme, Port: p.Port})
	}
	return o
}

// paramLists reads key.drop_params: NAME, or NAME@HOST, split at the last "@".
func paramLists(texts []string) []keyrule.ParamList {
	var lists []keyrule.ParamList
	for _, text := range texts {
		name, host := text, ""
		if at := strings.LastIndexByte(text, '@'); at >= 0 {
			name, host = text[:at], text[at+1:]
		}
		list := keyrule.ParamList{Names: []string{name}}
		if host != "*" && name != text {
			list.Hosts = []string{host}
		}
		lists = append(lists, list)
	}
	return lists
}

func (p *program) sourceOptions(c *config.Config) sources.Options {
	return sources.Options{
		Inputs:            c.Input.Paths,
		Format:            c.Input.Format,
		Delimiter:         c.Input.Delimiter,
		Header:            c.Input.Header,
		Quotes:            c.Input.Quotes,
		Ragged:            c.Input.Ragged,
		RefFields:         c.Input.RefFields,
		EmbeddedBaseField: c.Input.EmbeddedBaseField,
		EntityBaseField:   c.Input.EntityBaseField,
		BaseField:         c.Input.BaseField,
		Pass:              c.Input.Pass,
		VhostScheme:       c.Input.VhostScheme,
		MaxURIBytes:       int(c.Normalize.MaxURIBytes),
		MaxRecordBytes:    int(orZero(c.Input.MaxRecordBytes)),
		MaxExpansion:      int(c.Input.MaxExpansion),
		MaxPlainBytes:     int64(c.Input.MaxPlainBytes),
		MaxWindowBytes:    int64(c.Input.MaxWindowBytes),
		Stdin:             p.stdin,
	}
}

func (p *program) sinkOptions(c *config.Config) sinks.Options {
	return sinks.Options{
		Output:           c.Output.Path,
		Format:           c.Output.Format,
		Compression:      c.Output.Compression,
		Columns:          c.Output.Columns,
		Compat:           c.Output.Compat,
		RowGroupRows:     int(c.Output.RowGroupRows),
		FileRows:         c.Output.FileRows,
		FileBytes:        int64(c.Output.FileBytes),
		Overwrite:        c.Output.Overwrite,
		Append:           c.Output.Append,
		Rejects:          c.Rejects.Path,
		Duplicates:       c.Dedup.Duplicates,
		QueueKey:         c.Output.QueueKey,
		Sort:             c.Output.Sort,
		SortMemory:       int64(orZero(c.Output.SortMemory)),
		Scratch:          scratch(c),
		PublicSuffixList: c.Output.PublicSuffixList,
		Stdout:           p.stdout,
		StdoutIsTerminal: p.stdoutIsTerminal,
	}
}

func scopeOptions(c *config.Config) pipeline.ScopeOptions {
	return pipeline.ScopeOptions{
		Preset:      c.Scope.Preset,
		Schemes:     c.Scope.Schemes,
		DenySchemes: c.Scope.DenySchemes,
		Hosts:       c.Scope.Hosts,
		DenyHosts:   c.Scope.DenyHosts,
		Paths:       c.Scope.Paths,
		DenyPaths:   c.Scope.DenyPaths,
		MaxURLBytes: int(c.Scope.MaxURLBytes),
	}
}

// duplicatePolicy gives the pipeline's side of dedup.duplicates; the sinks know the path.
func duplicatePolicy(c *config.Config) pipeline.DuplicatePolicy {
	switch c.Dedup.Duplicates {
	case "", sinks.DuplicatesDrop:
		return pipeline.DropDuplicates
	case sinks.DuplicatesMark:
		return pipeline.MarkDuplicates
	}
	return pipeline.SplitDuplicates
}

// order gives the pipeline's side of output.order.
func order(c *config.Config) pipeline.Order {
	if c.Output.Order == "arrival" {
		return pipeline.ArrivalOrder
	}
	return pipeline.InputOrder
}

// Values of dedup.mode.
const (
	dedupExact = "exact"
	dedupNone  = "none"
	dedupBloom = "bloom"
)

// newSet makes the set of seen URLs.
func (j *job) newSet() error {
	c := &j.l.Config
	if j.memory != nil {
		return nil
	}
	switch c.Dedup.Mode {
	case dedupNone:
		j.set = dedup.NewNone()
	case dedupBloom:
		bloom, err := dedup.NewBloom(bloomOptions(c))
		if err != nil {
			return err
		}
		j.set, j.bloom = bloom, bloom
	default:
		spilling := dedup.NewSpilling(dedup.SpillingOptions{Memory: int64(orZero(c.Dedup.Memory)), Filter: int64(c.Dedup.Filter), Scratch: j.scratch()})
		j.set, j.spillStats = spilling, spilling.Stats
	}
	return nil
}

// setMemory is what the set of seen URLs may use, in bytes.
func setMemory(c *config.Config) int64 {
	switch c.Dedup.Mode {
	case dedupNone:
		return 0
	case dedupBloom:
		o := bloomOptions(c)
		return o.Bytes()
	}
	if m := int64(orZero(c.Dedup.Memory)); m > 0 {
		return m
	}
	return dedup.DefaultMemory()
}

// secret is the key of the fingerprints of a job.
func (j *job) secret() (dedup.Secret, error) {
	if j.memory != nil {
		return j.memory.Secret(), nil
	}
	return newSecret(j.l)
}

// newSecret gives the key of the fingerprints: the configured one, else a random one.
func newSecret(l *config.Loaded) (dedup.Secret, error) {
	switch {
	case l.Dedup.Key != "":
		var s dedup.Secret
		text := []byte(l.Dedup.Key.Reveal())
		if len(text) != hex.EncodedLen(len(s)) {
			return s, l.Fault("dedup.key", "the value is not a key", "32 hexadecimal digits")
		}
		if _, err := hex.Decode(s[:], text); err != nil {
			return s, l.Fault("dedup.key", "the value is not a key", "32 hexadecimal digits")
		}
		return s, nil
	case l.Dedup.KeyFile != "":
		s, err := dedup.ReadSecret(l.Dedup.KeyFile)
		if err != nil {
			return s, l.Fault("dedup.key_file", err.Error(), "")
		}
		return s, nil
	}
	return dedup.RandomSecret(), nil
}

func rejectLimit(l config.RejectLimit) *pipeline.RejectLimit {
	if !l.Set {
		return nil
	}
	return &pipeline.RejectLimit{Count: l.Count, Percent: l.Percent}
}

// orZero turns auto into the zero value, which the parts take for their own default.
func orZero(s config.Size) config.Size { return max(s, 0) }

// faultsOf turns what a part of the program says about its options into faults of the
// configuration. The keys of the parts are those of a section, but for the ones in names.
func faultsOf(l *config.Loaded, err error, section string, names map[string]string) config.Faults {
	var faults config.Faults
	add := func(key, problem, accepted string) {
		key, _, _ = strings.Cut(key, "[") // an item of a list
		name, renamed := names[key]
		if !renamed {
			name = section + "." + key
		}
		if !isKey(name) {
			name = key
		}
		faults = append(faults, l.Fault(name, problem, accepted))
	}
	for _, e := range joined(err) {
		var n *normalize.OptionError
		var so *sources.OptionError
		var si *sinks.OptionError
		switch {
		case errors.As(e, &n):
			add(n.Key, problemWith(n.Value, "is not accepted"), n.Accepted)
		case errors.As(e, &so):
			add(so.Key, problemWith(so.Value, so.Problem), so.Accepted)
		case errors.As(e, &si):
			add(si.Key, problemWith(si.Value, "is not accepted"), si.Accepted)
		default:
			// "scope.preset: ...": a part that spells its keys out.
			if key, problem, ok := strings.Cut(e.Error(), ": "); ok && isKey(key) {
				faults = append(faults, l.Fault(key, problem, ""))
			} else {
				faults = append(faults, config.Fault{Key: section, Problem: e.Error()})
			}
		}
	}
	return faults
}

func isKey(name string) bool {
	return slices.ContainsFunc(config.Leaves(), func(l config.Leaf) bool { return l.Key == name })
}

// mistakenPaths finds paths that end like a file of a format that is not written: they would become
// directories, to somebody's surprise. With a format given, or a "/" at the end, that is what is meant.
func mistakenPaths(l *config.Loaded) config.Faults {
	var faults config.Faults
	if l.Output.Format != "" {
		return nil
	}
	for _, p := range [][2]string{
		{"output.path", l.Output.Path}, {"rejects.path", l.Rejects.Path}, {"dedup.duplicates", l.Dedup.Duplicates},
	} {
		switch ext := strings.ToLower(filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(p[1], ".gz"), ".zst"))); ext {
		case ".csv", ".tsv", ".json", ".avro", ".orc", ".xz", ".bz2", ".log", ".lst":
			faults = append(faults, l.Fault(p[0], fmt.Sprintf("%q would become a directory, since %s is not written", redactWord(p[1]), ext),
				`a file ending in .parquet, .jsonl or .txt; for a directory, a "/" at the end`))
		}
	}
	return faults
}

// problemWith says what is wrong with a value, without a password that it may hold.
func problemWith(value, problem string) string {
	if plain, err := strconv.Unquote(value); err == nil {
		value = plain
	}
	if value == "" {
		return "not given"
	}
	return fmt.Sprintf("%q %s", redactWord(value), problem)
}

// joined takes errors.Join apart, at every depth.
func joined(err error) []error {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range many.Unwrap() {
			all = append(all, joined(e)...)
		}
		return all
	}
	return []error{err}
}

// Names of the parts' options where they are not those of the configuration.
var (
	normalizeNames = map[string]string{
		"default_port": "normalize.default_ports",
		"key.preset":   "key.preset", "key.rules": "key.rules", "key.param_sets": "key.param_sets", "key.index_pages": "key.index_pages",
		"key.params": "key.drop_params", "key.params.names": "key.drop_params", "key.params.hosts": "key.drop_params",
	}
	sourceNames = map[string]string{
		"input_format": "input.format", "inputs": "input.paths", "input": "input.paths",
		"ref_field": "input.ref_fields", "max_uri_bytes": "normalize.max_uri_bytes",
	}
	sinkNames = map[string]string{
		"output": "output.path", "output_format": "output.format", "rejects": "rejects.path",
		"duplicates": "dedup.duplicates",
	}
	scopeNames = map[string]string{}
)

// checkCommon gives the faults of what every command with a pipeline uses.
func (p *program) checkCommon(l *config.Loaded) config.Faults {
	var faults config.Faults
	o := normalizeOptions(&l.Config)
	faults = append(faults, faultsOf(l, o.Validate(), "normalize", normalizeNames)...)
	if len(faults) > 0 && o.DefaultBase != "" {
		// The base can't be judged under options that are wrong themselves: so under the defaults.
		base := normalize.Options{DefaultBase: o.DefaultBase, MaxURIBytes: normalize.MaxMaxURIBytes}
		for _, f := range faultsOf(l, base.Validate(), "normalize", normalizeNames) {
			if !slices.ContainsFunc(faults, func(g config.Fault) bool { return g.Key == f.Key }) {
				faults = append(faults, f)
			}
		}
	}
	faults = append(faults, faultsOf(l, p.sourceOptions(&l.Config).Validate(), "input", sourceNames)...)
	return faults
}

// checkRun gives the faults of what only run uses, too.
func (p *program) checkRun(l *config.Loaded) config.Faults {
	faults := p.checkCommon(l)
	faults = append(faults, faultsOf(l, scopeOptions(&l.Config).Validate(), "scope", scopeNames)...)
	if !l.Run.DryRun || l.Output.Path != "" {
		faults = append(faults, faultsOf(l, p.sinkOptions(&l.Config).Validate(), "output", sinkNames)...)
		faults = append(faults, mistakenPaths(l)...)
	}
	if l.Dedup.Mode == dedupBloom {
		o := bloomOptions(&l.Config)
		faults = append(faults, faultsOf(l, o.Validate(), "dedup", nil)...)
	}
	if _, err := newSecret(l); err != nil {
		if f, ok := errors.AsType[config.Fault](err); ok {
			faults = append(faults, f)
		}
	}
	return faults
}
