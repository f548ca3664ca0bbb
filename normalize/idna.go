package normalize

import (
	"bytes"
	"unicode/utf8"

	"github.com/urisieve/urisieve/normalize/uri"
	"github.com/urisieve/urisieve/normalize/uts46"
)

// maxLabel is the longest label, in bytes, that is converted to or from Punycode. DNS ends at 63
// (RFC 1035 section 2.3.4).
const maxLabel = 1024

// uts46Options is UTS 46 section 4 as lookups need it: any ASCII (what may stand in a host is
// checked apart), hyphens anywhere ("r3---sn-x" is a name in use), and no length limits.
var uts46Options = uts46.Options{CheckBidi: true, CheckJoiners: true, KeepFaultyALabels: true}

// mapper turns names with internationalized labels into ASCII and remembers the latest.
type mapper struct {
	uts46 *uts46.Processor
	cache []mappedHost // nil until the first name; direct-mapped
}

// mappedHost is a name and what became of it.
type mappedHost struct {
	name, ascii []byte // the buffers are used again for the next name
	flags       Flags
	bad         int // offset in name of the label that is none, -1 if all are good
}

// The bounds of a mapper's memory: at most 2 MiB of names.
const (
	cachedHosts     = 4096 // a power of two
	cachedHostBytes = 255  // longer names are no DNS names (RFC 1035 section 2.3.4) and are not kept
)

// mapped is what becomes of a name. The answer is good until the next call.
func (m *mapper) mapped(name []byte) *mappedHost {
	if m.uts46 == nil {
		m.uts46 = uts46.New(uts46Options)
		m.cache = make([]mappedHost, cachedHosts+1)
	}
	slot := &m.cache[cachedHosts] // for names that are too long to keep
	switch {
	case len(name) > cachedHostBytes:
		if cap(slot.ascii) > 1<<20 {
			slot.ascii = nil // nor is a giant's room kept
		}
	default:
		hash := uint32(2166136261) // FNV-1a
		for _, c := range name {
			hash = (hash ^ uint32(c)) * 16777619
		}
		if slot = &m.cache[hash%cachedHosts]; bytes.Equal(slot.name, name) {
			return slot
		}
		slot.name = append(slot.name[:0], name...)
	}
	slot.ascii, slot.flags, slot.bad = m.mapName(slot.ascii[:0], name)
	return slot
}

// mapName appends name in ASCII.
func (m *mapper) mapName(dst, name []byte) (ascii []byte, flags Flags, bad int) {
	if bad := badLabel(name); bad >= 0 {
		return dst, 0, bad
	}
	start := len(dst)
	ascii, result := m.uts46.AppendASCII(dst, name)
	if result.Fault != uts46.NoFault || len(ascii) == start {
		return ascii, 0, m.firstBadLabel(name)
	}
	if badLabel(ascii[start:]) >= 0 || cameOut(name, ascii[start:]) {
		return ascii[:start], 0, 0
	}
	return ascii, m.labelFlags(ascii[start:], result.Kept != uts46.NoFault), -1
}

// labelFlags tells of the A-labels of a mapped name; kept says that at least one of them is none.
func (m *mapper) labelFlags(ascii []byte, kept bool) (flags Flags) {
	if !kept {
		if hasALabel(ascii) {
			flags = FlagIDN
		}
		return flags
	}
	flags = FlagBadXNLabel
	var room [256]byte
	for from := 0; from <= len(ascii) && flags&FlagIDN == 0; {
		end, next := labelEnd(ascii, from)
		if label := ascii[from:end]; isALabel(label) {
			if _, result := m.uts46.AppendASCII(room[:0], label); result.Kept == uts46.NoFault {
				flags |= FlagIDN
			}
		}
		from = next
	}
	return flags
}

// firstBadLabel is where the first label begins that is none by itself; 0 if it takes them all.
func (m *mapper) firstBadLabel(name []byte) int {
	var room [256]byte
	for from := 0; from <= len(name); {
		end, next := labelEnd(name, from)
		if _, result := m.uts46.AppendASCII(room[:0], name[from:end]); result.Fault != uts46.NoFault {
			return from
		}
		from = next
	}
	return 0
}

// badLabel is where the first label begins that is internationalized and longer than maxLabel, or
// holds a delimiter beside characters that are not ASCII; -1 if there is none.
func badLabel(name []byte) int {
	for from := 0; from <= len(name); {
		end, next := labelEnd(name, from)
		label := name[from:end]
		if ascii := isASCII(label); len(label) > maxLabel && (isALabel(label) || !ascii) || !ascii && subDelims(label) > 0 {
			return from
		}
		from = next
	}
	return -1
}

// cameOut reports whether the mapping made a delimiter or a "%". Those that were there before lie
// in labels of ASCII, which mapping leaves as they are.
func cameOut(name, ascii []byte) bool {
	for _, c := range ascii {
		if !uri.Is(c, uri.RegName) {
			return true
		}
	}
	return subDelims(ascii) > subDelims(name)
}

// subDelims is the number of sub-delims in a text.
func subDelims(text []byte) (n int) {
	for _, c := range text {
		if uri.Is(c, uri.SubDelims) {
			n++
		}
	}
	return n
}

// mapLabels writes the name at out[at:], which is a host without escapes, in ASCII. A label that
// begins with "xn--" and is no valid A-label is kept: such names are in use, and nothing better
// can be made of them.
//
//	Bücher.example  ->  xn--bcher-kva.example
//
// Source: UTS 46 section 4; RFC 5890 section 2.3.2.1. Class: scheme.
func (r *run) mapLabels(at int) bool {
	name := r.out[at:]
	r.work += uint64(len(name))
	mapped := r.n.mapper.mapped(name)
	if mapped.bad >= 0 {
		bad := mapped.bad
		if i := invalidUTF8(name); i >= 0 {
			bad = i
		}
		return r.refuse(BadHost, ComponentHost, int(r.parts.HostStart)+rawOffset(r.parts.Host(r.text), bad))
	}
	r.result.Flags |= mapped.flags
	if !isASCII(name) && holdsInvisible(name) {
		r.result.Flags |= FlagInvisibleRemoved
	}
	r.lowerHost(at)
	if !bytes.Equal(r.out[at:], mapped.ascii) {
		r.step(RuleIDNA, ComponentHost, r.out[at:], mapped.ascii)
	}
	r.out = append(r.out[:at], mapped.ascii...)
	return true
}

// labelEnd finds the end of the label that begins at from, and where the next one begins: after
// a full stop or a character that UTS 46 section 4 maps to one. After the last label, next is
// past the end.
func labelEnd(name []byte, from int) (end, next int) {
	for i := from; i < len(name); i++ {
		if c := name[i]; c == '.' {
			return i, i + 1
		} else if c >= utf8.RuneSelf && i+2 < len(name) {
			switch string(name[i : i+3]) {
			case "\u3002", "\uff0e", "\uff61":
				return i, i + 3
			}
		}
	}
	return len(name), len(name) + 1
}

func isASCII(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// invalidUTF8 is the offset of the first byte that is no UTF-8, -1 if there is none.
func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRune(text[i:])
		if c == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
