package normalize_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

const tableBase = "https://example.com/a/b/page.html"

// resolutionCases are the lines of G40 to G44 and U40. G45 holds in rfc2396 only.
var resolutionCases = map[string][]reqCase{
	"G40": {
		// RFC 3986 section 5.4.1.
		{ref: "g:h", base: rfcBase, want: "g:h", strict: "="},
		{ref: "g", base: rfcBase, want: "http://a/b/c/g", strict: "="},
		{ref: "./g", base: rfcBase, want: "http://a/b/c/g", strict: "="},
		{ref: "g/", base: rfcBase, want: "http://a/b/c/g/", strict: "="},
		{ref: "/g", base: rfcBase, want: "http://a/g", strict: "="},
		{ref: "//g", base: rfcBase, want: "http://g/", strict: "="}, // 5.4.1 without 6.2.3: http://g
		{ref: "?y", base: rfcBase, want: "http://a/b/c/d;p?y", strict: "="},
		{ref: "g?y", base: rfcBase, want: "http://a/b/c/g?y", strict: "="},
		{ref: "#s", base: rfcBase, want: "http://a/b/c/d;p?q#s", strict: "="},
		{ref: "g#s", base: rfcBase, want: "http://a/b/c/g#s", strict: "="},
		{ref: "g?y#s", base: rfcBase, want: "http://a/b/c/g?y#s", strict: "="},
		{ref: ";x", base: rfcBase, want: "http://a/b/c/;x", strict: "="},
		{ref: "g;x", base: rfcBase, want: "http://a/b/c/g;x", strict: "="},
		{ref: "g;x?y#s", base: rfcBase, want: "http://a/b/c/g;x?y#s", strict: "="},
		{ref: "", base: rfcBase, want: "http://a/b/c/d;p?q", strict: "="},
		{ref: ".", base: rfcBase, want: "http://a/b/c/", strict: "="},
		{ref: "./", base: rfcBase, want: "http://a/b/c/", strict: "="},
		{ref: "..", base: rfcBase, want: "http://a/b/", strict: "="},
		{ref: "../", base: rfcBase, want: "http://a/b/", strict: "="},
		{ref: "../g", base: rfcBase, want: "http://a/b/g", strict: "="},
		{ref: "../..", base: rfcBase, want: "http://a/", strict: "="},
		{ref: "../../", base: rfcBase, want: "http://a/", strict: "="},
		{ref: "../../g", base: rfcBase, want: "http://a/g", strict: "="},
		// RFC 3986 section 5.4.2.
		{ref: "../../../g", base: rfcBase, want: "http://a/g", strict: "="},
		{ref: "../../../../g", base: rfcBase, want: "http://a/g", strict: "="},
		{ref: "/./g", base: rfcBase, want: "http://a/g", strict: "="},
		{ref: "/../g", base: rfcBase, want: "http://a/g", strict: "="},
		{ref: "g.", base: rfcBase, want: "http://a/b/c/g.", strict: "="},
		{ref: ".g", base: rfcBase, want: "http://a/b/c/.g", strict: "="},
		{ref: "g..", base: rfcBase, want: "http://a/b/c/g..", strict: "="},
		{ref: "..g", base: rfcBase, want: "http://a/b/c/..g", strict: "="},
		{ref: "./../g", base: rfcBase, want: "http://a/b/g", strict: "="},
		{ref: "./g/.", base: rfcBase, want: "http://a/b/c/g/", strict: "="},
		{ref: "g/./h", base: rfcBase, want: "http://a/b/c/g/h", strict: "="},
		{ref: "g/../h", base: rfcBase, want: "http://a/b/c/h", strict: "="},
		{ref: "g;x=1/./y", base: rfcBase, want: "http://a/b/c/g;x=1/y", strict: "="},
		{ref: "g;x=1/../y", base: rfcBase, want: "http://a/b/c/y", strict: "="},
		{ref: "g?y/./x", base: rfcBase, want: "http://a/b/c/g?y/./x", strict: "="},
		{ref: "g?y/../x", base: rfcBase, want: "http://a/b/c/g?y/../x", strict: "="},
		{ref: "g#s/./x", base: rfcBase, want: "http://a/b/c/g#s/./x", strict: "="},
		{ref: "g#s/../x", base: rfcBase, want: "http://a/b/c/g#s/../x", strict: "="},
		// An empty base path (section 5.2.3), a fragment that is not inherited (5.2.2).
		{ref: "g", base: "http://a", want: "http://a/g", strict: "="},
		{ref: "g", base: "http://a?q", want: "http://a/g", strict: "="},
		{ref: "", base: "http://a/b#f", want: "http://a/b", strict: "="},
		{ref: "?", base: rfcBase, want: "http://a/b/c/d;p?", strict: "="},
		{ref: "/x", base: "file:///C:/a/b", want: "file:///x", strict: "="},
		{ref: "g", base: "foo:/a/b", want: "foo:/a/g", strict: "="},
		{ref: "//g", base: "foo:/a/b", want: "foo://g/", strict: "="},
	},
	"G41": {
		{ref: "g?y/../x", base: "http://a/b/c/d", want: "http://a/b/c/g?y/../x", strict: "="},
		{ref: "g?y/./x", base: "http://a/b/c/d", want: "http://a/b/c/g?y/./x", strict: "="},
		{ref: "?/../x", base: "http://a/b/c/d", want: "http://a/b/c/d?/../x", strict: "="},
		{ref: "g", base: "http://a/b/c?d/e/f", want: "http://a/b/g", strict: "="},
		{ref: "http://a/b?/../c", want: "http://a/b?/../c", strict: "="},
	},
	"G42": {
		{ref: "g", base: "http://a/b/../c/d", want: "http://a/c/g", strict: "="},
		{ref: "g", base: "HTTP://A:80/x y/z", want: "http://a/x%20y/g"},
		{ref: "g", base: "http://a b/", want: "!no_base", strict: "="},
		{ref: "g", base: "../x", want: "!no_base", strict: "="},
		{ref: "http://h/", base: "http://a b/", want: "http://h/", strict: "="},
	},
	"G43": {
		{ref: "g", want: "!no_base", strict: "="},
		{ref: "/g", want: "!no_base", strict: "="},
		{ref: "//g/h", want: "!no_base", strict: "="},
		{ref: "?q", want: "!no_base", strict: "="},
		{ref: "#f", want: "!no_base", strict: "="},
		{ref: "", want: "!no_base", strict: "="},
		{ref: "..", want: "!no_base", strict: "="},
	},
	"G44": {
		{ref: "http:g", base: rfcBase, want: "http://a/b/c/g", strict: "!same_scheme", flags: "same_scheme"},
		{ref: "HTTP:g", base: rfcBase, want: "http://a/b/c/g", strict: "!same_scheme", flags: "same_scheme"},
		{ref: "http:/g", base: rfcBase, want: "http://a/g", strict: "!same_scheme", flags: "same_scheme"},
		{ref: "http:../g", base: rfcBase, want: "http://a/b/g", strict: "!same_scheme"},
		{ref: "http:?y", base: rfcBase, want: "http://a/b/c/d;p?y", strict: "!same_scheme"},
		{ref: "http:#s", base: rfcBase, want: "http://a/b/c/d;p?q#s", strict: "!same_scheme"},
		{ref: "http:", base: rfcBase, want: "http://a/b/c/d;p?q", strict: "!same_scheme"},
		{ref: "ftp:g", base: "ftp://a/b/c", want: "ftp://a/b/g", strict: "!same_scheme"},
		{ref: "file:g", base: "file:///a/b", want: "file:///a/g", strict: "!same_scheme"},
		{ref: "file:/x", base: "file:///a/b", want: "file:///x", strict: "=", flags: "-same_scheme"},
		{ref: "foo:g", base: "foo:/a/b", want: "foo:g", strict: "=", flags: "-same_scheme"},
		{ref: "mailto:g", base: "mailto:a", want: "mailto:g", strict: "=", flags: "-same_scheme"},
		{ref: "http://g", base: rfcBase, want: "http://g/", strict: "=", flags: "-same_scheme"},
		{ref: "http:g", base: rfcBase, want: "http://a/b/c/g", strict: "=", opts: normalize.Options{SameScheme: "strip"}},
		{ref: "http:g", base: rfcBase, want: "!same_scheme", strict: "=", opts: normalize.Options{SameScheme: "reject"}},
		{ref: "http:g", base: rfcBase, want: "!no_host", strict: "=", opts: normalize.Options{SameScheme: "keep"}},
		{ref: "ftp:g", base: "ftp://a/b/c", want: "ftp:g", strict: "=", opts: normalize.Options{SameScheme: "keep"}},
		{ref: "file:/x", base: "file:///a/b", want: "file:///x", strict: "=", opts: normalize.Options{SameScheme: "reject"}},
	},
	"U40": {
		{ref: "other.html", base: tableBase, want: "https://example.com/a/b/other.html", strict: "="},
		{ref: "./other.html", base: tableBase, want: "https://example.com/a/b/other.html", strict: "="},
		{ref: "../other.html", base: tableBase, want: "https://example.com/a/other.html", strict: "="},
		{ref: "../../other.html", base: tableBase, want: "https://example.com/other.html", strict: "="},
		{ref: "/other.html", base: tableBase, want: "https://example.com/other.html", strict: "="},
		{ref: "//other.com/page", base: tableBase, want: "https://other.com/page", strict: "="},
		{ref: "?query=new", base: tableBase, want: "https://example.com/a/b/page.html?query=new", strict: "="},
		{ref: "#section", base: tableBase, want: "https://example.com/a/b/page.html#section", strict: "="},
	},
}

// securityCases are the lines of G60 to G62.
var securityCases = map[string][]reqCase{
	"G60": {
		{ref: "http://u:p@h/", want: "http://u:p@h/", strict: "=", flags: "userinfo password"},
		{ref: "http://u@h/", want: "http://u@h/", strict: "=", flags: "userinfo -password"},
		{ref: "http://h/u:p@x", want: "http://h/u:p@x", strict: "=", flags: "-userinfo -password"},
		{ref: "//u:p@h/", base: "http://a/", want: "http://u:p@h/", strict: "=", flags: "userinfo password"},
		{ref: "g", base: "http://u:p@h/", want: "http://u:p@h/g", strict: "=", flags: "userinfo password"},
		{ref: "http://u:p@h/", want: "http://u@h/", strict: "=", flags: "userinfo -password password_stripped", opts: normalize.Options{Userinfo: "strip-password"}},
		{ref: "http://u:p:q@h/", want: "http://u@h/", strict: "=", opts: normalize.Options{Userinfo: "strip-password"}},
		{ref: "http://u@h/", want: "http://u@h/", strict: "=", opts: normalize.Options{Userinfo: "strip-password"}},
		{ref: "http://u:p@h:81/", want: "http://h:81/", strict: "=", flags: "userinfo_stripped -userinfo -password", opts: normalize.Options{Userinfo: "strip"}},
		{ref: "http://@h/", want: "http://h/", strict: "=", opts: normalize.Options{Userinfo: "strip"}},
		{ref: "http://u@h/", want: "!userinfo_refused userinfo@7", strict: "=", opts: normalize.Options{Userinfo: "refuse"}},
		{ref: "http://h/", want: "http://h/", strict: "=", opts: normalize.Options{Userinfo: "refuse"}},
		{ref: "mailto:u:p@h", want: "mailto:u:p@h", strict: "=", flags: "-userinfo", opts: normalize.Options{Userinfo: "refuse"}},
	},
	"G61": {
		{ref: "http://h:25/", want: "http://h:25/", strict: "=", flags: "reserved_port"},
		{ref: "http://h:443/", want: "http://h:443/", strict: "=", flags: "reserved_port"},
		{ref: "http://h:1023/", want: "http://h:1023/", strict: "=", flags: "reserved_port"},
		{ref: "http://h:1024/", want: "http://h:1024/", strict: "=", flags: "-reserved_port"},
		{ref: "http://h:80/", want: "http://h/", strict: "=", flags: "-reserved_port"},
		{ref: "https://h:443/", want: "https://h/", strict: "=", flags: "-reserved_port"},
		{ref: "http://h/", want: "http://h/", strict: "=", flags: "-reserved_port"},
		{ref: "http://h:25/", want: "!bad_port", strict: "=", opts: normalize.Options{RefuseBadPorts: true}},
		{ref: "http://h:6667/", want: "!bad_port", strict: "=", opts: normalize.Options{RefuseBadPorts: true}},
		{ref: "http://h:0025/", want: "!bad_port", strict: "=", opts: normalize.Options{RefuseBadPorts: true}},
		{ref: "http://h:80/", want: "http://h/", strict: "=", opts: normalize.Options{RefuseBadPorts: true}},
		{ref: "http://h:8080/", want: "http://h:8080/", strict: "=", opts: normalize.Options{RefuseBadPorts: true}},
	},
	"G62": {
		{ref: "http://h/%0d%0A", want: "http://h/%0D%0A", strict: "=", flags: "escaped_control"},
		{ref: "http://h/%00", want: "http://h/%00", strict: "=", flags: "escaped_control"},
		{ref: "http://h/?a%0ab", want: "http://h/?a%0Ab", strict: "=", flags: "escaped_control"},
		{ref: "http://u%0d@h/", want: "http://u%0D@h/", strict: "=", flags: "escaped_control"},
		{ref: "http://h/%20%250a", want: "http://h/%20%250a", strict: "=", flags: "-escaped_control"},
	},
}

func TestG40_RFC3986Section54(t *testing.T)         { checkCases(t, "G40") }
func TestG41_QueryIsNotPath(t *testing.T)           { checkCases(t, "G41") }
func TestG42_BaseIsNormalized(t *testing.T)         { checkCases(t, "G42") }
func TestG43_NoBase(t *testing.T)                   { checkCases(t, "G43") }
func TestG44_SameScheme(t *testing.T)               { checkCases(t, "G44") }
func TestU40_TableOfResolutions(t *testing.T)       { checkCases(t, "U40") }
func TestG60_Userinfo(t *testing.T)                 { checkCases(t, "G60") }
func TestG61_ReservedPorts(t *testing.T)            { checkCases(t, "G61") }
func TestG62_EscapedControlCharacters(t *testing.T) { checkCases(t, "G62") }

// G44: the layer of pure resolution gives the literal answer of RFC 3986 section 5.4.2.
func TestG44_ResolutionLayerIsLiteral(t *testing.T) {
	if got := resolved(rfcBase, "http:g"); got != "http:g" {
		t.Errorf("http:g: got %s, want http:g", got)
	}
}

// G42: all sixteen combinations of present layers; the innermost wins and is recorded.
func TestG42_SixteenCombinations(t *testing.T) { checkSixteenCombinations(t, normalize.Options{}) }

func checkSixteenCombinations(t *testing.T, o normalize.Options) {
	t.Helper()
	names := []normalize.BaseUsed{normalize.BaseEmbedded, normalize.BaseEntity, normalize.BaseRetrieval, normalize.BaseDefault}
	for present := range 16 {
		o.DefaultBase = ""
		var base layers
		want, wantUsed := "!no_base", normalize.BaseNone
		for layer := 3; layer >= 0; layer-- {
			if present&(1<<layer) == 0 {
				continue
			}
			text := fmt.Sprintf("http://layer%d/x/", layer)
			if layer == 3 {
				o.DefaultBase = text
			} else {
				base[layer] = []byte(text)
			}
			want, wantUsed = text+"g", names[layer]
		}
		got, r := outcome(newNormalizer(t, o), base, "g")
		if !agrees(got, want) || r.BaseUsed != wantUsed {
			t.Errorf("%04b: got %s by %v, want %s by %v", present, got, r.BaseUsed, want, wantUsed)
		}
	}
}

// G42: relative layers resolve against the next outer usable one; unusable ones are skipped.
func TestG42_LayersBuildOnEachOther(t *testing.T) {
	const outer = "https://h/a/b"
	for _, c := range []struct {
		name                                  string
		embedded, entity, retrieval, fallback string // "-" is absent
		want                                  string
		used                                  normalize.BaseUsed
		skipped                               bool
	}{
		{"relative on retrieval", "/forum/", "-", outer, "", "https://h/forum/g", normalize.BaseEmbedded, false},
		{"relative on relative", "y/", "/x/", outer, "", "https://h/x/y/g", normalize.BaseEmbedded, false},
		{"relative on default", "y/", "-", "-", outer, "https://h/a/y/g", normalize.BaseEmbedded, false},
		{"relative with nothing outside", "y/", "-", "-", "", "!no_base", normalize.BaseNone, true},
		{"refused", "http://a b/", "-", outer, "", "https://h/a/g", normalize.BaseRetrieval, true},
		{"refused in the middle", "y/", "http:///", outer, "", "https://h/a/y/g", normalize.BaseEmbedded, true},
		{"relative outermost", "-", "-", "z/", "", "!no_base", normalize.BaseNone, true},
		{"opaque counts", "mailto:a@b", "-", outer, "", "!opaque_base", normalize.BaseEmbedded, false},
		{"relative on opaque", "y/", "-", "mailto:a@b", "", "!opaque_base", normalize.BaseRetrieval, true},
		{"empty is the outer one", "", "-", outer, "", "https://h/a/g", normalize.BaseEmbedded, false},
		{"query and fragment", "?q#f", "-", outer, "", "https://h/a/g", normalize.BaseEmbedded, false},
		{"same scheme", "https:/x/", "-", outer, "", "https://h/x/g", normalize.BaseEmbedded, false},
		{"another authority", "//k/x/", "-", outer, "", "https://k/x/g", normalize.BaseEmbedded, false},
		{"absolute hides the outer", "http://k/", "-", "http://a b/", "", "http://k/g", normalize.BaseEmbedded, true},
	} {
		var base layers
		for i, text := range []string{c.embedded, c.entity, c.retrieval} {
			if text != "-" {
				base[i] = []byte(text)
			}
		}
		got, r := outcome(newNormalizer(t, normalize.Options{DefaultBase: c.fallback}), base, "g")
		if !agrees(got, c.want) || r.Reason == normalize.OK && r.BaseUsed != c.used {
			t.Errorf("%s: got %s by %v, want %s by %v", c.name, got, r.BaseUsed, c.want, c.used)
		}
		if slices.Contains(r.Flags.Names(), "base_skipped") != c.skipped {
			t.Errorf("%s: flags %v, want base_skipped %v", c.name, r.Flags.Names(), c.skipped)
		}
	}
}

// G42: a reference that needs no base names none.
func TestG42_AbsoluteNeedsNoBase(t *testing.T) {
	_, r := outcome(newNormalizer(t, normalize.Options{}), retrieval("http://a/"), "http://h/")
	if r.BaseUsed != normalize.BaseNone {
		t.Errorf("base used %v, want none", r.BaseUsed)
	}
}

// fetchBadPorts is the table of the fetch standard, section 2.9 "Port blocking".
var fetchBadPorts = []int{
	1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
	111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
	540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
	6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
}

// G61: the setting refuses every bad port of the fetch standard, and no other above 0.
func TestG61_EveryBadPort(t *testing.T) {
	n := newNormalizer(t, normalize.Options{RefuseBadPorts: true})
	for port := 1; port <= 65535; port++ {
		_, r := n.Append(nil, nil, fmt.Appendf(nil, "http://h:%d/", port))
		if refused := r.Reason == normalize.BadPort; refused != slices.Contains(fetchBadPorts, port) {
			t.Errorf("port %d: refused %v", port, refused)
		}
	}
}
