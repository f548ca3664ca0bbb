package whatwg

import "github.com/urisieve/urisieve/normalize/uri"

// Base is a base URL, parsed once and used for many references. The zero value is no base. It
// keeps its own bytes and may be set again without allocation.
type Base struct {
	url    []byte // without its fragment, which no reference inherits
	parts  uri.Parts
	path   int // where the path list begins: behind the "/." of a guarded path
	scheme scheme
	host   HostKind
	opaque bool
}

// SetBase makes b the URL that ref has against outer, which may be nil, or b itself. Where ref has
// none, r tells why and b becomes no base.
func (p *Parser) SetBase(b, outer *Base, ref []byte) (r Result) {
	p.base, r = p.Append(p.base[:0], outer, ref)
	if r.Failure != OK {
		b.Reset()
		return r
	}
	b.url = append(b.url[:0], p.base[:r.Parts.URLEnd(len(p.base))]...)
	b.parts, b.host, b.opaque = r.Parts, r.Host, r.Opaque
	b.parts.FragStart = uri.Absent
	b.scheme = schemeOf(b.parts.Scheme(b.url))
	b.path = int(b.parts.PathStart)
	if path := b.parts.Path(b.url); r.Host == HostNull && !r.Opaque && len(path) >= 3 && string(path[:3]) == "/./" {
		b.path += len("/.")
	}
	return r
}

// Set makes b the same base as from, with bytes of its own.
func (b *Base) Set(from *Base) {
	url := append(b.url[:0], from.url...)
	*b = *from
	b.url = url
}

// Reset makes b no base.
func (b *Base) Reset() { b.url = b.url[:0] }

// IsSet reports whether b is a base at all.
func (b *Base) IsSet() bool { return len(b.url) > 0 }

// URL is the base URL without its fragment. The bytes are b's own.
func (b *Base) URL() []byte { return b.url }

// Scheme is the scheme of the base URL, in lower case. The bytes are b's own.
func (b *Base) Scheme() []byte {
	if !b.IsSet() {
		return nil
	}
	return b.parts.Scheme(b.url)
}

// Opaque reports whether the base URL has an opaque path: then it serves a fragment alone.
func (b *Base) Opaque() bool { return b.IsSet() && b.opaque }
