package whatwg

import (
	"github.com/urisieve/urisieve/normalize/uri"
	"github.com/urisieve/urisieve/normalize/uts46"
)

// MaxBytes is the longest reference that is parsed, in bytes: 64 MiB, so that every offset into
// its href fits 32 bits whatever the reference expands to.
const MaxBytes = 64 << 20

// Options says how to parse. The zero value is what the standard says.
type Options struct {
	// Encoding is the label of the encoding of documents of which SetEncoding says nothing. Default
	// "", UTF-8; a label that the Encoding standard doesn't have (IsEncoding) stands for it too.
	Encoding string
}

// Parser parses references. It belongs to one goroutine at a time: it owns scratch space.
type Parser struct {
	options  Options
	strict   *uts46.Processor // domain parser ToASCII with beStrict true
	relaxed  *uts46.Processor // and false
	encoder  *queryEncoder    // of the document; nil is UTF-8
	encoders map[string]*queryEncoder
	label    string // that encoder was found by
	known    bool   // is label one of the Encoding standard's?
	clean    []byte // a reference less tabs, newlines and ill-formed UTF-8
	host     []byte // a domain, decoded
	domain   []byte // a domain in ASCII
	base     []byte // a base under construction: it may be the outer base itself
	steps    int    // bytes that were gone over again, where that might not be linear; for tests
}

// New makes a Parser.
func New(o Options) *Parser {
	p := &Parser{
		options: o,
		strict: uts46.New(uts46.Options{
			CheckHyphens: true, CheckBidi: true, CheckJoiners: true, UseSTD3ASCIIRules: true, VerifyDNSLength: true,
		}),
		relaxed:  NewDomainToASCII(),
		encoders: map[string]*queryEncoder{},
		known:    true,
	}
	p.SetEncoding(o.Encoding)
	return p
}

// Clone makes an equal Parser, of the same document encoding, for another goroutine.
func (p *Parser) Clone() *Parser {
	c := New(p.options)
	c.SetEncoding(p.label)
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
	Relative  bool      // it was resolved against the base
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
		dst = append(dst, ref...)
		if int(r.Parts.PathStart) == len(ref) {
			dst = append(dst, '/')
		}
		return dst, r
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
	if tabs, ill := needsClean(in); tabs || ill {
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
	r := Result{Parts: s.parts, Errors: s.errs, Failure: s.failure, Component: s.component, Host: s.host, Relative: s.onIt, Opaque: s.opaque}
	if s.failure == OK {
		return s.dst, r
	}
	at := s.at
	if cleaned {
		p.clean, at = appendClean(p.clean[:0], trimmed, at)
	}
	r.At = uint32(skipped + at)
	r.Parts, r.Host, r.Relative, r.Opaque = absent, HostNull, false, false
	return s.dst[:s.start], r
}

// absent is the parts of nothing.
var absent = uri.Parts{SchemeEnd: uri.Absent, AuthStart: uri.Absent, QueryStart: uri.Absent, FragStart: uri.Absent}
