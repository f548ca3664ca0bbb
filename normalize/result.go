package normalize

import "strconv"

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
	ComponentAuthority // userinfo, host and port, or where they should have been
)

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

// String is the name of the layer as outputs spell it, "" for none.
func (b BaseUsed) String() string { return nameOf(baseNames[:], int(b)) }

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
	BadAuthority           // backslash, space or control in or before the authority
	BadUserinfo            // strict: the grammar forbids a byte of it
	BadHost                // not a host, or none that its scheme allows
	NoHost                 // the scheme needs one
	BadPort                // not digits, or over 65535, or refused by policy
	BadPath                // strict: the grammar forbids a byte of it
	BadQuery               // strict: the grammar forbids a byte of it
	BadFragment            // strict: the grammar forbids a byte of it
	BadEscape              // strict: "%" without two hex digits
	SameScheme             // repeats its base's scheme without an authority
	Surrounding            // strict: spaces or controls around it
	UserinfoRefused        // by policy
	Empty                  // nothing there where a reference was required
	OutputTooLong          // the canonical form would pass the output bound

	BadRecord    // the record could not be decoded: the text is what there was of it
	MissingField // the record has no such field
	SinkTooLarge // the sink can't take a record this large
	Truncated    // the input broke off inside the record
	BadRequest   // access log: the quoted request is no request line (RFC 9112 section 3)
	NoTarget     // access log: the request's target names no URI: "*", or an authority alone (RFC 9112 section 3.2)

	Flagged // it has a flag that reject_flags names
)

// String is the reason's name, "ok" for OK.
func (r Reason) String() string {
	if int(r) < len(reasonInfos) {
		return reasonInfos[r].Name
	}
	return "reason_" + strconv.Itoa(int(r))
}

// String is the component's name as outputs spell it, "" for none.
func (c Component) String() string {
	if int(c) < len(componentInfos) {
		return componentInfos[c].Name
	}
	return "component_" + strconv.Itoa(int(c))
}

// ReasonInfo describes a reason.
type ReasonInfo struct {
	Reason Reason
	Name   string // metric label and column value
	Doc    string // what it means, one line
	Help   string // what to do about it, one line
}

// ComponentInfo describes a component.
type ComponentInfo struct {
	Component Component
	Name      string
	Section   string // where the component is defined
	Doc       string
}

// ReasonInfos lists all reasons in the order of their values, OK first.
func ReasonInfos() []ReasonInfo { return append([]ReasonInfo(nil), reasonInfos[:]...) }

// ComponentInfos lists all components in the order of their values, but for ComponentNone.
func ComponentInfos() []ComponentInfo { return append([]ComponentInfo(nil), componentInfos[1:]...) }

var reasonInfos = [...]ReasonInfo{
	{OK, "ok", "Not refused.", ""},
	{TooLong, "too_long", "The reference is longer than max_uri_bytes.", "Raise max_uri_bytes (64 MiB at most), or leave it refused: links this long are seldom pages."},
	{NoBase, "no_base", "A relative reference without a usable base.", "Name the field that holds the document's URI, or give --base."},
	{OpaqueBase, "opaque_base", "A relative reference, and the base is an opaque URI such as mailto:a@b, which serves a fragment alone.", "Check which field is read as the base."},
	{BadScheme, "bad_scheme", "What stands before the first \":\" is no scheme, and a relative path can't begin like that.", "Write ./ before a relative path whose first segment holds a colon."},
	{BadAuthority, "bad_authority", "A backslash, space or control in the authority, or where a browser would see an authority.", "Nothing: programs disagree about the host it means, so no repair is safe."},
	{BadUserinfo, "bad_userinfo", "Strict: a byte that the grammar forbids before the \"@\".", "Escape it, or normalize with repair."},
	{BadHost, "bad_host", "Not a host, or not one that the scheme allows.", "Nothing, or mend the producer: a host can't be guessed."},
	{NoHost, "no_host", "The scheme needs a host and the reference names none.", "Nothing, or mend the producer."},
	{BadPort, "bad_port", "The port is not a number, is over 65535, or is one that the policy refuses.", "If it was the policy, set refuse_bad_ports: false."},
	{BadPath, "bad_path", "Strict: a byte that the grammar forbids in the path.", "Escape it, or normalize with repair."},
	{BadQuery, "bad_query", "Strict: a byte that the grammar forbids in the query.", "Escape it, or normalize with repair."},
	{BadFragment, "bad_fragment", "Strict: a byte that the grammar forbids in the fragment.", "Escape it, or normalize with repair."},
	{BadEscape, "bad_escape", "Strict: a \"%\" that two hexadecimal digits do not follow.", "Write %25, or normalize with repair."},
	{SameScheme, "same_scheme", "The reference repeats its base's scheme and has no authority (http:g).", "Set same_scheme: strip to read it as a relative reference."},
	{Surrounding, "surrounding", "Strict: spaces or controls around the reference.", "Trim the field, or normalize with repair."},
	{UserinfoRefused, "userinfo_refused", "The reference has userinfo, and the policy refuses it.", "Set userinfo: keep, strip-password or strip."},
	{Empty, "empty", "Nothing where a reference was required.", "Check which field is read as the reference."},
	{OutputTooLong, "output_too_long", "The canonical form would pass the output bound, four times max_uri_bytes and 1 KiB.", "Raise max_uri_bytes."},
	{BadRecord, "bad_record", "The record could not be decoded; the text is what there was of it.", "Check the input format."},
	{MissingField, "missing_field", "The record has no such field.", "Check the field's name, number or path."},
	{SinkTooLarge, "sink_too_large", "The sink cannot take a record this large.", "Raise the sink's limit."},
	{Truncated, "truncated", "The input broke off inside the record.", "Fetch the file again: it is damaged."},
	{BadRequest, "bad_request", "Access log: what is quoted as the request is no request line.", "Nothing: clients sent something else than HTTP."},
	{NoTarget, "no_target", "Access log: the request's target names no URI: \"*\", or an authority alone.", "Nothing: such requests have no page."},
	{Flagged, "flagged", "It has a flag that reject_flags names; its flags tell which.", "Take the flag out of reject_flags to let such references through."},
}

var componentInfos = [...]ComponentInfo{
	{ComponentNone, "", "", ""},
	{ComponentScheme, "scheme", "RFC 3986 section 3.1", "What stands before the first \":\"."},
	{ComponentUserinfo, "userinfo", "RFC 3986 section 3.2.1", "What stands before the last \"@\" of the authority."},
	{ComponentHost, "host", "RFC 3986 section 3.2.2", "A name, an IPv4 address, or an IP literal in brackets."},
	{ComponentPort, "port", "RFC 3986 section 3.2.3", "The digits after the host's \":\"."},
	{ComponentPath, "path", "RFC 3986 section 3.3", "What follows the authority, or the scheme; it may be empty but is always there."},
	{ComponentQuery, "query", "RFC 3986 section 3.4", "What stands between the first \"?\" and the \"#\"."},
	{ComponentFragment, "fragment", "RFC 3986 section 3.5", "What follows the first \"#\"; it's no part of url."},
	{ComponentReference, "reference", "RFC 3986 section 4.1", "The reference as a whole."},
	{ComponentRecord, "record", "", "The source record that should have held the reference."},
	{ComponentAuthority, "authority", "RFC 3986 section 3.2", "What follows \"//\": userinfo, host and port."},
}

// nameOf is names[i], or "" for a value of no name.
func nameOf(names []string, i int) string {
	if i < 0 || i >= len(names) {
		return ""
	}
	return names[i]
}
