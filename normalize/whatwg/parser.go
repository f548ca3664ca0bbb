package whatwg

import (
	"unicode/utf8"

	"github.com/urisieve/urisieve/normalize/uri"
)

// MaxBytes is the longest reference that is parsed, in bytes: 64 MiB, so that every offset into
// its href fits 32 bits whatever the reference expands to.
const MaxBytes = 64 << 20

// ToASCII is Unicode ToASCII (UTS 46 section 4.2) as the domain parser calls it (section 3.3): it
// appends to dst the ASCII form of domain, which is valid UTF-8; ok is false where the operation
// records an error with beStrict false. strict says that none is recorded with beStrict true
// either (CheckHyphens, UseSTD3ASCIIRules and VerifyDnsLength set); it only feeds the error
// DomainToASCII. It is called for domains that are not ASCII, and for the sake of strict for those
// with an "xn--" label.
type ToASCII func(dst, domain []byte) (out []byte, ok, strict bool)

// Options says how to parse. The zero value is what the standard says.
type Options struct {
	// ToASCII replaces the built-in UTS 46 processing. Default nil: the built-in one.
	ToASCII ToASCII
}

// Parser parses references. It belongs to one goroutine at a time: it owns scratch space.
type Parser struct {
	toASCII  ToASCII
	encoder  *queryEncoder // of the document; nil is UTF-8
	encoders map[string]*queryEncoder
	label    string // the label that encoder was found by
	clean    []byte // a reference less tabs, newlines and ill-formed UTF-8
	host     []byte // a domain, decoded
	domain   []byte // a domain in ASCII
	base     []byte // a base under construction: it may be the outer base itself
	steps    int    // bytes looked at by loops that could be superlinear; for tests
}

// New makes a Parser.
func New(o Options) *Parser {
	p := &Parser{toASCII: o.ToASCII, encoders: map[string]*queryEncoder{}}
	if p.toASCII == nil {
		p.toASCII = builtinToASCII
	}
	return p
}

// Clone makes an equal Parser, of the same document encoding, for another goroutine.
func (p *Parser) Clone() *Parser {
	c := New(Options{ToASCII: p.toASCII})
	if p.encoder != nil {
		c.SetEncoding(p.label)
	}
	return c
}

// Result is what became of one reference.
type Result struct {
	Parts     uri.Parts // of the href appended; offsets count from its first byte
	Errors    Errors    // validation errors: all that the standard records up to the end or the failure
	At        uint32    // failed: offset in ref, as it came in, of the first offending byte or of the component
	Failure   Failure   // why there is no URL; OK otherwise
	Component Component // failed: where At points
	Host      HostKind  // what the host is
	Opaque    bool      // the path is opaque ("mailto:x"): as a base it serves a fragment alone
}

// Append parses ref against base, which may be nil, and appends the href to dst. Without its
// fragment it is appended[:r.Parts.URLEnd(len(appended))]. Failed: dst comes back as it was. ref
// is any bytes up to MaxBytes and must not overlap the free space of dst.
func (p *Parser) Append(dst []byte, base *Base, ref []byte) ([]byte, Result) {
	var r Result
	if verify(ref, &r) {
		if r.Errors&needStrict != 0 {
			r.Errors &^= needStrict
			if !p.isStrict(ref[r.Parts.HostStart:r.Parts.HostEnd]) {
				r.Errors |= DomainToASCII
			}
		}
		return append(dst, ref...), r
	}
	return p.appendParsed(dst, base, ref)
}

// appendParsed is Append without the short way for references that are their own href.
func (p *Parser) appendParsed(dst []byte, base *Base, ref []byte) ([]byte, Result) {
	if len(ref) > MaxBytes {
		return dst, Result{Parts: absent, Failure: TooLong, Component: ComponentReference, At: MaxBytes}
	}
	if base != nil && len(base.url) == 0 {
		base = nil
	}
	in, skipped := trim(ref)
	s := state{p: p, base: base, dst: dst, start: len(dst), parts: absent}
	if len(in) != len(ref) {
		s.errs |= InvalidURLUnit
	}
	trimmed, cleaned := in, false
	if tabs, ill := hasTabOrNewline(in), !utf8.Valid(in); tabs || ill {
		if tabs {
			s.errs |= InvalidURLUnit
		}
		if ill {
			s.errs |= InvalidUTF8
		}
		p.clean, _ = appendClean(p.clean[:0], in, len(ref)*len("\uFFFD")+1)
		in, cleaned = p.clean, true
	}
	s.in = in
	s.parse()
	r := Result{Parts: s.parts, Errors: s.errs, Failure: s.failure, Component: s.component, Host: s.host, Opaque: s.opaque}
	if s.failure == OK {
		return s.dst, r
	}
	at := s.at
	if cleaned {
		p.clean, at = appendClean(p.clean[:0], trimmed, at)
	}
	r.At = uint32(skipped + at)
	r.Parts, r.Host, r.Opaque = absent, HostNull, false
	return s.dst[:s.start], r
}

// absent is the parts of nothing.
var absent = uri.Parts{SchemeEnd: uri.Absent, AuthStart: uri.Absent, QueryStart: uri.Absent, FragStart: uri.Absent}
