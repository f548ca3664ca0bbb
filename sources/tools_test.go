package sources

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// What the tools of the formats write is read back to the byte.
func TestCompressedByTheTools(t *testing.T) {
	var text bytes.Buffer
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range 8000 {
		fmt.Fprintf(&text, "https://example.com/%d/%x?q=%d\n", i%97, rnd.Uint64(), i)
	}
	for _, tool := range []string{
		"gzip -1", "gzip -9", "bzip2 -1", "bzip2 -9", "xz -0", "xz -6 --check=sha256", "xz -9e --check=none", "xz -T2 --block-size=64KiB --check=crc32",
		"zstd -1", "zstd -19 --no-check", "zstd --fast=5", "zstd --long=27", "zstd -T2 -3",
	} {
		t.Run(tool, func(t *testing.T) {
			args := append(strings.Fields(tool), "-c")
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Stdin = bytes.NewReader(text.Bytes())
			if _, err := exec.LookPath(args[0]); err != nil {
				t.Skip(err)
			}
			stored, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			in := &input{name: "in"}
			limits := withDefaults(Options{})
			p, err := newPlainReader(bytes.NewReader(cat(stored, stored)), in, &limits)
			if err != nil {
				t.Fatal(err)
			}
			defer p.close()
			var got bytes.Buffer
			if _, err := got.ReadFrom(p); err != nil {
				t.Fatal(err)
			}
			if want := text.String() + text.String(); got.String() != want {
				t.Errorf("%d bytes, want %d", got.Len(), len(want))
			}
		})
	}
}

// A window of 2 GiB is refused unless the bound allows it, and the message says so.
func TestZstdLong31(t *testing.T) {
	if _, err := exec.LookPath("zstd"); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command("zstd", "--long=31", "-1", "-c")
	cmd.Stdin = strings.NewReader(strings.Repeat("http://example.com/\n", 1<<17))
	stored, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	f := reader(t, Options{}, bytes.NewReader(stored))
	got := readAll(t, f, 0)
	if d := f.Stats().Inputs[0].Damage; len(got) > 0 || d == nil || !strings.Contains(d.Error(), "max_window_bytes") {
		t.Errorf("%d records, damage %v", len(got), d)
	}
	f = reader(t, Options{MaxWindowBytes: 2 << 30}, bytes.NewReader(stored))
	if got := readAll(t, f, 0); len(got) != 1<<17 {
		t.Errorf("%d records, damage %v", len(got), f.Stats().Inputs[0].Damage)
	}
}
