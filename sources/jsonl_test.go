package sources

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestJSONDefaults(t *testing.T) {
	runGolden(t, Options{Format: "jsonl"}, []golden{
		{"ref", `{"ref":"r"}`, []string{"1@0 |r"}},
		{"url, bases", `{"embedded_base":"em","entity_base":"en","base":"b","url":"u"}`, []string{"1@0 |u embedded=em entity=en base=b"}},
		{"ref before url, base before document", `{"url":"u","ref":"r","document":"d","base":"b"}`, []string{"1@0 |r base=b"}},
		{"null is absent", `{"url":"u","ref":null,"document":"d","base":null}`, []string{"1@0 |u base=d"}},
		{"empty reference, empty base", `{"ref":"","base":""}`, []string{"1@0 | base="}},
		{"no reference", `{"x":1}`, []string{`1@0 |{"x":1} !missing_field:record@0`}},
		{"no object", "[]\n\"x\"\n7\n", []string{"1@0 |[] !missing_field:record@0", `2@3 |"x" !missing_field:record@0`, "3@7 |7 !missing_field:record@0"}},
		{"not a string", `{"ref":7}`, []string{`1@0 |7 !bad_record:record@0`}},
		{"a base that is no string", `{"ref":"r","base":[]}`, []string{`1@0 |{"ref":"r","base":[]} !bad_record:record@18`}},
		{"the last of two counts", `{"ref":"a","base":"x","ref":"b","base":null}`, []string{"1@0 |b"}},
		{"name with escapes", `{"r\u0065f":"r"}`, []string{"1@0 |r"}},
		{"white space, empty lines", " { \"ref\" : \"r\" } \r\n\n \t\n{\"ref\":\"s\"}", []string{"1@0 |r", "2@23 |s"}},
		{"escapes", `{"ref":"\"\\\/\b\f\n\r\t\u00e9\u20ac\ud83d\ude00"}`, []string{"1@0 |\"\\/\b\f\n\r\té€😀"}},
		{"lone surrogates keep their bytes", `{"ref":"\ud800x\udc00\ud800\u0041"}`, []string{"1@0 |\xed\xa0\x80x\xed\xb0\x80\xed\xa0\x80A"}},
		{"NUL by escape", `{"ref":"a\u0000b"}`, []string{"1@0 |a\x00b"}},
		{"not UTF-8 is kept", "{\"ref\":\"a\xe9\xff\"}", []string{"1@0 |a\xe9\xff"}},
		{"other values are skipped", `{"x":{"ref":["a",{"b":[[]]}]},"y":-1.5e+3,"z":true,"ref":"r","w":{}}`, []string{"1@0 |r"}},
	})
}

func TestJSONThatIsNot(t *testing.T) {
	for _, c := range []struct {
		in string
		at string
	}{
		{`{"ref":"r"`, "10"},
		{`{"ref":"r"}x`, "11"},
		{`{"ref":"r",}`, "11"},
		{`{"ref":"r" "x":1}`, "11"},
		{`{"ref" "r"}`, "7"},
		{`{ref:"r"}`, "1"},
		{`{"ref":'r'}`, "7"},
		{`{"ref":"r}`, "10"},
		{"{\"ref\":\"a\tb\"}", "9"},
		{`{"ref":"a\xb"}`, "10"},
		{`{"ref":"a\u12g4"}`, "13"},
		{`{"x":01,"ref":"r"}`, "6"},
		{`{"x":1.,"ref":"r"}`, "7"},
		{`{"x":-,"ref":"r"}`, "6"},
		{`{"x":1e,"ref":"r"}`, "7"},
		{`{"x":nul,"ref":"r"}`, "8"},
		{`{"x":[1,2}`, "9"},
		{`{"x":{"y"}}`, "9"},
		{`{"ref":"r"}{"ref":"s"}`, "11"},
		{`http://h/`, "0"},
		{"{\"ref\":\"r\"}\x00", "11"},
		{`{"x":[1,],"ref":"r"}`, "8"},
		{`{"ref":"r\`, "10"},
		{`{"ref":"r\u00`, "13"},
		{`[`, "1"},
		{`{"x":[[[[`, "9"},
	} {
		if json.Valid([]byte(c.in)) {
			t.Errorf("%q is JSON", c.in)
		}
		got := decoded(t, Options{Format: "jsonl"}, c.in+"\n{\"ref\":\"next\"}\n")
		if len(got) != 2 || !strings.HasSuffix(got[0], "!bad_record:record@"+c.at) || !strings.HasSuffix(got[1], "|next") {
			t.Errorf("%q: got %q, want byte %s", c.in, got, c.at)
		}
	}
}

func TestJSONPaths(t *testing.T) {
	runGolden(t, Options{Format: "jsonl", RefFields: []string{"links[].href"}, BaseField: "doc.url", Pass: []string{"n", "doc", `a["x.y"]`}}, []golden{
		{
			"many", `{"doc":{"url":"d"},"links":[{"href":"a"},{"rel":"x"},{"href":null},{"href":"b"}],"n":1.50}`,
			[]string{`1@0 |a base=d x_n=1.50 x_doc={"url":"d"}`, `1@0.1 |b base=d x_n=1.50 x_doc={"url":"d"}`},
		},
		{"none", `{"links":[],"n":true}`, []string{`1@0 none x_n=true`}},
		{"links without href", `{"links":[{"rel":"x"}]}`, []string{`1@0 |{"links":[{"rel":"x"}]} !missing_field:record@0`}},
		{"one that is no string", `{"links":[{"href":{"a":1}},{"href":"b"}]}`, []string{`1@0 |{"a":1} !bad_record:record@0`, "1@0.1 |b"}},
		{"a key with a dot", `{"links":[{"href":"a"}],"a":{"x.y":"v"}}`, []string{"1@0 |a x_a_x_y=v"}},
		{"twice the same list: the last", `{"links":[{"href":"a"},{"href":"b"}],"links":[{"href":"c","href":"d"}]}`, []string{"1@0 |d"}},
		{"column null", `{"links":[{"href":"a"}],"n":null}`, []string{"1@0 |a"}},
		{"column string", `{"links":[{"href":"a"}],"n":"\u0041"}`, []string{"1@0 |a x_n=A"}},
	})
	runGolden(t, Options{Format: "jsonl", RefFields: []string{"a[1]", "a[].b", "c.d[][0]"}}, []golden{
		{
			"indices and each, in the order of the record", `{"c":{"d":[["x","y"],["z"]]},"a":[{"b":"1"},"2"]}`,
			[]string{"1@0 c.d[][0]|x", "1@0.1 c.d[][0]|z", "1@0.2 a[].b|1", "1@0.3 a[1]|2"},
		},
		{"one of them is enough", `{"a":[{"b":"1"}]}`, []string{"1@0 a[].b|1"}},
	})
	runGolden(t, Options{Format: "jsonl", RefFields: []string{"."}}, []golden{{"the value itself", `"r"`, []string{"1@0 |r"}}})
	runGolden(t, Options{Format: "jsonl", RefFields: []string{"[].u"}}, []golden{{"a list at the top", `[{"u":"r"},{"u":"s"}]`, []string{"1@0 |r", "1@0.1 |s"}}})
}

func TestJSONPathSyntax(t *testing.T) {
	for _, bad := range []string{"", "a.", ".a", "a..b", "a[", "a[x]", "a[-1]", "a[+1]", "a[1]b", `a["x]`, `a["x"`, "a[].", "[].[0]"} {
		if _, err := parsePath(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	for _, good := range []string{".", "a", "a.b", "a[0]", "a[]", "[]", "[].a", `["a"]`, `a["b.c"].d`, "a[][0]", "a-b", "@id"} {
		if _, err := parsePath(good); err != nil {
			t.Errorf("%q was refused", good)
		}
	}
}

func TestJSONNamesFieldsThatNoRecordHas(t *testing.T) {
	f := reader(t, Options{Format: "jsonl", RefFields: []string{"a", "b"}, Pass: []string{"c", "d"}}, strings.NewReader(`{"a":"1","c":null}`))
	readAll(t, f, 0)
	if got := strings.Join(f.Stats().NeverSeen, " "); got != "b d" {
		t.Errorf("never seen: %q", got)
	}
}

// A nest as deep as a record can be long is read without recursion.
func TestJSONDepth(t *testing.T) {
	const deep = 5 << 20
	text := `{"x":` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + `,"ref":"r"}`
	got := readAll(t, reader(t, Options{Format: "jsonl"}, strings.NewReader(text)), 0)
	if len(got) != 1 || got[0] != "1@0 |r" {
		t.Errorf("got %.100q", got)
	}
}
