package normalize

import (
	"math/bits"
	"strings"
)

// Flags is a set of flags, a bit each. A bit is never used again for another flag.
//
// A flag of the *reference* says how it was written and what had to be mended; a flag of the
// *result* says what is remarkable about the canonical URI, whoever wrote it and however: it
// comes with a relative reference too when what it tells about is inherited from the base.
type Flags uint64

// The flags.
const (
	FlagTrimmed          Flags = 1 << iota // reference
	FlagEscapedIllegal                     // reference
	FlagStrayPercent                       // reference
	FlagBackslashEscaped                   // reference
	FlagNonASCIIEscaped                    // reference
	FlagInvalidUTF8                        // reference
	FlagEarlierAt                          // reference
	FlagSameScheme                         // reference
	FlagBaseSkipped                        // reference
	FlagUserinfoStripped                   // reference
	FlagPasswordStripped                   // reference
	FlagEmptyPort                          // reference
	FlagPathGuarded                        // result
	FlagIDN                                // result
	FlagBadXNLabel                         // result
	FlagNumericHost                        // result
	FlagIPAddress                          // result
	FlagUserinfo                           // result
	FlagPassword                           // result
	FlagReservedPort                       // result
	FlagBadPort                            // result
	FlagEscapedControl                     // result
	FlagControlEscaped                     // reference

	// Validation errors of the URL standard, section 1.1, under its names; of the profile whatwg alone.
	FlagDomainToASCII
	FlagDomainPercentEncoded
	FlagIPv4EmptyPart
	FlagIPv4TooFewParts
	FlagIPv4NonDecimalPart
	FlagIPv4OutOfRangePart
	FlagIPv4NonASCIIInput
	FlagIPv6PieceLeadingZero
	FlagInvalidURLUnit
	FlagMissingSolidus
	FlagReverseSolidus
	FlagInvalidCredentials
	FlagDriveLetter
	FlagDriveLetterHost

	// What an attacker may have written.
	FlagPrivateHost        // result
	FlagMixedScriptHost    // result
	FlagInvisibleHost      // result
	FlagInvisibleRemoved   // reference
	FlagHostDiffers        // result
	FlagBackslashAuthority // reference
	FlagEncodedSlash       // result
	FlagEncodedDots        // reference

	// What a crawler may be caught in.
	FlagRepeatedSegments // result
	FlagCalendar         // result
	FlagSessionID        // result
	FlagDeepPath         // result
	FlagVeryLong         // result
	flagEnd
)

// FlagInfo describes a flag.
type FlagInfo struct {
	Bit     Flags
	Name    string // metric label and column value, snake_case
	About   string // "reference" or "result"
	Doc     string // what it says, one line
	Example string // a reference that has it
	Family  string // the one family of profiles that tells it; "" for all
}

var flagInfos = [...]FlagInfo{
	{FlagTrimmed, "trimmed", "reference", "Spaces or controls around it were cut off.", " http://h/ ", ""},
	{FlagEscapedIllegal, "escaped_illegal", "reference", "An ASCII character that the grammar forbids there was escaped.", "http://h/a b", ""},
	{FlagStrayPercent, "stray_percent", "reference", "A \"%\" without two hexadecimal digits was taken as data and escaped.", "http://h/100%", ""},
	{FlagBackslashEscaped, "backslash_escaped", "reference", "A backslash in path, query or fragment was escaped; browsers read one in the path as \"/\".", "http://h/a\\b", ""},
	{FlagNonASCIIEscaped, "non_ascii_escaped", "reference", "Non-ASCII bytes were escaped.", "http://h/é", ""},
	{FlagInvalidUTF8, "invalid_utf8", "reference", "Some of the non-ASCII bytes are no UTF-8; they were escaped as they are, with whatwg as U+FFFD.", "http://h/\xe9", ""},
	{FlagEarlierAt, "earlier_at", "reference", "The authority holds more than one \"@\"; the last one splits, earlier ones were escaped.", "http://a@b@h/", ""},
	{FlagSameScheme, "same_scheme", "reference", "It repeats its base's scheme and has no authority.", "http:g", ""},
	{FlagBaseSkipped, "base_skipped", "reference", "It needed a base, and a base layer of its document was not usable.", "g", ""},
	{FlagUserinfoStripped, "userinfo_stripped", "reference", "The policy took its userinfo away.", "http://u@h/", ""},
	{FlagPasswordStripped, "password_stripped", "reference", "The policy took its password away.", "http://u:p@h/", ""},
	{FlagEmptyPort, "empty_port", "reference", "It had a \":\" after the host and no port.", "http://h:/", ""},
	{FlagPathGuarded, "path_guarded", "result", "The path begins with \"/.//\", so that it does not read as an authority.", "a:/..//b", ""},
	{FlagIDN, "idn", "result", "The host holds an internationalized label.", "http://é.example/", ""},
	{FlagBadXNLabel, "bad_xn_label", "result", "The host holds a label that begins with xn-- and is no valid A-label; it is kept.", "http://xn--a/", ""},
	{FlagNumericHost, "numeric_host", "result", "The host ends in a number and is no IPv4 address in four decimal parts; some programs read it as an address.", "http://0x7f.1/", ""},
	{FlagIPAddress, "ip_address", "result", "The host is an IPv4 address or an IP literal.", "http://127.0.0.1/", ""},
	{FlagUserinfo, "userinfo", "result", "There is userinfo before the host.", "http://u@h/", ""},
	{FlagPassword, "password", "result", "There is a password in the userinfo.", "http://u:p@h/", ""},
	{FlagReservedPort, "reserved_port", "result", "The port is not the scheme's default and lies below 1024.", "http://h:25/", ""},
	{FlagBadPort, "bad_port", "result", "The port is one that the fetch standard refuses to connect to.", "http://h:6000/", ""},
	{FlagEscapedControl, "escaped_control", "result", "There is an escaped control character (%00 to %1F, %7F), such as CR, LF or NUL.", "http://h/%0D%0A", ""},
	{FlagControlEscaped, "control_escaped", "reference", "A control character stood in path, query or fragment and was escaped.", "http://h/a\tb", ""},
	{FlagDomainToASCII, "domain_to_ascii", "reference", "URL standard, domain-to-ASCII: the host is no domain by the strict rules of DNS.", "http://a_b.example/", "whatwg"},
	{FlagDomainPercentEncoded, "domain_percent_encoded", "reference", "URL standard, domain-percent-encoded: the host held escapes.", "http://exam%70le.org/", "whatwg"},
	{FlagIPv4EmptyPart, "ipv4_empty_part", "reference", "URL standard, IPv4-empty-part: an IPv4 address ended in a dot.", "http://127.0.0.1./", "whatwg"},
	{FlagIPv4TooFewParts, "ipv4_too_few_parts", "reference", "URL standard, IPv4-too-few-parts: an IPv4 address had fewer than four parts.", "http://1.2.3/", "whatwg"},
	{FlagIPv4NonDecimalPart, "ipv4_non_decimal_part", "reference", "URL standard, IPv4-non-decimal-part: an IPv4 address had an octal or hexadecimal part.", "http://127.0.0x0.1/", "whatwg"},
	{FlagIPv4OutOfRangePart, "ipv4_out_of_range_part", "reference", "URL standard, IPv4-out-of-range-part: the last part of an IPv4 address was over 255.", "http://127.0.65535/", "whatwg"},
	{FlagIPv4NonASCIIInput, "ipv4_non_ascii_input", "reference", "URL standard, IPv4-non-ASCII-input: an IPv4 address had digits that are not ASCII.", "http://１.2.3.4/", "whatwg"},
	{FlagIPv6PieceLeadingZero, "ipv6_piece_leading_zero", "reference", "URL standard, IPv6-piece-leading-zero: a piece of an IPv6 address began with a zero.", "http://[::01]/", "whatwg"},
	{FlagInvalidURLUnit, "invalid_url_unit", "reference", "URL standard, invalid-URL-unit: a code point that should have been escaped, a stray \"%\", or what was trimmed or removed.", "http://h/a b", "whatwg"},
	{FlagMissingSolidus, "special_scheme_missing_following_solidus", "reference", "URL standard, special-scheme-missing-following-solidus: the scheme wants \"//\" after it, and it is not that.", "http:/h/", "whatwg"},
	{FlagReverseSolidus, "invalid_reverse_solidus", "reference", "URL standard, invalid-reverse-solidus: a backslash was read as \"/\".", "http://h\\a", "whatwg"},
	{FlagInvalidCredentials, "invalid_credentials", "reference", "URL standard, invalid-credentials: there was userinfo.", "http://u@h/", "whatwg"},
	{FlagDriveLetter, "file_invalid_windows_drive_letter", "reference", "URL standard, file-invalid-Windows-drive-letter: a relative reference began with a drive letter.", "c|/x", "whatwg"},
	{FlagDriveLetterHost, "file_invalid_windows_drive_letter_host", "reference", "URL standard, file-invalid-Windows-drive-letter-host: a drive letter stood where the host should.", "file://c:/x", "whatwg"},
	{FlagPrivateHost, "private_host", "result", "The host is localhost, a name for private use, or an address, in any form that browsers read, that the IANA registries call not globally reachable.", "http://0x7f.1/", ""},
	{FlagMixedScriptHost, "mixed_script_host", "result", "A label of the host mixes scripts that are not written together (UTS 39 section 5.2, highly restrictive).", "http://p\u0430ypal.example/", ""},
	{FlagInvisibleHost, "invisible_host", "result", "A label of the host holds a code point that nobody sees.", "http://\u0915\u094d\u200d\u0937.example/", ""},
	{FlagInvisibleRemoved, "invisible_removed", "reference", "The host held code points that nobody sees; mapping it to ASCII removed them.", "http://ex\u00adample.com/", ""},
	{FlagHostDiffers, "host_differs", "result", "Programs that follow RFC 3986 and such that follow the URL standard read different hosts, or one of them none.", "http://0177.0.0.1/", ""},
	{FlagBackslashAuthority, "backslash_authority", "reference", "There was a backslash in the authority, or where one begins: programs disagree about the host.", "http://good.com\\@evil.com/", "whatwg"},
	{FlagEncodedSlash, "encoded_slash", "result", "The path holds an escaped slash or backslash, which some servers decode before they split the path.", "http://h/a%2Fb", ""},
	{FlagEncodedDots, "encoded_dots", "reference", "The path had a dot segment whose dots were escaped.", "http://h/a/%2e%2e/b", ""},
	{FlagRepeatedSegments, "repeated_segments", "result", "One, two or three segments of the path stand there three times in a row, in a path of more than five.", "http://h/a/b/a/b/a/b", ""},
	{FlagCalendar, "calendar", "result", "The URI looks like a page of a calendar: a date as a parameter whose name says so, or at the end of the path after one of its first three segments that begins with cal, event, agenda or kalender.", "http://h/calendar/2031/05", ""},
	{FlagSessionID, "session_id", "result", "The URI holds a session's id: a parameter of the set session, or an ASP.NET segment.", "http://h/a;jsessionid=1", ""},
	{FlagDeepPath, "deep_path", "result", "The path has more than 20 segments.", "http://h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21", ""},
	{FlagVeryLong, "very_long", "result", "The URI has 2,048 bytes or more; a sitemap may list shorter ones alone.", veryLongExample, ""},
}

// veryLongExample is the shortest URI that FlagVeryLong tells of.
var veryLongExample = "http://h/" + strings.Repeat("x", veryLong-len("http://h/"))

// trapFlags are those that Options.TrapFlags asks for.
const trapFlags = FlagRepeatedSegments | FlagCalendar | FlagSessionID | FlagDeepPath | FlagVeryLong

// FlagInfos lists all flags in the order of their bits.
func FlagInfos() []FlagInfo { return append([]FlagInfo(nil), flagInfos[:]...) }

// Names lists the names of the flags that are set, in the order of their bits.
func (f Flags) Names() []string {
	names := make([]string, 0, bits.OnesCount64(uint64(f)))
	for ; f != 0; f &= f - 1 {
		names = append(names, flagName(f))
	}
	return names
}

// AppendNames appends the names of the flags that are set, with sep between them.
func (f Flags) AppendNames(dst []byte, sep byte) []byte {
	for first := true; f != 0; f &= f - 1 {
		if !first {
			dst = append(dst, sep)
		}
		dst, first = append(dst, flagName(f)...), false
	}
	return dst
}

// flagNamed is the flag of a name, 0 if there is none.
func flagNamed(name string) Flags {
	for _, info := range &flagInfos {
		if info.Name == name {
			return info.Bit
		}
	}
	return 0
}

// component is where the lowest flag of a set has its cause.
func (f Flags) component() Component {
	switch flag := f & -f; {
	case flag&(FlagUserinfo|FlagPassword|FlagUserinfoStripped|FlagPasswordStripped|FlagEarlierAt|FlagInvalidCredentials) != 0:
		return ComponentUserinfo
	case flag&(FlagEmptyPort|FlagReservedPort|FlagBadPort) != 0:
		return ComponentPort
	case flag&(FlagPathGuarded|FlagEncodedSlash|FlagEncodedDots|FlagRepeatedSegments|FlagDeepPath) != 0:
		return ComponentPath
	case flag&FlagBackslashAuthority != 0:
		return ComponentAuthority
	case flag&hostFlags != 0:
		return ComponentHost
	}
	return ComponentReference
}

// hostFlags are those about a host, as it was written or as it is.
const hostFlags = FlagIDN | FlagBadXNLabel | FlagNumericHost | FlagIPAddress | FlagDomainToASCII | FlagDomainPercentEncoded |
	FlagIPv4EmptyPart | FlagIPv4TooFewParts | FlagIPv4NonDecimalPart | FlagIPv4OutOfRangePart | FlagIPv4NonASCIIInput |
	FlagIPv6PieceLeadingZero | FlagPrivateHost | FlagMixedScriptHost | FlagInvisibleHost | FlagInvisibleRemoved | FlagHostDiffers

// flagName is the name of the lowest flag that is set.
func flagName(f Flags) string {
	if i := bits.TrailingZeros64(uint64(f)); i < len(flagInfos) {
		return flagInfos[i].Name
	}
	return "unknown"
}

// resultFlags are those that describe the canonical URI. They hold again for the URI itself.
const resultFlags = FlagPathGuarded | authorityFlags | FlagEscapedControl | toldFlags

// authorityFlags are those of the result that come with its authority.
const authorityFlags = FlagIDN | FlagBadXNLabel | FlagNumericHost | FlagIPAddress | FlagUserinfo | FlagPassword | FlagReservedPort | FlagBadPort

// toldFlags are those of the result that tell finds in its text alone.
const toldFlags = FlagPrivateHost | FlagMixedScriptHost | FlagInvisibleHost | FlagHostDiffers | FlagEncodedSlash |
	FlagRepeatedSegments | FlagCalendar | FlagSessionID | FlagDeepPath | FlagVeryLong
