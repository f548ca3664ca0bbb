package normalize

import (
	"cmp"
	"math/bits"
	"slices"
)

// RuleSet is a set of rules, a bit each. A bit is never used again for another rule.
type RuleSet uint64

// The rules, in the order in which they act on a reference; doc.go says why in this order.
const (
	RuleTrim RuleSet = 1 << iota
	RuleStripSameScheme
	RuleLowerScheme
	RuleEscapeEarlierAt
	RuleEscapeStrayPercent
	RuleDecodeUnreserved
	RuleUpperHex
	RuleEscapeIllegal
	RuleEscapeBackslash
	RuleEscapeNonASCII
	RuleStripPassword
	RuleStripUserinfo
	RuleDecodeHost
	RuleIDNA
	RuleLowerHost
	RuleIPv6Text
	RuleDropEmptyPort
	RuleDropPortZeros
	RuleDropDefaultPort
	RuleDropLocalhost
	RuleFileAuthority
	RuleResolve
	RuleRemoveDots
	RuleRootPath
	RuleGuardPath

	// Rules that refuse or tell. They change nothing, so they are never in Result.Changed.
	RuleCheckScheme
	RuleCheckAuthority
	RuleCheckGrammar
	RuleCheckHost
	RuleCheckPort
	RuleNeedHost
	RuleRefuseUserinfo
	RuleRefuseBadPort
	RuleNeedBase
	RuleOpaqueBase
	RuleRejectSameScheme
	RuleFlagUserinfo
	RuleFlagPort
	RuleFlagControl
	RuleFlagHost

	// RuleURLStandard is the URL standard's parser and serializer: one rule, the whole of the
	// profile whatwg.
	RuleURLStandard

	// RuleCurrentDocument is of the profile rfc2396 alone.
	RuleCurrentDocument
	ruleEnd
)

// allRules has every bit that is a rule.
const allRules = ruleEnd - 1

// RuleInfo describes a rule.
type RuleInfo struct {
	Bit      RuleSet
	Name     string // metric label and column value, snake_case
	Class    string // "syntax", "scheme" or "policy"
	Section  string // the standard that licenses it
	Before   string // an example: before the rule,
	After    string // and after it; a rule that refuses: the reason; one that tells: the flag
	Doc      string // what it does, one line
	Changes  bool   // false: it refuses or tells
	Profiles []string
}

// ofRFC3986 are the profiles of the rules below.
var (
	ofRFC3986 = []string{profile1}
	ofRFCs    = []string{profile1, profileOld}
	ofRFC2396 = []string{profileOld}
	ofWHATWG  = []string{profileWeb}
	ofAll     = []string{profile1, profileOld, profileWeb}
)

var ruleInfos = [...]RuleInfo{
	{RuleTrim, "trim", "syntax", "RFC 3986 appendix C", " http://h/ ", "http://h/", "Cut spaces and C0 controls off at both ends.", true, ofRFCs},
	{RuleStripSameScheme, "strip_same_scheme", "syntax", "RFC 3986 section 5.2.2", "http:g", "g", "Read a reference that repeats its base's scheme without an authority as relative.", true, ofRFCs},
	{RuleLowerScheme, "lower_scheme", "syntax", "RFC 3986 section 6.2.2.1", "HTTP://h/", "http://h/", "Write the scheme in lower case.", true, ofRFCs},
	{RuleEscapeEarlierAt, "escape_earlier_at", "syntax", "RFC 3986 section 3.2.1", "http://a@b@h/", "http://a%40b@h/", "Split the authority at its last \"@\" and escape the earlier ones.", true, ofRFCs},
	{RuleEscapeStrayPercent, "escape_stray_percent", "syntax", "RFC 3986 section 2.4", "http://h/100%", "http://h/100%25", "Take a \"%\" without two hexadecimal digits as data and escape it.", true, ofRFCs},
	{RuleDecodeUnreserved, "decode_unreserved", "syntax", "RFC 3986 section 6.2.2.2", "http://h/%7Ea", "http://h/~a", "Decode escapes of unreserved characters.", true, ofRFCs},
	{RuleUpperHex, "upper_hex", "syntax", "RFC 3986 section 6.2.2.1", "http://h/%c3%a9", "http://h/%C3%A9", "Write the digits of escapes in upper case.", true, ofRFCs},
	{RuleEscapeIllegal, "escape_illegal", "syntax", "RFC 3986 section 2.1", "http://h/a b", "http://h/a%20b", "Escape an ASCII character that the grammar forbids in its component.", true, ofRFCs},
	{RuleEscapeBackslash, "escape_backslash", "syntax", "RFC 3986 section 2.1", "http://h/a\\b", "http://h/a%5Cb", "Escape a backslash in path, query or fragment.", true, ofRFCs},
	{RuleEscapeNonASCII, "escape_non_ascii", "syntax", "RFC 3987 section 3.1", "http://h/é", "http://h/%C3%A9", "Escape bytes that are not ASCII, as they are.", true, ofRFCs},
	{RuleStripPassword, "strip_password", "policy", "RFC 3986 section 3.2.1", "http://u:p@h/", "http://u@h/", "userinfo: strip-password: take the password and its \":\" away.", true, ofAll},
	{RuleStripUserinfo, "strip_userinfo", "policy", "RFC 3986 section 3.2.1", "http://u:p@h/", "http://h/", "userinfo: strip: take the userinfo and its \"@\" away.", true, ofAll},
	{RuleDecodeHost, "decode_host", "scheme", "RFC 3986 section 3.2.2", "http://exa%6Dple.com/", "http://example.com/", "Decode the escapes of a host that is a DNS name; only unreserved characters and UTF-8 may come out.", true, ofRFCs},
	{RuleIDNA, "idna", "scheme", "RFC 3986 section 3.2.2, UTS 46 section 4", "http://é.example/", "http://xn--9ca.example/", "Write internationalized labels of a DNS name as A-labels (non-transitional).", true, ofRFCs},
	{RuleLowerHost, "lower_host", "syntax", "RFC 3986 section 6.2.2.1", "http://EX.com/", "http://ex.com/", "Write the host in lower case, but for the digits of its escapes.", true, ofRFCs},
	{RuleIPv6Text, "ipv6_text", "syntax", "RFC 5952 sections 4 and 5", "http://[2001:DB8::0:1]/", "http://[2001:db8::1]/", "Write an IPv6 address in its recommended text.", true, ofRFC3986},
	{RuleDropEmptyPort, "drop_empty_port", "scheme", "RFC 3986 section 6.2.3", "http://h:/", "http://h/", "Drop the \":\" of an empty port.", true, ofRFCs},
	{RuleDropPortZeros, "drop_port_zeros", "scheme", "RFC 3986 section 3.2.3", "http://h:08080/", "http://h:8080/", "Write the port without leading zeros.", true, ofRFCs},
	{RuleDropDefaultPort, "drop_default_port", "scheme", "RFC 3986 section 6.2.3", "https://h:443/", "https://h/", "Drop a port that is the scheme's default, compared as a number.", true, ofRFCs},
	{RuleDropLocalhost, "drop_localhost", "scheme", "RFC 8089 section 2", "file://localhost/x", "file:///x", "Write the host localhost of a file URI as the empty host.", true, ofRFCs},
	{RuleFileAuthority, "file_authority", "scheme", "RFC 8089 appendix B", "file:/x", "file:///x", "Write a file URI without an authority with an empty one.", true, ofRFC3986},
	{RuleResolve, "resolve", "syntax", "RFC 3986 section 5.2", "../g", "http://a/b/g", "Resolve a relative reference against the base.", true, ofAll},
	{RuleRemoveDots, "remove_dot_segments", "syntax", "RFC 3986 sections 5.2.4 and 6.2.2.3", "http://h/a/./b/../c", "http://h/a/c", "Remove \".\" and \"..\" segments from the path of a hierarchical URI.", true, ofRFC3986},
	{RuleRootPath, "root_path", "scheme", "RFC 3986 section 6.2.3", "http://h", "http://h/", "Write an empty path after an authority as \"/\".", true, ofRFCs},
	{RuleGuardPath, "guard_path", "syntax", "RFC 3986 section 3.3", "a:/..//b", "a:/.//b", "Write \"/.\" before a path that would read as an authority.", true, ofAll},

	{RuleCheckScheme, "check_scheme", "syntax", "RFC 3986 sections 3.1 and 4.2", "1g:h", "bad_scheme", "Refuse a first path segment that holds a \":\" after what is no scheme.", false, ofRFCs},
	{RuleCheckAuthority, "check_authority", "syntax", "RFC 3986 section 3.2", "http://good.com\\@evil.com/", "bad_authority", "Refuse backslashes, spaces and controls in the authority, and where a browser would read one.", false, ofRFCs},
	{RuleCheckGrammar, "check_grammar", "syntax", "RFC 3986 appendix A", "http://h/a b", "bad_path", "Strict: refuse what the grammar forbids.", false, ofRFCs},
	{RuleCheckHost, "check_host", "scheme", "RFC 3986 section 3.2.2", "http://ex%2Fample.com/", "bad_host", "Refuse what is neither an IP literal nor a name that the scheme allows.", false, ofRFCs},
	{RuleCheckPort, "check_port", "scheme", "RFC 3986 section 3.2.3", "http://h:99999/", "bad_port", "Refuse a port that is no number, or over 65535 where hosts are DNS names.", false, ofRFCs},
	{RuleNeedHost, "need_host", "scheme", "RFC 9110 section 4.2", "http:///p", "no_host", "Refuse http and https URIs without a host.", false, ofRFCs},
	{RuleRefuseUserinfo, "refuse_userinfo", "policy", "RFC 3986 section 7.5", "http://u@h/", "userinfo_refused", "userinfo: refuse: refuse a reference with userinfo.", false, ofAll},
	{RuleRefuseBadPort, "refuse_bad_port", "policy", "Fetch standard, port blocking", "http://h:25/", "bad_port", "refuse_bad_ports: refuse the ports that browsers refuse.", false, ofAll},
	{RuleNeedBase, "need_base", "syntax", "RFC 3986 section 5.1", "g", "no_base", "Refuse a relative reference without a usable base.", false, ofAll},
	{RuleOpaqueBase, "opaque_base", "syntax", "RFC 3986 section 5.2.2", "g", "opaque_base", "Refuse all but a fragment against an opaque base.", false, ofAll},
	{RuleRejectSameScheme, "reject_same_scheme", "policy", "RFC 3986 section 5.4.2", "http:g", "same_scheme", "same_scheme: reject: refuse a reference that repeats its base's scheme without an authority.", false, ofRFCs},
	{RuleFlagUserinfo, "flag_userinfo", "syntax", "RFC 3986 section 7.5", "http://u:p@h/", "password", "Tell of userinfo and of a password.", false, ofAll},
	{RuleFlagPort, "flag_port", "scheme", "RFC 3986 section 7.2", "http://h:25/", "reserved_port", "Tell of a port below 1024 that is not the scheme's default, and of one that browsers refuse.", false, ofAll},
	{RuleFlagControl, "flag_control", "syntax", "RFC 3986 sections 7.2 and 7.3", "http://h/%0D%0A", "escaped_control", "Tell of escaped control characters, which are kept.", false, ofAll},
	{RuleFlagHost, "flag_host", "scheme", "RFC 3986 section 7.4", "http://0x7f.1/", "numeric_host", "Tell of hosts that are, or that programs may read as, IP addresses.", false, ofRFCs},
	{RuleURLStandard, "url_standard", "syntax", "URL standard sections 4.4 and 4.5", "HTTP:\\\\h\\a", "http://h/a", "Parse and serialize as the URL standard does.", true, ofWHATWG},
	{RuleCurrentDocument, "current_document", "syntax", "RFC 2396 section 4.2", "#f", "http://a/b/c/d;p?q#f", "Take an empty reference, or a fragment alone, as one to the document itself: the retrieval URI, whatever the base.", true, ofRFC2396},
}

// sections2396 license the rules in the profile rfc2396, where that is not by the section that
// ruleInfos names.
var sections2396 = map[RuleSet]string{
	RuleTrim:               "RFC 2396 appendix E",
	RuleStripSameScheme:    "RFC 2396 section 5.2 step 3",
	RuleLowerScheme:        "RFC 2396 sections 3.1 and 6",
	RuleEscapeEarlierAt:    "RFC 2396 section 3.2.2",
	RuleEscapeStrayPercent: "RFC 2396 section 2.4.2",
	RuleDecodeUnreserved:   "RFC 2396 sections 2.3 and 2.4.2",
	RuleUpperHex:           "RFC 2396 section 2.4.1",
	RuleEscapeIllegal:      "RFC 2396 section 2.4.3",
	RuleEscapeBackslash:    "RFC 2396 section 2.4.3",
	RuleEscapeNonASCII:     "RFC 2396 section 2.1, RFC 3987 section 3.1",
	RuleStripPassword:      "RFC 2396 section 3.2.2",
	RuleStripUserinfo:      "RFC 2396 section 3.2.2",
	RuleDecodeHost:         "RFC 2396 section 2.4.2",
	RuleIDNA:               "RFC 2396 section 3.2.2, UTS 46 section 4",
	RuleLowerHost:          "RFC 2396 section 6",
	RuleDropEmptyPort:      "RFC 2616 section 3.2.2",
	RuleDropPortZeros:      "RFC 2396 section 3.2.2",
	RuleDropDefaultPort:    "RFC 2396 section 6",
	RuleDropLocalhost:      "RFC 1738 section 3.10",
	RuleResolve:            "RFC 2396 section 5.2",
	RuleRootPath:           "RFC 2616 section 3.2.3",
	RuleGuardPath:          "RFC 2396 section 3",
	RuleCheckScheme:        "RFC 2396 section 3.1",
	RuleCheckAuthority:     "RFC 2396 section 3.2",
	RuleCheckGrammar:       "RFC 2396 appendix A",
	RuleCheckHost:          "RFC 2396 section 3.2.2",
	RuleCheckPort:          "RFC 2396 section 3.2.2",
	RuleNeedHost:           "RFC 2616 section 3.2.2",
	RuleRefuseUserinfo:     "RFC 2396 section 7",
	RuleNeedBase:           "RFC 2396 section 5.1",
	RuleOpaqueBase:         "RFC 2396 sections 3 and 5",
	RuleRejectSameScheme:   "RFC 2396 section 5.2 step 3",
	RuleFlagUserinfo:       "RFC 2396 section 7",
	RuleFlagPort:           "RFC 2396 section 7",
	RuleFlagControl:        "RFC 2396 section 7",
}

// Rules lists all rules in the order in which they act, those that refuse or tell last.
func Rules() []RuleInfo {
	infos := append([]RuleInfo(nil), ruleInfos[:]...)
	for i := range infos {
		infos[i].Profiles = append([]string(nil), infos[i].Profiles...)
	}
	return infos
}

// RulesOf lists the rules of a profile in the order of Rules, each with the section that licenses it
// there, and an example that is true there; nil for a profile that does not exist.
func RulesOf(profile string) []RuleInfo {
	p, ok := profileNamed(profile)
	if !ok {
		return nil
	}
	infos := slices.DeleteFunc(Rules(), func(r RuleInfo) bool { return !slices.Contains(r.Profiles, p.Name) })
	for i := range infos {
		if r := &infos[i]; p.Family == familyOld {
			r.toldFor2396()
		}
	}
	return infos
}

// toldFor2396 makes a description that of the profile rfc2396.
func (r *RuleInfo) toldFor2396() {
	r.Section = cmp.Or(sections2396[r.Bit], r.Section)
	switch r.Bit {
	case RuleDecodeUnreserved:
		r.Before, r.After = "http://h/%7E%21", "http://h/~!"
		r.Doc = "Decode escapes of unreserved characters: letters, digits and the marks - _ . ! ~ * ' ( )."
	case RuleLowerHost:
		r.Doc = "Write the host in lower case, but for the digits of its escapes; a registry name keeps its case."
	case RuleResolve:
		r.Doc = "Resolve a relative reference against the base; dot segments go while its path is merged, and nowhere else."
	case RuleRootPath:
		r.Doc = "Write an empty path after an authority as \"/\" in the schemes that are known to be hierarchical."
	case RuleGuardPath:
		r.Before, r.After = "..//d", "a:/.//d"
	case RuleCheckHost:
		r.Before, r.After = "http://[::1]/", "bad_host"
		r.Doc = "Refuse an IP literal, and what is no name that the scheme allows."
	default: // told as in rfc3986
	}
}

// Names lists the names of the rules that are set, in the order of their bits.
func (s RuleSet) Names() []string {
	names := make([]string, 0, bits.OnesCount64(uint64(s)))
	for ; s != 0; s &= s - 1 {
		names = append(names, ruleName(s))
	}
	return names
}

// AppendNames appends the names of the rules that are set, with sep between them.
func (s RuleSet) AppendNames(dst []byte, sep byte) []byte {
	for first := true; s != 0; s &= s - 1 {
		if !first {
			dst = append(dst, sep)
		}
		dst, first = append(dst, ruleName(s)...), false
	}
	return dst
}

// ruleName is the name of the lowest rule that is set.
func ruleName(s RuleSet) string {
	if i := bits.TrailingZeros64(uint64(s)); i < len(ruleInfos) {
		return ruleInfos[i].Name
	}
	return "unknown"
}
