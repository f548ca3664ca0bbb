package normalize_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
)

// keyOf gives url and key of a reference, "" where it is refused.
func keyOf(n *normalize.Normalizer, ref string) (url, key string, fired keyrule.Set) {
	out, r := n.Append(nil, nil, []byte(ref))
	if r.Reason != normalize.OK {
		return "", "", 0
	}
	text, fired := n.AppendKey(nil, out, r)
	return string(out[:r.Parts.URLEnd(len(out))]), string(text), fired
}

// withRules are options with these key rules.
func withRules(names ...string) normalize.Options {
	o := normalize.Options{}
	for _, name := range names {
		if name == "drop-params" {
			o.Key.ParamSets = []string{"tracking", "session"}
		} else {
			o.Key.Rules = append(o.Key.Rules, name)
		}
	}
	return o
}

// keyReferences are references that have work for every rule, and for several at once.
var keyReferences = []string{
	"HTTPS://User:pw@WWW.www2.Example.CO.UK.:443/A//b;jsessionid=1/./Index.HTML/?b=2&utm_source=x&a=1+2&a=%7e&#f",
	"https://www.com./", "http://www/", "http://www..example.com/", "http://www.1.2.3.4/", "https://h:8443//", "http://[::1]./", "http://www.[::1]/",
	"http://h/a/index.html/index.php///", "http://h/;jsessionid=1", "http://h/..;jsessionid=1/x", "http://h/.;JSESSIONID=1", "http://h/%2e%2E;jsessionid=1",
	"http://h?", "http://h?&", "http://h?utm_x", "http://h?utm_x&", "http://h?b&a&B&A=", "http://h/?a=1&&=2", "http://h/%41%%341", "http://h/?%+%34", "http://h/#%7e",
	"file:////C|/a//b/", "file://www.example.com/a/", "foo://www.example.com.//a//?b&a", "foo:/a//", "foo:a//", "mailto:a@b?utm_source=1", "urn:a:b", "data:text/plain,a%7eb",
	"http://h/(S(4hqa0555fwsecu455xqckv45))/(S(4hqa0555fwsecu455xqckv45));jsessionid=1//X.ASPX/index.html?SID=9682993c8daa2c5497996114facdc805&sid=1&%C3b=%c3B",
	"a:/..//b//", "http://www.github.io", "http://www.www.ck", "http://xn--bcher-kva.example/%C3%A9", "http://www.bücher.example/É", "ws://www.h.example:80/a/", "ftp://u@h/A/",
}

// TestG01_KeepFragment: the fragment is in the key where keep-fragment is on, and in no url.
func TestG01_KeepFragment(t *testing.T) {
	plain, keep := newNormalizer(t, normalize.Options{}), newNormalizer(t, withRules("keep-fragment"))
	for _, c := range []struct{ ref, url, key string }{
		{"http://h/p#s", "http://h/p", "http://h/p#s"},
		{"http://h/p#", "http://h/p", "http://h/p#"},
		{"http://h/p", "http://h/p", "http://h/p"},
		{"foo:a#s", "foo:a", "foo:a#s"},
	} {
		if url, key, _ := keyOf(plain, c.ref); url != c.url || key != c.url {
			t.Errorf("%s: url %s, key %s without rules", c.ref, url, key)
		}
		if url, key, _ := keyOf(keep, c.ref); url != c.url || key != c.key {
			t.Errorf("%s: url %s, key %s; want %s, %s", c.ref, url, key, c.url, c.key)
		}
	}
}

// TestKey_OfAKeyIsItself: key(key(x)) = key(x) through the full parse, for every rule, pair and
// triple, and url is the same whatever the rules.
func TestKey_OfAKeyIsItself(t *testing.T) {
	var names []string
	for _, info := range keyrule.Infos() {
		if info.Bit != keyrule.GSB {
			names = append(names, info.Name)
		}
	}
	for _, profile := range []string{"rfc3986", "rfc2396"} {
		t.Run(profile, func(t *testing.T) { checkKeysOfKeys(t, profile, names) })
	}
}

// checkKeysOfKeys tries every rule, pair and triple, all of them, and the presets.
func checkKeysOfKeys(t *testing.T, profile string, names []string) {
	plain := newNormalizer(t, normalize.Options{Profile: profile})
	var want []string
	for _, ref := range keyReferences {
		url, _, _ := keyOf(plain, ref)
		want = append(want, url)
	}
	check := func(rules ...string) {
		o := withRules(rules...)
		o.Profile = profile
		n := newNormalizer(t, o)
		for i, ref := range keyReferences {
			url, key, fired := keyOf(n, ref)
			if url != want[i] {
				t.Fatalf("%v: the url of %s is %s, without rules %s", rules, ref, url, want[i])
			}
			if url == "" {
				continue
			}
			if _, again, _ := keyOf(n, key); again != key {
				t.Errorf("%v: %s has the key %s, that has %s", rules, ref, key, again)
			}
			if (fired == 0) != (key == url) {
				t.Errorf("%v: %s has the key %s of %s, but %v fired", rules, ref, key, url, fired.Names())
			}
		}
	}
	for i := range names {
		check(names[i])
		for j := range i {
			check(names[i], names[j])
			for k := range j {
				check(names[i], names[j], names[k])
			}
		}
	}
	check(names...)
	for _, preset := range keyrule.Presets() {
		if preset.Rules != keyrule.GSB {
			check(preset.Rules.Names()...)
		}
	}
}

// TestKey_GSB: its key is of the resolved reference as it came in, url is the profile's.
func TestKey_GSB(t *testing.T) {
	n := newNormalizer(t, normalize.Options{Key: keyrule.Options{Preset: "gsb"}})
	var base normalize.Base
	n.SetBase(&base, nil, nil, []byte("http://h.example:81/a/b"))
	for _, c := range []struct{ ref, url, key string }{
		{"http://u@h.example:81/%25%32%35//x#f", "http://u@h.example:81/%2525//x", "http://h.example/%25/x"},
		{"../%25%34%31?q#f", "http://h.example:81/%2541?q", "http://h.example/A?q"},
		{"http:c", "http://h.example:81/a/c", "http://h.example/a/c"},
		{"//other.example", "http://other.example/", "http://other.example/"},
		{"mailto:u@h.example", "mailto:u@h.example", "mailto:u@h.example"},
		{"data:,%25%34%31#f", "data:,%2541", "data:,%2541"},
	} {
		out, r := n.Append(nil, &base, []byte(c.ref))
		key, _ := n.AppendKey(nil, out, r)
		if url := string(out[:r.Parts.URLEnd(len(out))]); url != c.url || string(key) != c.key {
			t.Errorf("%s: url %s, key %s; want %s, %s", c.ref, url, key, c.url, c.key)
		}
	}
	n = newNormalizer(t, normalize.Options{Profile: "rfc2396", Key: keyrule.Options{Preset: "gsb"}})
	n.SetBase(&base, []byte("http://e.example/x/"), nil, []byte("http://h.example:81/a/b?q"))
	for _, c := range []struct{ ref, key string }{{"#f", "http://h.example/a/b?q"}, {"?y", "http://e.example/x/?y"}, {"../../%25%34%31", "http://e.example/A"}} {
		out, r := n.Append(nil, &base, []byte(c.ref))
		if key, _ := n.AppendKey(nil, out, r); string(key) != c.key {
			t.Errorf("rfc2396: %s has the key %s, want %s", c.ref, key, c.key)
		}
	}
	if _, r := n.Append(nil, nil, []byte("http://good.example\\@evil.example/")); r.Reason != normalize.BadAuthority {
		t.Errorf("what the profile refuses is not refused: %v", r.Reason)
	}
}

// TestKey_SettingsID: every key rule is part of the settings id, no rule is none.
func TestKey_SettingsID(t *testing.T) {
	ids := []string{newNormalizer(t, normalize.Options{}).SettingsID()}
	if id := newNormalizer(t, normalize.Options{Key: keyrule.Options{Preset: "spec"}}).SettingsID(); id != ids[0] {
		t.Errorf("the preset spec makes the id %s, no preset %s", id, ids[0])
	}
	for _, info := range keyrule.Infos() {
		id := newNormalizer(t, withRules(info.Name)).SettingsID()
		if slices.Contains(ids, id) {
			t.Errorf("%s makes no difference to the settings id", info.Name)
		}
		ids = append(ids, id)
	}
}

func TestKey_FaultsOfOptions(t *testing.T) {
	err := normalize.Options{Profile: "x", Key: keyrule.Options{Preset: "y", Rules: []string{"z"}}}.Validate()
	for _, want := range []string{"profile: ", "key.preset: ", "key.rules: "} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no fault of %s in %v", want, err)
		}
	}
}

func TestKey_NoAllocation(t *testing.T) {
	n := newNormalizer(t, withRules("drop-params", "strip-www-number", "sort-query", "fold-trailing-slash", "keep-fragment"))
	ref := []byte("https://www.example.co.uk/a;jsessionid=1/?z=1&utm_source=2&a=3#f")
	var url, key []byte
	run := func() {
		var r normalize.Result
		url, r = n.Append(url[:0], nil, ref)
		key, _ = n.AppendKey(key[:0], url, r)
	}
	run()
	if allocs := testing.AllocsPerRun(100, run); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// FuzzKeyOfAKey: key(key(x)) = key(x) through the full parse, whatever the rules.
func FuzzKeyOfAKey(f *testing.F) {
	for i, ref := range keyReferences {
		f.Add(ref, uint32(1)<<(i%18)|uint32(1)<<(i*7%18))
	}
	infos := keyrule.Infos()
	f.Fuzz(func(t *testing.T, ref string, set uint32) {
		var names []string
		for i, info := range infos {
			if info.Bit != keyrule.GSB && set>>i&1 != 0 {
				names = append(names, info.Name)
			}
		}
		for _, profile := range []string{"rfc3986", "rfc2396"} {
			o := withRules(names...)
			o.Profile = profile
			n := newNormalizer(t, o)
			_, key, _ := keyOf(n, ref)
			if _, again, _ := keyOf(n, key); again != key {
				t.Errorf("%s, %v: %q has the key %q, that has %q", profile, names, ref, key, again)
			}
		}
	})
}
