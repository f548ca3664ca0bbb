// Package refgen makes references for load tests: any number of them, always the same ones for the
// same Options, in constant memory, and with what a right answer must be known beforehand.
//
// URL number i is a function of the seed and i alone (AppendURL), and canonical. It is distinct from
// every other by construction: its index stands in its text, after the last hyphen (in a home page, the number of the host). A line is
// either the next URL that wasn't there yet or repeats an earlier one; the number of the former is exact
// (Options.New). So the unique URLs of a stream, in the order of their first appearance, are URL 0, URL 1, and so on:
//
//	go run ./internal/refgen/main -n 1000 -distinct 0.5        # half of the lines repeat an earlier URL
//	go run ./internal/refgen/main -n 500 -distinct 1 -dirty 0  # what deduplication must leave of them
//
// A share of the lines may be spelled badly: letters in the other case, the default port, dot segments, escaped
// letters, an empty path. The profile rfc3986 brings each of them back to its URL; rfc2396 leaves dot segments of
// absolute URIs alone, and whatwg escaped letters.
//
// Every 32nd URL is the home page of a new host, and the others are spread over the hosts there are by Zipf's law: few
// have many. With the skew Zipf that law also chooses what is repeated: the earlier a URL was there, the more often
// it returns, so that the first home pages make up a large part of all lines.
//
// No name is a real one: all end in .example or .test (RFC 2606) or below example.com and its like.
package refgen
