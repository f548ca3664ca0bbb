package normalize

import (
	"bytes"
	"strings"

	"github.com/urisieve/urisieve/normalize/keyrule"
	"github.com/urisieve/urisieve/normalize/uri"
)

// Explanation is what became of one reference, step by step, for a person to read. Its texts may
// hold any bytes, as the reference did. Passwords in them are written as "***" unless
// ExplainOptions.ShowSecrets is set; the offsets are those of the reference as it came in, always.
type Explanation struct {
	Reference  string                 // as it came in
	Layers     []LayerExplanation     // the base layers that are there, outermost first
	Base       string                 // the base that the reference was resolved against, or would have been; "" for none
	BaseUsed   BaseUsed               // the layer that it came from, if the reference needed it
	Components []ComponentExplanation // scheme, userinfo, host, port, path, query, fragment
	Steps      []Step                 // what was done, in order; nothing else was
	Changed    RuleSet
	Flags      Flags
	Reason     Reason      // why it was refused; OK otherwise
	Component  Component   // refused: where
	At         int         // refused: offset of the first offending byte in Reference
	URL        string      // the canonical URI; "" when refused
	Fragment   *string     // the canonical fragment; nil when absent or refused
	Key        string      // what deduplication compares: the URI, unless key rules act; "" when refused
	KeyChanged keyrule.Set // the key rules that changed something
}

// LayerExplanation is what became of one base layer.
type LayerExplanation struct {
	Layer     BaseUsed
	Text      string    // as it came in
	URL       string    // what it was resolved to; "" when skipped
	Used      bool      // whether it is the innermost usable one: the base
	Reason    Reason    // why it was skipped; OK otherwise
	Component Component // skipped: where
	At        int       // skipped: offset in Text
}

// ComponentExplanation is one component as a person reads it.
type ComponentExplanation struct {
	Component  Component
	Before     string  // as the reference has it
	Present    bool    // whether the reference has it; an empty component may be present
	Start, End int     // where Before lies in Reference; both 0 if it is not present
	After      string  // as the canonical URI has it
	Kept       bool    // whether the canonical URI has it
	Inherited  bool    // whether After is, wholly or in part, the base's
	Changed    RuleSet // the rules that changed it
}

// Step is one rule at work on one component. For each component, the first step's Before is the
// reference's text, each next one's is what the last one left, and the last After is the result's.
// A component that is there but empty is told from one that is not by its delimiter: ":" for an
// empty port, "@", "?" and "//" for an empty userinfo, query and authority.
type Step struct {
	Rule      RuleSet // one bit
	Name      string  // of the rule
	Section   string  // the standard that licenses it
	Component Component
	Before    string
	After     string
}

// ExplainOptions says how to explain.
type ExplainOptions struct {
	// ShowSecrets leaves passwords in the texts. Default false: "***" stands for them.
	ShowSecrets bool
}

// Explain normalizes ref like SetBase and Append, by the same code, and tells every step. A nil
// layer is absent.
func (n *Normalizer) Explain(embedded, entity, retrieval, ref []byte, o ExplainOptions) Explanation {
	e := Explanation{Reference: string(ref)}
	base := n.explainLayers(&e, embedded, entity, retrieval)
	t := trace{old: n.old}
	var out []byte
	var result Result
	switch {
	case n.web != nil:
		out, result = n.Append(nil, base, ref)
		t.addWeb(result, ref, out)
	case len(ref) > n.maxIn:
		out, result = n.Append(nil, base, ref)
	default:
		out = n.rebuild(nil, base, ref, &result, &t)
	}
	if n.web == nil && result.Reason == OK {
		n.tell(out, &result, oddAll)
		if n.reject&result.Flags != 0 {
			result.refuseFlagged(n.reject)
			t.steps = nil
		}
	}
	if result.Changed&RuleCurrentDocument != 0 {
		e.Base = string(base.currentDocument().text)
	}
	e.Steps, e.Changed, e.Flags, e.BaseUsed = t.steps, result.Changed, result.Flags, result.BaseUsed
	e.Reason, e.Component, e.At = result.Reason, result.Component, int(result.At)
	if result.Reason == OK {
		e.URL = string(out[:result.Parts.URLEnd(len(out))])
		if f := result.Parts.Fragment(out); f != nil {
			text := string(f)
			e.Fragment = &text
		}
		if n.key.gsb != nil {
			n.keepResolved(base, ref, result)
		}
		key, changed := n.AppendKey(nil, out, result)
		e.Key, e.KeyChanged = string(key), changed
	}
	e.explainComponents(n.splitFor(base, ref), ref, out, result)
	if !o.ShowSecrets {
		e.mask()
	}
	return e
}

// explainLayers does what SetBase does and notes what becomes of each layer.
func (n *Normalizer) explainLayers(e *Explanation, embedded, entity, retrieval []byte) *Base {
	b := new(Base)
	b.set(&n.fallback)
	if b.used != BaseNone {
		e.Layers = append(e.Layers, LayerExplanation{Layer: BaseDefault, Text: n.opts.DefaultBase, URL: string(b.text)})
	}
	for _, layer := range []struct {
		layer BaseUsed
		text  []byte
	}{{BaseRetrieval, retrieval}, {BaseEntity, entity}, {BaseEmbedded, embedded}} {
		if layer.text == nil {
			continue
		}
		result := n.addLayer(b, layer.layer, layer.text)
		l := LayerExplanation{Layer: layer.layer, Text: string(layer.text)}
		if result.Reason == OK {
			l.URL = string(b.text)
		} else {
			l.Reason, l.Component, l.At = result.Reason, result.Component, int(result.At)
		}
		e.Layers = append(e.Layers, l)
	}
	for i := range e.Layers {
		e.Layers[i].Used = e.Layers[i].Layer == b.used
	}
	e.Base = string(b.text)
	return b
}

// splitFor splits a reference, without what surrounds it, as the profile has it.
func (n *Normalizer) splitFor(base *Base, ref []byte) uri.Parts {
	r := run{n: n, base: base, text: bytes.Trim(ref, spaceAndControls)}
	r.parts = uri.Split(r.text)
	if n.old && r.parts.HasAuthority() {
		r.splitRegistry()
	}
	return r.parts
}

// explainComponents sets the components of the reference, without what surrounds it, beside those
// of the result.
func (e *Explanation) explainComponents(before uri.Parts, ref, out []byte, result Result) {
	trimmed := bytes.TrimLeft(ref, spaceAndControls)
	offset := len(ref) - len(trimmed)
	trimmed = bytes.TrimRight(trimmed, spaceAndControls)
	for _, c := range []struct {
		component Component
		of        func(uri.Parts, []byte) []byte
	}{
		{ComponentScheme, uri.Parts.Scheme},
		{ComponentUserinfo, uri.Parts.Userinfo},
		{ComponentHost, uri.Parts.Host},
		{ComponentPort, uri.Parts.Port},
		{ComponentPath, uri.Parts.Path},
		{ComponentQuery, uri.Parts.Query},
		{ComponentFragment, uri.Parts.Fragment},
	} {
		x := ComponentExplanation{Component: c.component}
		if text := c.of(before, trimmed); text != nil {
			x.Before, x.Present = string(text), true
			x.Start = offset + int(componentStart(before, c.component))
			x.End = x.Start + len(text)
		}
		if result.Reason == OK {
			text := c.of(result.Parts, out)
			x.After, x.Kept = string(text), text != nil
		}
		for _, s := range e.Steps {
			if s.Component == c.component {
				x.Changed |= s.Rule
			}
		}
		x.Inherited = x.Changed&RuleResolve != 0
		e.Components = append(e.Components, x)
	}
}

// componentStart is where a component that is there begins.
func componentStart(p uri.Parts, c Component) uint32 {
	switch c {
	case ComponentUserinfo:
		return p.AuthStart
	case ComponentHost:
		return p.HostStart
	case ComponentPort:
		return p.HostEnd + 1
	case ComponentPath:
		return p.PathStart
	case ComponentQuery:
		return p.QueryStart
	case ComponentFragment:
		return p.FragStart
	default:
		return 0
	}
}

// spaceAndControls are the bytes that RuleTrim cuts off.
const spaceAndControls = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f" +
	"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f "

// mask writes every password as "***".
func (e *Explanation) mask() {
	trimmed := []byte(strings.TrimLeft(e.Reference, spaceAndControls))
	hidden := hidesAuthority(trimmed, uri.Split(trimmed))
	e.Reference, e.Base, e.URL = maskSecrets(e.Reference), maskSecrets(e.Base), maskSecrets(e.URL)
	e.Key = maskSecrets(e.Key)
	for i := range e.Layers {
		l := &e.Layers[i]
		l.Text, l.URL = maskSecrets(l.Text), maskSecrets(l.URL)
	}
	for i := range e.Components {
		switch c := &e.Components[i]; c.Component {
		case ComponentUserinfo:
			c.Before, c.After = maskPassword(c.Before), maskPassword(c.After)
		case ComponentPath:
			if hidden {
				c.Before, c.After = maskHidden(c.Before), maskHidden(c.After)
			}
		default: // holds no secret
		}
	}
	for i := range e.Steps {
		switch s := &e.Steps[i]; s.Component {
		case ComponentUserinfo:
			s.Before, s.After = maskPassword(s.Before), maskPassword(s.After)
		case ComponentReference:
			s.Before, s.After = maskSecrets(s.Before), maskSecrets(s.After)
		case ComponentPath:
			if hidden {
				s.Before, s.After = maskHidden(s.Before), maskHidden(s.After)
			}
		default: // holds no secret
		}
	}
}

// maskSecrets writes the password of a reference as "***". Where the authority is hidden, what stands
// before the last "@" of the path is taken for userinfo too.
func maskSecrets(text string) string {
	trimmed := strings.TrimLeft(text, spaceAndControls)
	offset := len(text) - len(trimmed)
	p := uri.Split([]byte(trimmed))
	if p.HasUserinfo() {
		from, to := offset+int(p.AuthStart), offset+int(p.HostStart)-1
		return text[:from] + maskPassword(text[from:to]) + text[to:]
	}
	if hidesAuthority([]byte(trimmed), p) {
		from, to := offset+int(p.PathStart), offset+int(p.PathEnd(len(trimmed)))
		return text[:from] + maskHidden(text[from:to]) + text[to:]
	}
	return text
}

// hidesAuthority tells whether another reader may see an authority where Split saw a path. Browsers
// take any number of slashes after a scheme that they know, none too, for the two that begin one (URL
// standard, section 4.4, special authority ignore slashes state).
func hidesAuthority(text []byte, p uri.Parts) bool {
	if p.HasAuthority() && p.HostStart < p.HostEnd {
		return false
	}
	return p.HasScheme() && isHierarchical(text[:p.SchemeEnd]) || !p.HasAuthority() && authorityLookalike(text, p) >= 0
}

// maskHidden writes the password of a path which may hold an authority as "***".
func maskHidden(path string) string {
	if at := strings.LastIndexByte(path, '@'); at >= 0 {
		return maskPassword(path[:at]) + path[at:]
	}
	return path
}

// maskPassword writes the password of a userinfo as "***".
func maskPassword(userinfo string) string {
	user, password, ok := strings.Cut(userinfo, ":")
	if !ok || password == "" {
		return userinfo
	}
	return user + ":***"
}
