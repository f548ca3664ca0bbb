package sources

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// expansionSlack is what may come out of an input whatever went in.
const expansionSlack = 64 << 20

// storedBuffer is how much is read of a stored input at a time.
const storedBuffer = 128 << 10

var (
	errGarbage = errors.New("there is something else behind the compressed data")
	errShorter = errors.New("it is shorter than it was when the job began: put back what was there, or begin anew")
	errWindow  = errors.New("takes more memory than max_window_bytes allows: raise that if the input is trusted")
)

// plainReader reads what an input holds, decompressed.
type plainReader struct {
	r      io.Reader
	stored io.Reader
	br     *bufio.Reader // over stored
	in     *input
	limits *Options
	format string // "gzip", "zstd", "bzip2", "xz", or "" for an input that isn't compressed
	out    int64
	close  func()
}

// newPlainReader looks at the first bytes and no more of them than it needs, so that a short line
// from a pipe isn't held back.
func newPlainReader(stored io.Reader, in *input, limits *Options) (*plainReader, error) {
	br := bufio.NewReaderSize(countingReader{stored, in}, storedBuffer)
	p := &plainReader{r: br, stored: stored, br: br, in: in, limits: limits, format: sniff(br), close: func() {}}
	var err error
	switch p.format {
	case "gzip":
		p.r, err = newGzipReader(br)
	case "zstd":
		var zr *zstd.Decoder
		zr, err = zstd.NewReader(br, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxWindow(uint64(limits.MaxWindowBytes)), zstd.WithDecoderMaxMemory(1<<62))
		if err == nil {
			p.r, p.close = zr, zr.Close
		}
	case "bzip2":
		p.r = bzip2.NewReader(br)
	case "xz":
		p.r = newXZReader(br, limits.MaxWindowBytes)
	}
	return p, p.named(err)
}

// named says which decompressor an error comes from.
func (p *plainReader) named(err error) error {
	switch {
	case err == nil || err == io.EOF:
		return err
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		err = errWindow
	case errors.Is(err, zstd.ErrMagicMismatch):
		err = errGarbage
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("it ends early: %w", err)
	}
	if p.format == "" {
		return err
	}
	return fmt.Errorf("%s: %w", p.format, err)
}

func (p *plainReader) Read(buf []byte) (int, error) {
	n, err := p.r.Read(buf)
	p.out += int64(n)
	if p.format == "" || err != nil && err != io.EOF {
		return n, p.named(err)
	}
	stored := p.in.bytesIn.Load()
	if p.out > expansionSlack && (p.out-expansionSlack)/int64(p.limits.MaxExpansion) > stored {
		return n, fmt.Errorf("%s: %d bytes became %d, a compression bomb by all appearances: raise max_expansion (%d) if it isn't",
			p.format, stored, p.out, p.limits.MaxExpansion)
	}
	if p.limits.MaxPlainBytes > 0 && p.out > p.limits.MaxPlainBytes {
		return n, fmt.Errorf("%s: it holds more than max_plain_bytes (%d)", p.format, p.limits.MaxPlainBytes)
	}
	return n, err
}

// skip goes on to a byte of what the input holds: at once where it is a file that isn't compressed, else by
// reading up to there.
func (p *plainReader) skip(to int64, stopped func() bool) error {
	if file, ok := p.stored.(io.Seeker); ok && p.format == "" && to > 0 {
		return p.seek(file, to)
	}
	const piece = 4 << 20
	for p.out < to && !stopped() {
		_, err := io.CopyN(io.Discard, p, min(piece, to-p.out))
		if err == io.EOF {
			return errShorter
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *plainReader) seek(file io.Seeker, to int64) error {
	size, err := file.Seek(0, io.SeekEnd)
	if err == nil && size < to {
		return errShorter
	}
	if err == nil {
		_, err = file.Seek(to, io.SeekStart)
	}
	p.in.bytesIn.Store(to)
	p.br.Reset(countingReader{p.stored, p.in})
	return err
}

// countingReader counts what is read of an input as stored.
type countingReader struct {
	r  io.Reader
	in *input
}

func (c countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.in.bytesIn.Add(int64(n))
	return n, err
}

// magics are the first bytes of each format. A zstd stream may begin with a skippable frame
// (RFC 8878 section 3.1.2), the first byte of which is 0x50 to 0x5F. bzip2's level and the start of a
// block or of the end are looked at, since a line of text may well begin with "BZh".
var magics = []struct {
	format string
	magic  string
	mask   string // 1: low nibble free; 9: a digit from 1
}{
	{"gzip", "\x1f\x8b", "  "},
	{"zstd", "\x28\xb5\x2f\xfd", "    "},
	{"zstd", "\x50\x2a\x4d\x18", "1   "},
	{"bzip2", "BZh9\x31\x41\x59\x26\x53\x59", "   9      "},
	{"bzip2", "BZh9\x17\x72\x45\x38\x50\x90", "   9      "},
	{"xz", "\xfd7zXZ\x00", "      "},
}

// sniff gives the compression format by the first bytes. It asks for one more byte as long as
// some format may still be.
func sniff(br *bufio.Reader) string {
	for n := 1; ; n++ {
		head, _ := br.Peek(n)
		possible := false
		for _, m := range magics {
			if len(head) == n && startsLike(head, m.magic, m.mask) {
				if n == len(m.magic) {
					return m.format
				}
				possible = true
			}
		}
		if !possible {
			return ""
		}
	}
}

func startsLike(head []byte, magic, mask string) bool {
	if len(head) > len(magic) {
		return false
	}
	for i, c := range head {
		switch mask[i] {
		case '1':
			c &= 0xF0
		case '9':
			if c >= '1' && c <= '9' {
				c = '9'
			}
		}
		if c != magic[i] {
			return false
		}
	}
	return true
}

// gzipReader reads the members of a gzip file (RFC 1952 section 2.2), and zero bytes that pad it,
// as tapes and block devices have them.
type gzipReader struct {
	br *bufio.Reader
	zr *gzip.Reader
}

func newGzipReader(br *bufio.Reader) (*gzipReader, error) {
	zr, err := gzip.NewReader(br)
	if err != nil {
		return nil, early(err)
	}
	zr.Multistream(false)
	return &gzipReader{br, zr}, nil
}

// early: an EOF inside of something is no regular end.
func early(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (g *gzipReader) Read(p []byte) (int, error) {
	for {
		n, err := g.zr.Read(p)
		if n > 0 || err == nil {
			if err == io.EOF {
				err = nil // comes again
			}
			return n, err
		}
		if err != io.EOF {
			return 0, err
		}
		if err := g.next(); err != nil {
			return 0, err
		}
	}
}

// next goes to the next member; io.EOF if there is none.
func (g *gzipReader) next() error {
	for padding := false; ; padding = true {
		head, err := g.br.Peek(1)
		switch {
		case len(head) == 0:
			return err
		case head[0] == 0:
			_, _ = g.br.Discard(1)
			continue
		}
		if head, _ = g.br.Peek(2); padding || !bytes.Equal(head, []byte{0x1f, 0x8b}) {
			if len(head) == 1 && head[0] == 0x1f {
				return io.ErrUnexpectedEOF
			}
			return errGarbage
		}
		err = g.zr.Reset(g.br)
		g.zr.Multistream(false)
		return early(err)
	}
}
