package normalize

import (
	"bytes"

	"github.com/urisieve/urisieve/normalize/uri"
	"github.com/urisieve/urisieve/normalize/whatwg"
)

// Base is the base of one document: its layers already resolved against each other. It keeps its
// own copy of the bytes and may be used again for the next document, without allocation. The zero
// value has no base at all, not even the default one; SetBase makes it one.
type Base struct {
	text     []byte      // the canonical URI without fragment; empty when there is no base
	spare    []byte      // the other buffer: the next layer is written here
	parts    uri.Parts   // of text
	dirEnd   int         // offset just after the last "/" of the path: what a relative path is appended to
	scheme   *scheme     // nil if not known
	flags    Flags       // of the result
	used     BaseUsed    // the layer it came from; BaseNone when there is no base
	skipped  bool        // whether a layer was not usable
	web      whatwg.Base // of the profile whatwg: the same base as its parser takes it
	quick    bool        // whether relative references may take the short way: see appendQuickRelative
	document *Base       // of the profile rfc2396: the retrieval URI, where there is a usable one
	opaque   bool        // RFC 3986 section 3: a scheme, no authority, and no path that starts with "/"
}

// URL is the base URI in its canonical form, nil when there is none. It is valid until the next
// SetBase.
func (b *Base) URL() []byte {
	if b.used == BaseNone {
		return nil
	}
	return b.text
}

// Used is the layer that the base came from, BaseNone when there is no base.
func (b *Base) Used() BaseUsed { return b.used }

// Skipped reports whether a layer was there and not usable.
func (b *Base) Skipped() bool { return b.skipped }

// SetBase makes b the base of a document by its layers, innermost first (RFC 3986 section 5.1):
// embedded in the content, of the enclosing entity, the retrieval URI. A nil layer is absent; an
// empty one is a reference to the next outer one. Each layer is resolved against the next outer
// one that is usable; one that is refused, or relative with nothing outside it, is skipped. The
// innermost usable one is the base, an opaque URI too. Outside them all is the default base.
func (n *Normalizer) SetBase(b *Base, embedded, entity, retrieval []byte) {
	b.set(&n.fallback)
	n.addLayer(b, BaseRetrieval, retrieval)
	n.addLayer(b, BaseEntity, entity)
	n.addLayer(b, BaseEmbedded, embedded)
}

// set makes b the same base as from.
func (b *Base) set(from *Base) {
	text, spare, web, document := append(b.text[:0], from.text...), b.spare, b.web, b.document
	web.Set(&from.web)
	*b = *from
	b.text, b.spare, b.web, b.document = text, spare, web, document
	if document != nil {
		document.used = BaseNone // until there is another
	}
}

// currentDocument is the retrieval URI, or a base that there is none of (RFC 2396 section 4.2).
func (b *Base) currentDocument() *Base {
	if b.document == nil {
		return &noBase
	}
	return b.document
}

// noBase is no base at all. Nobody writes to it.
var noBase Base

// addLayer makes layer, resolved against b, the base, or skips it.
func (n *Normalizer) addLayer(b *Base, layer BaseUsed, text []byte) Result {
	if n.web != nil {
		return n.addWebLayer(b, layer, text)
	}
	if text == nil {
		return Result{}
	}
	var result Result
	out := n.appendTo(b.spare[:0], b, text, &result)
	b.spare = out
	if result.Reason != OK {
		b.skipped = true
		return result
	}
	skipped := b.skipped
	url := out[:result.Parts.URLEnd(len(out))] // RFC 3986 section 5.1: a base has no fragment
	result.Parts.FragStart = uri.Absent
	b.spare, b.text = b.text, url
	b.parts, b.used, b.skipped = result.Parts, layer, skipped
	b.flags = result.Flags & resultFlags &^ toldFlags
	if b.flags&FlagEscapedControl != 0 && !hasEscapedControl(url) {
		b.flags &^= FlagEscapedControl // it was in the fragment
	}
	path := result.Parts.Path(url)
	b.dirEnd = int(result.Parts.PathStart) + bytes.LastIndexByte(path, '/') + 1
	b.opaque = !result.Parts.HasAuthority() && (len(path) == 0 || path[0] != '/')
	b.scheme = schemeNamed(result.Parts.Scheme(url))
	b.quick = b.parts.HasAuthority() && len(path) > 0 && b.flags&FlagEscapedControl == 0 &&
		!(n.old && bytes.Contains(path, []byte("/."))) // RFC 2396: they would have to go while merging
	if n.old && layer == BaseRetrieval {
		if b.document == nil {
			b.document = new(Base)
		}
		b.document.set(b)
	}
	return result
}

// setDefaultBase makes Options.DefaultBase the outermost layer.
func (n *Normalizer) setDefaultBase() Result {
	n.fallback = Base{}
	if n.opts.DefaultBase == "" {
		return Result{}
	}
	result := n.addLayer(&n.fallback, BaseDefault, []byte(n.opts.DefaultBase))
	n.fallback.spare = nil
	return result
}

// ref is the base as package uri takes it.
func (b *Base) ref() uri.Ref { return uri.Ref{Text: b.text, Parts: b.parts} }
