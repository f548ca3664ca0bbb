package keyrule

import (
	"errors"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize/uri"
)

func compile(t *testing.T, o Options) *Rules {
	t.Helper()
	r, err := Compile(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func key(r *Rules, text string) string {
	got, _ := r.Append(nil, []byte(text), uri.Split([]byte(text)))
	return string(got)
}

// only gives options with one rule on.
func only(name string) Options {
	if name == "drop-params" {
		return Options{ParamSets: []string{"tracking", "session"}}
	}
	return Options{Rules: []string{name}}
}

// TestInfos: each rule does what its description shows, alone, and says that it fired.
func TestInfos(t *testing.T) {
	for _, info := range Infos() {
		if info.Bit == GSB {
			if got := string(NewGSB().Append(nil, []byte(info.Before))); got != info.After {
				t.Errorf("gsb: %s gives %s, want %s", info.Before, got, info.After)
			}
			continue
		}
		got, fired := compile(t, only(info.Name)).Append(nil, []byte(info.Before), uri.Split([]byte(info.Before)))
		if string(got) != info.After || fired != info.Bit {
			t.Errorf("%s: %s gives %s, fired %v; want %s", info.Name, info.Before, got, fired.Names(), info.After)
		}
	}
}

func TestRules(t *testing.T) {
	for _, c := range []struct{ name, rules, in, want string }{
		{"no rule drops the fragment alone", "", "http://h/a?#f", "http://h/a?"},
		{"opaque URIs are left alone", "crawl", "mailto:a@b?utm_source=x", "mailto:a@b?utm_source=x"},
		{"file URIs are left alone", "collapse-slashes fold-trailing-slash", "file:////C|/a//", "file:////C|/a//"},
		{"no authority", "fold-trailing-slash", "foo:/a/", "foo:/a/"},
		{"scheme kept beside a port", "fold-scheme", "https://h:8443/", "https://h:8443/"},
		{"ws is no http", "fold-scheme", "wss://h/", "wss://h/"},
		{"password", "drop-userinfo", "http://u:p@h:81/", "http://h:81/"},
		{"all dots stay", "drop-trailing-dot", "foo://.../", "foo://.../"},
		{"a dot alone stays", "drop-trailing-dot", "foo://./", "foo://./"},
		{"an address with a dot", "drop-trailing-dot", "http://1.2.3.4./", "http://1.2.3.4/"},
		{"not made an address", "drop-trailing-dot", "http://0../", "http://0../"},
		{"several dots", "drop-trailing-dot", "http://h../", "http://h/"},
		{"www of a suffix", "strip-www", "http://www.com/", "http://www.com/"},
		{"www of a suffix of two labels", "strip-www", "http://www.co.uk/", "http://www.co.uk/"},
		{"www of a private suffix", "strip-www", "http://www.github.io/", "http://www.github.io/"},
		{"www of a wildcard's child", "strip-www", "http://www.foo.ck/", "http://www.foo.ck/"},
		{"www.ck is a domain", "strip-www", "http://www.www.ck/", "http://www.ck/"},
		{"repeated", "strip-www", "http://www.www.example.com/", "http://example.com/"},
		{"www alone", "strip-www", "http://www/", "http://www/"},
		{"a longer label", "strip-www", "http://www3288.com/", "http://www3288.com/"},
		{"numbers are another rule", "strip-www", "http://www2.example.com/", "http://www2.example.com/"},
		{"number of a suffix", "strip-www-number", "http://www3288.com/", "http://www3288.com/"},
		{"both", "strip-www-number", "http://www.www2.example.com/", "http://example.com/"},
		{"no IPv4 address comes out", "strip-www", "http://www.1.2.3.4/", "http://www.1.2.3.4/"},
		{"with a dot at the end", "strip-www drop-trailing-dot", "http://www.com./", "http://www.com/"},
		{"IPv6", "strip-www drop-trailing-dot", "http://[::1]/", "http://[::1]/"},
		{"reserved stays escaped", "unreserved", "http://h/%2f%41?%3d%7E", "http://h/%2fA?%3d~"},
		{"stray percent", "unreserved hex-case", "http://h/%%341%4%31", "http://h/%%341%4%31"},
		{"never decoded twice", "unreserved", "http://h/%2541", "http://h/%2541"},
		{"plus before a name", "plus-space sort-query", "http://h/?+=1&a=2", "http://h/?%20=1&a=2"},
		{"tracking is found in any case", "crawl", "http://h/?UTM_Source=1&fbclid=2", "http://h/"},
		{"an empty query is kept by drop-params", "drop-params", "http://h/?", "http://h/?"},
		{"an empty pair too", "drop-params", "http://h/?utm_id=1&", "http://h/?"},
		{"empty names stay", "drop-params", "http://h/?=1&&a", "http://h/?=1&&a"},
		{"session in the path", "drop-params", "http://h/a;jsessionid=1;b/c;JSESSIONID=2", "http://h/a;b/c"},
		{"no dot segment comes out", "drop-params", "http://h/a/..;jsessionid=1/%2e;jsessionid=1", "http://h/a/..;jsessionid=1/%2e;jsessionid=1"},
		{"a session id of 32 letters or digits", "drop-params", "http://h/?sid=9682993c8daa2c5497996114facdc805&a=1&SID=0123456789ABCDEFGHIJKLMNOPQRSTUV", "http://h/?a=1"},
		{"sid may be something else", "drop-params", "http://h/?sid=1&sid=&sid&sid=9682993c8daa2c5497996114facdc80%2B", "http://h/?sid=1&sid=&sid&sid=9682993c8daa2c5497996114facdc80%2B"},
		{"a session id as a segment", "drop-params", "http://h/(S(4hqa0555fwsecu455xqckv45))/a/mileg.aspx", "http://h/a/mileg.aspx"},
		{"without a letter", "drop-params", "http://h/a/(4hqa0555fwsecu455xqckv45)/Mileg.ASPX;b", "http://h/a/Mileg.ASPX;b"},
		{"several in a segment, several segments", "drop-params", "http://h/(a(4hqa0555fwsecu455xqckv45)S(4hqa0555fwsecu455xqckv45))/(X(4hqa0555fwsecu455xqckv45))/b.aspx?c", "http://h/b.aspx?c"},
		{"no page follows", "drop-params", "http://h/b.aspx/(S(4hqa0555fwsecu455xqckv45))/c", "http://h/b.aspx/(S(4hqa0555fwsecu455xqckv45))/c"},
		{"the last segment stays", "drop-params", "http://h/a/(4hqa0555fwsecu455xqckv45)", "http://h/a/(4hqa0555fwsecu455xqckv45)"},
		{"other parentheses stay", "drop-params", "http://h/(S(4hqa0555fwsecu455xqckv4))/()/(a(4hqa0555fwsecu455xqckv45)/(S(4hqa0555fwsecu455xqckv45)b)/c.aspx", "http://h/(S(4hqa0555fwsecu455xqckv4))/()/(a(4hqa0555fwsecu455xqckv45)/(S(4hqa0555fwsecu455xqckv45)b)/c.aspx"},
		{"a segment of a session id with another", "drop-params", "http://h/(4hqa0555fwsecu455xqckv45);jsessionid=1/c.aspx", "http://h/c.aspx"},
		{"lower-cased query", "lowercase-query", "http://h/?Q=%C3%a9X&a=%%4A", "http://h/?q=%C3%a9x&a=%%4A"},
		{"lower-cased before it is sorted", "lowercase-query sort-query", "http://h/?b=1&A=2", "http://h/?a=2&b=1"},
		{"index, slash, index", "drop-index fold-trailing-slash", "http://h/a/index.html/index.php/", "http://h/a"},
		{"index at the root", "drop-index fold-trailing-slash", "http://h/index.html", "http://h/"},
		{"index in another case", "drop-index", "http://h/Index.html", "http://h/Index.html"},
		{"lower case comes first", "drop-index lowercase-path", "http://h/Index.HTML", "http://h/"},
		{"escapes keep their case", "lowercase-path", "http://h/%C3%A9X?Q", "http://h/%C3%A9x?Q"},
		{"root slash stays", "fold-trailing-slash", "http://h/", "http://h/"},
		{"many slashes", "fold-trailing-slash", "http://h/a//", "http://h/a"},
		{"only slashes", "fold-trailing-slash collapse-slashes", "http://h///", "http://h/"},
		{"session, then slashes", "drop-params collapse-slashes", "http://h/a/;jsessionid=1/b", "http://h/a/b"},
		{"sort is stable", "sort-query", "http://h/?b=2&a=3&b=1&a", "http://h/?a=3&a&b=2&b=1"},
		{"by pair", "sort-query-pairs", "http://h/?b=2&a=3&b=1&a", "http://h/?a&a=3&b=1&b=2"},
		{"a and a= differ", "sort-query", "http://h/?a=&a", "http://h/?a=&a"},
		{"semicolons are data", "sort-query", "http://h/?b;a", "http://h/?b;a"},
		{"fragment", "keep-fragment", "http://h/#!/a", "http://h/#!/a"},
		{"empty fragment", "keep-fragment", "http://h/#", "http://h/#"},
		{"absent fragment", "keep-fragment", "http://h/", "http://h/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Options{}
			for name := range strings.FieldsSeq(c.rules) {
				switch name {
				case "crawl":
					o.Preset = name
				case "drop-params":
					o.ParamSets = []string{"tracking", "session"}
				default:
					o.Rules = append(o.Rules, name)
				}
			}
			r := compile(t, o)
			got := key(r, c.in)
			if got != c.want {
				t.Errorf("%s: got %s, want %s", c.in, got, c.want)
			}
			if again := key(r, got); again != got {
				t.Errorf("%s has the key %s, that has %s", c.in, got, again)
			}
		})
	}
}

func TestParamLists(t *testing.T) {
	r := compile(t, Options{Params: []ParamList{
		{Names: []string{"ref", "x*y"}},
		{Hosts: []string{"shop.example"}, Names: []string{"color"}},
	}})
	for in, want := range map[string]string{
		"http://h/?ref=1&Ref=2&xy&xay=1&xyz": "http://h/?Ref=2&xyz",
		"http://h/?color=1":                  "http://h/?color=1",
		"http://shop.example/?color=1":       "http://shop.example/",
		"http://a.shop.example/?color=1":     "http://a.shop.example/",
		"http://notshop.example/?color=1":    "http://notshop.example/?color=1",
	} {
		if got := key(r, in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// TestParamLists_InAnyCaseOfALowerQuery: what lowercase-query leaves is compared with the names in
// any case; else a key would have another key.
func TestParamLists_InAnyCaseOfALowerQuery(t *testing.T) {
	r := compile(t, Options{Rules: []string{"lowercase-query"}, Params: []ParamList{{Names: []string{"Ref", "x"}}}})
	for in, want := range map[string]string{
		"http://h/?Ref=A&X=B&c=D": "http://h/?c=d",
		"http://h/?ref=A&x=B&c=D": "http://h/?c=d",
	} {
		if got := key(r, in); got != want || key(r, got) != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func TestCompileReportsAllFaults(t *testing.T) {
	_, err := Compile(Options{
		Preset: "x", Rules: []string{"gsb", "no-such", "strip-www"}, ParamSets: []string{"y"},
		Params: []ParamList{{Hosts: []string{"A.b"}, Names: []string{"a&b"}}}, IndexPages: []string{"a/b"},
	})
	for _, want := range []string{`preset: "x"`, `rules: "no-such"`, `param_sets: "y"`, `params.hosts: "A.b"`, `params.names: "a&b"`, `index_pages: "a/b"`, "gsb alone"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no fault says %s: %v", want, err)
		}
	}
	if _, ok := errors.AsType[*OptionError](err); !ok {
		t.Error("a fault is no *OptionError")
	}
	if _, err := Compile(Options{Rules: []string{"drop-params"}}); err == nil {
		t.Error("drop-params without names is accepted")
	}
}

func TestAppendSettings(t *testing.T) {
	id := func(o Options) string { return string(compile(t, o).AppendSettings(nil)) }
	if got := id(Options{}); got != "" {
		t.Errorf("no rule: %q", got)
	}
	a := Options{Rules: []string{"strip-www", "drop-index"}, Params: []ParamList{{Names: []string{"b", "a"}}, {Names: []string{"c"}}}}
	b := Options{Rules: []string{"drop-index", "strip-www"}, Params: []ParamList{{Names: []string{"c"}}, {Names: []string{"a", "b", "a"}}}}
	if id(a) != id(b) {
		t.Errorf("the order of names changes the settings: %q, %q", id(a), id(b))
	}
	b.Params[0].Names[0] = "d"
	if id(a) == id(b) {
		t.Error("other parameters have the same settings")
	}
}

func TestNoAllocations(t *testing.T) {
	r := compile(t, Options{Preset: "surt", Rules: []string{"collapse-slashes", "drop-index", "plus-space", "keep-fragment"}, ParamSets: []string{"tracking"}})
	text := []byte("https://user@www.example.co.uk./A/b;jsessionid=1//index.html?z=1&utm_source=2&a=%7e+3#f")
	p := uri.Split(text)
	var dst []byte
	run := func() { dst, _ = r.Append(dst[:0], text, p) }
	run()
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzFixedPoint: the key of a key is the key, for every pair of rules, on canonical-looking text.
func FuzzFixedPoint(f *testing.F) {
	for i, info := range Infos() {
		f.Add(info.Before, uint32(1)<<i)
		f.Add("http://h/(S(4hqa0555fwsecu455xqckv45))/(4hqa0555fwsecu455xqckv45);phpsessid=1/A.ASPX/?SID=9682993c8daa2c5497996114facdc805&%41B=%%4a", uint32(1)<<i|uint32(DropParams))
		f.Add("https://u@www.www2.example.com./a//;jsessionid=1/index.html/?b=1&a=%%341+&utm_x=#f", uint32(1)<<i|1<<(i+3))
	}
	f.Fuzz(func(t *testing.T, text string, set uint32) {
		p := uri.Split([]byte(text))
		if !p.HasScheme() || strings.ContainsAny(text, " \t\n") {
			return
		}
		r := compile(t, Options{ParamSets: []string{"tracking", "session"}})
		r.set = Set(set) & (setEnd - 1) &^ GSB
		once := key(r, text)
		if twice := key(r, once); once != twice {
			t.Errorf("rules %v: %q has the key %q, that has %q", r.set.Names(), text, once, twice)
		}
	})
}
