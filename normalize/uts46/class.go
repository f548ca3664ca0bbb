package uts46

// status is what UTS 46 section 5 says of a code point.
type status uint8

const (
	valid status = iota
	mapped
	deviation // valid in non-transitional processing
	ignored
	disallowed
)

// bidi is the class of a code point in the Bidi Rule, RFC 5893 section 2; bidiOther is any class
// that the rule lets stand nowhere.
type bidi uint8

const (
	bidiOther bidi = iota
	bidiL
	bidiR
	bidiAL
	bidiAN
	bidiEN
	bidiES
	bidiCS
	bidiET
	bidiON
	bidiBN
	bidiNSM
)

// joining is the Joining_Type of a code point, for RFC 5892 appendix A.1.
type joining uint8

const (
	joiningU joining = iota
	joiningL
	joiningR
	joiningD
	joiningT
	joiningC
)

// virama is the canonical combining class that RFC 5892 appendix A asks for before a joiner.
const virama = 9

// class is what there is to know of a code point, but for its mappings.
type class struct {
	status  status
	bidi    bidi
	joining joining
	mark    bool  // General_Category M*
	ccc     uint8 // Canonical_Combining_Class
}

// classOf finds the class of a code point up to U+10FFFF.
func classOf(r rune) *class {
	i := int(r>>blockShift) * 2
	block := int(blockIndex[i])<<8 | int(blockIndex[i+1])
	return &classes[blocks[block<<blockShift|int(r)&(1<<blockShift-1)]]
}

// textOf finds the text that belongs to a code point in one of the generated tables: a span of
// text in code points. ok is false where the table has none.
func textOf(from, span string, r rune) (at, n int, ok bool) {
	lo, hi := 0, len(from)/3
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if runeAt(from, mid) < r {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(from)/3 || runeAt(from, lo) != r {
		return 0, 0, false
	}
	s := span[lo*3 : lo*3+3]
	return int(s[0])<<8 | int(s[1]), int(s[2]), true
}

func runeAt(text string, i int) rune {
	s := text[i*3 : i*3+3]
	return rune(s[0])<<16 | rune(s[1])<<8 | rune(s[2])
}

// appendMapped appends what UTS 46 maps r to; r must be mapped.
func appendMapped(dst []rune, r rune) []rune {
	at, n, _ := textOf(mappingFrom, mappingSpan, r)
	for i := at; i < at+n; i++ {
		dst = append(dst, runeAt(mappingText, i))
	}
	return dst
}
