package sources

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"

	"github.com/ulikunitz/xz/lzma"
)

// xzReader reads the streams of an .xz file (the .xz file format 1.1.0); the LZMA2 data in its
// blocks is left to a library. The container is read here so that the dictionary of each block is
// bounded before memory is taken for it, an end inside a header is no regular end, and a block's
// bytes are handed out before the next block's are there.
//
// A filter other than LZMA2 is refused: the others are for programs and sampled data.
type xzReader struct {
	br      *bufio.Reader
	maxDict int64

	started bool // behind a stream header
	flags   [2]byte
	counted countedReader // reads the current block's data
	block   io.Reader     // nil between blocks
	sum     hash.Hash     // the block's check, nil for none
	header  int64         // size of the block's header
	packed  int64         // sizes that the block's header gives, -1 without
	plain   int64
	out     int64 // bytes that came out of the block

	blocks int64       // of the stream
	sizes  hash.Hash64 // over their sizes, to hold against the index
	err    error
}

var (
	xzMagic      = []byte("\xfd7zXZ\x00")
	xzFooter     = []byte("YZ")
	crc64Table   = crc64.MakeTable(crc64.ECMA)
	errXZHeader  = errors.New("a header is damaged")
	errXZCheck   = errors.New("a block's checksum is wrong")
	errXZSize    = errors.New("a block has another size than its header says")
	errXZIndex   = errors.New("the index does not fit the blocks")
	errXZFilters = errors.New("it was made with a filter other than LZMA2, which is not for text")
)

// countedReader counts the bytes that a block takes.
type countedReader struct {
	br *bufio.Reader
	n  int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.br.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *countedReader) ReadByte() (byte, error) {
	b, err := c.br.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

func newXZReader(br *bufio.Reader, maxDict int64) *xzReader {
	return &xzReader{br: br, maxDict: maxDict, counted: countedReader{br: br}, sizes: crc64.New(crc64Table)}
}

// Read never asks for more than it needs to go on: it returns at a block's end.
func (x *xzReader) Read(p []byte) (int, error) {
	for x.err == nil {
		if x.block == nil {
			x.err = x.next()
			continue
		}
		n, err := x.block.Read(p)
		x.out += int64(n)
		if x.sum != nil {
			_, _ = x.sum.Write(p[:n])
		}
		if err == io.EOF {
			err = x.endBlock()
		}
		x.err = err
		if n > 0 {
			return n, nil
		}
	}
	return 0, x.err
}

// next reads what stands between blocks: a stream header, a block header, an index and footer, or
// the padding between streams. io.EOF is the end of the file.
func (x *xzReader) next() error {
	if !x.started {
		return x.streamHeader()
	}
	first, err := x.br.ReadByte()
	switch {
	case err != nil:
		return early(err)
	case first == 0:
		x.started = false
		return x.index()
	}
	return x.blockHeader(first)
}

// streamHeader: section 2.1.1, and stream padding of section 2.2.
func (x *xzReader) streamHeader() error {
	var head [12]byte
	for {
		n, err := io.ReadFull(x.br, head[:4])
		switch {
		case n == 0:
			return err
		case err != nil:
			return early(err)
		case bytes.Equal(head[:4], make([]byte, 4)):
			continue
		case !bytes.Equal(head[:4], xzMagic[:4]):
			return errGarbage
		}
		break
	}
	if _, err := io.ReadFull(x.br, head[4:]); err != nil {
		return early(err)
	}
	if !bytes.Equal(head[:6], xzMagic) || head[6] != 0 || head[7] > 15 ||
		crc32.ChecksumIEEE(head[6:8]) != binary.LittleEndian.Uint32(head[8:]) {
		return errXZHeader
	}
	x.started, x.flags = true, [2]byte{head[6], head[7]}
	x.blocks = 0
	x.sizes.Reset()
	switch x.flags[1] { // section 2.1.1.2
	case 0:
		x.sum = nil
	case 1:
		x.sum = crc32.NewIEEE()
	case 4:
		x.sum = crc64.New(crc64Table)
	case 10:
		x.sum = sha256.New()
	default:
		return fmt.Errorf("its checksums are of an unknown kind, %d", x.flags[1])
	}
	return nil
}

// blockHeader: section 3.1.
func (x *xzReader) blockHeader(first byte) error {
	head := make([]byte, (int(first)+1)*4)
	head[0] = first
	if _, err := io.ReadFull(x.br, head[1:]); err != nil {
		return early(err)
	}
	body := head[:len(head)-4]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(head[len(body):]) {
		return errXZHeader
	}
	flags, rest := body[1], body[2:]
	x.header, x.packed, x.plain = int64(len(head)), -1, -1
	var ok bool
	if flags&0x40 != 0 {
		if x.packed, rest, ok = xzNumber(rest); !ok {
			return errXZHeader
		}
	}
	if flags&0x80 != 0 {
		if x.plain, rest, ok = xzNumber(rest); !ok {
			return errXZHeader
		}
	}
	switch {
	case flags&0x3C != 0 || len(rest) < 3:
		return errXZHeader
	case flags&0x03 != 0 || rest[0] != 0x21 || rest[1] != 1:
		return errXZFilters
	case rest[2] > 40 || len(bytes.Trim(rest[3:], "\x00")) > 0:
		return errXZHeader
	}
	dict := xzDictSize(rest[2])
	if dict > x.maxDict {
		return errWindow
	}
	x.counted.n, x.out = 0, 0
	if x.sum != nil {
		x.sum.Reset()
	}
	block, err := lzma.Reader2Config{DictCap: int(max(dict, lzma.MinDictCap))}.NewReader2(&x.counted)
	x.block = block
	return early(err)
}

// xzDictSize decodes the size of an LZMA2 dictionary (section 5.3.1).
func xzDictSize(code byte) int64 {
	if code == 40 {
		return 1<<32 - 1
	}
	return (2 | int64(code)&1) << (code/2 + 11)
}

// endBlock: block padding and check, sections 3.3 and 3.4.
func (x *xzReader) endBlock() error {
	x.block = nil
	if x.packed >= 0 && x.packed != x.counted.n || x.plain >= 0 && x.plain != x.out {
		return errXZSize
	}
	unpadded := x.header + x.counted.n
	if err := x.zeros(-unpadded & 3); err != nil {
		return err
	}
	if x.sum != nil {
		want := x.sum.Sum(nil)
		if x.flags[1] != 10 { // the CRCs are stored with their low byte first
			for i, j := 0, len(want)-1; i < j; i, j = i+1, j-1 {
				want[i], want[j] = want[j], want[i]
			}
		}
		got := make([]byte, len(want))
		if _, err := io.ReadFull(x.br, got); err != nil {
			return early(err)
		}
		if !bytes.Equal(got, want) {
			return errXZCheck
		}
		unpadded += int64(len(want))
	}
	x.blocks++
	x.addSizes(unpadded, x.out)
	return nil
}

func (x *xzReader) addSizes(unpadded, plain int64) {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], uint64(unpadded))
	binary.LittleEndian.PutUint64(b[8:], uint64(plain))
	_, _ = x.sizes.Write(b[:])
}

func (x *xzReader) zeros(n int64) error {
	for range n {
		b, err := x.br.ReadByte()
		if err != nil {
			return early(err)
		}
		if b != 0 {
			return errXZHeader
		}
	}
	return nil
}

// summedReader reads the index byte by byte, and sums it.
type summedReader struct {
	br  *bufio.Reader
	sum hash.Hash32
	n   int64
}

func (s *summedReader) ReadByte() (byte, error) {
	b, err := s.br.ReadByte()
	if err == nil {
		_, _ = s.sum.Write([]byte{b})
		s.n++
	}
	return b, early(err)
}

// index: section 4, and the stream footer of section 2.1.2.
func (x *xzReader) index() error {
	in := summedReader{x.br, crc32.NewIEEE(), 1}
	_, _ = in.sum.Write([]byte{0})
	count, err := binary.ReadUvarint(&in)
	if err != nil {
		return err
	}
	blocks := x.sizes.Sum64()
	x.sizes.Reset()
	if count != uint64(x.blocks) {
		return errXZIndex
	}
	for range count {
		unpadded, err := binary.ReadUvarint(&in)
		if err != nil {
			return err
		}
		plain, err := binary.ReadUvarint(&in)
		if err != nil {
			return err
		}
		x.addSizes(int64(unpadded), int64(plain))
	}
	for in.n&3 != 0 {
		if b, err := in.ReadByte(); err != nil || b != 0 {
			return errors.Join(errXZIndex, err)
		}
	}
	var tail [16]byte // the index's CRC, then the footer
	if _, err := io.ReadFull(x.br, tail[:]); err != nil {
		return early(err)
	}
	size := (int64(binary.LittleEndian.Uint32(tail[8:])) + 1) * 4
	if blocks != x.sizes.Sum64() || in.sum.Sum32() != binary.LittleEndian.Uint32(tail[:]) ||
		crc32.ChecksumIEEE(tail[8:14]) != binary.LittleEndian.Uint32(tail[4:]) || size != in.n+4 ||
		!bytes.Equal(tail[12:14], x.flags[:]) || !bytes.Equal(tail[14:], xzFooter) {
		return errXZIndex
	}
	return nil
}

// xzNumber reads a number of section 1.2: seven bits a byte, low ones first, at most nine bytes.
func xzNumber(b []byte) (int64, []byte, bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || size > 9 {
		return 0, nil, false
	}
	return int64(n), b[size:], true
}
