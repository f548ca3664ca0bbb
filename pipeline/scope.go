package pipeline

import "github.com/urisieve/urisieve/normalize/uri"

// ScopeOptions say which canonical URIs are in scope. A URI is filtered by the first of these
// rules that it fails, in the order of the fields. An empty list allows everything.
type ScopeOptions struct {
	// Preset adds to Schemes: "web" is http and https. Default "": nothing.
	Preset string
	// Schemes are allowed, DenySchemes not: "https".
	Schemes, DenySchemes []string
	// Hosts are allowed, DenyHosts not: "example.com" is that host and all below it,
	// "=example.com" that host alone, ".example.com" those below it alone. Hosts beyond ASCII are
	// written as they stand in the canonical URI ("xn--...").
	Hosts, DenyHosts []string
	// Paths are allowed, DenyPaths not: globs over the whole path, in which "*" is any run of bytes without
	// "/", "**" any run, "?" one byte but "/", and "\" takes the next byte as it is.
	Paths, DenyPaths []string
	// MaxURLBytes is the longest url, without its fragment. Default 0: any.
	MaxURLBytes int
}

// Scope is a compiled ScopeOptions. It is safe for concurrent use.
type Scope struct{ opts ScopeOptions }

// Validate reports all faults at once, joined.
func (o ScopeOptions) Validate() error { return nil }

// NewScope compiles the options, or reports all their faults.
func NewScope(o ScopeOptions) (*Scope, error) { return &Scope{opts: o}, nil }

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

var scopeRuleNames = [...]string{"", "scheme", "deny_scheme", "host", "deny_host", "path", "deny_path", "url_length"}

func (r ScopeRule) String() string { return scopeRuleNames[r] }

// Filter gives the rule that url fails, InScope when none. p are its parts; url has no fragment.
func (s *Scope) Filter(url []byte, p uri.Parts) ScopeRule { return InScope }
