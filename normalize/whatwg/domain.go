package whatwg

import (
	"bytes"

	"github.com/urisieve/urisieve/normalize/uts46"
)

// Limits of DNS, as VerifyDnsLength has them (UTS 46 section 4.2).
const (
	maxLabelBytes  = 63
	maxDomainBytes = 253
)

// NewDomainToASCII makes what the domain parser (section 3.3) runs on a domain with beStrict false:
// Unicode ToASCII with the flags that the standard sets.
func NewDomainToASCII() *uts46.Processor {
	return uts46.New(uts46.Options{CheckBidi: true, CheckJoiners: true})
}

// isStrict reports whether a domain of ASCII, in lower case, passes the domain parser with
// beStrict true (section 3.3): letters, digits and hyphens in labels of 1 to 63 bytes, no hyphen
// at either end of a label, none at its third and fourth place unless it is a valid A-label.
func (p *Parser) isStrict(domain []byte) bool {
	if len(domain) == 0 || len(domain) > maxDomainBytes {
		return false
	}
	alabel := false
	for rest, more := domain, true; more; {
		var label []byte
		label, rest, more = bytes.Cut(rest, []byte{'.'})
		if len(label) == 0 || len(label) > maxLabelBytes {
			return false
		}
		if bytes.HasPrefix(label, []byte("xn--")) {
			alabel = true
			continue
		}
		for i, b := range label {
			if classes[b]&plainDomain == 0 && (b != '-' || i == 0 || i == len(label)-1) {
				return false
			}
		}
		if len(label) >= 4 && label[2] == '-' && label[3] == '-' {
			return false
		}
	}
	if !alabel {
		return true
	}
	var strict bool
	p.host, _, strict = p.toASCII(p.host[:0], domain)
	return strict
}

// toASCII is what the domain parser (section 3.3) does with Unicode ToASCII: ok is false where it
// fails with beStrict false, strict where it fails with beStrict true. domain is valid UTF-8. What
// passes the strict rules comes out the same by the relaxed ones.
func (p *Parser) toASCII(dst, domain []byte) (out []byte, ok, strict bool) {
	out, r := p.strict.AppendASCII(dst, domain)
	if r.Fault == uts46.NoFault {
		return out, true, true
	}
	out, r = p.relaxed.AppendASCII(dst, domain)
	return out, r.Fault == uts46.NoFault, false
}
