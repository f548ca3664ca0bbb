package main

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
	"github.com/urisieve/urisieve/normalize/uri"
	"github.com/urisieve/urisieve/normalize/uts46"
)

// answer is what becomes of a reference: a text, or a refusal with its reason.
type answer struct {
	text    string
	refused bool
	reason  string // of a refusal by this program; "" of one by the other
}

func (a answer) equal(b answer) bool { return a.refused == b.refused && a.text == b.text }

func (a answer) String() string {
	switch {
	case a.refused && a.reason != "":
		return "refused: " + a.reason
	case a.refused:
		return "refused"
	}
	return a.text
}

func text(s string) answer { return answer{text: s} }

// expected is what the case wants.
func (c testCase) expected() answer {
	if c.Expected == nil {
		return answer{refused: true}
	}
	return text(*c.Expected)
}

// within is the answer with text around it.
func (a answer) within(before, after string) answer {
	if a.refused {
		return a
	}
	return text(before + a.text + after)
}

// layers are the layers of the program that cases are held against. It keeps a Normalizer for each
// setting that it met.
type layers struct {
	normalizers map[string]*normalize.Normalizer
	gsb         *keyrule.GSBCanonicalizer
	idna        *uts46.Processor
	err         error // the first fault in the options of a suite
}

func newLayers() *layers {
	return &layers{normalizers: map[string]*normalize.Normalizer{}, gsb: keyrule.NewGSB(), idna: uts46.New(uts46.Options{})}
}

// url is the canonical URI of a reference on its base, with "#" and the fragment.
func (l *layers) url(o normalize.Options, base *string, ref string) answer {
	_, out, r := l.normalize(o, base, ref)
	return outcome(out, r)
}

// key is the key of a reference on its base.
func (l *layers) key(o normalize.Options, base *string, ref string) answer {
	n, out, r := l.normalize(o, base, ref)
	if r.Reason != normalize.OK {
		return outcome(out, r)
	}
	key, _ := n.AppendKey(nil, out, r)
	return text(string(key))
}

// surt is the sort key of the key of a reference. The fragment is no part of it.
func (l *layers) surt(o normalize.Options, ref string) answer {
	a := l.key(o, nil, ref)
	if a.refused {
		return a
	}
	key := []byte(a.text)
	return text(string(normalize.AppendSURT(nil, key, uri.Split(key))))
}

// safeBrowsing is what the canonicalizer of the rule gsb makes of a URL as it came in.
func (l *layers) safeBrowsing(ref string) answer {
	return text(string(l.gsb.Append(nil, []byte(ref))))
}

func (l *layers) normalize(o normalize.Options, base *string, ref string) (*normalize.Normalizer, []byte, normalize.Result) {
	name := fmt.Sprintf("%+v", o)
	n, ok := l.normalizers[name]
	if !ok {
		made, err := normalize.New(o)
		if err != nil {
			l.err = cmp.Or(l.err, err)
			return nil, nil, normalize.Result{Reason: normalize.NoBase}
		}
		n = made
		l.normalizers[name] = n
	}
	var b normalize.Base
	if base != nil {
		n.SetBase(&b, nil, nil, []byte(*base))
	}
	out, r := n.Append(nil, &b, []byte(ref))
	return n, out, r
}

func outcome(out []byte, r normalize.Result) answer {
	if r.Reason != normalize.OK {
		return answer{refused: true, reason: r.Reason.String()}
	}
	return text(string(out))
}

// resolved is the reference of a case resolved by the letter of a standard, and nothing more.
func resolved(by func(dst []byte, base, ref uri.Ref) []byte, c testCase) answer {
	base, ref := uri.Ref{}, uri.Ref{Text: []byte(c.Input)}
	if c.Base != nil {
		base.Text = []byte(*c.Base)
	}
	base.Parts, ref.Parts = uri.Split(base.Text), uri.Split(ref.Text)
	return text(string(by(nil, base, ref)))
}

// recomposed is a reference split and put together again (RFC 3986 section 5.3).
func recomposed(ref string) answer {
	in := []byte(ref)
	p := uri.Split(in)
	var out bytes.Buffer
	if p.HasScheme() {
		out.Write(p.Scheme(in))
		out.WriteByte(':')
	}
	if p.HasAuthority() {
		out.WriteString("//")
		out.Write(in[p.AuthStart:p.PathStart])
	}
	out.Write(p.Path(in))
	if p.HasQuery() {
		out.WriteByte('?')
		out.Write(p.Query(in))
	}
	if p.HasFragment() {
		out.WriteByte('#')
		out.Write(p.Fragment(in))
	}
	return text(out.String())
}

// hasScheme reports whether a reference begins with a scheme.
func hasScheme(ref string) bool { return uri.Split([]byte(ref)).HasScheme() }

// host and path are parts of the answer, where it is a URI.
func (a answer) host() answer {
	if a.refused {
		return a
	}
	in := []byte(a.text)
	host, _, _ := strings.Cut(string(uri.Split(in).Host(in)), "@")
	return text(host)
}

func (a answer) path() answer {
	if a.refused {
		return a
	}
	in := []byte(a.text)
	return text(string(uri.Split(in).Path(in)))
}
