package normalize_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
	"github.com/urisieve/urisieve/normalize/uri"
)

var web = normalize.Options{Profile: "whatwg"}

// href is what a reference becomes under the profile whatwg, "" where it is refused.
func href(n *normalize.Normalizer, base, ref string) (string, normalize.Result) {
	var b normalize.Base
	if base != "" {
		n.SetBase(&b, nil, nil, []byte(base))
	}
	out, r := n.Append(nil, &b, []byte(ref))
	return string(out), r
}

// TestWeb_Refusals: the URL standard's failures by reason, component and place; dst comes back.
func TestWeb_Refusals(t *testing.T) {
	n := newNormalizer(t, web)
	for _, c := range []struct {
		base, ref string
		reason    normalize.Reason
		component normalize.Component
		at        uint32
	}{
		{"", "g", normalize.NoBase, normalize.ComponentReference, 0},
		{"mailto:a@b", "g", normalize.OpaqueBase, normalize.ComponentReference, 0},
		{"", " http://h:99999/", normalize.BadPort, normalize.ComponentPort, 10},
		{"", "http://", normalize.NoHost, normalize.ComponentHost, 7},
		{"", "http://1.2.3.4.5/", normalize.BadHost, normalize.ComponentHost, 7},
		{"", "http://ex%2fample.com/", normalize.BadHost, normalize.ComponentHost, 7},
	} {
		var b normalize.Base
		if c.base != "" {
			n.SetBase(&b, nil, nil, []byte(c.base))
		}
		out, r := n.Append([]byte("x"), &b, []byte(c.ref))
		if string(out) != "x" || r.Reason != c.reason || r.Component != c.component || r.At != c.at {
			t.Errorf("%q: %q, %v %v@%d; want %v %v@%d", c.ref, out, r.Reason, r.Component, r.At, c.reason, c.component, c.at)
		}
	}
}

// TestG42_WebBaseLayers: an embedded data: or javascript: base is skipped, an opaque one counts.
func TestG42_WebBaseLayers(t *testing.T) {
	n := newNormalizer(t, normalize.Options{Profile: "whatwg", DefaultBase: "http://default/"})
	for _, c := range []struct {
		embedded, entity, retrieval, want string
		used                              normalize.BaseUsed
		skipped                           bool
	}{
		{"/e/", "/n/", "http://r/x", "http://r/e/g", normalize.BaseEmbedded, false},
		{"-", "/n/", "http://r/x", "http://r/n/g", normalize.BaseEntity, false},
		{"-", "-", "http://r/x", "http://r/g", normalize.BaseRetrieval, false},
		{"-", "-", "-", "http://default/g", normalize.BaseDefault, false},
		{"data:,x", "-", "http://r/x", "http://r/g", normalize.BaseRetrieval, true},
		{"javascript:1", "-", "http://r/x", "http://r/g", normalize.BaseRetrieval, true},
		{"http://[", "-", "http://r/x", "http://r/g", normalize.BaseRetrieval, true},
	} {
		layer := func(s string) []byte {
			if s == "-" {
				return nil
			}
			return []byte(s)
		}
		var b normalize.Base
		n.SetBase(&b, layer(c.embedded), layer(c.entity), layer(c.retrieval))
		out, r := n.Append(nil, &b, []byte("g"))
		if string(out) != c.want || r.BaseUsed != c.used || (r.Flags&normalize.FlagBaseSkipped != 0) != c.skipped {
			t.Errorf("%+v: %q by %v, flags %v", c, out, r.BaseUsed, r.Flags.Names())
		}
	}
	var b normalize.Base
	n.SetBase(&b, []byte("mailto:a@b"), nil, []byte("http://r/x"))
	if _, r := n.Append(nil, &b, []byte("g")); r.Reason != normalize.OpaqueBase {
		t.Errorf("an opaque embedded base does not count: %v", r.Reason)
	}
}

// TestG60_WebUserinfo: the policies act on the href; what is left is an href again.
func TestG60_WebUserinfo(t *testing.T) {
	for _, c := range []struct{ policy, ref, want, flags string }{
		{"keep", "http://u:p@h:81/?q#f", "http://u:p@h:81/?q#f", "userinfo password"},
		{"strip", "http://u:p@h:81/?q#f", "http://h:81/?q#f", "userinfo_stripped password_stripped"},
		{"strip-password", "http://u:p@h:81/?q#f", "http://u@h:81/?q#f", "password_stripped userinfo"},
		{"strip-password", "http://:p@h/", "http://h/", "password_stripped"},
		{"strip-password", "http://u@h/", "http://u@h/", "userinfo"},
		{"refuse", "http://u@h/", "", ""},
	} {
		o := web
		o.Userinfo = c.policy
		n := newNormalizer(t, o)
		got, r := href(n, "", c.ref)
		if got != c.want || got != "" && r.Parts != uri.Split([]byte(got)) {
			t.Errorf("%s: %q is %q with parts %+v, want %q", c.policy, c.ref, got, r.Parts, c.want)
		}
		for flag := range strings.FieldsSeq(c.flags) {
			if !strings.Contains(" "+strings.Join(r.Flags.Names(), " ")+" ", " "+flag+" ") {
				t.Errorf("%s: %q has flags %v, not %s", c.policy, c.ref, r.Flags.Names(), flag)
			}
		}
	}
}

// TestWeb_FlagExamples: each example has its flag, under the family that tells it.
func TestWeb_FlagExamples(t *testing.T) {
	n := newNormalizer(t, web)
	for _, info := range normalize.FlagInfos() {
		if info.Family != "whatwg" {
			continue
		}
		if _, r := href(n, "file:///a/b", info.Example); r.Flags&info.Bit == 0 || r.Reason != normalize.OK {
			t.Errorf("%q: %v, flags %v; want %s", info.Example, r.Reason, r.Flags.Names(), info.Name)
		}
	}
}

// TestWeb_Options: what does not go with the profile is a fault.
func TestWeb_Options(t *testing.T) {
	err := normalize.Options{Profile: "whatwg", Strict: true, SameScheme: "keep", Encoding: "no-such", DefaultPorts: []normalize.DefaultPort{{Scheme: "x", Port: 1}}}.Validate()
	for _, want := range []string{"strict: ", "same_scheme: ", "encoding: ", "default_ports: "} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no fault of %s in %v", want, err)
		}
	}
	if err := (normalize.Options{Encoding: "latin1"}).Validate(); err == nil {
		t.Error("rfc3986 takes an encoding")
	}
	n := newNormalizer(t, normalize.Options{Profile: "whatwg", Encoding: "windows-1252"})
	if got, _ := href(n, "", "http://h/é?é#é"); got != "http://h/%C3%A9?%E9#%C3%A9" {
		t.Errorf("windows-1252: %q", got)
	}
	if n.SettingsID() == newNormalizer(t, web).SettingsID() {
		t.Error("the encoding is not part of the settings id")
	}
	if id := newNormalizer(t, web).SettingsID(); !strings.HasPrefix(id, "whatwg-2026-06.u17+") {
		t.Errorf("settings id %s", id)
	}
}

// TestWeb_PlatformTests: the parsing test of the URL standard, through the Normalizer.
func TestWeb_PlatformTests(t *testing.T) {
	const name = "../../shared/corpora/cases/wpt-urltestdata.jsonl"
	f, err := os.Open(name)
	if err != nil {
		t.Skipf("the web platform tests are not beside the repository (%s)", name)
	}
	defer f.Close()
	n, cases := newNormalizer(t, web), 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c struct {
			ID, Input      string
			Base, Expected *string
			Input64        string `json:"input_b64"`
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		in := c.Input
		if c.Input64 != "" {
			raw, err := base64.StdEncoding.DecodeString(c.Input64)
			if err != nil {
				t.Fatal(err)
			}
			in = string(raw)
		}
		cases++
		base := ""
		if c.Base != nil {
			base = *c.Base
		}
		got, r := href(n, base, in)
		if (r.Reason == normalize.OK) != (c.Expected != nil) || c.Expected != nil && got != *c.Expected {
			t.Errorf("%s: %q on %q is %q (%v)", c.ID, in, base, got, r.Reason)
		}
	}
	if cases != 892 {
		t.Errorf("%d cases, want 892", cases)
	}
}

// webLaws holds what must be true of any reference under the profile whatwg.
func webLaws(t *testing.T, n *normalize.Normalizer, base, ref string) {
	t.Helper()
	out, r := href(n, base, ref)
	if r.Reason != normalize.OK {
		return
	}
	if again, s := href(n, "", out); again != out || s.Changed != 0 || r.Parts != uri.Split([]byte(out)) {
		t.Errorf("%q on %q is %q, that is %q (%v, changed by %v)", ref, base, out, again, s.Reason, s.Changed.Names())
	}
	url := out[:r.Parts.URLEnd(len(out))]
	if alone, s := href(n, "", url); alone != url || s.Parts.HasFragment() {
		t.Errorf("the url %q of %q on %q parses to %q", url, ref, base, alone)
	}
	for _, c := range []byte(out) {
		if c >= 0x80 || c <= ' ' && !(c == ' ' && !r.Parts.HasAuthority()) {
			t.Errorf("%q on %q is %q, which holds %#x", ref, base, out, c)
		}
	}
	key, _ := n.AppendKey(nil, []byte(out), r)
	if n.HasKeyRules() {
		text, s := n.Append(nil, &normalize.Base{}, key)
		again, _ := n.AppendKey(nil, text, s)
		if s.Reason != normalize.OK || string(again) != string(key) {
			t.Errorf("%v: %q on %q has the key %q, that has %q (%v)", n.KeyRules().Names(), ref, base, key, again, s.Reason)
		}
	}
}

// TestWeb_KeyOfAKeyIsItself: every rule, pair and triple, through the URL standard's parser.
func TestWeb_KeyOfAKeyIsItself(t *testing.T) {
	infos := keyrule.Infos()
	refs := append([]string{
		"http://h/a%2e%2E;jsessionid=1/%2e;jsessionid=1/b", "file:///C|//x;jsessionid=1//index.html/", "foo://WWW.%41%7e/a//", "http://h/%%34%31?%%34%31&%4%31#%%34%31",
		"http://www.0x7f.1/", "http://h/a b|c^d`?'\"<>+ ", "foo:a b  ?x y #z", "http://www.xn--/", "non-special://h/..;jsessionid=1", "http://h/c|;jsessionid=1/..",
	}, keyReferences...)
	for i := range infos {
		for j := range i + 1 {
			for k := range j + 1 {
				var names []string
				for _, info := range []keyrule.Info{infos[i], infos[j], infos[k]} {
					if info.Bit != keyrule.GSB {
						names = append(names, info.Name)
					}
				}
				o := withRules(names...)
				o.Profile = "whatwg"
				n := newNormalizer(t, o)
				for _, ref := range refs {
					webLaws(t, n, "", ref)
				}
			}
		}
	}
}

// FuzzWebLaws: idempotence, url parsing to itself, and the key of a key, under the profile whatwg.
func FuzzWebLaws(f *testing.F) {
	for i, ref := range seeds {
		f.Add(everyBase[i%len(everyBase)], ref, uint32(1)<<(i%17))
	}
	for i, ref := range keyReferences {
		f.Add("", ref, uint32(1)<<(i%17)|uint32(1)<<(i*5%17))
	}
	infos := keyrule.Infos()
	f.Fuzz(func(t *testing.T, base, ref string, set uint32) {
		var names []string
		for i, info := range infos {
			if info.Bit != keyrule.GSB && set>>i&1 != 0 {
				names = append(names, info.Name)
			}
		}
		o := withRules(names...)
		o.Profile = "whatwg"
		webLaws(t, newNormalizer(t, o), base, ref)
	})
}
