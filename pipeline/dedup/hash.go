package dedup

import (
	"encoding/binary"

	"github.com/dchest/siphash"
)

// Secret is the key of the keyed fingerprint. Whoever knows it can make two URIs whose keys are
// equal, so that one of them is lost: it never leaves the process but into its secret file.
type Secret [16]byte

// String hides the secret.
func (Secret) String() string { return "***" }

// GoString hides the secret.
func (Secret) GoString() string { return "dedup.Secret(***)" }

// Hasher makes keys: SipHash-2-4 with a 128-bit result. It is safe for concurrent use.
type Hasher struct{ k0, k1 uint64 }

// NewHasher makes the hasher of a secret.
func NewHasher(s Secret) Hasher {
	return Hasher{binary.LittleEndian.Uint64(s[:8]), binary.LittleEndian.Uint64(s[8:])}
}

// Sum is the key of a text.
func (h Hasher) Sum(text []byte) Key {
	lo, hi := siphash.Hash128(h.k0, h.k1, text)
	return Key{lo, hi}
}

// Host is the key of a host, as it stands in a canonical URI, for Ask and ForgetHost. It is made of a text that no key of a URI is made
// of: those hold no NUL.
func (h Hasher) Host(host []byte) Key {
	const prefix = "\x00host\x00"
	var room [len(prefix) + 255]byte // for what the DNS allows
	return h.Sum(append(append(room[:0], prefix...), host...))
}
