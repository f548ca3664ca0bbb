package normalize

import (
	"bytes"
	"errors"

	"github.com/urisieve/urisieve/normalize/keyrule"
	"github.com/urisieve/urisieve/normalize/uri"
)

// keyer makes keys. It owns scratch space, as its Normalizer does.
type keyer struct {
	rules    *keyrule.Rules            // nil: the key is the URI
	gsb      *keyrule.GSBCanonicalizer // nil: no gsb
	resolved []byte                    // gsb: the last reference, resolved but not normalized
}

func newKeyer(o keyrule.Options) keyer {
	rules, err := keyrule.Compile(o)
	if err != nil || rules.Set() == 0 {
		return keyer{} // Validate reports the fault
	}
	if rules.Set() == keyrule.GSB {
		return keyer{rules: rules, gsb: keyrule.NewGSB()}
	}
	return keyer{rules: rules}
}

func (k *keyer) clone() keyer {
	switch {
	case k.rules == nil:
		return keyer{}
	case k.gsb != nil:
		return keyer{rules: k.rules.Clone(), gsb: keyrule.NewGSB()}
	}
	return keyer{rules: k.rules.Clone()}
}

// keyFaults reports what is wrong with Options.Key.
func (o Options) keyFaults() (faults []error) {
	_, err := keyrule.Compile(o.Key)
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	for _, e := range many.Unwrap() {
		if fault, ok := errors.AsType[*keyrule.OptionError](e); ok {
			faults = append(faults, &OptionError{Key: "key." + fault.Key, Value: fault.Value, Accepted: fault.Accepted})
		}
	}
	return faults
}

// HasKeyRules reports whether the key of a URI may differ from its url.
func (n *Normalizer) HasKeyRules() bool { return n.key.rules != nil }

// KeyRules are the key rules that act.
func (n *Normalizer) KeyRules() keyrule.Set {
	if n.key.rules == nil {
		return 0
	}
	return n.key.rules.Set()
}

// AppendKey appends the text that deduplication compares, and tells which key rules changed
// something. text and r are what Append appended last and its result: the URI, with "#" and the
// fragment where there is one. Without key rules the key is the URI. The key of a key is itself,
// but for the rule gsb, whose key is made of the reference itself. A URI without an authority is
// none of gsb's: it is its own key.
func (n *Normalizer) AppendKey(dst, text []byte, r Result) ([]byte, keyrule.Set) {
	switch {
	case n.key.rules == nil, n.key.gsb != nil && !r.Parts.HasAuthority():
		return append(dst, text[:r.Parts.URLEnd(len(text))]...), 0
	case n.key.gsb != nil:
		at := len(dst)
		dst = n.key.gsb.Append(dst, n.key.resolved)
		if bytes.Equal(dst[at:], text[:r.Parts.URLEnd(len(text))]) {
			return dst, 0
		}
		return dst, keyrule.GSB
	}
	if n.old && isRegistry(text, r.Parts) {
		return n.key.rules.AppendKeepingHost(dst, text, r.Parts)
	}
	return n.key.rules.Append(dst, text, r.Parts)
}

// keepResolved keeps what the rule gsb works on: the reference as it came in, resolved where it was
// relative, by RFC 3986 section 5.2 or, in the profile rfc2396, by the steps of that RFC.
func (n *Normalizer) keepResolved(base *Base, ref []byte, r Result) {
	if r.BaseUsed == BaseNone {
		n.key.resolved = append(n.key.resolved[:0], ref...)
		return
	}
	text := bytes.Trim(ref, spaceAndControls)
	if p := uri.Split(text); p.HasScheme() { // it repeats its base's scheme
		text = text[p.SchemeEnd+1:]
	}
	relative := uri.Ref{Text: text, Parts: uri.Split(text)}
	switch {
	case r.Changed&RuleCurrentDocument != 0:
		n.key.resolved = append(append(n.key.resolved[:0], base.currentDocument().text...), text...)
	case n.old:
		n.key.resolved = uri.AppendResolved2396(n.key.resolved[:0], base.ref(), relative)
	default:
		n.key.resolved = uri.AppendResolved(n.key.resolved[:0], base.ref(), relative)
	}
}
