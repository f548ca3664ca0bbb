package whatwg

import (
	"strings"
	"testing"
)

func TestErrors(t *testing.T) {
	base := map[string]string{"c|/path/to/file": "file:///c:/", "https:foo.html": "https://example.org/", "\\\\x": "https://example.org/"}
	p := New(Options{})
	for _, c := range []struct {
		ref  string
		want Errors
		fail Failure
	}{
		{"https://example.org/a?b#c", 0, OK},
		{"https://exa%23mple.org", DomainToASCII | DomainPercentEncoded, ForbiddenDomainByte},
		{"https://a_b.example", DomainToASCII, OK},
		{"https://-a.example/", DomainToASCII, OK},
		{"https://a-.example/", DomainToASCII, OK},
		{"https://ab--c.example/", DomainToASCII, OK},
		{"https://a--b.example/", 0, OK},
		{"https://example./", DomainToASCII, OK},
		{"https://a..b/", DomainToASCII, OK},
		{"https://xn--fa-hia.de/", 0, OK},
		{"https://xn--a/", DomainToASCII, OK},
		{"https://" + strings.Repeat("a", 63) + ".b/", 0, OK},
		{"https://" + strings.Repeat("a", 64) + ".b/", DomainToASCII, OK},
		{"https://" + strings.Repeat("a.", 126) + "b/", 0, OK},
		{"https://" + strings.Repeat("a.", 126) + "bc/", DomainToASCII, OK},
		{"https://faß.de/", 0, OK},
		{"https://\u2488.de/", DomainToASCII, BadDomain},
		{"https://exam%70le.org", DomainPercentEncoded, OK},
		{"foo://exa[mple.org", HostInvalidCodePoint, BadOpaqueHost},
		{"https://127.0.0.1./", IPv4EmptyPart | DomainToASCII, OK},
		{"https://1.2.3/", IPv4TooFewParts, OK},
		{"https://1.2.3.4.5/", IPv4TooManyParts, BadIPv4},
		{"https://test.42", IPv4NonNumericPart | IPv4TooFewParts, BadIPv4},
		{"https://127.0.0x0.1", IPv4NonDecimalPart, OK},
		{"https://255.255.4000.1", IPv4OutOfRangePart, BadIPv4},
		{"https://255.4000", IPv4OutOfRangePart | IPv4TooFewParts, OK},
		{"https://①.②.③.④", IPv4NonASCIIInput, OK},
		{"https://[::1", IPv6Unclosed, BadIPv6},
		{"https://[:1]", IPv6InvalidCompression, BadIPv6},
		{"https://[1:2:3:4:5:6:7:8:9]", IPv6TooManyPieces, BadIPv6},
		{"https://[1::1::1]", IPv6MultipleCompression, BadIPv6},
		{"https://[1:2:3!:4]", IPv6InvalidCodePoint, BadIPv6},
		{"https://[1:2:3:]", IPv6InvalidCodePoint, BadIPv6},
		{"https://[1:2:3]", IPv6TooFewPieces, BadIPv6},
		{"https://[::01]", IPv6PieceLeadingZero, OK},
		{"https://[1:1:1:1:1:1:1:127.0.0.1]", IPv4InIPv6TooManyPieces, BadIPv6},
		{"https://[ffff::.0.0.1]", IPv4InIPv6InvalidCodePoint, BadIPv6},
		{"https://[ffff::127.0.xyz.1]", IPv4InIPv6InvalidCodePoint, BadIPv6},
		{"https://[ffff::127.0xyz]", IPv4InIPv6InvalidCodePoint, BadIPv6},
		{"https://[ffff::127.00.0.1]", IPv4InIPv6InvalidCodePoint, BadIPv6},
		{"https://[ffff::127.0.0.1.2]", IPv4InIPv6InvalidCodePoint, BadIPv6},
		{"https://[ffff::127.0.0.4000]", IPv4InIPv6OutOfRangePart, BadIPv6},
		{"https://[ffff::127.0.0]", IPv4InIPv6TooFewParts, BadIPv6},
		{"https://example.org/>", InvalidURLUnit, OK},
		{" https://example.org ", InvalidURLUnit, OK},
		{"ht\ntps://example.org", InvalidURLUnit, OK},
		{"https://example.org/%s", InvalidURLUnit, OK},
		{"https://example.org/?%4", InvalidURLUnit, OK},
		{"https://example.org/#[", InvalidURLUnit, OK},
		{"https://example.org/\u0080", InvalidURLUnit, OK},
		{"https://example.org/\ufdd0", InvalidURLUnit, OK},
		{"https://example.org/\U0001ffff", InvalidURLUnit, OK},
		{"https://example.org/é\U0001fffd", 0, OK},
		{"https://example.org/\xff", InvalidUTF8, OK},
		{"a:b c", InvalidURLUnit, OK},
		{"a:b #c", InvalidURLUnit, OK},
		{"file:c:/my-secret-folder", SpecialSchemeMissingFollowingSolidus, OK},
		{"https:example.org", SpecialSchemeMissingFollowingSolidus, OK},
		{"https:foo.html", SpecialSchemeMissingFollowingSolidus, OK},
		{"https:///example.org", SpecialSchemeMissingFollowingSolidus, OK},
		{"💩", MissingSchemeNonRelativeURL, NoBase},
		{`https://example.org\path\to\file`, InvalidReverseSolidus, OK},
		{`\\x`, InvalidReverseSolidus, OK},
		{"https://user@example.org", InvalidCredentials, OK},
		{"ssh://user@example.org", InvalidCredentials, OK},
		{"https://#fragment", HostMissing, NoHost},
		{"https://:443", HostMissing, NoHost},
		{"https://user:pass@", HostMissing | InvalidCredentials, NoHost},
		{"https://example.org:70000", PortOutOfRange, PortTooBig},
		{"https://example.org:7z", PortInvalid, BadPort},
		{"c|/path/to/file", FileInvalidWindowsDriveLetter | InvalidURLUnit, OK},
		{"file://c:", FileInvalidWindowsDriveLetterHost, OK},
	} {
		var b *string
		if on, ok := base[c.ref]; ok {
			b = &on
		}
		_, r := parse(p, b, c.ref)
		if r.Errors != c.want || r.Failure != c.fail {
			t.Errorf("%q: %q %v, want %q %v", c.ref, r.Errors.AppendNames(nil), r.Failure, c.want.AppendNames(nil), c.fail)
		}
	}
}

func TestEachErrorHasAName(t *testing.T) {
	if last := Errors(1) << (len(errorNames) - 1); last != InvalidUTF8 {
		t.Errorf("the last of %d names is for bit %#x, the last error is %#x", len(errorNames), last, InvalidUTF8)
	}
	for f := range failureCount {
		if f.String() == "" {
			t.Errorf("failure %d has no name", f)
		}
	}
	if got := (DomainToASCII | InvalidUTF8).AppendNames(nil); len(got) != 2 || got[0] != "domain-to-ASCII" || got[1] != "invalid-UTF-8" {
		t.Errorf("names %q", got)
	}
}

// A failure points into the reference as it came in, whatever was removed from it.
func TestFailureOffset(t *testing.T) {
	p := New(Options{})
	for _, c := range []struct {
		ref       string
		at        uint32
		component Component
	}{
		{"http://h:8x/", 10, ComponentPort},
		{"  http://h:8x/", 12, ComponentPort},
		{" h\tttp://h\n:8x/", 13, ComponentPort},
		{"http://\xff\xffh:8x/", 7, ComponentHost},
		{"foo://\xf0\x9f\xffh:8x/", 12, ComponentPort},
		{"http://h:70000/", 9, ComponentPort},
		{"http://ab cd/", 9, ComponentHost},
		{"http://a%62 cd/", 7, ComponentHost},
		{"foo://ab<cd/", 8, ComponentHost},
		{"http://[1::2::3]/", 13, ComponentHost},
		{"http://[::1/", 7, ComponentHost},
		{"http://u@/", 9, ComponentHost},
		{"http://?", 7, ComponentHost},
		{"http://1.2.3.4.5/", 7, ComponentHost},
		{"\t x", 2, ComponentReference},
		{"", 0, ComponentReference},
	} {
		_, r := parse(p, nil, c.ref)
		if r.Failure == OK || r.At != c.at || r.Component != c.component {
			t.Errorf("%q: failure %v at %d of component %d, want %d of %d", c.ref, r.Failure, r.At, r.Component, c.at, c.component)
		}
	}
}
