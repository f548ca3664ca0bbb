// Package pipeline moves references from a source through normalizing workers to sinks.
//
//	free list <------------------------------------------------------- empty batch (once sinks released it)
//	   |                                                                    |
//	reader: Fill -> seq -> [todo] -> N workers: resolve, normalize, hash -> [ring] -> settle: put in order -> Claim -> Write -> (checkpoint) flush, sync, commit
//
// # Terms
//
// A source record is a line, a row, a message; it holds any number of references. A batch is some source
// records of one lane, in arenas that are used again. A lane is a stream that keeps its order: all files and
// stdin are one, a Kafka partition is one. A Lane is what lanes write to: sinks and a set of seen keys; lanes that
// share one are settled by one goroutine, and committed together.
//
// # Who does what
//
// The reader, which is the caller's goroutine, has the source fill a batch, numbers it within its
// lane, and gives it to the workers. A worker decides all that a reference decides by itself: rejected, out of
// scope, or valid with a key. It leaves the batch in the lane's ring, which never blocks it. Settle, a
// goroutine for each Lane, takes the batches in order and alone decides between unique and duplicate, calls the
// sinks and the set, and commits. So the output depends on the input, never on the number of workers,
// the sizes of batches or the time, and the first occurrence of a URI wins.
//
// The pool bounds the bytes of all batches, those on the free list and those that sinks retain. When
// they are used up, the source isn't read: a slow sink slows down the reader, and nothing queues up. A source of several
// lanes (LaneSource) is asked for those alone whose share isn't used up.
//
// # What holds
//
//   - Every reference that is read becomes unique, duplicate, filtered or rejected, and is counted
//     once: Stats add up, at any moment.
//   - A checkpoint flushes the rejects, the duplicates, the output, then syncs the set, then commits the
//     source, in that order. It lies between two source records, at counts of records and bytes; a
//     claim is made only for references that the same checkpoint covers.
//   - After a fault nothing is committed past the last checkpoint. A crash at any point repeats output
//     written since then, and loses none.
//   - A fault in the data is a value (Record.Result.Reason) and never an error; a fault of I/O is an
//     error and ends the run, or the lane (ErrLaneLost).
//   - In the steady state nothing is allocated for a reference.
//
// docs/guarantees.md says the same to users.
package pipeline
