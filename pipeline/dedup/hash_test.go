package dedup

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The first entries of vectors_sip128 of the reference implementation of SipHash-2-4 with a 128-bit
// result (Aumasson and Bernstein): key 00 01 ... 0f, input 00 01 ... of length n.
var sipVectors = [...]string{
	"a3817f04ba25a8e66df67214c7550293",
	"da87c1d86b99af44347659119b22fc45",
	"8177228da4a45dc7fca38bdef60affe4",
	"9c70b60c5267a94e5f33b6b02985ed51",
	"f88164c12d9c8faf7d0f6e7c7bcd5579",
	"1368875980776f8854527a07690e9627",
	"14eeca338b208613485ea0308fd7a15e",
	"a1f1ebbed8dbc153c0b84aa61ff08239",
	"3b62a9ba6258f5610f83e264f31497b4",
}

func TestHasherGivesTheReferenceVectors(t *testing.T) {
	var s Secret
	for i := range s {
		s[i] = byte(i)
	}
	h := NewHasher(s)
	for n, want := range sipVectors {
		in := make([]byte, n)
		for i := range in {
			in[i] = byte(i)
		}
		k := h.Sum(in)
		var got [16]byte
		binary.LittleEndian.PutUint64(got[:8], k[0])
		binary.LittleEndian.PutUint64(got[8:], k[1])
		if hex.EncodeToString(got[:]) != want {
			t.Errorf("length %d: got %x, want %s", n, got, want)
		}
	}
}

func TestHasherAllocatesNothing(t *testing.T) {
	h := NewHasher(RandomSecret())
	text := []byte(strings.Repeat("https://example.com/", 5))
	if n := testing.AllocsPerRun(100, func() { h.Sum(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestSecretsDifferAndDoNotPrint(t *testing.T) {
	a, b := RandomSecret(), RandomSecret()
	if a == b {
		t.Error("two random secrets are equal")
	}
	a = Secret([]byte("sixteen letters!"))
	for _, text := range []string{fmt.Sprint(a), fmt.Sprintf("%v %+v %#v %s", a, a, a, a)} {
		if strings.Contains(text, "sixteen") || strings.Contains(text, "115") {
			t.Errorf("printed as %s", text)
		}
	}
}

func TestReadSecret(t *testing.T) {
	want := Secret([]byte("0123456789abcdef"))
	cases := []struct {
		name, text string
		mode       os.FileMode
		fault      string
	}{
		{"16 bytes", string(want[:]), 0o600, ""},
		{"hexadecimal with a newline", hex.EncodeToString(want[:]) + "\n", 0o640, ""},
		{"upper case", strings.ToUpper(hex.EncodeToString(want[:])), 0o400, ""},
		{"too short", "0123", 0o600, "want 16 bytes or 32 hexadecimal digits"},
		{"not hexadecimal", strings.Repeat("x", 32), 0o600, "want 16 bytes or 32 hexadecimal digits"},
		{"too long", strings.Repeat("a", 2000), 0o600, "want 16 bytes or 32 hexadecimal digits"},
		{"readable for everyone", string(want[:]), 0o644, "chmod 600"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "secret")
			if err := os.WriteFile(name, []byte(c.text), c.mode); err != nil {
				t.Fatal(err)
			}
			got, err := ReadSecret(name)
			if c.fault == "" {
				if err != nil || got != want {
					t.Fatalf("got %x, %v", got[:], err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.fault) || !strings.Contains(err.Error(), name) {
				t.Errorf("got %v, want the file's name and %q", err, c.fault)
			}
			if err != nil && len(c.text) > 4 && strings.Contains(err.Error(), c.text) {
				t.Error("the error shows the secret")
			}
		})
	}
	if _, err := ReadSecret(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing file is no error")
	}
}
