package normalize

// RuleSet is a set of rules, a bit each. A bit is never used again for another rule.
type RuleSet uint64

// Flags is a set of flags, a bit each. A bit is never used again for another flag.
type Flags uint64

// Component is the part of a reference that a refusal points at.
type Component uint8

// Components, in the order of a URI.
const (
	ComponentNone Component = iota
	ComponentScheme
	ComponentUserinfo
	ComponentHost
	ComponentPort
	ComponentPath
	ComponentQuery
	ComponentFragment
	ComponentReference // the reference as a whole
	ComponentRecord    // the source record that should have held it
)

var componentNames = [...]string{"", "scheme", "userinfo", "host", "port", "path", "query", "fragment", "reference", "record"}

func (c Component) String() string { return componentNames[c] }

// BaseUsed is the layer that a base URI came from (RFC 3986 section 5.1).
type BaseUsed uint8

// The layers, innermost first.
const (
	BaseNone BaseUsed = iota
	BaseEmbedded
	BaseEntity
	BaseRetrieval
	BaseDefault
)

var baseNames = [...]string{"", "embedded", "entity", "retrieval", "default"}

func (b BaseUsed) String() string { return baseNames[b] }

// Reason says why a reference was refused. The text is a metric label and a column value; it
// never changes its meaning.
type Reason uint8

// Reasons. The first block is the normalizer's, the second belongs to readers and sinks.
const (
	OK              Reason = iota
	TooLong                // longer than max_uri_bytes
	NoBase                 // relative, and no usable base (RFC 3986 section 5.1)
	OpaqueBase             // relative, and the base is an opaque URI
	BadScheme              // what stands before ":" is no scheme, and the rest can't be relative
	BadAuthority           // backslash, space or control in or before the authority, and the like
	BadUserinfo            // strict: the grammar forbids a byte of it
	BadHost                // not a host, or none that its scheme allows
	NoHost                 // the scheme needs one
	BadPort                // not digits, or over 65535, or refused by policy
	BadPath                // strict: the grammar forbids a byte of it
	BadQuery               // strict
	BadFragment            // strict
	BadEscape              // strict: "%" without two hex digits
	SameScheme             // repeats its base's scheme without an authority
	Surrounding            // strict: spaces or controls around it
	UserinfoRefused        // by policy
	Empty                  // nothing there where a reference was required
	OutputTooLong          // the canonical form would pass the output bound

	BadRecord    // the record could not be decoded: the text is what there was of it
	MissingField // the record has no such field
	SinkTooLarge // the sink can't take a record this large
)

var reasonNames = [...]string{
	"ok", "too_long", "no_base", "opaque_base", "bad_scheme", "bad_authority", "bad_userinfo", "bad_host",
	"no_host", "bad_port", "bad_path", "bad_query", "bad_fragment", "bad_escape", "same_scheme", "surrounding",
	"userinfo_refused", "empty", "output_too_long", "bad_record", "missing_field", "sink_too_large",
}

func (r Reason) String() string { return reasonNames[r] }
