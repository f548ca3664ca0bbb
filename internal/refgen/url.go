package refgen

import "math/bits"

// hostEvery is the number of URLs for each host: that many have one home page among them.
const hostEvery = 32

// The numbers of words are powers of two, so that a few random bits choose one.
var (
	sections = [16]string{
		"articles", "products", "wiki", "archive", "team", "media", "people", "events",
		"maps", "recipes", "forum", "topics", "catalog", "files", "blog", "support",
	}
	nouns = [32]string{
		"lantern", "compass", "harvest", "meadow", "bridge", "kettle", "atlas", "violin",
		"copper", "willow", "anchor", "saffron", "granite", "ferry", "almanac", "thistle",
		"beacon", "marble", "canal", "orchid", "harbour", "library", "orchard", "museum",
		"railway", "bakery", "theatre", "garden", "caf%C3%A9", "M%C3%BCnchen", "%E6%9D%B1%E4%BA%AC", "ni%C3%B1o",
	}
	adjectives = [16]string{
		"quiet", "northern", "old", "bright", "hollow", "second", "early", "winding",
		"salted", "open", "wooden", "green", "silent", "narrow", "distant", "modern",
	}
	// hostWords are the nouns that are ASCII, some of them twice.
	hostWords = [32]string{
		"lantern", "compass", "harvest", "meadow", "bridge", "kettle", "atlas", "violin",
		"copper", "willow", "anchor", "saffron", "granite", "ferry", "almanac", "thistle",
		"beacon", "marble", "canal", "orchid", "harbour", "library", "orchard", "museum",
		"railway", "bakery", "theatre", "garden", "lantern", "compass", "harvest", "meadow",
	}
	hostStarts = [8]string{"www.", "www.", "www.", "www.", "", "", "shop.", "news."}
	hostEnds   = [8]string{".example", ".example", ".test", ".example.com", ".example.com", ".example.org", ".example.net", ".example"}
	languages  = [8]string{"en", "de", "fr", "ja", "es", "pt", "ru", "zh"}
	digits     = "0123456789abcdefghijklmnopqrstuvwxyz"
)

// parts are offsets into the text of a URL:
//
//	https://www.lantern-1k3.example/wiki/old-ferry-2s?page=3
//	        ^host                  ^path
type parts struct{ host, path int }

// AppendURL appends URL number i of a seed. It is canonical in every profile.
func AppendURL(dst []byte, seed, i uint64) []byte {
	dst, _ = appendURL(dst, seed, i)
	return dst
}

// appendURL gives the offsets from the start of what it appends.
//
// Why no two are equal: a host's text ends its hyphens with its number, and its other parts
// depend on the number; home pages, whose path is "/", have different hosts. All other paths and
// queries have their last hyphen before the index of the URL, in base 36, and a byte that is no digit after it.
func appendURL(dst []byte, seed, i uint64) ([]byte, parts) {
	start := len(dst)
	r := mix(seed ^ mix(i+golden))
	host := i / hostEvery
	home := i%hostEvery == 0
	if !home {
		// The hosts to choose from: those up to a power of two, whose tail is at hand.
		b := bits.Len64(host+1) - 1
		host = zipf(mix(r), 1<<b, tails[b])
	}
	dst, hostAt := appendHost(dst, seed, host)
	p := parts{host: hostAt - start, path: len(dst) - start}
	if home {
		return append(dst, '/'), p
	}
	return appendPath(dst, r, i), p
}

// appendHost appends scheme and authority, and gives the offset of the authority.
func appendHost(dst []byte, seed, k uint64) (out []byte, host int) {
	r := mix(mix(seed) + k*golden)
	if r&3 == 0 {
		dst = append(dst, "http://"...)
	} else {
		dst = append(dst, "https://"...)
	}
	host = len(dst)
	dst = append(dst, hostStarts[r>>2&7]...)
	dst = append(dst, hostWords[r>>5&31]...)
	dst = append(dst, '-')
	dst = appendBase36(dst, k)
	return append(dst, hostEnds[r>>10&7]...), host
}

// appendPath appends a path other than "/" and perhaps a query. The first segment has four bytes or
// more and all of them are letters or digits: appendDirty escapes one of them.
func appendPath(dst []byte, r, i uint64) []byte {
	section, adjective, noun := sections[r&15], adjectives[r>>4&15], nouns[r>>8&31]
	number := r >> 40
	dst = append(dst, '/')
	if r>>13&7 == 0 {
		dst = appendBase10(dst, 2009+number%16)
		dst = append(dst, '/', '0'+byte(number>>4&1), '1'+byte(number>>5&1), '/')
	} else {
		dst = append(dst, section...)
		dst = append(dst, '/')
		if r>>16&3 == 0 {
			dst = append(dst, nouns[r>>18&15]...)
			dst = append(dst, '/')
		}
	}
	kind := r >> 23 & 15
	if kind < 3 {
		dst = append(dst, "view?id="...)
	}
	dst = append(dst, adjective...)
	dst = append(dst, '-')
	dst = append(dst, noun...)
	dst = append(dst, '-')
	dst = appendBase36(dst, i)
	switch kind {
	case 0, 1, 2:
		dst = append(dst, "&lang="...)
		dst = append(dst, languages[number&7]...)
	case 3, 4:
		dst = append(dst, "?page="...)
		dst = appendBase10(dst, 1+number%30)
	case 5:
		dst = append(dst, "?utm_source="...)
		dst = append(dst, nouns[number&15]...)
		dst = append(dst, "&q="...)
		dst = append(dst, adjectives[number>>4&15]...)
	case 6, 7, 8:
		dst = append(dst, ".html"...)
	case 9:
		dst = append(dst, '/')
	}
	return dst
}

func appendBase36(dst []byte, n uint64) []byte { return appendNumber(dst, n, 36) }

func appendBase10(dst []byte, n uint64) []byte { return appendNumber(dst, n, 10) }

func appendNumber(dst []byte, n, base uint64) []byte {
	var text [20]byte
	at := len(text)
	for {
		at--
		text[at] = digits[n%base]
		if n /= base; n == 0 {
			return append(dst, text[at:]...)
		}
	}
}
