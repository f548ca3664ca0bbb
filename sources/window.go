package sources

import (
	"bytes"

	"github.com/zeebo/xxh3"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
)

// window holds the bytes of the current input that aren't decoded yet: buf[start:].
//
//	0 <= start <= len(buf)
//	offset + len(buf) - start == bytes of the input that came in, decompressed
//	len(buf) - start <= max + 2 + chunkBytes, since a longer record is skipped
type window struct {
	buf   []byte
	start int

	offset  int64 // in the input, of buf[start]
	records int64 // taken from the input
	fresh   bool  // at the input's start, where a byte order mark may be
	ended   bool  // nothing more comes
	damage  error // with ended: why not

	skip skipped
}

// windowKept is the memory that stays between long records.
const windowKept = 4 * chunkBytes

func (w *window) rest() []byte { return w.buf[w.start:] }

// whole says that what is in the window is the end of the input, as it should be.
func (w *window) whole() bool { return w.ended && w.damage == nil }

func (w *window) add(data []byte) {
	switch {
	case w.start == len(w.buf):
		w.start, w.buf = 0, w.buf[:0]
		if cap(w.buf) > windowKept {
			w.buf = nil
		}
	case w.start > 0 && len(w.buf)+len(data) > cap(w.buf):
		w.buf = w.buf[:copy(w.buf, w.rest())]
		w.start = 0
	}
	w.buf = append(w.buf, data...)
}

func (w *window) advance(n int) {
	w.start += n
	w.offset += int64(n)
}

// byte order marks. UTF-16 has no line ends that could be found and no UTF-8 that could be meant.
var (
	bomUTF8    = []byte("\xef\xbb\xbf")
	bomUTF16LE = []byte("\xff\xfe")
	bomUTF16BE = []byte("\xfe\xff")
)

// byteOrderMark skips the one of UTF-8. It asks for more as long as one may still be coming.
func (w *window) byteOrderMark() (more, utf16 bool) {
	rest := w.rest()
	for _, bom := range [][]byte{bomUTF8, bomUTF16LE, bomUTF16BE} {
		switch {
		case bytes.HasPrefix(rest, bom):
			w.fresh = false
			if len(bom) == len(bomUTF8) {
				w.advance(len(bom))
				return false, false
			}
			return false, true
		case !w.ended && bytes.HasPrefix(bom, rest):
			return true, false
		}
	}
	w.fresh = false
	return false, false
}

// skipped is a record over the limit, while the rest of it is read past.
type skipped struct {
	on     bool
	offset int64
	total  int64
	head   []byte // the first KeptBytes
	hash   xxh3.Hasher
	cr     bool // the last byte was a CR, which is held back: it may belong to the line end
}

func (s *skipped) begin(offset int64) {
	s.on, s.offset, s.total, s.head, s.cr = true, offset, 0, s.head[:0], false
	s.hash.Reset()
}

func (s *skipped) add(data []byte) {
	if len(data) == 0 {
		return
	}
	if s.cr {
		s.put([]byte{'\r'})
	}
	if s.cr = data[len(data)-1] == '\r'; s.cr {
		data = data[:len(data)-1]
	}
	s.put(data)
}

func (s *skipped) put(data []byte) {
	s.total += int64(len(data))
	s.head = append(s.head, data[:min(len(data), KeptBytes-len(s.head))]...)
	_, _ = s.hash.Write(data)
}

// reject adds the record; it is over.
func (s *skipped) reject(b *pipeline.Batch, row pipeline.Row, reason normalize.Reason, c normalize.Component, at int64) {
	s.on = false
	b.AddRow(row)
	whole := pipeline.Cut{Bytes: s.total, Hash: s.hash.Sum128().Bytes()}
	if s.total <= KeptBytes {
		b.AddReject(0, s.head, reason, c, uint32(at))
		return
	}
	b.AddCutReject(0, s.head, whole, reason, c, uint32(min(at, 1<<32-1)))
}
