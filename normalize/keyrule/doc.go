// Package keyrule derives the key of a canonical URI: the text that deduplication compares, where
// a user wants more URIs to be one than any standard makes one.
//
// No standard licenses a key rule, so all are off by default, each has a name and a danger, and
// none ever touches the URI that is fetched. They act on the parsed parts of a canonical URI in
// one fixed order, whatever the order in which they were named:
//
//	scheme: fold-scheme
//	userinfo: drop-userinfo
//	host: drop-trailing-dot, strip-www, strip-www-number
//	path: hex-case, unreserved, drop-params (session ids), lowercase-path, collapse-slashes, drop-index, fold-trailing-slash
//	query: hex-case, unreserved, plus-space, lowercase-query, drop-params, sort-query or sort-query-pairs, drop-empty-query
//	fragment: keep-fragment
//
// Host and path rules act where there is an authority and the scheme is not file. Rules that can
// uncover work for one another repeat until nothing changes.
//
// Law: a key, parsed and canonicalized again under the profile it came from, has itself as its
// key. The exception is gsb, which stands alone; see AppendGSB.
package keyrule

//go:generate go run gen_suffixes.go
