package uri

//go:generate go run gen_class_table.go

// Class is a set of the grammar's character classes. "%" is in none of them: pct-encoded is a
// rule of three characters (RFC 3986 section 2.1), see IsEscape.
type Class uint16

// Is reports whether c belongs to any class of the set.
func Is(c byte, set Class) bool { return classes[c]&set != 0 }

// IsEscape reports whether text has a pct-encoded triplet at offset i (RFC 3986 section 2.1).
func IsEscape(text []byte, i int) bool {
	return i+2 < len(text) && text[i] == '%' && classes[text[i+1]]&classes[text[i+2]]&HexDigit != 0
}

// Unhex is the value of a hexadecimal digit, in either case; it's meaningless for other bytes.
func Unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}
