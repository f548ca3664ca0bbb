// Package sources reads references out of files and standard input.
//
// # Inputs
//
// An input is a path, a glob, a directory or "-" for standard input. Open finds all of them, in the
// order given, before it reads any, and reports every one that can't be read. One [Files] reads them
// one after the other; together they are one lane.
//
// # Formats
//
// A decoder cuts the bytes of an input into source records and takes from each of them the
// references, the layers of the base URI and the columns that pass through:
//
//	text                       a line is a reference
//	csv, tsv                   a row, fields by header or by number
//	jsonl                      a line is a JSON value, fields by path
//	clf, combined              a line of an access log: request, referer
//	vclf, vcombined            the same after a leading virtual host
//
// Compression (gzip, zstd, bzip2, xz) is known by the first bytes of an input, never by its name.
//
// # Guarantees
//
// Every record comes out once, in order, as references, as a record without any, or as a refusal
// with a reason; none is cut without a mark. Time is linear in the input's length whatever the
// input, and memory is bounded by Options.MaxRecordBytes, Options.MaxWindowBytes and a few chunks.
// Damage of an input (a truncated archive, say) ends that input alone: what came before it is
// kept, a record that it cut in two is refused as truncated, and the input is reported in the
// stats. A record is handed out as soon as it is complete, so that a pipe gets its answers.
//
// # Resuming
//
// With Options.Resumable, a job that ends before its time can go on: Files.Mark gives, for a source record
// that is settled, what to keep, and Files.Resume goes on behind it in a new Files, with the same numbers,
// offsets, headers and counts as if nothing had happened. Files.Identity says whether the inputs are the
// same. Files are read on at the place; compressed ones are decompressed up to there.
//
// docs/input-formats.md has an example and the traps of each format.
package sources
