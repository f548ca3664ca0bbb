package pipeline

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/urisieve/urisieve/normalize/uri"
)

// ScopeOptions say which canonical URIs are in scope. A URI is filtered by the first of these
// rules that it fails, in the order of the fields. An empty list allows everything.
type ScopeOptions struct {
	// Preset adds to Schemes: "web" is http and https. Default "": nothing.
	Preset string
	// Schemes are allowed, DenySchemes not: "https".
	Schemes, DenySchemes []string
	// Hosts are allowed, DenyHosts not: "example.com" is that host and all below it,
	// "=example.com" that host alone, ".example.com" those below it alone. An IP address is a host
	// that has none below it. Hosts beyond ASCII are written as they stand in the canonical URI ("xn--...").
	// A URI without a host is none of Hosts.
	Hosts, DenyHosts []string
	// Paths are allowed, DenyPaths not: globs over the whole path, in which "*" is any run of bytes without
	// "/", "**" any run, "?" one byte but "/", and "\" takes the next byte as it is.
	Paths, DenyPaths []string
	// MaxURLBytes is the longest url, without its fragment. Default 0: any.
	MaxURLBytes int
}

// Scope is a compiled ScopeOptions. It is safe for concurrent use.
type Scope struct {
	schemes, denySchemes map[string]bool
	hosts, denyHosts     hostSet
	paths, denyPaths     []*glob
	maxURLBytes          int
}

// ScopeRule is the scope rule that filtered a reference; its text is a metric label.
type ScopeRule uint8

// Rules, in the order in which they are asked.
const (
	InScope ScopeRule = iota
	OutOfSchemes
	DeniedScheme
	OutOfHosts
	DeniedHost
	OutOfPaths
	DeniedPath
	TooLongURL

	scopeRules = iota
)

var scopeRuleNames = [scopeRules]string{"", "scheme", "deny_scheme", "host", "deny_host", "path", "deny_path", "url_length"}

func (r ScopeRule) String() string { return scopeRuleNames[r] }

// Validate reports all faults at once, joined.
func (o ScopeOptions) Validate() error {
	_, err := NewScope(o)
	return err
}

// NewScope compiles the options, or reports all their faults.
func NewScope(o ScopeOptions) (*Scope, error) {
	var faults []error
	s := &Scope{maxURLBytes: o.MaxURLBytes}
	schemes := o.Schemes
	switch o.Preset {
	case "":
	case "web":
		schemes = append([]string{"http", "https"}, schemes...)
	default:
		faults = append(faults, fmt.Errorf("scope.preset: %q: want web, or nothing", o.Preset))
	}
	s.schemes = compileSchemes(&faults, "scope.schemes", schemes)
	s.denySchemes = compileSchemes(&faults, "scope.deny_schemes", o.DenySchemes)
	s.hosts = compileHosts(&faults, "scope.hosts", o.Hosts)
	s.denyHosts = compileHosts(&faults, "scope.deny_hosts", o.DenyHosts)
	s.paths = compilePaths(&faults, "scope.paths", o.Paths)
	s.denyPaths = compilePaths(&faults, "scope.deny_paths", o.DenyPaths)
	if o.MaxURLBytes < 0 {
		faults = append(faults, fmt.Errorf("scope.max_url_bytes: %d: want 1 or more, or 0 for any length", o.MaxURLBytes))
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return s, nil
}

// Filter gives the rule that url fails, InScope when none. p are its parts; url has no fragment. It
// allocates nothing and takes time linear in the length of url.
func (s *Scope) Filter(url []byte, p uri.Parts) ScopeRule {
	scheme := p.Scheme(url)
	if len(s.schemes) > 0 && !s.schemes[string(scheme)] {
		return OutOfSchemes
	}
	if s.denySchemes[string(scheme)] {
		return DeniedScheme
	}
	if len(s.hosts) > 0 || len(s.denyHosts) > 0 {
		host := p.Host(url)
		if len(s.hosts) > 0 && !s.hosts.has(host) {
			return OutOfHosts
		}
		if s.denyHosts.has(host) {
			return DeniedHost
		}
	}
	if len(s.paths) > 0 || len(s.denyPaths) > 0 {
		path := p.Path(url)
		if len(s.paths) > 0 && !anyMatches(s.paths, path) {
			return OutOfPaths
		}
		if anyMatches(s.denyPaths, path) {
			return DeniedPath
		}
	}
	if s.maxURLBytes > 0 && len(url) > s.maxURLBytes {
		return TooLongURL
	}
	return InScope
}

func anyMatches(globs []*glob, path []byte) bool {
	for _, g := range globs {
		if g.matches(path) {
			return true
		}
	}
	return false
}

func compileSchemes(faults *[]error, key string, list []string) map[string]bool {
	set := map[string]bool{}
	for _, entry := range list {
		scheme := strings.ToLower(strings.TrimSuffix(entry, ":"))
		if p := uri.Split([]byte(scheme + ":")); !p.HasScheme() || int(p.SchemeEnd) != len(scheme) {
			*faults = append(*faults, fmt.Errorf("%s: %q is no scheme: want a name such as https", key, entry))
			continue
		}
		set[scheme] = true
	}
	return set
}

func compilePaths(faults *[]error, key string, list []string) []*glob {
	var globs []*glob
	for _, pattern := range list {
		g, err := compileGlob(pattern)
		switch {
		case pattern == "":
			*faults = append(*faults, fmt.Errorf("%s: an empty glob: want one such as /news/**", key))
		case err != nil:
			*faults = append(*faults, fmt.Errorf("%s: %w", key, err))
		default:
			globs = append(globs, g)
		}
	}
	return globs
}

// hostSet says of a host name whether it, or those below it, are of the set.
type hostSet map[string]hostMatch

type hostMatch uint8

const (
	itself hostMatch = 1 << iota
	below
)

func compileHosts(faults *[]error, key string, list []string) hostSet {
	set := hostSet{}
	for _, entry := range list {
		name, match := entry, itself|below
		switch {
		case strings.HasPrefix(entry, "="):
			name, match = entry[1:], itself
		case strings.HasPrefix(entry, "."):
			name, match = entry[1:], below
		case strings.HasPrefix(entry, "*."):
			name, match = entry[2:], below
		}
		name = strings.ToLower(strings.TrimSuffix(name, "."))
		if fault := hostFault(name); fault != "" {
			*faults = append(*faults, fmt.Errorf("%s: %q: %s", key, entry, fault))
			continue
		}
		if numericHost([]byte(name)) {
			match = itself
		}
		set[name] |= match
	}
	return set
}

func hostFault(name string) string {
	switch {
	case name == "":
		return "want a host name such as example.com"
	case strings.ContainsAny(name, "/?#@ *"):
		return "want a host name alone, without scheme, path or wildcards: example.com is it and all below it"
	case strings.Contains(name, ":") && !strings.HasPrefix(name, "["):
		return "want a host name without a port; an IPv6 address in brackets"
	case strings.HasPrefix(name, ".") || strings.Contains(name, ".."):
		return "it has an empty label"
	}
	for i := range len(name) {
		if name[i] >= 0x80 {
			return "write it as it stands in the canonical URI, in ASCII (xn--...)"
		}
	}
	return ""
}

// has reports whether host is of the set: one look-up for each of its labels.
func (s hostSet) has(host []byte) bool {
	if len(s) == 0 || len(host) == 0 {
		return false
	}
	host = bytes.TrimSuffix(host, []byte("."))
	if s[string(host)]&itself != 0 {
		return true
	}
	if numericHost(host) {
		return false
	}
	for rest := host; ; {
		dot := bytes.IndexByte(rest, '.')
		if dot < 0 {
			return false
		}
		rest = rest[dot+1:]
		if s[string(rest)]&below != 0 {
			return true
		}
	}
}

// numericHost reports whether a host is an IP address: in brackets, or with nothing but digits after its
// last dot, which no top-level domain is.
func numericHost(host []byte) bool {
	if len(host) > 0 && host[0] == '[' {
		return true
	}
	last := host[bytes.LastIndexByte(host, '.')+1:]
	for _, c := range last {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(last) > 0
}
