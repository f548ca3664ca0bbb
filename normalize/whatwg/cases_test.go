package whatwg

import (
	"strings"
	"testing"
)

// Each case is reference, base ("-" without one) and href ("" where it must fail).
var hrefCases = []struct{ name, ref, base, want string }{
	// The standard's examples (section 4, "URLs").
	{"a special scheme needs no slashes", "https:example.org", "-", "https://example.org/"},
	{"any number of slashes before a special host", "https://////example.com///", "-", "https://example.com///"},
	{"dot segments go", "https://example.com/././foo", "-", "https://example.com/foo"},
	{"a path may be opaque", "hello:world", "https://example.com/", "hello:world"},
	{"the base's own scheme is stripped", "https:example.org", "https://example.com/", "https://example.com/example.org"},
	{"backslashes are slashes", `\example\..\demo/.\`, "https://example.com/", "https://example.com/demo/"},
	{"a sibling", "example", "https://example.com/demo", "https://example.com/example"},
	{"a drive letter gets its colon", "file:///C|/demo", "-", "file:///C:/demo"},
	{"a drive letter stays", "..", "file:///C:/demo", "file:///C:/"},
	{"localhost is no file host", "file://localhost/", "-", "file:///"},
	{"localhost is seen after decoding", "file://loc%61lhost/", "-", "file:///"},
	{"credentials stay", "https://user:password@example.org/", "-", "https://user:password@example.org/"},
	{"a space is escaped", "https://example.org/foo bar", "-", "https://example.org/foo%20bar"},
	{"excess dots go", "https://EXAMPLE.com/../x", "-", "https://example.com/x"},
	{"a space in a host fails", "https://ex ample.org/", "-", ""},
	{"relative without a base fails", "example", "-", ""},
	{"a port is digits", "https://example.com:demo", "-", ""},
	{"brackets hold IPv6", "http://[www.example.com]/", "-", ""},
	{"empty segments stay", "https://example.org//", "-", "https://example.org//"},
	{"brackets stay in path, query and fragment", "https://example.com/[]?[]#[]", "-", "https://example.com/[]?[]#[]"},
	{"a stray percent sign stays", "https://example/%?%#%", "-", "https://example/%?%#%"},
	{"an escape stays", "https://example/%25?%25#%25", "-", "https://example/%25?%25#%25"},

	// Percent-encode sets (section 1.3), each ASCII byte in each component.
	{"path set", "http://h/ !\"$%&'()*+,-.;<=>@[]^_`{|}~", "-", "http://h/%20!%22$%&'()*+,-.;%3C=%3E@[]%5E_%60%7B|%7D~"},
	{"special-query set", "http://h/? !\"$%&'()*+,-.;<=>?@[\\]^_`{|}~", "-", "http://h/?%20!%22$%&%27()*+,-.;%3C=%3E?@[\\]^_`{|}~"},
	{"query set", "a://h/? !\"'`<>", "-", "a://h/?%20!%22'`%3C%3E"},
	{"fragment set", "http://h/# !\"#$%&'<>?[\\]^`{|}~", "-", "http://h/#%20!%22#$%&'%3C%3E?[\\]^%60{|}~"},
	{"userinfo set", "http://!\"$&'()*+,-.;<=>[]^_`{|}~:;=@h/", "-", "http://!%22$&'()*+,-.%3B%3C%3D%3E%5B%5D%5E_%60%7B%7C%7D~:%3B%3D@h/"},
	{"opaque path set", "a:!\"$'()<>[\\]^`{|}~\x7f\x01é", "-", "a:!\"$'()<>[\\]^`{|}~%7F%01%C3%A9"},
	{"opaque host set", "a://!\"$%&'()*+,-.;=_`{}~é/", "-", "a://!\"$%&'()*+,-.;=_`{}~%C3%A9/"},

	// Bytes (section 4.4, steps before the machine).
	{"controls and spaces around go", "\x00\x1f http://h/ \x0b\n", "-", "http://h/"},
	{"no other space goes", "\u00a0http://h/", "http://b/", "http://b/%C2%A0http://h/"},
	{"tabs and newlines go anywhere", "ht\ntp\t:/\r/h\t:\n8\r1/\ta%\n41", "-", "http://h:81/a%41"},
	{"a byte that is no UTF-8", "http://h/\xe9?\xe9#\xe9", "-", "http://h/%EF%BF%BD?%EF%BF%BD#%EF%BF%BD"},
	{"a cut code point counts once", "http://h/\xf0\x9f\x98a\xe2\x82", "-", "http://h/%EF%BF%BDa%EF%BF%BD"},
	{"no code point grows together where a tab goes", "http://h/\xe2\t\x82\xac", "-", "http://h/%EF%BF%BD%EF%BF%BD%EF%BF%BD"},
	{"a surrogate counts three times", "http://h/\xed\xa0\x80", "-", "http://h/%EF%BF%BD%EF%BF%BD%EF%BF%BD"},
	{"a host that is no UTF-8 fails", "http://a\xffb/", "-", ""},
	{"nor by escapes", "http://a%ffb/", "-", ""},
	{"an opaque host may hold anything", "a://\xff/", "-", "a://%EF%BF%BD/"},

	// Authority.
	{"an empty userinfo goes", "http://@h/", "-", "http://h/"},
	{"with its colon", "http://:@h/", "-", "http://h/"},
	{"an empty password goes", "http://u:@h/", "-", "http://u@h/"},
	{"a password alone stays", "http://:p@h/", "-", "http://:p@h/"},
	{"earlier at signs are escaped", "http://a@b:c@d@h/", "-", "http://a%40b:c%40d@h/"},
	{"a userinfo needs a host", "http://u@/x", "-", ""},
	{"even where hosts may be empty", "a://u@/x", "-", ""},
	{"a port needs a host", "a://:80/", "-", ""},
	{"a backslash ends the authority", `http://good.com\@evil.com/`, "-", "http://good.com/@evil.com/"},
	{"but not of other schemes", `a://good.com\@evil.com/`, "-", "a://good.com%5C@evil.com/"},
	{"a special host is not empty", "http://#f", "-", ""},
	{"another may be", "a://#f", "-", "a://#f"},
	{"a default port goes", "http://h:80/", "-", "http://h/"},
	{"compared as a number", "https://h:00443/", "-", "https://h/"},
	{"an empty port goes", "a://h:/", "-", "a://h/"},
	{"leading zeros go", "a://h:0080/", "-", "a://h:80/"},
	{"other schemes have no default port", "ssh://h:22/", "-", "ssh://h:22/"},
	{"the highest port", "http://h:65535/", "-", "http://h:65535/"},
	{"and beyond", "http://h:65536/", "-", ""},
	{"many digits do not wrap", "http://h:4294967297/", "-", ""},
	{"file has no port", "file://h:80/", "-", ""},

	// Domains (section 3.3).
	{"lower case", "http://EXAMPLE.com/", "-", "http://example.com/"},
	{"not in an opaque host", "a://EXAMPLE.com/", "-", "a://EXAMPLE.com/"},
	{"escapes are decoded", "http://ex%61mple%2ecom/", "-", "http://example.com/"},
	{"twice is not", "http://ex%2561mple.com/", "-", ""},
	{"a delimiter that comes out", "http://ex%2fample.com/", "-", ""},
	{"underscores", "http://a_b.com/", "-", "http://a_b.com/"},
	{"sharp s is its own letter", "http://faß.de/", "-", "http://xn--fa-hia.de/"},
	{"by escapes too", "http://fa%C3%9F.de/", "-", "http://xn--fa-hia.de/"},
	{"other dots", "http://example。com/", "-", "http://example.com/"},
	{"full-width letters", "http://ｅｘ.com/", "-", "http://ex.com/"},
	{"an A-label of ASCII that stands for nothing", "http://XN--a/", "-", "http://xn--a/"},
	{"but not beside other code points", "http://xn--a.é/", "-", ""},
	{"mapped to nothing", "http://\u00ad/", "-", ""},
	{"trailing dot", "http://h./", "-", "http://h./"},
	{"dots alone", "http://../x", "-", "http://../x"},
	{"long labels", "http://" + strings.Repeat("a", 300) + "/", "-", "http://" + strings.Repeat("a", 300) + "/"},
	{"delete is forbidden in a domain", "http://a\x7fb/", "-", ""},
	{"not in an opaque host", "a://a\x7fb/", "-", "a://a%7Fb/"},

	// Dot segments.
	{"escaped dots", "http://h/a/%2E%2e/b/%2e/c/.%2e", "-", "http://h/b/"},
	{"three dots are a name", "http://h/.../%2e%2e%2e/%2ea", "-", "http://h/.../%2e%2e%2e/%2ea"},
	{"a popped segment may be empty", "http://h/a//../b", "-", "http://h/a/b"},
	{"a guarded path", "a:/..//b", "-", "a:/.//b"},
	{"a guarded path with more", "a:/.//b?q#f", "-", "a:/.//b?q#f"},
	{"a guarded base, query alone", "?q", "a:/.//b", "a:/.//b?q"},
	{"a guarded base, sibling", "c", "a:/.//b/d", "a:/.//b/c"},
	{"a guarded base, parent", "../../c", "a:/.//b/d", "a:/c"},
	{"a guard that a reference needs", "..//c", "a:/b", "a:/.//c"},
	{"no guard behind an authority", "a://h/..//b", "-", "a://h//b"},

	// Opaque paths.
	{"spaces inside stay", "a:b c  d", "-", "a:b c  d"},
	{"the last one before a query does not", "a:b  ?q", "-", "a:b %20?q"},
	{"nor before a fragment", "data:text/plain,a b  #f", "-", "data:text/plain,a b %20#f"},
	{"trailing ones go", "a:b  ", "-", "a:b"},
	{"a fragment on an opaque base", "#f", "mailto:x?y#z", "mailto:x?y#f"},
	{"nothing else", "", "mailto:x", ""},
	{"not even a query", "?y", "mailto:x", ""},
	{"dots are no dots", "a:b/../c", "-", "a:b/../c"},

	// Relative references.
	{"empty keeps the query, not the fragment", "", "http://h/a?q#f", "http://h/a?q"},
	{"fragment", "#g", "http://h/a?q#f", "http://h/a?q#g"},
	{"empty query", "?", "http://h/a?q", "http://h/a?"},
	{"empty fragment", "#", "http://h/a", "http://h/a#"},
	{"credentials and port come along", "x", "http://u:p@h:8080/a/b", "http://u:p@h:8080/a/x"},
	{"not with a host", "//g/x", "http://u:p@h:8080/a/b", "http://g/x"},
	{"backslashes make a host", `\\g\x`, "http://h/a", "http://g/x"},
	{"not on other bases", `\\g\x`, "a://h/b", `a://h/\\g\x`},
	{"another special scheme is absolute", "https:g", "http://h/a", "https://g/"},
	{"a base without a path", "g", "a://h", "a://h/g"},
	{"a colon in the first segment", "1g:h", "http://h/b/c", "http://h/b/1g:h"},
	{"a query is not a path", "g?y/../x", "http://h/b/c", "http://h/b/g?y/../x"},

	// file.
	{"file without slashes", "file:x", "-", "file:///x"},
	{"one slash", "file:/x", "-", "file:///x"},
	{"a host", "file://h/x", "-", "file://h/x"},
	{"a numeric host", "file://127.1/x", "-", "file://127.0.0.1/x"},
	{"a drive letter for host", "file://C|/x", "-", "file:///C:/x"},
	{"a drive letter of the base", "/x", "file:///C:/a/b", "file:///C:/x"},
	{"a drive letter of one's own", "/D|/x", "file:///C:/a/b", "file:///D:/x"},
	{"a drive letter that is relative", "D|/x", "file://h/C:/a", "file://h/D:/x"},
	{"the base's host", "/x", "file://h/a", "file://h/x"},
	{"a path that only looks like one", "/x", "file:///CD/a", "file:///x"},
	{"two letters are a host", "file://CC/x", "-", "file://cc/x"},
}

func TestHref(t *testing.T) {
	p := New(Options{})
	for _, c := range hrefCases {
		var base *string
		if c.base != "-" {
			base = &c.base
		}
		got, r := parse(p, base, c.ref)
		if got != c.want {
			t.Errorf("%s: %q on %q is %q (%v), want %q", c.name, c.ref, c.base, got, r.Failure, c.want)
		}
		checkTwin(t, p, []byte(c.base), []byte(c.ref), base != nil)
	}
}

func TestIPv4(t *testing.T) {
	p := New(Options{})
	for _, c := range []struct{ host, want string }{
		{"0", "0.0.0.0"},
		{"0x", "0.0.0.0"},
		{"%30", "0.0.0.0"},
		{"0xffffffff", "255.255.255.255"},
		{"4294967296", ""},
		{"09", ""},
		{"08.1", ""},
		{"0x7f.1", "127.0.0.1"},
		{"0177.0.0.1", "127.0.0.1"},
		{"1.2", "1.0.0.2"},
		{"1.2.3", "1.2.0.3"},
		{"1.65536", "1.1.0.0"},
		{"1.2.65535", "1.2.255.255"},
		{"1.2.65536", ""},
		{"1.2.3.256", ""},
		{"256.1", ""},
		{"1.2.3.4.", "1.2.3.4"},
		{"1.2.3.4..", "1.2.3.4.."},
		{"1.2.3.4.5", ""},
		{"a.1", ""},
		{"a.0x", ""},
		{"1.a", "1.a"},
		{"1..4", ""},
		{".1", ""},
		{"0x.0x", "0.0.0.0"},
		{"0xg", "0xg"},
		{"a.09", ""},
		{"1e2", "1e2"},
		{"①.2", "1.0.0.2"},
		{"example.255", ""},
		{"0X7F.1", "127.0.0.1"},
		{"00000000000000000000000000000000000000000000001", "0.0.0.1"},
		{"0x00000000000000000000000000000000000000000000001", "0.0.0.1"},
		{"99999999999999999999999999999999999999999999999", ""},
	} {
		got, r := parse(p, nil, "http://"+c.host+"/")
		if want := "http://" + c.want + "/"; got != want && (c.want != "" || r.Failure == OK) {
			t.Errorf("%s is %q (%v), want %q", c.host, got, r.Failure, c.want)
		}
		if numeric := strings.Trim(c.want, "0123456789.") == "" && c.want != "" && !strings.HasSuffix(c.want, "."); numeric != (r.Host == HostIPv4) {
			t.Errorf("%s is of kind %d", c.host, r.Host)
		}
	}
}

func TestIPv6(t *testing.T) {
	p := New(Options{})
	for _, c := range []struct{ host, want string }{
		{"::", "::"},
		{"::1", "::1"},
		{"0:0::1", "::1"},
		{"2001:DB8:0:0:0:0:0:1", "2001:db8::1"},
		{"0:f:0:0:f:f:0:0", "0:f::f:f:0:0"},
		{"1:0:1:0:1:0:1:0", "1:0:1:0:1:0:1:0"},
		{"0:0:0:1:0:0:0:0", "0:0:0:1::"},
		{"::ffff:1.2.3.4", "::ffff:102:304"},
		{"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
		{"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
		{"::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"},
		{"1::8", "1::8"},
		{"00:0001::", "0:1::"},
		{"::1.2.3.4", "::102:304"},
		{"", ""},
		{":", ""},
		{":1", ""},
		{"1:", ""},
		{":::", ""},
		{"1::2::3", ""},
		{"1:2:3", ""},
		{"1:2:3:4:5:6:7:8:9", ""},
		{"1:2:3:4:5:6:7:1.2.3.4", ""},
		{"::1.2.3", ""},
		{"::1.2.3.4.5", ""},
		{"::1.2.3.400", ""},
		{"::01.2.3.4", ""},
		{"::1.2.03.4", ""},
		{"::1..2.3", ""},
		{"::.1.2.3", ""},
		{"::g", ""},
		{"12345::", ""},
		{"fe80::1%25en0", ""},
		{"::1.2.3.4:5", ""},
		{"::%31", ""},
		{"1:2:3:4:5:6:7:8::", ""},
		{"::1:2:3:4:5:6:7:8", ""},
	} {
		for _, scheme := range []string{"http", "a"} {
			got, r := parse(p, nil, scheme+"://["+c.host+"]/")
			if want := scheme + "://[" + c.want + "]/"; got != want && (c.want != "" || r.Failure != BadIPv6) {
				t.Errorf("[%s] is %q (%v), want %q", c.host, got, r.Failure, c.want)
			}
		}
	}
}
