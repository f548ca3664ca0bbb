package whatwg

// Errors is a set of validation errors, a bit each, with the standard's names (section 1.1,
// "Writing"). A bit is never used again for another error.
type Errors uint64

// Validation errors, in the standard's order. The last one is not the standard's.
const (
	DomainToASCII                        Errors = 1 << iota // not a domain by the strict rules of DNS; "a_b.example"
	DomainPercentEncoded                                    // "exam%70le.org"
	HostInvalidCodePoint                                    // fails: "foo://exa[mple.org"
	IPv4EmptyPart                                           // "127.0.0.1."
	IPv4TooFewParts                                         // "1.2.3"
	IPv4TooManyParts                                        // fails: "1.2.3.4.5"
	IPv4NonNumericPart                                      // fails: "test.42"
	IPv4NonDecimalPart                                      // "127.0.0x0.1"
	IPv4OutOfRangePart                                      // a part over 255; fails unless it is the last and fits
	IPv4NonASCIIInput                                       // digits that IDNA made
	IPv6Unclosed                                            // fails: "[::1"
	IPv6InvalidCompression                                  // fails: "[:1]"
	IPv6TooManyPieces                                       // fails: "[1:2:3:4:5:6:7:8:9]"
	IPv6MultipleCompression                                 // fails: "[1::1::1]"
	IPv6InvalidCodePoint                                    // fails: "[1:2:3!:4]"
	IPv6TooFewPieces                                        // fails: "[1:2:3]"
	IPv6PieceLeadingZero                                    // "[::01]"
	IPv4InIPv6TooManyPieces                                 // fails: "[1:1:1:1:1:1:1:127.0.0.1]"
	IPv4InIPv6InvalidCodePoint                              // fails: "[ffff::127.0.xyz.1]"
	IPv4InIPv6OutOfRangePart                                // fails: "[ffff::127.0.0.4000]"
	IPv4InIPv6TooFewParts                                   // fails: "[ffff::127.0.0]"
	InvalidURLUnit                                          // a byte that should have been escaped, a stray "%", space or control around, tab or newline inside
	SpecialSchemeMissingFollowingSolidus                    // "https:example.org"
	MissingSchemeNonRelativeURL                             // fails: relative, and no base that could serve
	InvalidReverseSolidus                                   // "https://example.org\path"
	InvalidCredentials                                      // "https://user@example.org"
	HostMissing                                             // fails: "https://#fragment"
	PortOutOfRange                                          // fails: "https://example.org:70000"
	PortInvalid                                             // fails: "https://example.org:7z"
	FileInvalidWindowsDriveLetter                           // "c:/x" on a file: base
	FileInvalidWindowsDriveLetterHost                       // "file://c:"
	InvalidUTF8                                             // bytes that are not UTF-8, now U+FFFD; not in the standard, whose input is decoded already
)

var errorNames = [...]string{
	"domain-to-ASCII", "domain-percent-encoded", "host-invalid-code-point", "IPv4-empty-part",
	"IPv4-too-few-parts", "IPv4-too-many-parts", "IPv4-non-numeric-part", "IPv4-non-decimal-part",
	"IPv4-out-of-range-part", "IPv4-non-ASCII-input", "IPv6-unclosed", "IPv6-invalid-compression",
	"IPv6-too-many-pieces", "IPv6-multiple-compression", "IPv6-invalid-code-point",
	"IPv6-too-few-pieces", "IPv6-piece-leading-zero", "IPv4-in-IPv6-too-many-pieces",
	"IPv4-in-IPv6-invalid-code-point", "IPv4-in-IPv6-out-of-range-part",
	"IPv4-in-IPv6-too-few-parts", "invalid-URL-unit", "special-scheme-missing-following-solidus",
	"missing-scheme-non-relative-URL", "invalid-reverse-solidus", "invalid-credentials",
	"host-missing", "port-out-of-range", "port-invalid", "file-invalid-Windows-drive-letter",
	"file-invalid-Windows-drive-letter-host", "invalid-UTF-8",
}

// AppendNames appends the names of the errors in e to dst, in bit order.
func (e Errors) AppendNames(dst []string) []string {
	for i, name := range &errorNames {
		if e&(1<<i) != 0 {
			dst = append(dst, name)
		}
	}
	return dst
}

// Failure says why a reference has no URL. The zero value means that it has one.
type Failure uint8

// Failures. Where the standard records a validation error for the failure, the comment names it.
const (
	OK                  Failure = iota
	NoBase                      // relative, without a base: missing-scheme-non-relative-URL
	OpaqueBase                  // relative, on a base with an opaque path: missing-scheme-non-relative-URL
	NoHost                      // host-missing
	BadOpaqueHost               // host-invalid-code-point
	BadDomain                   // UTS 46 refuses it: domain-to-ASCII
	EmptyDomain                 // nothing is left of it after UTS 46
	ForbiddenDomainByte         // it has a forbidden domain code point, perhaps only after decoding
	BadIPv4                     // its last label is a number, and it is no IPv4 address: IPv4-...
	BadIPv6                     // IPv6-..., IPv4-in-IPv6-...
	BadPort                     // port-invalid
	PortTooBig                  // port-out-of-range
	TooLong                     // the reference is longer than MaxBytes
	failureCount
)

var failureNames = [failureCount]string{
	"ok", "no_base", "opaque_base", "no_host", "bad_opaque_host", "bad_domain", "empty_domain",
	"forbidden_domain_byte", "bad_ipv4", "bad_ipv6", "bad_port", "port_too_big", "too_long",
}

func (f Failure) String() string { return failureNames[f] }

// Component is the part of a reference that a failure points at.
type Component uint8

// The components that a failure can point at.
const (
	ComponentNone Component = iota
	ComponentReference
	ComponentHost
	ComponentPort
)

// HostKind is what the host parser made of a host (section 3.1).
type HostKind uint8

// The kinds of host.
const (
	HostNull HostKind = iota // there is no authority
	HostEmpty
	HostDomain
	HostIPv4
	HostIPv6
	HostOpaque
)
