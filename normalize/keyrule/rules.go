package keyrule

import "math/bits"

// Set is a set of key rules, a bit each. A bit is never used again for another rule.
type Set uint32

// The rules, in the order in which they act.
const (
	FoldScheme Set = 1 << iota
	DropUserinfo
	DropTrailingDot
	StripWWW
	StripWWWNumber
	HexCase
	Unreserved
	PlusSpace
	LowercaseQuery
	DropParams
	LowercasePath
	CollapseSlashes
	DropIndex
	FoldTrailingSlash
	SortQuery
	SortQueryPairs
	DropEmptyQuery
	KeepFragment
	GSB
	setEnd
)

// Info describes a rule.
type Info struct {
	Bit    Set
	Name   string
	Doc    string // what it does, one line
	Before string // an example, a canonical URI, fragment included:
	After  string // and its key
	Danger string // which different pages it can make one
}

var infos = [...]Info{
	{FoldScheme, "fold-scheme", "Write https as http, where the port is not written out.", "https://h/a", "http://h/a", "Sites that serve other content, or nothing, on one of the two."},
	{DropUserinfo, "drop-userinfo", "Leave out the userinfo.", "http://user@h/a", "http://h/a", "Servers that answer by who asks."},
	{DropTrailingDot, "drop-trailing-dot", "Leave out dots at the end of the host.", "http://example.com./a", "http://example.com/a", "Virtual hosts that are set up for one spelling only."},
	{StripWWW, "strip-www", "Leave out \"www.\" before the host, unless only a public suffix would be left.", "http://www.example.com/a", "http://example.com/a", "Domains whose bare host is another site, or none."},
	{StripWWWNumber, "strip-www-number", "Leave out \"www.\", \"www2.\" and the like before the host.", "http://www2.example.com/a", "http://example.com/a", "Libraries and universities number hosts of different content."},
	{HexCase, "hex-case", "Write the hex digits of escapes in upper case (the RFC profiles do so anyway).", "http://h/%c3%a9", "http://h/%C3%A9", "None known: RFC 3986 section 6.2.2.1 calls them equivalent."},
	{Unreserved, "unreserved", "Decode escapes of unreserved characters (the RFC profiles do so anyway).", "http://h/%7Ea", "http://h/~a", "None known: RFC 3986 section 6.2.2.2 calls them equivalent."},
	{PlusSpace, "plus-space", "Write \"+\" in the query as \"%20\".", "http://h/?q=a+b", "http://h/?q=a%20b", "Queries that are no HTML form, where \"+\" is a plus."},
	{LowercaseQuery, "lowercase-query", "Write the query in lower case; escapes keep their hex case. The names of drop-params then count in any case.", "http://h/?Q=%C3B", "http://h/?q=%C3b", "Servers that tell values by case: ids, tokens, encoded data."},
	{DropParams, "drop-params", "Leave out query parameters by name: own lists, and the sets tracking and session.", "http://h/?id=1&utm_source=x", "http://h/?id=1", "Servers where such a parameter selects content."},
	{LowercasePath, "lowercase-path", "Write the path in lower case; escapes keep their hex case.", "http://h/A/%C3b", "http://h/a/%C3b", "Servers with case-sensitive paths, which is most of them."},
	{CollapseSlashes, "collapse-slashes", "Write runs of \"/\" in the path as one.", "http://h/a//b", "http://h/a/b", "Servers where an empty segment is data."},
	{DropIndex, "drop-index", "Leave out the last path segment where it is the name of an index page.", "http://h/a/index.html", "http://h/a/", "Servers whose directory page is another one."},
	{FoldTrailingSlash, "fold-trailing-slash", "Leave out slashes at the end of the path, but for the root's.", "http://h/a/", "http://h/a", "Servers where both exist; relative links on the two differ."},
	{SortQuery, "sort-query", "Sort the query's pairs by the bytes of their names; equal names stay in order.", "http://h/?b=2&a=1", "http://h/?a=1&b=2", "Queries whose order counts, signed ones among them."},
	{SortQueryPairs, "sort-query-pairs", "Sort the query's pairs by all their bytes.", "http://h/?a=2&a=1", "http://h/?a=1&a=2", "As sort-query, and repeated names whose order counts."},
	{DropEmptyQuery, "drop-empty-query", "Leave out the \"?\" of an empty query.", "http://h/a?", "http://h/a", "Servers that tell them apart (RFC 3986 section 6.2.3 says they may)."},
	{KeepFragment, "keep-fragment", "Compare the fragment, too.", "http://h/#/a", "http://h/#/a", "Splits pages rather than merging them: every anchor becomes a key."},
	{GSB, "gsb", "Canonicalize as Google Safe Browsing does, from the resolved reference as it came in.", "http://h:80/%25%32%35#a", "http://h/%25", "Drops ports, unescapes again and again: made for list look-ups, not for crawling. It isn't idempotent and stands alone."},
}

// Infos lists the rules in the order in which they act.
func Infos() []Info { return append([]Info(nil), infos[:]...) }

// Names lists the names of the rules in a set, in their order.
func (s Set) Names() []string {
	names := make([]string, 0, bits.OnesCount32(uint32(s)))
	for ; s != 0; s &= s - 1 {
		names = append(names, infos[bits.TrailingZeros32(uint32(s))].Name)
	}
	return names
}

// ByName gives the rule of that name.
func ByName(name string) (Set, bool) {
	for _, info := range &infos {
		if info.Name == name {
			return info.Bit, true
		}
	}
	return 0, false
}

// Preset is a named set of rules.
type Preset struct {
	Name  string
	Rules Set
	Sets  []string // of parameters to drop
	Doc   string
}

var presets = [...]Preset{
	{"spec", 0, nil, "No key rule: the key is the URI."},
	{
		"crawl", DropUserinfo | DropTrailingDot | HexCase | Unreserved | DropParams | SortQuery | DropEmptyQuery,
		[]string{"tracking", "session"},
		"What most crawls want: tracking and session parameters out, query sorted. Keeps www, scheme, slashes and case.",
	},
	{
		"surt", FoldScheme | DropUserinfo | DropTrailingDot | StripWWW | StripWWWNumber | HexCase | Unreserved | LowercaseQuery | DropParams | LowercasePath | CollapseSlashes | FoldTrailingSlash | SortQueryPairs | DropEmptyQuery,
		[]string{"session"},
		"As web archives build their SURT keys, so far as these agree with one another.",
	},
	{"gsb", GSB, nil, "Google Safe Browsing's canonical form."},
}

// Presets lists the presets.
func Presets() []Preset { return append([]Preset(nil), presets[:]...) }
