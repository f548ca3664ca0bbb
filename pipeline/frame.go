package pipeline

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// A frame is a settled batch on disk: a header of 8-byte little-endian numbers (lengths, then XXH3-64 of
// what comes before and after it), and
//
//	rows, records, values, layers, cuts   see packArray
//	same                                  a bit for each record: its canonical form is its raw text
//	raw                                   the arena
//	canon                                 of each record: its canonical form, if it isn't the same, and its key text
//	sources                               of each name: its length (4 bytes), and the name
//
// Nobody but the process that wrote it reads it.
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

// appendFrame appends b as it is kept on disk.
func (b *Batch) appendFrame(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, frameHeader)...)
	dst = packArray(dst, b.rows)
	dst = packArray(dst, b.recs)
	dst = packArray(dst, b.values)
	dst = packArray(dst, b.docs)
	dst = packArray(dst, b.cuts)
	same := len(dst)
	dst = append(dst, make([]byte, (len(b.recs)+7)/8)...)
	dst = append(dst, b.raw...)
	canon := len(dst)
	for i := range b.recs {
		r := &b.recs[i]
		if text := b.Canon(r); string(text) == string(b.Raw(r)) {
			dst[same+i/8] |= 1 << (i % 8)
		} else {
			dst = append(dst, text...)
		}
		dst = append(dst, b.KeyText(r)...)
	}
	names := len(dst)
	for _, s := range b.sources {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(s)))
		dst = append(dst, s...)
	}
	header := dst[start : start+frameHeader]
	for i, n := range [frameNumbers - 1]int{
		int(b.Lane), len(b.rows), len(b.recs), len(b.values), len(b.docs), len(b.cuts), len(b.sources), same - start, canon - start, names - start,
	} {
		binary.LittleEndian.PutUint64(header[8*i:], uint64(n))
	}
	binary.LittleEndian.PutUint64(header[frameHeader-8:], frameSum(dst[start:]))
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
	same, canon, names := n[7], n[8], n[9]
	b.Lane = LaneID(n[0])
	b.rows, b.recs, b.values = resize(b.rows, n[1]), resize(b.recs, n[2]), resize(b.values, n[3])
	b.docs, b.cuts = resize(b.docs, n[4]), resize(b.cuts, n[5])
	rest := f[frameHeader:same]
	rest = unpackArray(b.rows, rest)
	rest = unpackArray(b.recs, rest)
	rest = unpackArray(b.values, rest)
	rest = unpackArray(b.docs, rest)
	unpackArray(b.cuts, rest)
	isSame := f[same : same+(n[2]+7)/8]
	b.raw = append(b.raw[:0], f[same+len(isSame):canon]...)
	b.fillCanon(isSame, f[canon:names])
	for rest = f[names:]; len(rest) > 0; {
		size := binary.LittleEndian.Uint32(rest)
		b.addSource(rest[4 : 4+size])
		rest = rest[4+size:]
	}
	return true
}

// fillCanon makes the arena of canonical forms and key texts.
func (b *Batch) fillCanon(same, texts []byte) {
	for i := range b.recs {
		r := &b.recs[i]
		r.CanonOff = uint32(len(b.canon))
		if same[i/8]&(1<<(i%8)) != 0 {
			b.canon = append(b.canon, b.Raw(r)...)
		} else {
			b.canon = append(b.canon, texts[:r.CanonLen]...)
			texts = texts[r.CanonLen:]
		}
		r.KeyOff = uint32(len(b.canon))
		b.canon = append(b.canon, texts[:r.KeyLen]...)
		texts = texts[r.KeyLen:]
	}
}

// resize gives an array n elements, whatever they hold.
func resize[T any](array []T, n int) []T {
	if cap(array) < n {
		array = make([]T, n)
	}
	return array[:n]
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
