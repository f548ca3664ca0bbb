package uri

import "bytes"

// AppendResolved appends ref resolved against base by the letter of RFC 3986 section 5.2.2, in
// its strict reading, with 5.2.3 (merge), 5.2.4 (remove dot segments) and 5.3 (recomposition):
//
//	http://a/b/c/d;p?q + ../g  ->  http://a/b/g
//	http://a/b/c/d;p?q + http:g  ->  http:g
//
// It doesn't judge: a base without a scheme gives a result without one, and a path that begins
// with "//" where there is no authority is written as the letter has it, though it will read as
// an authority. dst must not share bytes with base or ref.
func AppendResolved(dst []byte, base, ref Ref) []byte {
	switch p := ref.Parts; {
	case p.HasScheme():
		dst = append(dst, ref.Text[:p.SchemeEnd+1]...)
		dst = appendAuthority(dst, ref)
		dst = AppendRemoveDots(dst, p.Path(ref.Text))
		dst = appendQuery(dst, ref)
	case p.HasAuthority():
		dst = appendScheme(dst, base)
		dst = appendAuthority(dst, ref)
		dst = AppendRemoveDots(dst, p.Path(ref.Text))
		dst = appendQuery(dst, ref)
	default:
		dst = appendScheme(dst, base)
		dst = appendAuthority(dst, base)
		dst = appendRelativePath(dst, base, ref)
		if len(p.Path(ref.Text)) > 0 || p.HasQuery() {
			dst = appendQuery(dst, ref)
		} else {
			dst = appendQuery(dst, base)
		}
	}
	if ref.Parts.HasFragment() {
		dst = append(dst, ref.Text[ref.Parts.FragStart-1:]...)
	}
	return dst
}

// appendRelativePath appends the path of a reference that has neither scheme nor authority.
func appendRelativePath(dst []byte, base, ref Ref) []byte {
	path := ref.Parts.Path(ref.Text)
	switch {
	case len(path) == 0:
		return append(dst, base.Parts.Path(base.Text)...)
	case path[0] == '/':
		return AppendRemoveDots(dst, path)
	}
	start := len(dst)
	dst = AppendMerged(dst, base, path)
	n, _ := RemoveDots(dst[start:])
	return dst[:start+n]
}

// AppendMerged appends a relative path merged with the path of base (RFC 3986 section 5.2.3):
// what base has up to its last "/", or "/" where base has an authority and an empty path, and
// then path.
func AppendMerged(dst []byte, base Ref, path []byte) []byte {
	from := base.Parts.Path(base.Text)
	switch {
	case base.Parts.HasAuthority() && len(from) == 0:
		dst = append(dst, '/')
	default:
		dst = append(dst, from[:bytes.LastIndexByte(from, '/')+1]...)
	}
	return append(dst, path...)
}

func appendScheme(dst []byte, r Ref) []byte {
	if !r.Parts.HasScheme() {
		return dst
	}
	return append(dst, r.Text[:r.Parts.SchemeEnd+1]...)
}

func appendAuthority(dst []byte, r Ref) []byte {
	if !r.Parts.HasAuthority() {
		return dst
	}
	return append(dst, r.Text[r.Parts.AuthStart-2:r.Parts.PathStart]...)
}

func appendQuery(dst []byte, r Ref) []byte {
	if !r.Parts.HasQuery() {
		return dst
	}
	return append(dst, r.Text[r.Parts.QueryStart-1:r.Parts.URLEnd(len(r.Text))]...)
}
