package pipeline

import (
	"encoding/binary"
	"unsafe"

	"github.com/zeebo/xxh3"
)

// A frame is a settled batch on disk: a header of 8-byte little-endian numbers (lengths, then XXH3-64 of
// what comes before and after it) and the arrays of the batch as they are in memory. Nobody but the process that wrote it
// reads it.
const (
	frameNumbers = 11
	frameHeader  = frameNumbers * 8
)

// copySettled copies a reference, with what a worker made of it, to the last row.
func (b *Batch) copySettled(o *Batch, old *Record) {
	r := b.AddRef(old.Element, o.Raw(old))
	raw, row := r.RawOff, r.Row
	*r = *old
	r.RawOff, r.Row, r.Cut = raw, row, 0
	if cut, ok := o.CutOf(old); ok {
		b.cuts = append(b.cuts, cut)
		r.Cut = uint32(len(b.cuts))
	}
	canon, key := o.Canon(old), o.KeyText(old)
	r.CanonOff = uint32(len(b.canon))
	b.canon = append(b.canon, canon...)
	r.KeyOff = uint32(len(b.canon))
	b.canon = append(b.canon, key...)
}

// bytesOf are the bytes of an array of values without pointers.
func bytesOf[T any](s []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(t)))
}

// appendFrame appends b as it is kept on disk.
func (b *Batch) appendFrame(dst []byte) []byte {
	start := len(dst)
	names := 0
	for _, s := range b.sources {
		names += 4 + len(s)
	}
	for _, n := range [frameNumbers - 1]int{
		int(b.Lane), len(b.rows), len(b.recs), len(b.values), len(b.raw), len(b.canon), len(b.docs), len(b.cuts), len(b.sources), names,
	} {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
	}
	sumAt := len(dst)
	dst = binary.LittleEndian.AppendUint64(dst, 0)
	dst = append(dst, bytesOf(b.rows)...)
	dst = append(dst, bytesOf(b.recs)...)
	dst = append(dst, bytesOf(b.values)...)
	dst = append(dst, b.raw...)
	dst = append(dst, b.canon...)
	dst = append(dst, bytesOf(b.docs)...)
	dst = append(dst, bytesOf(b.cuts)...)
	for _, s := range b.sources {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(s)))
		dst = append(dst, s...)
	}
	binary.LittleEndian.PutUint64(dst[sumAt:], frameSum(dst[start:]))
	return dst
}

// frameSum is the checksum of a frame: of its header less the last number, and its body.
func frameSum(f []byte) uint64 {
	return xxh3.HashSeed(f[frameHeader:], xxh3.Hash(f[:frameHeader-8]))
}

// fromFrame fills b, which is empty, with what appendFrame wrote; false if the bytes are others.
func (b *Batch) fromFrame(f []byte) bool {
	if len(f) < frameHeader || frameSum(f) != binary.LittleEndian.Uint64(f[frameHeader-8:]) {
		return false
	}
	var n [frameNumbers - 1]int
	for i := range n {
		n[i] = int(binary.LittleEndian.Uint64(f[8*i:]))
	}
	rest := f[frameHeader:]
	b.Lane = LaneID(n[0])
	b.rows, rest = takeArray(b.rows, n[1], rest)
	b.recs, rest = takeArray(b.recs, n[2], rest)
	b.values, rest = takeArray(b.values, n[3], rest)
	b.raw, rest = takeArray(b.raw, n[4], rest)
	b.canon, rest = takeArray(b.canon, n[5], rest)
	b.docs, rest = takeArray(b.docs, n[6], rest)
	b.cuts, rest = takeArray(b.cuts, n[7], rest)
	if len(rest) != n[9] {
		return false
	}
	for range n[8] {
		size := binary.LittleEndian.Uint32(rest)
		b.addSource(rest[4 : 4+size])
		rest = rest[4+size:]
	}
	return true
}

// addSource adds the next source name; a name that was there before a Reset is used again.
func (b *Batch) addSource(name []byte) {
	i := len(b.sources)
	if i < cap(b.sources) && b.sources[: i+1 : i+1][i] == string(name) {
		b.sources = b.sources[:i+1]
		return
	}
	b.sources = append(b.sources, string(name))
}

// takeArray fills an array with the first n elements of data, as bytesOf gave them.
func takeArray[T any](array []T, n int, data []byte) ([]T, []byte) {
	if cap(array) < n {
		array = make([]T, n)
	}
	array = array[:n]
	size := copy(bytesOf(array), data)
	return array, data[size:]
}
