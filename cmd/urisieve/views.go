package main

import (
	"strings"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/keyrule"
)

// view is one profile with the options at hand: what a reference is under them.
type view struct {
	profile string // its own name, with the version
	preset  string // of key rules; "" where they are given one by one
	norm    *normalize.Normalizer
	base    normalize.Base // of the document at hand
}

// answer is what a reference is under a view.
type answer struct {
	text   []byte // url, "#" and fragment
	result normalize.Result
	key    []byte
	fired  keyrule.Set
}

func (a *answer) ok() bool { return a.result.Reason == normalize.OK }

func (a *answer) url() []byte { return a.text[:a.result.Parts.URLEnd(len(a.text))] }

func (a *answer) fragment() []byte { return a.result.Parts.Fragment(a.text) }

// reason is why there is no URL, and where; "" if there is one.
func (a *answer) reason() string {
	if a.ok() {
		return ""
	}
	text := a.result.Reason.String()
	if c := a.result.Component.String(); c != "" {
		text += " (" + c + ")"
	}
	return text
}

// baseLayers are the base layers of a document, nil where absent.
type baseLayers struct{ embedded, entity, retrieval []byte }

func newView(o normalize.Options) (*view, error) {
	n, err := normalize.New(o)
	if err != nil {
		return nil, err
	}
	return &view{profile: profileName(o.Profile), norm: n}, nil
}

// allViews are the newest profile of each family under the same options, the selected one first.
// An option that a profile does not take, as strict is for whatwg, is left out for that profile.
func allViews(o normalize.Options) ([]*view, error) {
	first, err := newView(o)
	if err != nil {
		return nil, err
	}
	views := []*view{first}
	for _, p := range normalize.Profiles() {
		if !p.Newest || p.Name == first.profile {
			continue
		}
		other := o
		other.Profile = p.Name
		v, err := newView(other)
		if err != nil {
			v, err = newView(normalize.Options{Profile: p.Name, DefaultBase: o.DefaultBase, MaxURIBytes: o.MaxURIBytes, Key: o.Key})
		}
		if err != nil { // the default base, which this profile refuses
			v, err = newView(normalize.Options{Profile: p.Name, MaxURIBytes: o.MaxURIBytes, Key: o.Key})
		}
		if err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, nil
}

// profileName is the profile's own name, of a family its newest one's.
func profileName(name string) string {
	for _, p := range normalize.Profiles() {
		if name == p.Name || p.Newest && (name == p.Family || name == "" && p.Family == "rfc3986") {
			return p.Name
		}
	}
	return name
}

// document makes the layers the base of what is asked next.
func (v *view) document(l baseLayers) { v.norm.SetBase(&v.base, l.embedded, l.entity, l.retrieval) }

// answer tells what ref is.
func (v *view) answer(ref []byte) answer {
	var a answer
	a.text, a.result = v.norm.Append(nil, &v.base, ref)
	if !a.ok() {
		return a
	}
	a.key, a.fired = v.norm.AppendKey(nil, a.text, a.result)
	return a
}

// oneLine makes a text fit a line, and masks what could be a password in it.
func oneLine(text []byte) string {
	return strings.ReplaceAll(redactURI(shown(string(text))), "\t", `\x09`)
}

// redactURI masks the password of one URI, which may hold blanks.
func redactURI(text string) string { return redactWord(text) }
