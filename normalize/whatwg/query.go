package whatwg

import (
	"bytes"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// query is the query state, at i, just after the "?". It ends with the fragment.
func (s *state) query(i int) {
	s.dst = append(s.dst, '?')
	s.parts.QueryStart = s.offset()
	end := len(s.in)
	if n := bytes.IndexByte(s.in[i:], '#'); n >= 0 {
		end = i + n
	}
	set := querySet
	if s.scheme != notSpecial {
		set = specialQuerySet
	}
	query := s.in[i:end]
	var errs Errors
	if e := s.p.encoder; e == nil || s.scheme == notSpecial || s.scheme == schemeWS || s.scheme == schemeWSS {
		s.dst, errs = appendEncoded(s.dst, query, set)
	} else {
		s.dst, errs = e.appendEncoded(s.dst, query)
	}
	s.errs |= errs
	if end < len(s.in) {
		s.fragment(end + 1)
	}
}

// SetEncoding makes label the encoding of the document that the next references come from: the
// query of special URLs but ws and wss is written in it. known is false for a label that the
// Encoding standard doesn't have; it then stands for UTF-8, as do "", UTF-16 and the replacement
// encoding ("get an output encoding"). Labels may be in any case, with space around.
func (p *Parser) SetEncoding(label string) (known bool) {
	if label == p.label {
		return p.known
	}
	p.label, p.encoder = label, nil
	e, name, known := outputEncoding(label)
	p.known = known
	if name != utf8Name {
		if p.encoders[name] == nil {
			p.encoders[name] = newQueryEncoder(e, name)
		}
		p.encoder = p.encoders[name]
	}
	return p.known
}

// OutputEncoding is the name, in lower case, of the encoding that queries are written in where the
// document's is the one of a label: labels with the same name give the same URLs.
func OutputEncoding(label string) string {
	_, name, _ := outputEncoding(label)
	return name
}

const utf8Name = "utf-8"

// outputEncoding is "get an output encoding" of the Encoding standard (section 4.3) for a label; known
// is false for none of that standard's.
func outputEncoding(label string) (e encoding.Encoding, name string, known bool) {
	if label == "" {
		return nil, utf8Name, true
	}
	e, err := htmlindex.Get(label)
	if err != nil {
		return nil, utf8Name, false
	}
	switch name, _ := htmlindex.Name(e); name {
	case utf8Name, "utf-16be", "utf-16le", "replacement", "":
		return nil, utf8Name, true
	default:
		return e, name, true
	}
}

// IsEncoding reports whether label is one of the Encoding standard's.
func IsEncoding(label string) bool {
	_, err := htmlindex.Get(label)
	return err == nil
}
