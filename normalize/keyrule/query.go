package keyrule

import (
	"bytes"
	"slices"
)

// pair is a "name=value" of a query: where it lies, and where its name ends.
type pair struct{ from, to, name uint32 }

// appendQuery appends "?" and the query by the rules for queries, or nothing where no query is
// left.
func (r *Rules) appendQuery(dst, query, host []byte) (_ []byte, fired Set) {
	start := len(dst)
	if r.set&(DropParams|SortQuery|SortQueryPairs) == 0 {
		dst, fired = r.appendPlain(append(dst, '?'), query, 0)
		fired |= r.lowerQuery(dst[start:])
	} else {
		r.buf, fired = r.appendPlain(r.buf[:0], query, 0)
		fired |= r.lowerQuery(r.buf)
		var f Set
		dst, f = r.appendPairs(dst, r.buf, host)
		fired |= f
	}
	if r.set&DropEmptyQuery != 0 && len(dst) == start+1 {
		return dst[:start], fired | DropEmptyQuery
	}
	return dst, fired
}

// appendPlain tidies the escapes and writes "+" as "%20".
func (r *Rules) appendPlain(dst, query []byte, fired Set) ([]byte, Set) {
	if r.set&PlusSpace == 0 {
		return r.appendTidied(dst, query, fired)
	}
	for {
		i := bytes.IndexByte(query, '+')
		if i < 0 {
			return r.appendTidied(dst, query, fired)
		}
		dst, fired = r.appendTidied(dst, query[:i], fired)
		dst = append(dst, "%20"...)
		fired |= PlusSpace
		query = query[i+1:]
	}
}

// lowerQuery applies lowercase-query in place.
func (r *Rules) lowerQuery(query []byte) Set {
	if r.set&LowercaseQuery != 0 && lowerButEscapes(query) {
		return LowercaseQuery
	}
	return 0
}

// appendPairs appends "?" and the pairs that stay, sorted. Where all were left out, so is the "?".
func (r *Rules) appendPairs(dst, query, host []byte) (_ []byte, fired Set) {
	r.pairs = r.pairs[:0]
	for from := 0; from <= len(query); {
		to := bytes.IndexByte(query[from:], '&')
		if to < 0 {
			to = len(query)
		} else {
			to += from
		}
		name := bytes.IndexByte(query[from:to], '=')
		if name < 0 {
			name = to
		} else {
			name += from
		}
		if r.set&DropParams != 0 && r.drops(query[from:name], query[min(name+1, to):to], host) {
			fired |= DropParams
		} else {
			r.pairs = append(r.pairs, pair{uint32(from), uint32(to), uint32(name)})
		}
		from = to + 1
	}
	if len(r.pairs) == 0 {
		return dst, fired
	}
	fired |= r.sort(query)
	dst = append(dst, '?')
	for i, p := range r.pairs {
		if i > 0 {
			dst = append(dst, '&')
		}
		dst = append(dst, query[p.from:p.to]...)
	}
	return dst, fired
}

// drops reports whether a list for this host has the parameter. Empty names stay.
func (r *Rules) drops(name, value, host []byte) bool {
	if len(name) == 0 {
		return false
	}
	for i := range r.params {
		if p := &r.params[i]; p.forHost(host) && p.has(name, value) {
			return true
		}
	}
	return false
}

// sort sorts the pairs, equal ones staying in order; that is made part of the comparison, since
// the stable sort of package slices is slower.
func (r *Rules) sort(query []byte) Set {
	rule := r.set & (SortQuery | SortQueryPairs)
	if rule == 0 {
		return 0
	}
	compare := func(a, b pair) int {
		aEnd, bEnd := a.name, b.name
		if rule == SortQueryPairs {
			aEnd, bEnd = a.to, b.to
		}
		if c := bytes.Compare(query[a.from:aEnd], query[b.from:bEnd]); c != 0 {
			return c
		}
		return int(a.from) - int(b.from)
	}
	if slices.IsSortedFunc(r.pairs, compare) {
		return 0
	}
	slices.SortFunc(r.pairs, compare)
	return rule
}
