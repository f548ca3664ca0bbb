// Package sinks writes what the pipeline settles: unique URIs, duplicates and rejects, as Parquet,
// JSON lines or text; into a directory of part files, one file, or standard output.
//
// Terms. A dataset is a directory of part files that a manifest closes. A column is a function
// from a reference to a value; the catalogue (Columns, RejectColumns) defines each once, and every
// format writes from it. An Output is all that one run writes: the main dataset and, where asked
// for, the ones of rejects and duplicates.
//
// Guarantees:
//
//   - A file bears its final name only when it is whole and synced. Before that its name begins
//     with a dot and ends with ".tmp", which readers of datasets skip.
//   - No file is ever overwritten. Overwrite replaces a whole dataset in one step, once the new one
//     is whole; a crash leaves the old or the new one in place, or both beside each other, and the
//     next run settles which.
//   - Bytes, file names and file boundaries depend on the references and the options alone, never
//     on the clock, batch sizes or the number of workers. A file ends between two source records.
//   - With Options.Resumable, what was written up to a flush can be gone on with after any end of the
//     process: Output.Progress says what to keep of it, Resume takes that, and all comes out as if nothing had
//     happened, to the byte.
//   - Encoding runs on a goroutine of its own; an error there comes back from the next Write or
//     Flush, and no later row is written after it.
//
// What it does not do: it decides nothing about a reference, and it doesn't sort.
package sinks
