package normalize_test

import (
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/uri"
)

var longLabel = strings.Repeat("é", 513) // 1026 bytes

// syntaxCases are the lines of G01 to G14 and U01.
var syntaxCases = map[string][]reqCase{
	"G01": {
		{ref: "http://h/p#s", want: "http://h/p#s", strict: "="},
		{ref: "http://h/p#", want: "http://h/p#", strict: "="},
		{ref: "http://h/p?q#a/b?c", want: "http://h/p?q#a/b?c", strict: "="},
		{ref: "http://h/p#a#b", want: "http://h/p#a%23b", strict: "!bad_fragment fragment@12"},
		{ref: "g", base: "http://h/p#s", want: "http://h/g", strict: "="},
		{ref: "", base: "http://h/p#s", want: "http://h/p", strict: "="},
		{ref: "mailto:a@b#f", want: "mailto:a@b#f", strict: "="},
	},
	"G02": {
		{ref: "foo:/bar", want: "foo:/bar", strict: "="},
		{ref: "foo:bar", want: "foo:bar", strict: "="},
		{ref: "foo://bar", want: "foo://bar/", strict: "="},
		{ref: "foo:///bar", want: "foo:///bar", strict: "="},
	},
	"G03": {
		{ref: "http://h/é", want: "http://h/%C3%A9", strict: "!bad_path path@9", flags: "non_ascii_escaped"},
		{ref: "http://h/?é", want: "http://h/?%C3%A9", strict: "!bad_query query@10"},
		{ref: "http://h/#é", want: "http://h/#%C3%A9", strict: "!bad_fragment fragment@10"},
		{ref: "http://é@h/", want: "http://%C3%A9@h/", strict: "!bad_userinfo userinfo@7"},
		{ref: "http://h/\xe9", want: "http://h/%E9", strict: "!bad_path path@9", flags: "invalid_utf8"},
		{ref: "http://h/?\xff\xfe", want: "http://h/?%FF%FE", strict: "!bad_query query@10"},
		{ref: "http://bücher.de/", want: "http://xn--bcher-kva.de/", strict: "!bad_host host@8", flags: "idn"},
		{ref: "foo://bücher/", want: "foo://b%C3%BCcher/", strict: "!bad_host host@7"},
		{ref: "http://h/\u65e5\u672c", want: "http://h/%E6%97%A5%E6%9C%AC"},
		{ref: "urn:x:é", want: "urn:x:%C3%A9", strict: "!bad_path path@6"},
	},
	"G04": {
		{ref: "http://h/?", want: "http://h/?", strict: "="},
		{ref: "http://h/", want: "http://h/", strict: "="},
		{ref: "http://h/?#", want: "http://h/?#", strict: "="},
		{ref: "http://u:p@h:8080/a/b?c=d#e", want: "http://u:p@h:8080/a/b?c=d#e", strict: "="},
		{ref: "http://h/a?b?c", want: "http://h/a?b?c", strict: "="},
		{ref: "http://h/a#b?c", want: "http://h/a#b?c", strict: "="},
		{ref: "//h2", base: "http://h/a", want: "http://h2/", strict: "="},
		{ref: "foo:", want: "foo:", strict: "="},
		{ref: "foo:?q", want: "foo:?q", strict: "="},
	},
	"G05": {
		{ref: "//a/b", base: "http://h/x", want: "http://a/b", strict: "="},
		{ref: "///g", base: "http://h/x", want: "!no_host", strict: "="},
		{ref: "//", base: "http://h/x", want: "!no_host", strict: "="},
		{ref: "foo://a//b", want: "foo://a//b", strict: "="},
		{ref: "foo:////a", want: "foo:////a", strict: "="},
	},
	"G06": {
		{ref: "http://h?x/y", want: "http://h/?x/y", strict: "="},
		{ref: "http://h#x/y", want: "http://h/#x/y", strict: "="},
		{ref: "http://h/x@y", want: "http://h/x@y", strict: "="},
		{ref: "http://h?x@y", want: "http://h/?x@y", strict: "="},
		{ref: "http://h#@evil/", want: "http://h/#@evil/", strict: "="},
		{ref: "http://h?:80", want: "http://h/?:80", strict: "="},
	},
	"G07": {
		{ref: "http:///p", want: "!no_host", strict: "="},
		{ref: "https://", want: "!no_host", strict: "="},
		{ref: "http://:80/", want: "!no_host", strict: "="},
		{ref: "http://user@/x", want: "!no_host", strict: "="},
		{ref: "http:g", want: "!no_host", strict: "="},
		{ref: "http:/g", want: "!no_host", strict: "="},
		{ref: "https:g", base: "http://a/b", want: "!no_host", strict: "="},
		{ref: "http:", want: "!no_host", strict: "="},
		{ref: "file:///etc", want: "file:///etc", strict: "="},
		{ref: "foo:///etc", want: "foo:///etc", strict: "="},
		{ref: "http://a@b@c/", want: "http://a%40b@c/", strict: "!bad_userinfo userinfo@8"},
		{ref: "http://a:b@c@d:81/", want: "http://a:b%40c@d:81/", strict: "!bad_userinfo userinfo@10"},
		{ref: "http://@@h/", want: "http://%40@h/", strict: "!bad_userinfo userinfo@7"},
		{ref: "http://@h/", want: "http://@h/", strict: "="},
		{ref: "http://:@h/", want: "http://:@h/", strict: "="},
		{ref: "http://a:b:c@h/", want: "http://a:b:c@h/", strict: "="},
		{ref: "http://h:65535/", want: "http://h:65535/", strict: "="},
		{ref: "http://h:65536/", want: "!bad_port", strict: "="},
		{ref: "http://h:99999999999999999999/", want: "!bad_port", strict: "="},
		{ref: "foo://h:65536/", want: "foo://h:65536/", strict: "="},
		{ref: "foo://h:99999999999999999999/", want: "foo://h:99999999999999999999/", strict: "="},
		{ref: "http://h:8a/", want: "!bad_port port@10", strict: "="},
		{ref: "foo://h:-1/", want: "!bad_port port@8", strict: "="},
		{ref: "foo://reg!name;x=1/", want: "foo://reg!name;x=1/", strict: "="},
	},
	"G08": {
		{ref: "http://[2001:DB8::0:1]/", want: "http://[2001:db8::1]/", strict: "="},
		{ref: "http://[2001:DB8:0:0:0:0:0:1]:80/", want: "http://[2001:db8::1]/", strict: "="},
		{ref: "http://[::1]/", want: "http://[::1]/", strict: "="},
		{ref: "http://[::]/", want: "http://[::]/", strict: "="},
		{ref: "http://[1:0:0:2:0:0:0:3]/", want: "http://[1:0:0:2::3]/", strict: "="},
		{ref: "http://[1:0:0:2:3:0:0:4]/", want: "http://[1::2:3:0:0:4]/", strict: "="},
		{ref: "http://[1:2:3:4:5:6:7::]/", want: "http://[1:2:3:4:5:6:7:0]/", strict: "="},
		{ref: "http://[1:0:2:3:4:5:6:7]/", want: "http://[1:0:2:3:4:5:6:7]/", strict: "="},
		{ref: "http://[::ffff:1.2.3.4]/", want: "http://[::ffff:1.2.3.4]/", strict: "="},
		{ref: "http://[::FFFF:102:304]/", want: "http://[::ffff:1.2.3.4]/", strict: "="},
		{ref: "http://[64:ff9b::1.2.3.4]/", want: "http://[64:ff9b::102:304]/", strict: "="},
		{ref: "http://[::1.2.3.4]/", want: "http://[::102:304]/", strict: "="},
		{ref: "http://[fe80::1%25en0]/", want: "!bad_host", strict: "="},
		{ref: "http://[fe80::1%en0]/", want: "!bad_host", strict: "="},
		{ref: "http://[1::2::3]/", want: "!bad_host", strict: "="},
		{ref: "http://[1:2:3:4:5:6:7:8:9]/", want: "!bad_host", strict: "="},
		{ref: "http://[1:2:3:4:5:6:7]/", want: "!bad_host", strict: "="},
		{ref: "http://[12345::]/", want: "!bad_host", strict: "="},
		{ref: "http://[::1.2.3.256]/", want: "!bad_host", strict: "="},
		{ref: "http://[::1.2.3.04]/", want: "!bad_host", strict: "="},
		{ref: "http://[::1.2.3]/", want: "!bad_host", strict: "="},
		{ref: "http://[]/", want: "!bad_host", strict: "="},
		{ref: "http://[::1/", want: "!bad_host", strict: "="},
		{ref: "http://[::1]x/", want: "!bad_host", strict: "="},
		{ref: "http://x[::1]/", want: "!bad_host", strict: "="},
		{ref: "foo://[::1/", want: "!bad_host", strict: "="},
		{ref: "http://[V7.Ab:c]/", want: "http://[v7.ab:c]/", strict: "="},
		{ref: "http://[v.x]/", want: "!bad_host", strict: "="},
		{ref: "http://[v1.]/", want: "!bad_host", strict: "="},
		{ref: "http://[v1x]/", want: "!bad_host", strict: "="},
		{ref: "http://1.2.3.4/", want: "http://1.2.3.4/", strict: "="},
		{ref: "foo://[2001:DB8::0:1]:7/", want: "foo://[2001:db8::1]:7/", strict: "="},
	},
	"G09": {
		{ref: "http://h/a;x=1/b;y", want: "http://h/a;x=1/b;y", strict: "="},
		{ref: ";x", base: "http://a/b/c/d;p?q", want: "http://a/b/c/;x", strict: "="},
		{ref: "g;x=1/../y", base: "http://a/b/c/d;p?q", want: "http://a/b/c/y", strict: "="},
		{ref: "..;x/g", base: "http://a/b/c/d;p?q", want: "http://a/b/c/..;x/g", strict: "="},
		{ref: "https://h/f/;jsessionid=E38?lang=en", want: "https://h/f/;jsessionid=E38?lang=en", strict: "="},
	},
	"G10": {
		{ref: "mailto:User@Example.COM", want: "mailto:User@Example.COM", strict: "="},
		{ref: "MAILTO:%41%c3%a9", want: "mailto:A%C3%A9", strict: "="},
		{ref: "foo:a/../b", want: "foo:a/../b", strict: "="},
		{ref: "foo:a/./b", want: "foo:a/./b", strict: "="},
		{ref: "foo:%2e%2E/b", want: "foo:../b", strict: "="},
		{ref: "urn:ISBN:0-395", want: "urn:ISBN:0-395", strict: "="},
		{ref: "data:text/plain,a b", want: "data:text/plain,a%20b", strict: "!bad_path path@17"},
		{ref: "javascript:void(0)", want: "javascript:void(0)", strict: "="},
		{ref: "javascript:a\\b", want: "javascript:a%5Cb", strict: "!bad_path path@12"},
		{ref: "tel:+1-2", want: "tel:+1-2", strict: "="},
		{ref: "#f", base: "data:,x", want: "data:,x#f", strict: "="},
		{ref: "#", base: "mailto:a@b?s", want: "mailto:a@b?s#", strict: "="},
		{ref: "?x", base: "mailto:a@b", want: "!opaque_base", strict: "="},
		{ref: "g", base: "mailto:a@b", want: "!opaque_base", strict: "="},
		{ref: "../c", base: "urn:a:b", want: "!opaque_base", strict: "="},
		{ref: "/c", base: "urn:a:b", want: "!opaque_base", strict: "="},
		{ref: "//c", base: "urn:a:b", want: "!opaque_base", strict: "="},
		{ref: "", base: "urn:a:b", want: "!opaque_base", strict: "="},
		{ref: "http://h/", base: "urn:a:b", want: "http://h/", strict: "="},
		{ref: "urn:c", base: "urn:a:b", want: "urn:c", strict: "="},
	},
	"G11": {
		{ref: "HTTP://h/", want: "http://h/", strict: "="},
		{ref: "A1+-.b:x", want: "a1+-.b:x", strict: "="},
		{ref: "1g:h", base: "http://a/b", want: "!bad_scheme", strict: "="},
		{ref: "1g:h", want: "!bad_scheme", strict: "="},
		{ref: ":x", base: "http://a/b", want: "!bad_scheme", strict: "="},
		{ref: "a_b:c", base: "http://a/b", want: "!bad_scheme", strict: "="},
		{ref: "é:b", base: "http://a/b", want: "!bad_scheme", strict: "="},
		{ref: "./1g:h", base: "http://a/b/c", want: "http://a/b/1g:h", strict: "="},
		{ref: "?1:h", base: "http://a/b/c", want: "http://a/b/c?1:h", strict: "="},
		{ref: "x/1:h", base: "http://a/b/c", want: "http://a/b/x/1:h", strict: "="},
	},
	"G12": {
		{ref: "http://h/100%", want: "http://h/100%25", strict: "!bad_escape path@12", flags: "stray_percent"},
		{ref: "http://h/%zz", want: "http://h/%25zz", strict: "!bad_escape path@9"},
		{ref: "http://h/%4", want: "http://h/%254", strict: "!bad_escape path@9"},
		{ref: "http://h/%%41", want: "http://h/%25A", strict: "!bad_escape path@9"},
		{ref: "http://h/%4%41", want: "http://h/%254A", strict: "!bad_escape path@9"},
		{ref: "http://h/?a=%u00e9", want: "http://h/?a=%25u00e9", strict: "!bad_escape query@12"},
		{ref: "http://h/#%", want: "http://h/#%25", strict: "!bad_escape fragment@10"},
		{ref: "http://%g0@h/", want: "http://%25g0@h/", strict: "!bad_escape userinfo@7"},
		{ref: "foo://a%zz/", want: "foo://a%25zz/", strict: "!bad_escape host@7"},
		{ref: "mailto:%", want: "mailto:%25", strict: "!bad_escape path@7"},
		{ref: "%", base: "http://h/", want: "http://h/%25", strict: "!bad_escape path@0"},
		{ref: "http://h/%41%20", want: "http://h/A%20", strict: "=", flags: "-stray_percent"},
	},
	"G13": {
		{ref: " \t\r\n\x00http://h/ \x1f", want: "http://h/", strict: "!surrounding", flags: "trimmed"},
		{ref: "http://h/ ", want: "http://h/", strict: "!surrounding", flags: "trimmed"},
		{ref: " g", base: "http://h/", want: "http://h/g", strict: "!surrounding"},
		{ref: "http://h/\u00a0", want: "http://h/%C2%A0", flags: "-trimmed"},
		{ref: "http://h/\x7f", want: "http://h/%7F", strict: "!bad_path path@9", flags: "-trimmed"},
		{ref: "http://h/a b?c d#e f", want: "http://h/a%20b?c%20d#e%20f", strict: "!bad_path path@10"},
		{ref: "http://h/a\tb?c\nd#e\x00f", want: "http://h/a%09b?c%0Ad#e%00f", strict: "!bad_path path@10"},
		{ref: `http://h/a\b?c\d#e\f`, want: "http://h/a%5Cb?c%5Cd#e%5Cf", strict: "!bad_path path@10", flags: "backslash_escaped"},
		{ref: `a\b`, base: "http://h/", want: "http://h/a%5Cb", strict: "!bad_path path@1"},
		{ref: `\g`, base: "http://h/x/y", want: "http://h/x/%5Cg", strict: "!bad_path path@0"},
		{ref: `http://good.com\@evil.com/`, want: "!bad_authority", strict: "!bad_authority"},
		{ref: `http://good.com\.evil.com/`, want: "!bad_authority"},
		{ref: "http://exa mple.com/", want: "!bad_authority"},
		{ref: "http://fo\to.com/a\nb", want: "!bad_authority"},
		{ref: "http://u s@h/", want: "!bad_authority"},
		{ref: "http://h:8 0/", want: "!bad_authority"},
		{ref: "http://h\x00/", want: "!bad_authority"},
		{ref: "foo://a b/", want: "!bad_authority"},
		{ref: `http:\\h\x`, want: "!bad_authority"},
		{ref: `http:/\h`, want: "!bad_authority"},
		{ref: `http:\/h`, want: "!bad_authority"},
		{ref: `\\h\x`, base: "http://a/", want: "!bad_authority"},
		{ref: `/\h`, base: "http://a/", want: "!bad_authority"},
		{ref: `\/h`, base: "http://a/", want: "!bad_authority"},
		{ref: "/\t/h", base: "http://a/", want: "!bad_authority"},
		{ref: "\\\n\\h", base: "http://a/", want: "!bad_authority"},
		{ref: "http: //h/", want: "!bad_authority", strict: "="},
		{ref: "http:\x1f//h/", base: "http://a/", want: "!bad_authority", strict: "="},
		{ref: "ssh:\\\\h", want: "!bad_authority"},
		{ref: "foo: //h/", want: "foo:%20//h/", strict: "!bad_path path@4"},
		{ref: "foo:/\n/h", want: "!bad_authority"},
		{ref: `foo:/\h`, want: "foo:/%5Ch", strict: "!bad_path path@5"},
		{ref: "foo:/a\n/h", want: "foo:/a%0A/h", strict: "!bad_path path@6"},
		{ref: `C:\a`, want: "c:%5Ca", strict: "!bad_path path@2"},
	},
	"G14": {
		{ref: "http://exa%6Dple.com/", want: "http://example.com/", strict: "="},
		{ref: "http://EX%41MPLE.com/", want: "http://example.com/", strict: "="},
		{ref: "http://b%C3%BCcher.de/", want: "http://xn--bcher-kva.de/", strict: "="},
		{ref: "http://faß.de/", want: "http://xn--fa-hia.de/", flags: "idn"},
		{ref: "http://FAẞ.de/", want: "http://xn--fa-hia.de/"},
		{ref: "http://example。com/", want: "http://example.com/"},
		{ref: "http://Ａ.com/", want: "http://a.com/"},
		{ref: "http://a_b.com/", want: "http://a_b.com/", strict: "="},
		{ref: "http://a_é.com/", want: "http://xn--a_-cja.com/"},
		{ref: "http://☃.net/", want: "http://xn--n3h.net/"},
		{ref: "http://XN--FA-HIA.de/", want: "http://xn--fa-hia.de/", strict: "="},
		{ref: "http://xn--a/", want: "http://xn--a/", strict: "=", flags: "bad_xn_label"},
		{ref: "http://xn--é.com/", want: "!bad_host"},
		{ref: "http://h'é/", want: "!bad_host"},
		{ref: "http://xn--!Ａ/", want: "!bad_host"},
		{ref: "http://xn--a／/", want: "!bad_host"},
		{ref: "http://xn--a\u00a0/", want: "!bad_host"},
		{ref: "http://xn--a!/", want: "http://xn--a!/", strict: "="},
		{ref: "http://h'a.é/", want: "http://h'a.xn--9ca/"},
		{ref: "http://\u00ad/", want: "!bad_host"},
		{ref: "http://1.אa/", want: "!bad_host"},
		{ref: "http://\u200da/", want: "!bad_host"},
		{ref: "http://\u0301a/", want: "!bad_host"},
		{ref: "http://a／b.com/", want: "!bad_host"},
		{ref: "http://a％b.com/", want: "!bad_host"},
		{ref: "http://a＠b.com/", want: "!bad_host"},
		{ref: "http://a：80/", want: "!bad_host"},
		{ref: "http://a＃b.com/", want: "!bad_host"},
		{ref: "http://ex%2fample.com/", want: "!bad_host", strict: "="},
		{ref: "http://ex%2Cample.com/", want: "!bad_host", strict: "="},
		{ref: "http://ex%00ample.com/", want: "!bad_host", strict: "="},
		{ref: "http://ex%20ample.com/", want: "!bad_host", strict: "="},
		{ref: "http://a%25b.com/", want: "!bad_host", strict: "="},
		{ref: "http://a%40b.com/", want: "!bad_host", strict: "="},
		{ref: "http://%5B::1%5D/", want: "!bad_host", strict: "="},
		{ref: "http://a%zz.com/", want: "!bad_host"},
		{ref: "http://a<b.com/", want: "!bad_host", strict: "="},
		{ref: "http://a^b.com/", want: "!bad_host", strict: "="},
		{ref: "http://a{b}.com/", want: "!bad_host", strict: "="},
		{ref: "http://a\x7fb.com/", want: "!bad_host", strict: "="},
		{ref: "http://a:b:80/", want: "!bad_host", strict: "="},
		{ref: "http://\xe9.com/", want: "!bad_host", strict: "="},
		{ref: "http://%E9.com/", want: "!bad_host", strict: "="},
		{ref: "http://a!b.com/", want: "http://a!b.com/", strict: "="},
		{ref: "http://a..b/", want: "http://a..b/", strict: "="},
		{ref: "http://a.com./", want: "http://a.com./", strict: "="},
		{ref: "http://" + longLabel + "/", want: "!bad_host"},
		{ref: "http://" + longLabel[2:] + "/", want: "http://xn--9ca" + strings.Repeat("a", 511) + "/"},
		{ref: "http://" + longLabel[2:] + "a/", want: "!bad_host"},
		{ref: "http://" + longLabel[2:] + "." + longLabel[2:] + "/", want: "http://xn--9ca" + strings.Repeat("a", 511) + ".xn--9ca" + strings.Repeat("a", 511) + "/"},
		{ref: "http://é.com./", want: "http://xn--9ca.com./"},
		{ref: "http://é..com/", want: "http://xn--9ca..com/"},
		{ref: "http://xn--" + strings.Repeat("a", 1021) + "/", want: "!bad_host"},
		{ref: "http://" + strings.Repeat("a", 1025) + "/", want: "http://" + strings.Repeat("a", 1025) + "/"},
		{ref: "http://0x7f.1/", want: "http://0x7f.1/", strict: "=", flags: "numeric_host"},
		{ref: "http://0177.0.0.1/", want: "http://0177.0.0.1/", strict: "=", flags: "numeric_host"},
		{ref: "http://256.256.256.256/", want: "http://256.256.256.256/", strict: "=", flags: "numeric_host"},
		{ref: "http://1.2.3.4.5/", want: "http://1.2.3.4.5/", strict: "=", flags: "numeric_host"},
		{ref: "http://h1.com/", want: "http://h1.com/", flags: "-numeric_host"},
		{ref: "foo://exa%6Dple%2f/", want: "foo://example%2F/", strict: "="},
		{ref: "foo://%41B%c3%a9/", want: "foo://ab%C3%A9/", strict: "="},
		{ref: "foo://a<b/", want: "foo://a%3Cb/", strict: "!bad_host host@7"},
	},
	"U01": {
		{ref: "https://example.com/page", want: "https://example.com/page", strict: "="},
		{ref: "mailto:user@example.com", want: "mailto:user@example.com", strict: "="},
		{ref: "data:text/plain;base64,SGVsbG8=", want: "data:text/plain;base64,SGVsbG8=", strict: "="},
		{ref: "file:///home/user/doc.pdf", want: "file:///home/user/doc.pdf", strict: "="},
		{ref: "file://localhost/etc", want: "file:///etc", strict: "="},
		{ref: "file:/etc", want: "file:///etc", strict: "="},
		{ref: "file://h/etc", want: "file://h/etc", strict: "="},
		{ref: "file:///C|/x/../y", want: "file:///C%7C/y", strict: "!bad_path path@9"},
		{ref: "https://www.example.com:8080/docs/guide?page=1&sort=name#section-2", want: "https://www.example.com:8080/docs/guide?page=1&sort=name#section-2", strict: "="},
	},
}

func TestG01_FragmentIsApart(t *testing.T)           { checkCases(t, "G01") }
func TestG02_SlashBelongsToThePath(t *testing.T)     { checkCases(t, "G02") }
func TestG03_CanonicalIsASCII(t *testing.T)          { checkCases(t, "G03") }
func TestG04_UndefinedIsNotEmpty(t *testing.T)       { checkCases(t, "G04") }
func TestG05_TwoSlashesAreAnAuthority(t *testing.T)  { checkCases(t, "G05") }
func TestG06_AuthorityEnds(t *testing.T)             { checkCases(t, "G06") }
func TestG07_ServerBasedAuthority(t *testing.T)      { checkCases(t, "G07") }
func TestG08_AddressLiterals(t *testing.T)           { checkCases(t, "G08") }
func TestG09_SegmentParametersStay(t *testing.T)     { checkCases(t, "G09") }
func TestG10_OpaqueURIs(t *testing.T)                { checkCases(t, "G10") }
func TestG11_Scheme(t *testing.T)                    { checkCases(t, "G11") }
func TestG12_StrayPercent(t *testing.T)              { checkCases(t, "G12") }
func TestG13_SpacesControlsBackslashes(t *testing.T) { checkCases(t, "G13") }
func TestG14_HostNames(t *testing.T)                 { checkCases(t, "G14") }
func TestU01_SchemePatterns(t *testing.T)            { checkCases(t, "U01") }

// url and fragment lie apart in the appended bytes, and an absent fragment is not an empty one.
func TestG01_URLAndFragmentByParts(t *testing.T) {
	for ref, want := range map[string][2]string{
		"http://h/p#s": {"http://h/p", "s"},
		"http://h/p#":  {"http://h/p", ""},
		"http://h/p":   {"http://h/p", "absent"},
		"foo:x#y":      {"foo:x", "y"},
	} {
		out, r := newNormalizer(t, normalize.Options{}).Append([]byte("before"), nil, []byte(ref))
		out = out[len("before"):]
		fragment := "absent"
		if r.Parts.HasFragment() {
			fragment = string(r.Parts.Fragment(out))
		}
		if got := [2]string{string(out[:r.Parts.URLEnd(len(out))]), fragment}; got != want {
			t.Errorf("%q: got %q, want %q", ref, got, want)
		}
	}
}

// G03: every byte value, in every component, gives ASCII that the grammar allows.
func TestG03_EveryByteGivesASCII(t *testing.T) {
	n := newNormalizer(t, normalize.Options{})
	for b := range 256 {
		for _, form := range []string{"http://h/%sx", "http://h/?%sx", "http://h/#%sx", "http://%sx@h/", "foo:%sx", "foo://%sx/"} {
			ref := strings.Replace(form, "%s", string([]byte{byte(b)}), 1)
			out, r := n.Append(nil, nil, []byte(ref))
			if r.Reason != normalize.OK {
				continue
			}
			if verdict := matchReference(string(out)); verdict != "" {
				t.Errorf("%q: %q is not a URI: %s", ref, out, verdict)
			}
		}
	}
}

// G04: the parts of a result are those of its text.
func TestG04_PartsAreThoseOfTheText(t *testing.T) {
	n := newNormalizer(t, normalize.Options{})
	for _, cases := range requirementCases() {
		for _, c := range cases {
			var b normalize.Base
			base := retrieval(c.base)
			n.SetBase(&b, base[0], base[1], base[2])
			if out, r := n.Append(nil, &b, []byte(c.ref)); r.Reason == normalize.OK && r.Parts != uri.Split(out) {
				t.Errorf("%v: parts %+v, but %q splits as %+v", c, r.Parts, out, uri.Split(out))
			}
		}
	}
}
