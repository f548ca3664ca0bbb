package whatwg

import (
	"bytes"

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
	p.label, p.encoder, p.known = label, nil, label == ""
	e, err := htmlindex.Get(label)
	if err != nil {
		return p.known
	}
	p.known = true
	switch name, _ := htmlindex.Name(e); name {
	case "utf-8", "utf-16be", "utf-16le", "replacement", "":
	default:
		if p.encoders[name] == nil {
			p.encoders[name] = newQueryEncoder(e, name)
		}
		p.encoder = p.encoders[name]
	}
	return true
}

// IsEncoding reports whether label is one of the Encoding standard's.
func IsEncoding(label string) bool {
	_, err := htmlindex.Get(label)
	return err == nil
}
