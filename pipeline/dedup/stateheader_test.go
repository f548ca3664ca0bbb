package dedup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A header of another version or with another hash is refused, with both named; one that was changed by hand is damage.
func TestStateHeaderOfOthersIsRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(h *stateHeader)
		want   string
	}{
		{"version", func(h *stateHeader) { h.Format = 2 }, "it has format version 2, this program reads version 1"},
		{"hash", func(h *stateHeader) { h.Hash = "xxh3-128" }, "by xxh3-128, this program does it by siphash-2-4-128"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "state")
			o := StateOptions{Dir: dir, SettingsID: "a"}
			s, err := OpenState(o)
			if err != nil {
				t.Fatal(err)
			}
			h := s.header
			s.Close()
			c.change(&h)
			text, err := h.encode()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, headerFile), text, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := OpenState(o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("open: %v", err)
			}
			if _, err := OpenRead(ReadOptions{Dir: dir}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("read: %v", err)
			}
			if _, err := Verify(nil, dir); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("verify: %v", err)
			}
		})
	}
}

// The secret lies in its own file, for its owner alone, and errors and headers tell only its key id.
func TestStateKeepsItsSecretToItself(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	s, err := OpenState(StateOptions{Dir: dir, SettingsID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	secret := strings.TrimSpace(string(secretText(s.Secret())))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(string(text), secret); has != (e.Name() == secretFile) {
			t.Errorf("%s has the secret: %v", e.Name(), has)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, secretFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	given := RandomSecret()
	_, err = OpenRead(ReadOptions{Dir: dir, Secret: &given})
	if err == nil || !strings.Contains(err.Error(), keyID(given)) || !strings.Contains(err.Error(), keyID(s.Secret())) || strings.Contains(err.Error(), secret) {
		t.Errorf("another secret: %v", err)
	}
}
