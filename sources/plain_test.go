package sources

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// packed is text as a compressor writes it.
func packed[W io.WriteCloser](t testing.TB, text string, open func(io.Writer) (W, error)) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := open(&b)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gz(t testing.TB, text string) []byte {
	t.Helper()
	return packed(t, text, func(w io.Writer) (*gzip.Writer, error) { return gzip.NewWriter(w), nil })
}

func zst(t testing.TB, text string, o ...zstd.EOption) []byte {
	t.Helper()
	return packed(t, text, func(w io.Writer) (*zstd.Encoder, error) {
		return zstd.NewWriter(w, append(o, zstd.WithEncoderConcurrency(1))...)
	})
}

func xzed(t testing.TB, text string) []byte {
	t.Helper()
	return packed(t, text, xz.NewWriter)
}

// bz is "a\nb\n" as bzip2 1.0.8 writes it.
func bz(t testing.TB, _ string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(bzipAB)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func cat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func TestCompression(t *testing.T) {
	const ab = "a\nb\n"
	g, z, b, x := gz(t, ab), zst(t, ab), bz(t, ab), xzed(t, ab)
	skippable := []byte("\x5e\x2a\x4d\x18\x03\x00\x00\x00xyz")
	want2 := "1@0 |a 2@2 |b"
	want4 := want2 + " 3@4 |a 4@6 |b"
	for _, c := range []struct {
		name, want string
		in         []byte
	}{
		{"gzip", want2, g},
		{"gzip, members", want4, cat(g, g)},
		{"gzip, empty member between", want4, cat(g, gz(t, ""), g)},
		{"gzip, zero padding", want2, cat(g, make([]byte, 512))},
		{"gzip, record across members", "1@0 |aa 2@3 |b", cat(gz(t, "a"), gz(t, "a\nb"))},
		{"zstd", want2, z},
		{"zstd, frames", want4, cat(z, z)},
		{"zstd, skippable frames", want4, cat(skippable, z, skippable, z, skippable)},
		{"bzip2", want2, b},
		{"bzip2, streams", want4, cat(b, b)},
		{"xz", want2, x},
		{"xz, streams and padding", want4, cat(x, make([]byte, 8), x)},
		{"gzip of nothing", "", gz(t, "")},
		{"byte order mark inside", "1@3 |a", gz(t, "\xef\xbb\xbfa")},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, r := range []io.Reader{bytes.NewReader(c.in), iotest.OneByteReader(bytes.NewReader(c.in)), iotest.DataErrReader(bytes.NewReader(c.in))} {
				f := reader(t, Options{}, r)
				if got := strings.Join(readAll(t, f, 0), " "); got != c.want {
					t.Errorf("got %q, want %q", got, c.want)
				}
				s := f.Stats()
				if s.Inputs[0].Damage != nil {
					t.Errorf("damage: %v", s.Inputs[0].Damage)
				}
				if s.BytesIn != int64(len(c.in)) {
					t.Errorf("%d bytes in, want %d", s.BytesIn, len(c.in))
				}
			}
		})
	}
}

// Whatever is cut off: what comes out is the start of the records, then one that is truncated.
func TestDamageKeepsWhatCameBefore(t *testing.T) {
	var text strings.Builder
	rnd := rand.New(rand.NewPCG(1, 2))
	for text.Len() < 600<<10 {
		text.WriteString("http://example.com/" + strconv.FormatUint(rnd.Uint64(), 36) + "\n")
	}
	all := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	for name, stored := range map[string][]byte{"gzip": gz(t, text.String()), "zstd": zst(t, text.String()), "xz": xzed(t, text.String())} {
		for _, cut := range []int{7, 20, len(stored) / 3, len(stored) / 2, len(stored) - 9, len(stored) - 1} {
			f := reader(t, Options{}, bytes.NewReader(stored[:cut]))
			got := readAll(t, f, 0)
			s := f.Stats().Inputs[0]
			if s.Damage == nil || !strings.HasPrefix(s.Damage.Error(), "in: after record ") || !errors.Is(s.Damage, io.ErrUnexpectedEOF) {
				t.Errorf("%s cut at %d: damage %v", name, cut, s.Damage)
			}
			for i, line := range got {
				_, ref, _ := strings.Cut(line, "|")
				if rec, truncated := strings.CutSuffix(ref, " !truncated:record@"+strconv.Itoa(len(strings.Split(ref, " ")[0]))); truncated {
					if i != len(got)-1 || !strings.HasPrefix(all[i], rec) {
						t.Errorf("%s cut at %d: %q", name, cut, line)
					}
				} else if ref != all[i] {
					t.Fatalf("%s cut at %d: record %d is %q, want %q", name, cut, i, ref, all[i])
				}
			}
			if cut > len(stored)/3 && len(got) < len(all)/4 {
				t.Errorf("%s cut at %d: %d records of %d", name, cut, len(got), len(all))
			}
		}
	}
}

func TestDamage(t *testing.T) {
	g := gz(t, "a\nb\n")
	badSum := bytes.Clone(g)
	badSum[len(badSum)-8] ^= 1
	big := gz(t, strings.Repeat(strings.Repeat("a", 1023)+"\n", 100<<10))
	for _, c := range []struct {
		name   string
		o      Options
		in     []byte
		damage string
		want   []string
	}{
		{"checksum", Options{}, badSum, "gzip: invalid checksum", []string{"1@0 |a", "2@2 |b"}},
		{"garbage behind", Options{}, cat(g, []byte("hello")), "gzip: there is something else behind", []string{"1@0 |a", "2@2 |b"}},
		{"garbage behind padding", Options{}, cat(g, []byte{0, 0}, g), "gzip: there is something else behind", []string{"1@0 |a", "2@2 |b"}},
		{"garbage behind zstd", Options{}, cat(zst(t, "a\n"), []byte("hello")), "zstd: there is something else behind", []string{"1@0 |a"}},
		{"corrupt second member", Options{}, cat(g, g[:10], []byte{0xff, 0xff, 0xff}), "gzip: ", []string{"1@0 |a", "2@2 |b"}},
		{"bzip2 cut off", Options{}, bz(t, "")[:20], "bzip2: it ends early: unexpected EOF", nil},
		{"second bzip2 stream cut off", Options{}, cat(bz(t, ""), bz(t, "")[:20]), "bzip2: it ends early: unexpected EOF", []string{"1@0 |a", "2@2 |b"}},
		{"second xz stream cut off", Options{}, cat(xzed(t, "a\n"), xzed(t, "b\n")[:9]), "xz: it ends early: unexpected EOF", []string{"1@0 |a"}},
		{"second gzip member cut off", Options{}, cat(g, g[:1]), "gzip: it ends early: unexpected EOF", []string{"1@0 |a", "2@2 |b"}},
		{"UTF-16, little end first", Options{}, []byte("\xff\xfea\x00\n\x00"), `convert it first, as with "iconv`, nil},
		{"UTF-16, big end first", Options{}, []byte("\xfe\xff\x00a\x00\n"), "UTF-16", nil},
		{"UTF-16 in gzip", Options{}, gz(t, "\xfe\xff\x00a\x00\n"), "UTF-16", nil},
		{"more than the plain bound", Options{MaxPlainBytes: 3}, g, "gzip: it holds more than max_plain_bytes (3)", []string{"1@0 |a", "2@2 |b"}},
		{"zstd window over the bound", Options{MaxWindowBytes: 1 << 20}, zst(t, strings.Repeat("a\n", 3<<20), zstd.WithWindowSize(8<<20)), "zstd: takes more memory than max_window_bytes", nil},
		{"xz dictionary over the bound", Options{MaxWindowBytes: 1 << 20}, xzed(t, "a\n"), "xz: takes more memory than max_window_bytes", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := reader(t, c.o, bytes.NewReader(c.in))
			got := readAll(t, f, 0)
			if d := f.Stats().Inputs[0].Damage; d == nil || !strings.Contains(d.Error(), c.damage) {
				t.Errorf("damage %v, want %s", d, c.damage)
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	t.Run("bomb", func(t *testing.T) {
		f := reader(t, Options{MaxExpansion: 10}, bytes.NewReader(big))
		n := len(readAll(t, f, 0))
		if d := f.Stats().Inputs[0].Damage; d == nil || !strings.Contains(d.Error(), "raise max_expansion (10)") {
			t.Errorf("damage %v", d)
		}
		if n < 64<<10 || n > 70<<10 {
			t.Errorf("%d records", n)
		}
	})
}

// The input behind a damaged one is read.
func TestDamageOfOneFileAmongOthers(t *testing.T) {
	tree(t, "1", "2.gz", "3")
	write(t, "2.gz", string(gz(t, "x\ny")[:15]))
	f := open(t, Options{Inputs: []string{"1", "2.gz", "3"}})
	got := readAll(t, f, 0)
	if last := got[len(got)-1]; last != "1@0 |3" {
		t.Errorf("got %q", got)
	}
	s := f.Stats()
	if s.Inputs[0].Damage != nil || s.Inputs[1].Damage == nil || s.Inputs[2].Damage != nil || !s.Inputs[2].Done {
		t.Errorf("got %+v", s.Inputs)
	}
}

// A fault of the disk is damage of that input, too, and a record that it cuts is not whole.
func TestReadErrorIsDamage(t *testing.T) {
	f := reader(t, Options{}, io.MultiReader(strings.NewReader("a\nbc"), iotest.ErrReader(errDisk)))
	got := strings.Join(readAll(t, f, 0), " ")
	if want := "1@0 |a 2@2 |bc !truncated:record@2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if d := f.Stats().Inputs[0].Damage; !errors.Is(d, errDisk) || d.Error() != "in: after record 2, decompressed byte 4: disk on fire" {
		t.Errorf("damage %v", d)
	}
	f = reader(t, Options{MaxRecordBytes: 2}, io.MultiReader(strings.NewReader("a\nbcdefgh"), iotest.ErrReader(errDisk)))
	got = strings.Join(readAll(t, f, 0), " ")
	if want := "1@0 |a 2@2 |bcdefgh !truncated:record@7"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

const bzipAB = "QlpoOTFBWSZTWTyFQRIAAAFBAAAQMAAgADDMDHqCcXckU4UJA8hUESA="
