package whatwg

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/urisieve/urisieve/normalize/uri"
)

// corpora is the folder of test data that others wrote, beside the repository.
const corpora = "../../../shared/corpora"

type corpusCase struct {
	ID       string  `json:"id"`
	Base     *string `json:"base"`
	Input    string  `json:"input"`
	Expected *string `json:"expected"`
}

func corpusCases(t testing.TB, name string) (cases []corpusCase) {
	f, err := os.Open(filepath.Join(corpora, "cases", name))
	if err != nil {
		t.Skipf("the test corpora are not beside the repository: %v", err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c corpusCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	return cases
}

// parse is the href of ref on a base, and what became of it. A bad base fails as itself.
func parse(p *Parser, base *string, ref string) (string, Result) {
	var b *Base
	if base != nil {
		b = new(Base)
		if r := p.SetBase(b, nil, []byte(*base)); r.Failure != OK {
			return "", r
		}
	}
	out, r := p.Append([]byte("//prefix?#"), b, []byte(ref))
	return string(out[len("//prefix?#"):]), r
}

func TestWebPlatformTests(t *testing.T) {
	p := New(Options{})
	cases := corpusCases(t, "wpt-urltestdata.jsonl")
	passed := 0
	for _, c := range cases {
		got, r := parse(p, c.Base, c.Input)
		switch {
		case c.Expected == nil && r.Failure == OK:
			t.Errorf("%s: %q is %q, must fail", c.ID, c.Input, got)
		case c.Expected != nil && r.Failure != OK:
			t.Errorf("%s: %q fails (%v), want %q", c.ID, c.Input, r.Failure, *c.Expected)
		case c.Expected != nil && got != *c.Expected:
			t.Errorf("%s: %q is %q, want %q", c.ID, c.Input, got, *c.Expected)
		default:
			passed++
		}
	}
	if len(cases) < 892 {
		t.Errorf("only %d cases, want 892", len(cases))
	}
	t.Logf("%d of %d", passed, len(cases))
}

// slowParts are the parts that an href has by the standard's record.
func slowParts(u *slowURL) uri.Parts {
	q := absent
	at := len(u.scheme)
	q.SchemeEnd = uint32(at)
	at++
	if u.host.isSet {
		at += 2
		q.AuthStart = uint32(at)
		if u.username != "" || u.password != "" {
			at += len(u.username) + 1
			if u.password != "" {
				at += 1 + len(u.password)
			}
		}
		q.HostStart = uint32(at)
		at += len(u.host.serialize())
		q.HostEnd = uint32(at)
		bare := *u
		bare.path, bare.query, bare.fragment = nil, nil, nil
		at = len(bare.serialize())
	} else {
		q.HostStart, q.HostEnd = uint32(at), uint32(at)
	}
	q.PathStart = uint32(at)
	bare := *u
	bare.query, bare.fragment = nil, nil
	if u.query != nil {
		q.QueryStart = uint32(len(bare.serialize()) + 1)
		bare.query = u.query
	}
	if u.fragment != nil {
		q.FragStart = uint32(len(bare.serialize()) + 1)
	}
	return q
}

// checkTwin holds the parser against the standard's text, and the href against itself.
func checkTwin(t *testing.T, p *Parser, base, ref []byte, hasBase bool) {
	t.Helper()
	slow := slowParser{toASCII: p.toASCII, encoder: p.encoder}
	var slowBase *slowURL
	var fastBase *Base
	if hasBase {
		fastBase = new(Base)
		r := p.SetBase(fastBase, nil, base)
		u, failure := slow.parse(base, nil)
		if failure != r.Failure {
			t.Fatalf("base %q: failure %v, the standard's text says %v", base, r.Failure, failure)
		}
		slowBase = u
		slow.errs = 0
	}
	want, failure := slow.parse(ref, slowBase)
	got, r := p.Append([]byte("x"), fastBase, ref)
	long, rLong := p.appendParsed([]byte("y"), fastBase, ref)
	if string(long[1:]) != string(got[1:]) || rLong != r {
		t.Fatalf("%q: the short way gives %q %+v, the long one %q %+v", ref, got[1:], r, long[1:], rLong)
	}
	if r.Failure != failure {
		t.Fatalf("%q on %q: failure %v, the standard's text says %v", ref, base, r.Failure, failure)
	}
	if r.Errors != slow.errs {
		t.Fatalf("%q on %q (%v): errors %q, the standard's text says %q", ref, base, failure, r.Errors.AppendNames(nil), slow.errs.AppendNames(nil))
	}
	if failure != OK {
		if len(got) != 1 || int(r.At) > len(ref) || r.Component == ComponentNone {
			t.Fatalf("%q: failed with %q, %+v", ref, got, r)
		}
		return
	}
	href := got[1:]
	if string(href) != want.serialize() {
		t.Fatalf("%q on %q is %q, the standard's text says %q", ref, base, href, want.serialize())
	}
	if q := slowParts(want); r.Parts != q {
		t.Fatalf("%q on %q is %q with parts %+v, want %+v", ref, base, href, r.Parts, q)
	}
	if r.Host != want.host.kind || r.Opaque != (want.opaquePath != nil) {
		t.Fatalf("%q: host kind %d, opaque %v", ref, r.Host, r.Opaque)
	}
	if r.Parts != uri.Split(href) {
		t.Fatalf("%q is %q, which uri.Split parts otherwise: %+v, %+v", ref, href, r.Parts, uri.Split(href))
	}
	for _, b := range href {
		if b > 0x7E || b < ' ' {
			t.Fatalf("%q is %q, with byte %#x", ref, href, b)
		}
	}
	again, rAgain := p.Append(nil, fastBase, href)
	if string(again) != string(href) || rAgain.Failure != OK || rAgain.Parts != r.Parts {
		t.Fatalf("%q is %q, and that is %q %v", ref, href, again, rAgain.Failure)
	}
}

func TestWebPlatformTestsTwin(t *testing.T) {
	p := New(Options{})
	for _, c := range corpusCases(t, "wpt-urltestdata.jsonl") {
		if c.Base == nil {
			checkTwin(t, p, nil, []byte(c.Input), false)
		} else {
			checkTwin(t, p, []byte(*c.Base), []byte(c.Input), true)
		}
	}
}
