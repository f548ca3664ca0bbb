package uts46

import (
	"slices"
	"unicode/utf8"
)

// Options are the flags of UTS 46 section 4. The zero value is what the URL standard asks for in
// domain to ASCII that is not strict, but for CheckBidi and CheckJoiners, which it sets.
type Options struct {
	CheckHyphens      bool // no "--" in third and fourth place, no hyphen at either end of a label
	CheckBidi         bool // the Bidi Rule of RFC 5893 section 2
	CheckJoiners      bool // the ContextJ rules of RFC 5892 appendix A
	UseSTD3ASCIIRules bool // of ASCII, only letters, digits and hyphens
	VerifyDNSLength   bool // labels of 1 to 63 bytes, 253 in all; a final empty label counts as one
	// KeepFaultyALabels keeps a label of ASCII that begins with "xn--" and stands for nothing
	// valid, lower-cased, where it would be a fault: names in real use have such labels.
	KeepFaultyALabels bool
}

// Fault says why a domain name was refused.
type Fault uint8

// Faults, by the criterion of UTS 46 section 4.1 that is not met.
const (
	NoFault         Fault = iota
	NotUTF8               // the input
	Disallowed            // a code point that no label may hold
	NotNormalized         // an "xn--" label that stands for text not in Normalization Form C
	BadHyphen             // by CheckHyphens; or an "xn--" label that stands for "xn--..."
	LeadingMark           // a label begins with a combining mark
	BadJoiner             // by CheckJoiners
	BadBidi               // by CheckBidi
	BadPunycode           // "xn--" and what decodes to nothing, or to ASCII alone
	BadLength             // by VerifyDNSLength
	PunycodeTooLong       // no Punycode within 32-bit integers
)

var faultNames = [...]string{
	"none", "not_utf8", "disallowed", "not_normalized", "bad_hyphen", "leading_mark", "bad_joiner", "bad_bidi",
	"bad_punycode", "bad_length", "punycode_too_long",
}

func (f Fault) String() string { return faultNames[f] }

// Result is what AppendASCII found.
type Result struct {
	Fault Fault // why there is no result; NoFault if there is one
	Kept  Fault // the fault of the first "xn--" label that was kept as it was, by KeepFaultyALabels
}

// Processor processes domain names. It belongs to one goroutine: it owns scratch space.
type Processor struct {
	opts   Options
	nfc    normalizer
	puny   punycoder
	mapped []rune  // the domain name after mapping and normalization
	text   []rune  // its labels, "xn--" ones decoded, one after the other
	labels []label // where they lie
}

// label is a label of the domain name: at [from, to) of mapped, and as Unicode at [uFrom, uTo) of
// text.
type label struct {
	from, to, uFrom, uTo int
	ace                  bool // begins with "xn--"
	fault                Fault
}

// New makes a Processor.
func New(opts Options) *Processor { return &Processor{opts: opts} }

// AppendASCII appends the domain name in ASCII, lower-cased: ToASCII of UTS 46 section 4.2. With
// a fault, dst comes back as it was. domain is UTF-8.
func (p *Processor) AppendASCII(dst, domain []byte) ([]byte, Result) {
	start := len(dst)
	if isPlain(domain) {
		for _, c := range domain {
			if c >= 'A' && c <= 'Z' {
				c |= 0x20
			}
			dst = append(dst, c)
		}
		if fault := p.checkPlain(dst[start:]); fault != NoFault {
			return dst[:start], Result{Fault: fault}
		}
		return dst, Result{}
	}
	result := p.process(domain)
	if result.Fault != NoFault {
		return dst, result
	}
	for i, l := range p.labels {
		if i > 0 {
			dst = append(dst, '.')
		}
		labelStart := len(dst)
		text := p.text[l.uFrom:l.uTo]
		if isASCII(text) {
			for _, r := range text {
				dst = append(dst, byte(r))
			}
		} else {
			var ok bool
			if dst, ok = p.puny.appendEncoded(append(dst, "xn--"...), text); !ok {
				return dst[:start], Result{Fault: PunycodeTooLong}
			}
		}
		if n := len(dst) - labelStart; p.opts.VerifyDNSLength && (n < 1 || n > maxLabelBytes) {
			return dst[:start], Result{Fault: BadLength}
		}
	}
	if p.opts.VerifyDNSLength && len(dst)-start > maxDomainBytes {
		return dst[:start], Result{Fault: BadLength}
	}
	return dst, result
}

// AppendUnicode appends the domain name as a person reads it: ToUnicode of UTS 46 section 4.3. What
// has a fault is appended as far as it was decoded, and the fault says so.
func (p *Processor) AppendUnicode(dst, domain []byte) ([]byte, Result) {
	result := p.process(domain)
	for i, l := range p.labels {
		if i > 0 {
			dst = append(dst, '.')
		}
		for _, r := range p.text[l.uFrom:l.uTo] {
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst, result
}

// RFC 1034 section 3.1, less the root label.
const (
	maxLabelBytes  = 63
	maxDomainBytes = 253
)

// isPlain reports whether a name is ASCII and has no "xn--" label: it is only lower-cased.
func isPlain(domain []byte) bool {
	labelStart := 0
	for i, c := range domain {
		switch {
		case c >= utf8.RuneSelf:
			return false
		case c == '.':
			labelStart = i + 1
		case c == '-' && i-labelStart == 3 && domain[i-1] == '-' && domain[i-2]|0x20 == 'n' && domain[i-3]|0x20 == 'x':
			return false
		}
	}
	return true
}

// checkPlain checks a name of ASCII without "xn--" labels, lower-cased already.
func (p *Processor) checkPlain(domain []byte) Fault {
	o := &p.opts
	if !o.CheckHyphens && !o.UseSTD3ASCIIRules && !o.VerifyDNSLength {
		return NoFault
	}
	if o.VerifyDNSLength && len(domain) > maxDomainBytes {
		return BadLength
	}
	for from := 0; from <= len(domain); {
		to := from
		for ; to < len(domain) && domain[to] != '.'; to++ {
			if o.UseSTD3ASCIIRules && !isLDH(rune(domain[to])) {
				return Disallowed
			}
		}
		text := domain[from:to]
		if o.VerifyDNSLength && (len(text) < 1 || len(text) > maxLabelBytes) {
			return BadLength
		}
		if n := len(text); o.CheckHyphens && n > 0 && (text[0] == '-' || text[n-1] == '-' || n > 3 && text[2] == '-' && text[3] == '-') {
			return BadHyphen
		}
		from = to + 1
	}
	return NoFault
}

func isLDH(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-'
}

func isASCII(text []rune) bool {
	for _, r := range text {
		if r >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// process does the four steps of UTS 46 section 4: map, normalize, break, convert and validate.
// The result is in p.labels and p.text.
func (p *Processor) process(domain []byte) Result {
	p.text, p.labels = p.text[:0], p.labels[:0]
	if !p.mapName(domain) {
		return Result{Fault: NotUTF8}
	}
	p.mapped = p.nfc.nfc(p.mapped)
	p.breakLabels()
	isBidi := p.opts.CheckBidi && p.isBidiName()
	var result Result
	for i := range p.labels {
		l := &p.labels[i]
		fault := l.fault
		if fault == NoFault {
			fault = p.validate(l, isBidi)
		}
		if fault == NoFault {
			continue
		}
		if !p.opts.KeepFaultyALabels || !l.ace || !isASCII(p.mapped[l.from:l.to]) {
			return Result{Fault: fault}
		}
		if result.Kept == NoFault {
			result.Kept = fault
		}
		l.uFrom = len(p.text)
		p.text = append(p.text, p.mapped[l.from:l.to]...)
		l.uTo = len(p.text)
	}
	return result
}

// mapName does step 1 into p.mapped. Disallowed code points stay: validation finds them.
func (p *Processor) mapName(domain []byte) bool {
	p.mapped = p.mapped[:0]
	for len(domain) > 0 {
		r, n := rune(domain[0]), 1
		if r >= utf8.RuneSelf {
			if r, n = utf8.DecodeRune(domain); r == utf8.RuneError && n == 1 {
				return false
			}
		}
		domain = domain[n:]
		switch classOf(r).status {
		case ignored:
		case mapped:
			p.mapped = appendMapped(p.mapped, r)
		default:
			p.mapped = append(p.mapped, r)
		}
	}
	return true
}

// breakLabels does step 3, and of step 4 the decoding, since the Bidi Rule asks for all labels.
func (p *Processor) breakLabels() {
	for from := 0; from <= len(p.mapped); {
		to := from
		for to < len(p.mapped) && p.mapped[to] != '.' {
			to++
		}
		l := label{from: from, to: to, uFrom: len(p.text)}
		text := p.mapped[from:to]
		if l.ace = hasACEPrefix(text); !l.ace {
			p.text = append(p.text, text...)
		} else {
			var ok bool
			if p.text, ok = p.puny.appendDecoded(p.text, text[len(acePrefix):]); !ok || isASCII(p.text[l.uFrom:]) {
				l.fault = BadPunycode
			}
		}
		l.uTo = len(p.text)
		p.labels = append(p.labels, l)
		from = to + 1
	}
}

const acePrefix = "xn--"

func hasACEPrefix(text []rune) bool {
	return len(text) >= len(acePrefix) && text[0] == 'x' && text[1] == 'n' && text[2] == '-' && text[3] == '-'
}

// validate holds a label against the criteria of UTS 46 section 4.1, in their order.
func (p *Processor) validate(l *label, isBidi bool) Fault {
	text := p.text[l.uFrom:l.uTo]
	if len(text) == 0 {
		return NoFault
	}
	if l.ace && !p.nfc.isNFC(text) {
		return NotNormalized
	}
	if p.opts.CheckHyphens {
		n := len(text)
		if text[0] == '-' || text[n-1] == '-' || n > 3 && text[2] == '-' && text[3] == '-' {
			return BadHyphen
		}
	} else if hasACEPrefix(text) {
		return BadHyphen
	}
	if classOf(text[0]).mark {
		return LeadingMark
	}
	for _, r := range text {
		s := classOf(r).status
		if s != valid && s != deviation || r == '.' || p.opts.UseSTD3ASCIIRules && r < utf8.RuneSelf && !isLDH(r) {
			return Disallowed
		}
	}
	if p.opts.CheckJoiners && !joinersFit(text) {
		return BadJoiner
	}
	if isBidi && !bidiFits(text) {
		return BadBidi
	}
	return NoFault
}

// AppendDecoded appends what an A-label, "xn--" and Punycode, stands for, be that valid or not. ok is
// false where the Punycode stands for nothing.
func (p *Processor) AppendDecoded(dst []rune, label []byte) (_ []rune, ok bool) {
	if len(label) < len("xn--") {
		return dst, false
	}
	p.mapped = p.mapped[:0]
	for _, c := range label[len("xn--"):] {
		p.mapped = append(p.mapped, rune(c))
	}
	return p.puny.appendDecoded(dst, p.mapped)
}

// Clone makes an equal Processor for another goroutine.
func (p *Processor) Clone() *Processor { return New(p.opts) }

// joinersFit holds U+200C and U+200D against RFC 5892 appendices A.1 and A.2.
func joinersFit(text []rune) bool {
	const nonJoiner, joiner = 0x200C, 0x200D
	before := joiningU // the type of the last code point that isn't transparent
	for i, r := range text {
		c := classOf(r)
		if r == nonJoiner || r == joiner {
			afterVirama := i > 0 && classOf(text[i-1]).ccc == virama
			if !afterVirama && (r == joiner || before != joiningL && before != joiningD || !joinsAfter(text[i+1:])) {
				return false
			}
		}
		if c.joining != joiningT {
			before = c.joining
		}
	}
	return true
}

// joinsAfter reports whether the next code point that isn't transparent joins to the right.
func joinsAfter(text []rune) bool {
	i := slices.IndexFunc(text, func(r rune) bool { return classOf(r).joining != joiningT })
	if i < 0 {
		return false
	}
	j := classOf(text[i]).joining
	return j == joiningR || j == joiningD
}

// isBidiName reports whether the name has a right-to-left code point (RFC 5893 section 1.4).
func (p *Processor) isBidiName() bool {
	return slices.ContainsFunc(p.text, func(r rune) bool {
		b := classOf(r).bidi
		return b == bidiR || b == bidiAL || b == bidiAN
	})
}

// bidiFits holds a label of a Bidi name against the six conditions of RFC 5893 section 2.
func bidiFits(text []rune) bool {
	first := classOf(text[0]).bidi
	rtl := first == bidiR || first == bidiAL
	if !rtl && first != bidiL {
		return false // 1
	}
	last := bidiOther // of what isn't a non-spacing mark
	var en, an bool
	for _, r := range text {
		b := classOf(r).bidi
		switch b {
		case bidiEN:
			en = true
		case bidiES, bidiCS, bidiET, bidiON, bidiBN:
		case bidiNSM:
			continue
		case bidiL:
			if rtl {
				return false // 2
			}
		case bidiR, bidiAL, bidiAN:
			if !rtl {
				return false // 5
			}
			an = an || b == bidiAN
		default:
			return false // 2, 5
		}
		last = b
	}
	if rtl {
		return (last == bidiR || last == bidiAL || last == bidiEN || last == bidiAN) && !(en && an) // 3, 4
	}
	return last == bidiL || last == bidiEN // 6
}
