package whatwg

import (
	"bytes"

	"golang.org/x/net/idna"
)

// Limits of DNS, as VerifyDnsLength has them (UTS 46 section 4.2).
const (
	maxLabelBytes  = 63
	maxDomainBytes = 253
)

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

// builtinToASCII is the ToASCII of a Parser that was given none.
func builtinToASCII(dst, domain []byte) (out []byte, ok, strict bool) {
	ascii, err := relaxed.ToASCII(string(domain))
	if err != nil {
		return dst, false, false
	}
	_, err = strictly.ToASCII(string(domain))
	strict = err == nil && !bytes.HasSuffix([]byte(ascii), []byte{'.'})
	return append(dst, ascii...), true, strict
}

var (
	relaxed = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.CheckHyphens(false),
		idna.CheckJoiners(true), idna.BidiRule(), idna.StrictDomainName(false), idna.VerifyDNSLength(false))
	strictly = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.CheckHyphens(true),
		idna.CheckJoiners(true), idna.BidiRule(), idna.StrictDomainName(true), idna.VerifyDNSLength(true))
)
