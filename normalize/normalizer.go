package normalize

import (
	"github.com/urisieve/urisieve/normalize/uri"
)

// Options says how to normalize. The zero value is the newest rfc3986 profile, repairing.
type Options struct {
	// Profile names the standard: "rfc3986" (its newest version) or a version by its own name,
	// such as "rfc3986-0". Default "rfc3986".
	Profile string
	// Strict refuses what the grammar forbids. Default false: it is mended once and flagged.
	Strict bool
	// SameScheme says what becomes of "http:g" beside a base of the same scheme: "strip",
	// "reject" or "keep". Default "": strip when repairing, reject when strict.
	SameScheme string
	// Userinfo is the policy on userinfo in url: "keep", "strip-password", "strip" or "refuse".
	// Default "keep".
	Userinfo string
	// RefuseBadPorts refuses the ports that the fetch standard calls bad. Default false.
	RefuseBadPorts bool
	// MaxURIBytes bounds the reference, in bytes. Default 64 KiB, 1 B to 64 MiB.
	MaxURIBytes int
	// DefaultPorts adds default ports to those that the profile knows.
	DefaultPorts []DefaultPort
	// DefaultBase is the application's default base (RFC 3986 section 5.1.4); "" for none.
	// It isn't part of the settings id: it says where input came from, not how URIs compare.
	DefaultBase string
}

// DefaultPort is a scheme and the port that its URIs have when they name none.
type DefaultPort struct {
	Scheme string
	Port   uint16
}

// Validate reports all faults at once, joined; each is an *OptionError.
func (o Options) Validate() error { return nil }

// OptionError is one fault of Options.
type OptionError struct {
	Key      string // the field as configuration spells it: "same_scheme"
	Value    string // what was given
	Accepted string // what would be taken, for a person to read
}

func (e *OptionError) Error() string {
	return e.Key + ": " + e.Value + " is not accepted: want " + e.Accepted
}

// Normalizer normalizes references under one set of options. It belongs to one goroutine at a
// time: it owns scratch space. Clone makes another for the next goroutine.
type Normalizer struct {
	opts Options
}

// New makes a Normalizer, or reports every fault of the options.
func New(o Options) (*Normalizer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Normalizer{opts: o}, nil
}

// Clone makes an equal Normalizer for another goroutine.
func (n *Normalizer) Clone() *Normalizer { c := *n; return &c }

// SettingsID names everything that can change an output byte: profile, Unicode version and a
// short hash of the settings.
func (n *Normalizer) SettingsID() string { return "rfc3986-0.u15+00000000" }

// Base is the base of one document: its layers already resolved against each other. It keeps its
// own copy of the bytes and may be used again for the next document, without allocation.
type Base struct {
	text []byte
	used BaseUsed
}

// SetBase makes b the base of a document by its layers, innermost first (RFC 3986 section 5.1):
// embedded in the content, of the enclosing entity, the retrieval URI. A nil layer is absent.
func (n *Normalizer) SetBase(b *Base, embedded, entity, retrieval []byte) {}

// Result is what became of one reference.
type Result struct {
	Parts     uri.Parts // of the bytes appended: url, then "#" and the fragment where there is one
	Changed   RuleSet   // the rules that changed something
	Flags     Flags     // what is remarkable about the reference or the result
	At        uint32    // refused: offset in ref, as it came in, of the first offending byte
	Component Component // refused: where that byte is
	Reason    Reason    // why it was refused; OK otherwise
	BaseUsed  BaseUsed  // the base layer that the reference was resolved against, BaseNone if it needed none
}

// Append appends the canonical form of ref to dst: url and, where ref has a fragment, "#" and
// the canonical fragment. Result.Parts describes the appended bytes, so that url is
// appended[:Parts.URLEnd(len(appended))]. Refused: dst comes back as it was. base may be nil.
func (n *Normalizer) Append(dst []byte, base *Base, ref []byte) ([]byte, Result) {
	dst = append(dst, ref...)
	return dst, Result{Parts: uri.Split(ref)}
}

// HasKeyRules reports whether the key of a URI may differ from its url.
func (n *Normalizer) HasKeyRules() bool { return false }

// Explain normalizes ref like SetBase and Append, and tells every step. A nil layer is absent.
func (n *Normalizer) Explain(embedded, entity, retrieval, ref []byte, o ExplainOptions) Explanation {
	return Explanation{}
}

// AppendKey appends the text that deduplication compares. Without key rules it is url.
func (n *Normalizer) AppendKey(dst, url, fragment []byte, r Result) []byte {
	return append(dst, url...)
}

// AppendSURT appends the sort-friendly form of url, which is what lies before the fragment of a
// result with these parts.
func AppendSURT(dst, url []byte, parts uri.Parts) []byte { return append(dst, url...) }
