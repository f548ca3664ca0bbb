package normalize

import "math/bits"

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
	ofWHATWG  = []string{profileWeb}
	ofAll     = []string{profile1, profileWeb}
)

var ruleInfos = [...]RuleInfo{
	{RuleTrim, "trim", "syntax", "RFC 3986 appendix C", " http://h/ ", "http://h/", "Cut spaces and C0 controls off at both ends.", true, ofRFC3986},
	{RuleStripSameScheme, "strip_same_scheme", "syntax", "RFC 3986 section 5.2.2", "http:g", "g", "Read a reference that repeats its base's scheme without an authority as relative.", true, ofRFC3986},
	{RuleLowerScheme, "lower_scheme", "syntax", "RFC 3986 section 6.2.2.1", "HTTP://h/", "http://h/", "Write the scheme in lower case.", true, ofRFC3986},
	{RuleEscapeEarlierAt, "escape_earlier_at", "syntax", "RFC 3986 section 3.2.1", "http://a@b@h/", "http://a%40b@h/", "Split the authority at its last \"@\" and escape the earlier ones.", true, ofRFC3986},
	{RuleEscapeStrayPercent, "escape_stray_percent", "syntax", "RFC 3986 section 2.4", "http://h/100%", "http://h/100%25", "Take a \"%\" without two hexadecimal digits as data and escape it.", true, ofRFC3986},
	{RuleDecodeUnreserved, "decode_unreserved", "syntax", "RFC 3986 section 6.2.2.2", "http://h/%7Ea", "http://h/~a", "Decode escapes of unreserved characters.", true, ofRFC3986},
	{RuleUpperHex, "upper_hex", "syntax", "RFC 3986 section 6.2.2.1", "http://h/%c3%a9", "http://h/%C3%A9", "Write the digits of escapes in upper case.", true, ofRFC3986},
	{RuleEscapeIllegal, "escape_illegal", "syntax", "RFC 3986 section 2.1", "http://h/a b", "http://h/a%20b", "Escape an ASCII character that the grammar forbids in its component.", true, ofRFC3986},
	{RuleEscapeBackslash, "escape_backslash", "syntax", "RFC 3986 section 2.1", "http://h/a\\b", "http://h/a%5Cb", "Escape a backslash in path, query or fragment.", true, ofRFC3986},
	{RuleEscapeNonASCII, "escape_non_ascii", "syntax", "RFC 3987 section 3.1", "http://h/é", "http://h/%C3%A9", "Escape bytes that are not ASCII, as they are.", true, ofRFC3986},
	{RuleStripPassword, "strip_password", "policy", "RFC 3986 section 3.2.1", "http://u:p@h/", "http://u@h/", "userinfo: strip-password: take the password and its \":\" away.", true, ofAll},
	{RuleStripUserinfo, "strip_userinfo", "policy", "RFC 3986 section 3.2.1", "http://u:p@h/", "http://h/", "userinfo: strip: take the userinfo and its \"@\" away.", true, ofAll},
	{RuleDecodeHost, "decode_host", "scheme", "RFC 3986 section 3.2.2", "http://exa%6Dple.com/", "http://example.com/", "Decode the escapes of a host that is a DNS name; only unreserved characters and UTF-8 may come out.", true, ofRFC3986},
	{RuleIDNA, "idna", "scheme", "RFC 3986 section 3.2.2, UTS 46 section 4", "http://é.example/", "http://xn--9ca.example/", "Write internationalized labels of a DNS name as A-labels (non-transitional).", true, ofRFC3986},
	{RuleLowerHost, "lower_host", "syntax", "RFC 3986 section 6.2.2.1", "http://EX.com/", "http://ex.com/", "Write the host in lower case, but for the digits of its escapes.", true, ofRFC3986},
	{RuleIPv6Text, "ipv6_text", "syntax", "RFC 5952 sections 4 and 5", "http://[2001:DB8::0:1]/", "http://[2001:db8::1]/", "Write an IPv6 address in its recommended text.", true, ofRFC3986},
	{RuleDropEmptyPort, "drop_empty_port", "scheme", "RFC 3986 section 6.2.3", "http://h:/", "http://h/", "Drop the \":\" of an empty port.", true, ofRFC3986},
	{RuleDropPortZeros, "drop_port_zeros", "scheme", "RFC 3986 section 3.2.3", "http://h:08080/", "http://h:8080/", "Write the port without leading zeros.", true, ofRFC3986},
	{RuleDropDefaultPort, "drop_default_port", "scheme", "RFC 3986 section 6.2.3", "https://h:443/", "https://h/", "Drop a port that is the scheme's default, compared as a number.", true, ofRFC3986},
	{RuleDropLocalhost, "drop_localhost", "scheme", "RFC 8089 section 2", "file://localhost/x", "file:///x", "Write the host localhost of a file URI as the empty host.", true, ofRFC3986},
	{RuleFileAuthority, "file_authority", "scheme", "RFC 8089 appendix B", "file:/x", "file:///x", "Write a file URI without an authority with an empty one.", true, ofRFC3986},
	{RuleResolve, "resolve", "syntax", "RFC 3986 section 5.2", "../g", "http://a/b/g", "Resolve a relative reference against the base.", true, ofAll},
	{RuleRemoveDots, "remove_dot_segments", "syntax", "RFC 3986 sections 5.2.4 and 6.2.2.3", "http://h/a/./b/../c", "http://h/a/c", "Remove \".\" and \"..\" segments from the path of a hierarchical URI.", true, ofRFC3986},
	{RuleRootPath, "root_path", "scheme", "RFC 3986 section 6.2.3", "http://h", "http://h/", "Write an empty path after an authority as \"/\".", true, ofRFC3986},
	{RuleGuardPath, "guard_path", "syntax", "RFC 3986 section 3.3", "a:/..//b", "a:/.//b", "Write \"/.\" before a path that would read as an authority.", true, ofAll},

	{RuleCheckScheme, "check_scheme", "syntax", "RFC 3986 sections 3.1 and 4.2", "1g:h", "bad_scheme", "Refuse a first path segment that holds a \":\" after what is no scheme.", false, ofRFC3986},
	{RuleCheckAuthority, "check_authority", "syntax", "RFC 3986 section 3.2", "http://good.com\\@evil.com/", "bad_authority", "Refuse backslashes, spaces and controls in the authority, and where a browser would read one.", false, ofRFC3986},
	{RuleCheckGrammar, "check_grammar", "syntax", "RFC 3986 appendix A", "http://h/a b", "bad_path", "Strict: refuse what the grammar forbids.", false, ofRFC3986},
	{RuleCheckHost, "check_host", "scheme", "RFC 3986 section 3.2.2", "http://ex%2Fample.com/", "bad_host", "Refuse what is neither an IP literal nor a name that the scheme allows.", false, ofRFC3986},
	{RuleCheckPort, "check_port", "scheme", "RFC 3986 section 3.2.3", "http://h:99999/", "bad_port", "Refuse a port that is no number, or over 65535 where hosts are DNS names.", false, ofRFC3986},
	{RuleNeedHost, "need_host", "scheme", "RFC 9110 section 4.2", "http:///p", "no_host", "Refuse http and https URIs without a host.", false, ofRFC3986},
	{RuleRefuseUserinfo, "refuse_userinfo", "policy", "RFC 3986 section 7.5", "http://u@h/", "userinfo_refused", "userinfo: refuse: refuse a reference with userinfo.", false, ofAll},
	{RuleRefuseBadPort, "refuse_bad_port", "policy", "Fetch standard, port blocking", "http://h:25/", "bad_port", "refuse_bad_ports: refuse the ports that browsers refuse.", false, ofAll},
	{RuleNeedBase, "need_base", "syntax", "RFC 3986 section 5.1", "g", "no_base", "Refuse a relative reference without a usable base.", false, ofAll},
	{RuleOpaqueBase, "opaque_base", "syntax", "RFC 3986 section 5.2.2", "g", "opaque_base", "Refuse all but a fragment against an opaque base.", false, ofAll},
	{RuleRejectSameScheme, "reject_same_scheme", "policy", "RFC 3986 section 5.4.2", "http:g", "same_scheme", "same_scheme: reject: refuse a reference that repeats its base's scheme without an authority.", false, ofRFC3986},
	{RuleFlagUserinfo, "flag_userinfo", "syntax", "RFC 3986 section 7.5", "http://u:p@h/", "password", "Tell of userinfo and of a password.", false, ofAll},
	{RuleFlagPort, "flag_port", "scheme", "RFC 3986 section 7.2", "http://h:25/", "reserved_port", "Tell of a port below 1024 that is not the scheme's default, and of one that browsers refuse.", false, ofAll},
	{RuleFlagControl, "flag_control", "syntax", "RFC 3986 sections 7.2 and 7.3", "http://h/%0D%0A", "escaped_control", "Tell of escaped control characters, which are kept.", false, ofAll},
	{RuleFlagHost, "flag_host", "scheme", "RFC 3986 section 7.4", "http://0x7f.1/", "numeric_host", "Tell of hosts that are, or that programs may read as, IP addresses.", false, ofRFC3986},
	{RuleURLStandard, "url_standard", "syntax", "URL standard sections 4.4 and 4.5", "HTTP:\\\\h\\a", "http://h/a", "Parse and serialize as the URL standard does.", true, ofWHATWG},
}

// Rules lists all rules in the order in which they act, those that refuse or tell last.
func Rules() []RuleInfo {
	infos := append([]RuleInfo(nil), ruleInfos[:]...)
	for i := range infos {
		infos[i].Profiles = append([]string(nil), infos[i].Profiles...)
	}
	return infos
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
