package pipeline

import "fmt"

// glob is a compiled path glob: a machine that is in a set of states at once, a bit each, so that a
// path of n bytes takes n steps whatever the pattern.
//
// State i means that the first i elements of the pattern have matched. An element is one byte; a run
// ("*", "**") before element i lets state i stay as it is.
type glob struct {
	words    int
	match    [256][]uint64 // by byte: states i such that element i takes it
	loopAny  []uint64      // states that "**" keeps, on any byte
	loopPart []uint64      // states that "*" keeps, on any byte but "/"
	accept   int           // the last state
}

func compileGlob(pattern string) (*glob, error) {
	type element struct {
		c   byte
		any bool // "?"
	}
	var elements []element
	type loop struct {
		at   int
		deep bool
	}
	var loops []loop
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '*':
			deep := i+1 < len(pattern) && pattern[i+1] == '*'
			for i+1 < len(pattern) && pattern[i+1] == '*' {
				i++
			}
			loops = append(loops, loop{len(elements), deep})
		case '?':
			elements = append(elements, element{any: true})
		case '\\':
			i++
			if i == len(pattern) {
				return nil, fmt.Errorf("%q ends in a backslash: it takes the next byte as it is", pattern)
			}
			elements = append(elements, element{c: pattern[i]})
		case '[', ']', '{', '}':
			return nil, fmt.Errorf("%q: there are no sets and alternatives in a glob: write one glob each, or \\%c for the byte itself", pattern, c)
		default:
			elements = append(elements, element{c: c})
		}
	}
	g := &glob{words: len(elements)/64 + 1, accept: len(elements)}
	for c := range g.match {
		g.match[c] = make([]uint64, g.words)
		for i, e := range elements {
			if e.any && c != '/' || !e.any && int(e.c) == c {
				g.match[c][i/64] |= 1 << (i % 64)
			}
		}
	}
	g.loopAny, g.loopPart = make([]uint64, g.words), make([]uint64, g.words)
	for _, l := range loops {
		g.loopPart[l.at/64] |= 1 << (l.at % 64)
		if l.deep {
			g.loopAny[l.at/64] |= 1 << (l.at % 64)
		}
	}
	return g, nil
}

// matches reports whether the whole of text matches.
func (g *glob) matches(text []byte) bool {
	if g.words == 1 {
		return g.matchesShort(text)
	}
	// On the stack for patterns below 1,024 bytes.
	var buffer [16]uint64
	states := append(buffer[:0], make([]uint64, g.words)...)
	states[0] = 1
	for _, c := range text {
		loop := g.loopPart
		if c == '/' {
			loop = g.loopAny
		}
		carry := uint64(0)
		for w, s := range states {
			step := s & g.match[c][w]
			states[w] = step<<1 | carry | s&loop[w]
			carry = step >> 63
		}
	}
	return states[g.accept/64]>>(g.accept%64)&1 == 1
}

func (g *glob) matchesShort(text []byte) bool {
	states := uint64(1)
	for _, c := range text {
		loop := g.loopPart[0]
		if c == '/' {
			loop = g.loopAny[0]
		}
		states = (states&g.match[c][0])<<1 | states&loop
		if states == 0 {
			return false
		}
	}
	return states>>g.accept&1 == 1
}
