// Package extsort sorts rows of bytes in bounded memory. A row is a key and a value; rows leave in ascending
// order of their keys, compared byte by byte, and rows of equal keys in the order in which they were added.
//
// Rows gather in a block of memory. A full one is sorted and written to disk as a run, on a goroutine of its
// own, while the next one fills. The runs are merged, and with them what is still in memory. Where there are more
// runs than one merge has buffers for, adjacent ones are merged into larger runs before. Files are written and
// read from end to end, never at random; they have no names: see [fsys.Scratch].
//
// Memory is three regions outside the Go heap, in sum Options.Memory, and nothing is allocated for a row. A row
// that no buffer has room for takes its own memory beside that: at a time no more than two in a merge, and the one that is
// written.
//
// What comes out depends on the rows alone: not on the memory, nor on when a run was written.
package extsort
