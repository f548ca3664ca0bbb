// Package uts46 is the processing of internationalized domain names by Unicode Technical
// Standard 46, revision 35, non-transitional, with its tables pinned at Unicode 17.0.
//
// The tables are fixed, whatever Go release compiles them: golang.org/x/net/idna picks its tables
// by the release, so that another compiler would give the same host another spelling, and a
// spelling is a database key of somebody's. A later Unicode version comes as another package
// beside this one.
//
// Guarantees: the same bytes for the same input, for ever; no allocation once a Processor's
// scratch space has grown; work within n log n of the input's length, whatever the input
// (Punycode is the only part that isn't linear); no panic.
//
// It does no DNS look-ups, splits off no port, and decodes no percent-encoding.
//
// The tables are made by gen_tables.go from data that `make unicode` fetches. It isn't part of
// `go generate`, which has to work on a machine with Go alone.
package uts46
