package keyrule

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Options says which rules act. The zero value is none.
type Options struct {
	// Preset is "spec", "crawl", "surt" or "gsb". Default "": spec.
	Preset string
	// Rules are further rules by name.
	Rules []string
	// Params are the query parameters that drop-params leaves out; naming any switches it on.
	Params []ParamList
	// ParamSets are ready-made lists: "tracking", "session"; naming any switches drop-params on.
	ParamSets []string
	// IndexPages are the names that drop-index leaves out. Default: DefaultIndexPages.
	IndexPages []string
}

// ParamList are names of parameters, for some hosts or for all.
type ParamList struct {
	// Hosts are host names; each stands for itself and all below it. Empty: every host.
	Hosts []string
	// Names are the parameters' names as they stand in the canonical URI, byte for byte, with "*"
	// for any bytes.
	Names []string
}

// DefaultIndexPages are the names of index pages in common use.
func DefaultIndexPages() []string {
	return []string{
		"default.asp", "default.aspx", "default.htm", "default.html", "index.asp", "index.aspx", "index.cgi",
		"index.htm", "index.html", "index.jsp", "index.php", "index.shtml", "index.xhtml",
	}
}

// OptionError is one fault of Options.
type OptionError struct {
	Key      string // the field as configuration spells it: "rules"
	Value    string // what was given
	Accepted string // what would be taken, for a person to read
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("%s: %q is not accepted: want %s", e.Key, e.Value, e.Accepted)
}

// Rules are compiled options. They own scratch space: one goroutine at a time, Clone for others.
type Rules struct {
	set    Set
	params []params
	index  []string
	scratch
}

// Compile makes Rules, or reports every fault of the options, joined; each is an *OptionError.
func Compile(o Options) (*Rules, error) {
	var faults []error
	fault := func(key, value, accepted string) {
		faults = append(faults, &OptionError{key, value, accepted})
	}
	r := &Rules{index: slices.Clone(o.IndexPages)}
	sets := o.ParamSets
	if i := slices.IndexFunc(presets[:], func(p Preset) bool { return p.Name == o.Preset }); i >= 0 {
		r.set = presets[i].Rules
		sets = append(slices.Clone(presets[i].Sets), sets...)
	} else if o.Preset != "" {
		fault("preset", o.Preset, "spec, crawl, surt or gsb")
	}
	for _, name := range o.Rules {
		bit, ok := ByName(name)
		if !ok {
			fault("rules", name, "one of "+strings.Join((setEnd-1).Names(), ", "))
		}
		r.set |= bit
	}
	for _, name := range sets {
		set, ok := paramSets[name]
		if !ok {
			fault("param_sets", name, "tracking or session")
			continue
		}
		r.params = append(r.params, set)
	}
	for _, list := range o.Params {
		for _, name := range list.Names {
			if name == "" || strings.ContainsAny(name, "&=#") {
				fault("params.names", name, "the name of a parameter, with * for any bytes")
			}
		}
		for _, host := range list.Hosts {
			if host == "" || strings.ContainsAny(host, "/:@*") || strings.ToLower(host) != host {
				fault("params.hosts", host, "a host name in lower case, IDN as xn--")
			}
		}
		r.params = append(r.params, params{hosts: list.Hosts, names: list.Names})
	}
	for i := range r.params {
		// The names are compared with what lowercase-query leaves: in the same case a second
		// time, else it could leave more out.
		r.params[i].fold = r.params[i].fold || r.set&LowercaseQuery != 0
	}
	if len(r.params) > 0 {
		r.set |= DropParams
	} else if r.set&DropParams != 0 {
		fault("params", "", "the names of parameters, or a set, where the rule drop-params is on")
	}
	if r.set&SortQuery != 0 && r.set&SortQueryPairs != 0 {
		r.set &^= SortQuery // by pair sorts by name, too
	}
	if r.set&GSB != 0 && r.set != GSB {
		fault("rules", strings.Join(r.set.Names(), " "), "gsb alone, or other rules without it")
	}
	if r.index == nil {
		r.index = DefaultIndexPages()
	}
	for _, name := range r.index {
		if name == "" || strings.ContainsAny(name, "/?#") || name == "." || name == ".." {
			fault("index_pages", name, "a path segment")
		}
	}
	return r, errors.Join(faults...)
}

// Clone makes equal Rules for another goroutine.
func (r *Rules) Clone() *Rules {
	c := *r
	c.scratch = scratch{}
	return &c
}

// Set tells which rules act.
func (r *Rules) Set() Set { return r.set }

// AppendSettings appends all that can change a key's bytes, in one canonical spelling, for the
// settings id.
func (r *Rules) AppendSettings(dst []byte) []byte {
	if r.set == 0 {
		return dst
	}
	dst = fmt.Appendf(dst, "key=%s", strings.Join(r.set.Names(), ","))
	if r.set&DropIndex != 0 {
		index := slices.Clone(r.index)
		slices.Sort(index)
		dst = fmt.Appendf(dst, " index=%q", slices.Compact(index))
	}
	if r.set&DropParams != 0 {
		var lists []string
		for _, p := range r.params {
			lists = append(lists, p.settings())
		}
		slices.Sort(lists)
		dst = fmt.Appendf(dst, " params=%q", slices.Compact(lists))
	}
	if r.set&(StripWWW|StripWWWNumber) != 0 {
		dst = fmt.Appendf(dst, " suffixes=%s", SuffixVersion)
	}
	return dst
}
