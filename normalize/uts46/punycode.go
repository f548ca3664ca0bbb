package uts46

import "slices"

// The parameters of Punycode, RFC 3492 section 5, and its largest integer: that of the RFC's own
// sample on 32 bits, signed, which other implementations share.
const (
	base, tMin, tMax       = 36, 1, 26
	skew, damp             = 38, 700
	initialBias            = 72
	initialN               = 0x80
	maxInt           int64 = 1<<31 - 1
)

// short is the length up to which moving code points about is cheaper than counting them.
const short = 64

// punycoder has the scratch space for coding in n log n.
type punycoder struct {
	counts     []int32  // a binary indexed tree over places
	order      []uint64 // encoding: code point and place of what isn't basic; decoding: the basic ones
	insertions []insertion
}

// insertion is a code point and its place among those that are there by then.
type insertion struct {
	r  rune
	at int32
}

// adapt is the bias adaptation of RFC 3492 section 6.1.
func adapt(delta, points int64, first bool) int64 {
	if first {
		delta /= damp
	} else {
		delta /= 2
	}
	delta += delta / points
	k := int64(0)
	for ; delta > (base-tMin)*tMax/2; k += base {
		delta /= base - tMin
	}
	return k + (base-tMin+1)*delta/(delta+skew)
}

func threshold(k, bias int64) int64 { return min(max(k-bias, tMin), tMax) }

// digit gives the value of a digit, either case (RFC 3492 section 5), -1 for anything else.
func digit(c rune) int64 {
	switch {
	case c >= '0' && c <= '9':
		return int64(c-'0') + 26
	case c >= 'a' && c <= 'z':
		return int64(c - 'a')
	case c >= 'A' && c <= 'Z':
		return int64(c - 'A')
	}
	return -1
}

// appendDecoded appends what the text after "xn--" stands for (RFC 3492 section 6.2). ok is false
// where it stands for nothing.
func (p *punycoder) appendDecoded(dst, text []rune) (_ []rune, ok bool) {
	start := len(dst)
	basic := max(lastHyphen(text), 0)
	for _, c := range text[:basic] {
		if c >= initialN {
			return dst, false
		}
		dst = append(dst, c)
	}
	if basic > 0 {
		text = text[basic+1:]
	}
	p.insertions = p.insertions[:0]
	n, i, bias := int64(initialN), int64(0), int64(initialBias)
	points := int64(basic)
	for len(text) > 0 {
		old, w := i, int64(1)
		for k := int64(base); ; k += base {
			if len(text) == 0 {
				return dst[:start], false
			}
			d := digit(text[0])
			text = text[1:]
			if d < 0 || d > (maxInt-i)/w {
				return dst[:start], false
			}
			i += d * w
			t := threshold(k, bias)
			if d < t {
				break
			}
			if w > maxInt/(base-t) {
				return dst[:start], false
			}
			w *= base - t
		}
		points++
		bias = adapt(i-old, points, old == 0)
		n += i / points
		i %= points
		if n > 0x10FFFF || n >= 0xD800 && n <= 0xDFFF {
			return dst[:start], false
		}
		p.insertions = append(p.insertions, insertion{rune(n), int32(i)})
		i++
	}
	return p.insert(dst, start), true
}

func lastHyphen(text []rune) int {
	for i, t := range slices.Backward(text) {
		if t == '-' {
			return i
		}
	}
	return -1
}

// insert puts the insertions among dst[start:], one after the other.
func (p *punycoder) insert(dst []rune, start int) []rune {
	if len(dst)-start+len(p.insertions) <= short {
		for _, in := range p.insertions {
			dst = slices.Insert(dst, start+int(in.at), in.r)
		}
		return dst
	}
	return p.insertCounted(dst, start)
}

// insertCounted is insert in n log n: from the last insertion back, each takes the free place of
// its number; the basic code points fill what is left.
func (p *punycoder) insertCounted(dst []rune, start int) []rune {
	basic := len(dst) - start
	total := basic + len(p.insertions)
	p.reset(total, 1)
	dst = slices.Grow(dst, len(p.insertions))[:start+total]
	const free = -1
	out := dst[start:]
	p.order = p.order[:0]
	for _, r := range out[:basic] {
		p.order = append(p.order, uint64(r))
	}
	for i := range out {
		out[i] = free
	}
	for _, v := range slices.Backward(p.insertions) {
		at := p.find(v.at + 1)
		out[at] = v.r
		p.add(at, -1)
	}
	for i, next := 0, 0; i < len(out); i++ {
		if out[i] == free {
			out[i] = rune(p.order[next])
			next++
		}
	}
	return dst
}

// appendEncoded appends text in Punycode, without "xn--" (RFC 3492 section 6.3). ok is false when
// a delta overflows, which takes a label of thousands of code points.
func (p *punycoder) appendEncoded(dst []byte, text []rune) (_ []byte, ok bool) {
	start := len(dst)
	for _, r := range text {
		if r < initialN {
			dst = append(dst, byte(r))
		}
	}
	if len(dst) > start {
		dst = append(dst, '-')
	}
	p.order = p.order[:0]
	for i, r := range text {
		if r >= initialN {
			p.order = append(p.order, uint64(r)<<32|uint64(i))
		}
	}
	slices.Sort(p.order)
	p.reset(len(text), 0)
	for i, r := range text {
		if r < initialN {
			p.add(i, 1)
		}
	}
	return p.appendDeltas(dst, start, len(text))
}

// appendDeltas appends the deltas of p.order's code points: passes over the text in order of code
// points, where p.counts tells how many handled ones lie between two places.
func (p *punycoder) appendDeltas(dst []byte, start, length int) (_ []byte, ok bool) {
	basic := int64(length - len(p.order))
	n, delta, bias, handled := int64(initialN), int64(0), int64(initialBias), basic
	for i := 0; i < len(p.order); {
		m := int64(p.order[i] >> 32)
		if m-n > (maxInt-delta)/(handled+1) {
			return dst[:start], false
		}
		delta += (m - n) * (handled + 1)
		n = m
		from, before := i, int64(0) // before: the handled ones up to the last place
		for ; i < len(p.order) && int64(p.order[i]>>32) == m; i++ {
			upto := p.sum(int(uint32(p.order[i])))
			if delta += upto - before; delta > maxInt {
				return dst[:start], false
			}
			before = upto
			dst = appendInteger(dst, delta, bias)
			bias = adapt(delta, handled+1, handled == basic)
			delta = 0
			handled++
		}
		delta += p.sum(length) - before + 1
		n++
		for _, key := range p.order[from:i] {
			p.add(int(uint32(key)), 1)
		}
	}
	return dst, true
}

// appendInteger appends a generalized variable-length integer, RFC 3492 section 3.3.
func appendInteger(dst []byte, q, bias int64) []byte {
	for k := int64(base); ; k += base {
		t := threshold(k, bias)
		if q < t {
			return append(dst, digitOf(q))
		}
		dst = append(dst, digitOf(t+(q-t)%(base-t)))
		q = (q - t) / (base - t)
	}
}

func digitOf(v int64) byte {
	if v < 26 {
		return byte('a' + v)
	}
	return byte('0' + v - 26)
}

// reset makes the tree hold each for every one of n places.
func (p *punycoder) reset(n int, each int32) {
	p.counts = slices.Grow(p.counts[:0], n+1)[:n+1]
	for i := range p.counts {
		p.counts[i] = each * int32(i&-i)
	}
}

// add adds to the count of a place.
func (p *punycoder) add(at int, v int32) {
	for i := at + 1; i < len(p.counts); i += i & -i {
		p.counts[i] += v
	}
}

// sum is the count of all places before at.
func (p *punycoder) sum(at int) int64 {
	total := int64(0)
	for i := at; i > 0; i -= i & -i {
		total += int64(p.counts[i])
	}
	return total
}

// find is the place where the count, summed from the first, reaches want.
func (p *punycoder) find(want int32) int {
	at, step := 0, 1
	for step*2 < len(p.counts) {
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if next := at + step; next < len(p.counts) && p.counts[next] < want {
			at = next
			want -= p.counts[next]
		}
	}
	return at
}
