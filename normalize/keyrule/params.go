package keyrule

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// params are names of query parameters to leave out.
type params struct {
	set   string   // of a ready-made list: its name and version
	hosts []string // empty: every host
	names []string // with "*"
	fold  bool     // compare names without regard to ASCII case
	// ids are names that count only where the value has the form of an id: see isID. They are too
	// common to go whatever they hold.
	ids []string
	// path are names of path parameters (";jsessionid=1"), without regard to case.
	path []string
	// segment says that a segment of its own may hold an id: see dropSessionSegments.
	segment bool
	doc     string // what the set leaves out beside names, for a person to read
}

// paramSets are the ready-made lists. A change makes a new version, which is part of the settings
// id.
var paramSets = map[string]params{
	// Parameters that only tell the site's owner where a visitor came from.
	"tracking": {set: "tracking-1", fold: true, names: []string{
		"utm_*", "gclid", "gclsrc", "gbraid", "wbraid", "dclid", "fbclid", "msclkid", "yclid", "ysclid", "twclid", "ttclid",
		"li_fat_id", "igshid", "igsh", "mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsctatracking",
		"vero_id", "vero_conv", "oly_anon_id", "oly_enc_id", "wickedid", "rb_clickid", "s_cid", "_openstat", "pk_campaign", "pk_kwd",
		"pk_source", "pk_medium", "pk_content", "mtm_*", "piwik_*", "matomo_*", "cvid_*", "oft_*", "ga_source", "ga_medium", "ga_term", "ga_content",
		"ga_campaign", "ga_place", "itm_*", "wt_mc", "wt.mc_id", "_ga", "_gl", "srsltid",
	}},
	// Parameters that hold a session's id.
	"session": {
		set: "session-1", fold: true,
		names:   []string{"jsessionid", "phpsessid", "sessionid", "session_id", "aspsessionid*", "cfid", "cftoken"},
		ids:     []string{"sid"},
		path:    []string{"jsessionid", "phpsessid"},
		segment: true,
		doc: "sid where its value is 32 letters or digits; the path parameters ;jsessionid and ;phpsessid; before an .aspx page a segment such as " +
			"(S(4hqa0555fwsecu455xqckv45)) or (4hqa0555fwsecu455xqckv45).",
	},
}

// ParamSets lists the names of the ready-made lists, sorted.
func ParamSets() []string { return slices.Sorted(maps.Keys(paramSets)) }

// ParamSetNames lists the names in a ready-made list, nil where there is none of that name.
func ParamSetNames(set string) []string { return slices.Clone(paramSets[set].names) }

// ParamSetDoc says what a ready-made list leaves out beside its names; "" is nothing.
func ParamSetDoc(set string) string { return paramSets[set].doc }

// HoldsSessionSegment reports whether a path holds a session's id: a parameter of the set "session", or
// a segment as ASP.NET writes it, "(S(" and the id.
func HoldsSessionSegment(path []byte) bool {
	if i := bytes.IndexByte(path, ';'); i >= 0 && sessionParams.hasPathParam(path[i:]) {
		return true
	}
	i := bytes.IndexByte(path, '(')
	return i > 0 && bytes.Contains(path[i-1:], []byte("/(S("))
}

// IsSessionParam reports whether a query parameter is of the set "session".
func IsSessionParam(name, value []byte) bool {
	if len(name) < 2 {
		return false
	}
	switch [2]byte{name[0] | 0x20, name[1] | 0x20} { // what the names begin with
	case [2]byte{'j', 's'}, [2]byte{'p', 'h'}, [2]byte{'s', 'e'}, [2]byte{'s', 'i'}, [2]byte{'a', 's'}, [2]byte{'c', 'f'}:
		return sessionParams.has(name, value)
	}
	return false
}

var sessionParams = paramSets["session"]

// hasPathParam reports whether text, which begins with ";", holds a path parameter of the list.
func (p *params) hasPathParam(text []byte) bool {
	for len(text) > 0 {
		text = text[1:]
		end := bytes.IndexAny(text, ";/")
		if end < 0 {
			end = len(text)
		}
		name, _, _ := bytes.Cut(text[:end], []byte{'='})
		for _, n := range p.path {
			if match(n, name, true) {
				return true
			}
		}
		if text = text[end:]; len(text) > 0 && text[0] == '/' {
			i := bytes.IndexByte(text, ';')
			if i < 0 {
				return false
			}
			text = text[i:]
		}
	}
	return false
}

func (p *params) settings() string {
	if p.set != "" {
		return p.set
	}
	hosts, names := slices.Clone(p.hosts), slices.Clone(p.names)
	slices.Sort(hosts)
	slices.Sort(names)
	return fmt.Sprintf("%q:%q", slices.Compact(hosts), slices.Compact(names))
}

// forHost reports whether the list counts for a host.
func (p *params) forHost(host []byte) bool {
	if len(p.hosts) == 0 {
		return true
	}
	for _, h := range p.hosts {
		if rest := len(host) - len(h); rest >= 0 && string(host[rest:]) == h && (rest == 0 || host[rest-1] == '.') {
			return true
		}
	}
	return false
}

// has reports whether the list has the name, or, where the value is an id, the name of an id.
func (p *params) has(name, value []byte) bool {
	for _, pattern := range p.names {
		if match(pattern, name, p.fold) {
			return true
		}
	}
	for _, pattern := range p.ids {
		if match(pattern, name, p.fold) {
			return isID(value, 32)
		}
	}
	return false
}

// isID reports whether a value is that many letters and digits.
func isID(value []byte, n int) bool {
	if len(value) != n {
		return false
	}
	for _, c := range value {
		if l := lower(c); (l < 'a' || l > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// match holds text against a pattern in which "*" stands for any bytes. Its time is within the
// product of the two lengths.
func match(pattern string, text []byte, fold bool) bool {
	p, t := 0, 0
	star, mark := -1, 0 // the last "*" and where the text stood that it began to swallow
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && equal(pattern[p], text[t], fold):
			p++
			t++
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

func equal(a, b byte, fold bool) bool { return a == b || fold && lower(a) == lower(b) }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}
