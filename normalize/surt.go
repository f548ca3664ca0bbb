package normalize

import (
	"bytes"

	"github.com/urisieve/urisieve/normalize/uri"
)

// AppendSURT appends the form of a canonical URI that sorts well: the labels of the host from the
// last to the first, so that all of a domain lies together.
//
//	http://www.example.com:8080/a?b  ->  com,example,www:8080)/a?b
//	http://192.0.2.1/  ->  192.0.2.1)/
//	ftp://example.com/a  ->  ftp://(com,example)/a
//	mailto:a@b  ->  mailto:a@b
//
// url is the URI without its fragment, parts those of its result. http and https have no prefix,
// as in the indexes of web archives, so that both of a page lie together; other schemes are
// written before an opening parenthesis and never fall among them. "www" stays. IP addresses are
// not turned round. Userinfo is left out: it is nothing to sort by, and secret. So the form is a
// sort key and not an identity: equal ones may belong to different URIs. A "," in a host is
// written as "%2C". A URI without an authority stays as it is.
func AppendSURT(dst, url []byte, parts uri.Parts) []byte {
	if !parts.HasAuthority() {
		return append(dst, url...)
	}
	switch scheme := parts.Scheme(url); string(scheme) {
	case "http", "https":
	default:
		dst = append(append(dst, scheme...), "://("...)
	}
	host := parts.Host(url)
	if len(host) == 0 || host[0] == '[' || isIPv4(host) {
		dst = append(dst, host...)
	} else {
		dst = appendReversed(dst, host)
	}
	dst = append(dst, url[parts.HostEnd:parts.PathStart]...)
	dst = append(dst, ')')
	return append(dst, url[parts.PathStart:]...)
}

// appendReversed appends the labels of a name from the last to the first, with "," between them.
func appendReversed(dst, name []byte) []byte {
	for end := len(name); ; {
		dot := bytes.LastIndexByte(name[:end], '.')
		for _, c := range name[dot+1 : end] {
			if c == ',' {
				dst = append(dst, "%2C"...)
			} else {
				dst = append(dst, c)
			}
		}
		if dot < 0 {
			return dst
		}
		dst, end = append(dst, ','), dot
	}
}
