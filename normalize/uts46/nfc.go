package uts46

import "slices"

// Hangul syllables are composed by arithmetic (The Unicode Standard, section 3.12).
const (
	hangulS, hangulL, hangulV, hangulT     = 0xAC00, 0x1100, 0x1161, 0x11A7
	hangulLCount, hangulVCount, hangulTNum = 19, 21, 28
	hangulSCount                           = hangulLCount * hangulVCount * hangulTNum
)

// normalizer puts text into Unicode Normalization Form C (UAX 15).
type normalizer struct {
	scratch []rune
	order   []uint64
}

// nfc normalizes text in place where it can and returns it; the result may lie in n.scratch,
// whose old space text then becomes.
func (n *normalizer) nfc(text []rune) []rune {
	if belowMarks(text) {
		return text
	}
	n.scratch = appendDecomposed(n.scratch[:0], text)
	n.reorder(n.scratch)
	return composeInto(text[:0], n.scratch)
}

// isNFC reports whether text is in Normalization Form C; text does not change.
func (n *normalizer) isNFC(text []rune) bool {
	if belowMarks(text) {
		return true
	}
	n.scratch = appendDecomposed(n.scratch[:0], text)
	n.reorder(n.scratch)
	n.scratch = composeInto(n.scratch[:0], n.scratch)
	return slices.Equal(n.scratch, text)
}

// belowMarks reports whether all of text lies below the first combining mark, U+0300: all such
// text is in Normalization Form C.
func belowMarks(text []rune) bool {
	for _, r := range text {
		if r >= 0x300 {
			return false
		}
	}
	return true
}

func appendDecomposed(dst, text []rune) []rune {
	for _, r := range text {
		if r < 0xC0 {
			dst = append(dst, r)
			continue
		}
		if s := r - hangulS; s >= 0 && s < hangulSCount {
			dst = append(dst, hangulL+s/(hangulVCount*hangulTNum), hangulV+s%(hangulVCount*hangulTNum)/hangulTNum)
			if t := s % hangulTNum; t != 0 {
				dst = append(dst, hangulT+t)
			}
			continue
		}
		at, n, ok := textOf(decompositionFrom, decompositionSpan, r)
		if !ok {
			dst = append(dst, r)
			continue
		}
		for i := at; i < at+n; i++ {
			dst = append(dst, runeAt(decompositionText, i))
		}
	}
	return dst
}

// reorder sorts each run of combining marks by combining class, equal ones staying in order
// (canonical ordering, D109). The keys are class, place, mark, so that an ordinary sort is stable
// and a run of a million marks costs n log n.
func (n *normalizer) reorder(text []rune) {
	for i := 0; i < len(text); {
		if classOf(text[i]).ccc == 0 {
			i++
			continue
		}
		n.order = n.order[:0]
		from, sorted := i, true
		for ; i < len(text); i++ {
			ccc := classOf(text[i]).ccc
			if ccc == 0 {
				break
			}
			key := uint64(ccc)<<56 | uint64(i-from)<<21 | uint64(text[i])
			sorted = sorted && (i == from || key > n.order[len(n.order)-1])
			n.order = append(n.order, key)
		}
		if sorted {
			continue
		}
		slices.Sort(n.order)
		for k, key := range n.order {
			text[from+k] = rune(key & (1<<21 - 1))
		}
	}
}

// composeInto composes decomposed, ordered text (D117). dst may be text[:0]: the result is never
// ahead of what was read.
func composeInto(dst, text []rune) []rune {
	starter, last := -1, uint8(0) // the starter's place in dst, the class of what was put last
	for _, r := range text {
		ccc := classOf(r).ccc
		blocked := len(dst)-1 != starter && last >= ccc
		if starter >= 0 && !blocked {
			if c, ok := composite(dst[starter], r); ok {
				dst[starter] = c
				continue
			}
		}
		if ccc == 0 {
			starter = len(dst)
		}
		last = ccc
		dst = append(dst, r)
	}
	return dst
}

// composite gives the primary composite of two code points, if there is one.
func composite(a, b rune) (rune, bool) {
	if l, v := a-hangulL, b-hangulV; l >= 0 && l < hangulLCount && v >= 0 && v < hangulVCount {
		return hangulS + (l*hangulVCount+v)*hangulTNum, true
	}
	if s, t := a-hangulS, b-hangulT; s >= 0 && s < hangulSCount && s%hangulTNum == 0 && t > 0 && t < hangulTNum {
		return a + t, true
	}
	const size = 3
	want := uint64(a)<<24 | uint64(b)
	pair := func(i int) uint64 {
		return uint64(runeAt(compositionPairs, i*size))<<24 | uint64(runeAt(compositionPairs, i*size+1))
	}
	lo, hi := 0, len(compositionPairs)/(3*size)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if pair(mid) < want {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(compositionPairs)/(3*size) && pair(lo) == want {
		return runeAt(compositionPairs, lo*size+2), true
	}
	return 0, false
}
