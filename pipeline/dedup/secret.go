package dedup

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
)

// RandomSecret makes a new secret.
func RandomSecret() Secret {
	var s Secret
	rand.Read(s[:]) // never fails: it ends the program rather (package crypto/rand)
	return s
}

// ReadSecret reads a secret file: 16 bytes, or 32 hexadecimal digits with white space around them.
// A file that others than its owner and group can read is refused.
func ReadSecret(name string) (Secret, error) {
	f, err := os.Open(name)
	if err != nil {
		return Secret{}, fmt.Errorf("secret file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Secret{}, fmt.Errorf("secret file: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o007 != 0 {
		return Secret{}, fmt.Errorf("secret file %s: its mode %#o lets everyone at it: chmod 600 or 640 it", name, info.Mode().Perm())
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSecretFile+1))
	if err != nil {
		return Secret{}, fmt.Errorf("secret file: %w", err)
	}
	s, ok := parseSecret(text)
	if !ok {
		return Secret{}, fmt.Errorf("secret file %s: want 16 bytes or 32 hexadecimal digits (openssl rand -hex 16)", name)
	}
	return s, nil
}

const maxSecretFile = 1024

func parseSecret(text []byte) (s Secret, ok bool) {
	if len(text) == len(s) {
		copy(s[:], text)
		return s, true
	}
	text = bytes.TrimSpace(text)
	if len(text) != hex.EncodedLen(len(s)) {
		return Secret{}, false
	}
	_, err := hex.Decode(s[:], text)
	return s, err == nil
}

// ID is a fingerprint of the secret that may be shown: states name by it the secret that they belong to.
func (s Secret) ID() string { return keyID(s) }
