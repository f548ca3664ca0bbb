package main

import (
	"testing"

	"github.com/urisieve/urisieve/normalize"
)

// The generator starts from canonical URIs and spells them badly; normalizing must bring every
// one of them back, and refuse what was made to be refused, with its reason.
func TestEveryReferenceComesBackAsItWas(t *testing.T) {
	n, err := normalize.New(normalize.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples() {
		wrong := 0
		for i, ref := range s.refs {
			got, reason := canonical(n, ref)
			want := ref.reason
			if want == "" {
				want = normalize.OK.String()
			}
			if got == ref.url && reason == want {
				continue
			}
			if wrong++; wrong <= 10 {
				t.Errorf("%s, reference %d: %q (base %q, embedded %q): got %q, %s; want %q, %s",
					s.name, i, ref.text, ref.base, ref.embedded, got, reason, ref.url, want)
			}
		}
		if wrong > 10 {
			t.Errorf("%s: %d of %d references wrong", s.name, wrong, len(s.refs))
		}
	}
}

func canonical(n *normalize.Normalizer, ref reference) (url, reason string) {
	var base normalize.Base
	n.SetBase(&base, layer(ref.embedded), nil, layer(ref.base))
	text, result := n.Append(nil, &base, []byte(ref.text))
	if result.Reason == normalize.OK {
		url = string(text[:result.Parts.URLEnd(len(text))])
	}
	return url, result.Reason.String()
}

func layer(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}
