package main

import (
	"strings"
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

// twoViews stand for two profiles: what one refuses, the other mends, and their keys may differ.
func twoViews(t *testing.T, second normalize.Options) *differences {
	t.Helper()
	d := &differences{w: &strings.Builder{}, kinds: map[diffKind]int64{}}
	for i, o := range []normalize.Options{{}, second} {
		v, err := newView(o)
		if err != nil {
			t.Fatal(err)
		}
		v.profile = []string{"first", "second"}[i]
		d.views = append(d.views, v)
	}
	return d
}

func TestDiffTellsEachDisagreement(t *testing.T) {
	stripped := normalize.Options{Userinfo: "strip"}
	keys := normalize.Options{}
	keys.Key.Rules = []string{"sort-query"}
	for _, c := range []struct {
		name   string
		second normalize.Options
		ref    string
		want   string // "" where they agree
	}{
		{"one refuses", normalize.Options{Strict: true}, "http://h/a b", "f:7\treference\tbad_path\thttp://h/a b\tfirst: http://h/a%20b\tsecond: refused: bad_path (path)\n"},
		{"both refuse", normalize.Options{Strict: true}, "x", ""},
		{"both take it", normalize.Options{Strict: true}, "http://h/a", ""},
		{"a component differs, passwords are masked", stripped, "http://u:s3cret@h/", "f:7\tauthority\tstrip_userinfo\thttp://u:***@h/\tfirst: http://u:***@h/\tsecond: http://h/\n"},
		{"the key alone differs", keys, "http://h/?b&a", "f:7\tkey\tserialization\thttp://h/?b&a\tfirst: http://h/?b&a\tsecond: http://h/?b&a key http://h/?a&b\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := twoViews(t, c.second)
			for _, v := range d.views {
				v.document(baseLayers{})
			}
			if err := d.reference("f", 7, []byte(c.ref)); err != nil {
				t.Fatal(err)
			}
			if got := d.buf.String(); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestDiffCountsByKindTheMostFrequentFirst(t *testing.T) {
	d := twoViews(t, normalize.Options{Strict: true})
	d.json = true
	for _, ref := range []string{"http://h/a b", "http://h/?a b", "http://h/?c d", "http://h/"} {
		if err := d.reference("f", 1, []byte(ref)); err != nil {
			t.Fatal(err)
		}
	}
	want := "3 of 4 references differ\n" +
		"  2  reference  bad_query  first / second\n" +
		"  1  reference  bad_path   first / second\n"
	if got := d.summary(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if lines := strings.Count(d.buf.String(), "\n"); lines != 3 || !strings.Contains(d.buf.String(), `"second":{"url":null,"fragment":null,"key":null,"reason":"bad_path (path)"}`) {
		t.Errorf("JSON lines:\n%s", d.buf.String())
	}
}
