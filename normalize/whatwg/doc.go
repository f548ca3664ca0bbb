// Package whatwg is the parser and serializer of the WHATWG URL standard: the basic URL parser
// without state override (section 4.4, "URL parsing"), the URL serializer (4.5), and the host
// parser with all that it calls (3.5).
//
// It is a second parser beside package uri, not a set of rules on top of it: the two standards
// split some texts differently, and a mixture of both is where security holes come from.
//
// # Snapshot
//
// The text followed is the standard's review draft of 18 August 2026, with hosts processed by
// package uts46 (Unicode 17.0; later versions accept some code points more). It
// has "^" in the path percent-encode set (whatwg/url#846), opaque paths that never end in a bare
// space (whatwg/url#844), and domains of ASCII alone that are lower-cased and accepted whatever
// their "xn--" labels decode to (whatwg/url#914, of June 2026). Later changes of the standard will
// get a profile of their own: the canonical bytes of this one stay.
//
// # Terms
//
// A reference is what the standard calls input, a scalar value string; here it is bytes. They are
// decoded as UTF-8 first, so that each maximal part of an ill-formed sequence counts as U+FFFD,
// and that becomes "%EF%BF%BD" ([InvalidUTF8] tells). The href is the serialized URL with its
// fragment. A validation error is the standard's word for "not as it should be written"; most do
// not keep a reference from being parsed. They are bits of [Errors].
//
// # Guarantees
//
// The href is pure ASCII, and parses to itself. Work is linear in len(ref) plus the length of the
// base, whatever the bytes are, but for Punycode, which takes n log n. The output has at most 14
// bytes for each byte of the reference outside the host (a query in a legacy encoding that can't
// express it) and 50 in the host (one code point that maps to eighteen). Nothing recurses, nothing
// panics, and nothing is allocated once the buffers have grown. References that are their own href,
// which most links of a crawl are, cost one pass over a table and one copy.
//
// # What it does not do
//
// No setters (state override), no URLSearchParams, no origins, no blob URL store, no address-bar
// guesses, no Unicode rendering. It does not unescape or re-case percent-encoded bytes outside the
// host, nor sort or drop anything: the standard does not either.
package whatwg
