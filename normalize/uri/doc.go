// Package uri is the syntax of RFC 3986, with the resolution of RFC 2396 beside its own, and nothing
// else: it splits a reference into its components, resolves it against a base, and removes dot
// segments. It decides nothing, repairs nothing and never fails; what a component may hold is the
// business of package normalize.
package uri
