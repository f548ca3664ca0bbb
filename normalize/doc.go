// Package normalize turns any URI reference into its canonical URI, or says why it can't.
//
//	n, err := normalize.New(normalize.Options{})
//	var base normalize.Base
//	n.SetBase(&base, nil, nil, []byte("http://example.com/a/b"))
//	out, result := n.Append(nil, &base, []byte("../C%7e?q=é#top"))
//	// out: http://example.com/C~?q=%C3%A9#top
//
// Equal URIs, as the profile's standards have it, get one spelling; different ones never do. What
// Append writes up to the fragment is safe to fetch: only rules that a standard licenses made it.
//
// # Terms
//
// A reference is what stands in a document: an absolute URI or a relative reference, of any bytes.
// A base is what relative ones are resolved against; it has layers, of which the innermost usable
// one counts (RFC 3986 section 5.1). A rule is one step with a name, a bit and a section; Rules
// lists them. A flag tells something remarkable. A reason says why a reference was refused: a
// value, never an error. Repairing, the default, mends once what the grammar forbids; strict
// refuses it.
//
// # Guarantees
//
//   - Idempotent: normalizing a canonical URI changes no byte.
//   - Canonical URIs are US-ASCII and, in the profiles of the RFCs, follow the profile's grammar: strict
//     takes what repair wrote.
//   - The fragment lies apart, behind the URI, and is never part of it.
//   - No allocation once a Normalizer and a Base have met their longest reference, but for Explain.
//   - Work within n log n of the lengths of reference and base, whatever the bytes; only Punycode
//     is not linear. No recursion.
//   - The output is bounded, see OutputBound; what would pass it is refused, never cut.
//   - No panic, no I/O, no clock, no goroutine; the same bytes for the same settings id, for ever.
//   - Passwords are in no name, reason or flag.
//
// # Order of the rules
//
// Every rule sees what the ones before it left. The order is this one because
//
//   - RuleTrim comes first: what surrounds a reference is no part of it;
//   - RuleCheckScheme, RuleCheckAuthority and strict's RuleCheckGrammar read the reference as it
//     came in, before anything is mended: a repair must never make a host out of a mistake;
//   - RuleStripSameScheme and the rules about bases come next, since they decide whose scheme and
//     authority the rest belongs to; RuleOpaqueBase and RuleNeedBase refuse;
//   - RuleLowerScheme comes before the authority: the scheme says what a host and a port are;
//   - in a component RuleEscapeStrayPercent comes before RuleDecodeUnreserved and RuleUpperHex, so
//     that what decoding writes can't complete an escape: "%%41" is "%25A", never "%A";
//   - the policies on userinfo come before its escapes: a password is what the first ":" begins;
//   - RuleDecodeHost comes before RuleIDNA and RuleLowerHost, since escapes may hide both, and the
//     check of what came out comes after;
//   - RuleDropPortZeros comes before RuleDropDefaultPort, which compares numbers;
//   - RuleDropLocalhost comes after the whole authority: only a lone "localhost" is dropped;
//   - RuleDecodeUnreserved comes before RuleResolve and RuleRemoveDots: "%2E%2E" is "..";
//   - RuleRootPath and RuleGuardPath come last: they look at the path that is left.
//
// # What it does not do
//
// It fetches nothing and resolves no names. It applies no rule that no standard licenses, such as
// sorting query parameters or dropping "www": those are key rules, which make another text, the key
// (see AppendKey). It does not read HTML. What browsers do is package whatwg's business.
package normalize
