package dedup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/urisieve/urisieve/internal/fsys"
)

const (
	stateFormat = 1
	stateHash   = "siphash-2-4-128"
)

// The files of a state, beside its journals and runs.
const (
	headerFile = "state.json"
	headerTemp = "state.json.tmp"
	secretFile = "secret"
	lockFile   = "LOCK"
	markFile   = "committed"
)

// stateHeader is the file state.json.
type stateHeader struct {
	Format     int       `json:"format"`
	SettingsID string    `json:"settings_id"`
	Hash       string    `json:"hash"`
	KeyID      string    `json:"key_id"`
	Created    time.Time `json:"created"`
	// Sum is the CRC-32C, in 8 hexadecimal digits, of the file with zeros in place of these digits.
	Sum string `json:"crc32c"`
}

const (
	noSum   = "00000000"
	mostSum = 64 << 10 // bytes of a header
)

// encode gives the bytes of the file.
func (h stateHeader) encode() ([]byte, error) {
	h.Sum = noSum
	text, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return nil, err
	}
	text = append(text, '\n')
	return bytes.Replace(text, []byte(noSum+"\"\n}\n"), []byte(headerSum(text)+"\"\n}\n"), 1), nil
}

func headerSum(text []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(text, castagnoli)) }

// decodeHeader reads the bytes of the file, which is named by errors. What it was written by is for the caller to check.
func decodeHeader(name string, text []byte) (h stateHeader, err error) {
	damaged := &DamageError{name, 0, "the file is corrupt"}
	if json.Unmarshal(text, &h) != nil {
		return h, damaged
	}
	blank := bytes.Replace(text, []byte(h.Sum), []byte(noSum), 1)
	if end := []byte(noSum + "\"\n}\n"); len(h.Sum) != len(noSum) || !bytes.HasSuffix(blank, end) || headerSum(blank) != h.Sum {
		return h, damaged
	}
	return h, nil
}

// keyID is the fingerprint of a secret that may be shown.
func keyID(s Secret) string {
	sum := sha256.Sum256(append([]byte("urisieve dedup key id\x00"), s[:]...))
	return hex.EncodeToString(sum[:8])
}

// readSmall reads a file of no more than most bytes.
func readSmall(files fsys.FS, name string, most int64) ([]byte, error) {
	f, err := files.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > most {
		return nil, &DamageError{name, most, "the file is longer than it can be"}
	}
	return text, nil
}

// readHeader reads the header of a state, and refuses one that this program can't go on with.
func readHeader(files fsys.FS, dir string) (stateHeader, error) {
	name := filepath.Join(dir, headerFile)
	text, err := readSmall(files, name, mostSum)
	if err != nil {
		return stateHeader{}, err
	}
	h, err := decodeHeader(name, text)
	switch {
	case err != nil:
		return h, err
	case h.Format != stateFormat:
		return h, fmt.Errorf("it has format version %d, this program reads version %d: use the program that made it", h.Format, stateFormat)
	case h.Hash != stateHash:
		return h, fmt.Errorf("its keys are hashed by %s, this program does it by %s: use the program that made it", h.Hash, stateHash)
	}
	return h, nil
}

// checkSettings refuses a state that was made under other settings; "" are any.
func (h *stateHeader) checkSettings(settingsID string) error {
	if settingsID != "" && h.SettingsID != settingsID {
		return fmt.Errorf("it was made under the settings %s, these are %s: run with its settings, or with another state", h.SettingsID, settingsID)
	}
	return nil
}

// checkSecret refuses a secret that isn't the state's.
func (h *stateHeader) checkSecret(s Secret) error {
	if id := keyID(s); id != h.KeyID {
		return fmt.Errorf("its secret has the key id %s, the one that is given %s: give the secret that it was made with", h.KeyID, id)
	}
	return nil
}

var errNoSecret = errors.New("its secret isn't in it")

// ownSecret reads the secret that lies in the state.
func (h *stateHeader) ownSecret(files fsys.FS, dir string) (Secret, error) {
	name := filepath.Join(dir, secretFile)
	text, err := readSmall(files, name, maxSecretFile)
	if errors.Is(err, fs.ErrNotExist) {
		return Secret{}, fmt.Errorf("%w: give the one with the key id %s", errNoSecret, h.KeyID)
	}
	if err != nil {
		return Secret{}, err
	}
	if s, ok := parseSecret(text); ok && keyID(s) == h.KeyID && bytes.Equal(text, secretText(s)) {
		return s, nil
	}
	return Secret{}, &DamageError{name, 0, "this isn't the secret with the key id " + h.KeyID}
}

func secretText(s Secret) []byte { return append(hex.AppendEncode(nil, s[:]), '\n') }
