package pipetest

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"

	"github.com/urisieve/urisieve/internal/fsys"
)

// put writes a file; sync and name say what of it is made durable.
func put(t *testing.T, c *CrashFS, name, text string, sync, syncName bool) {
	t.Helper()
	f, err := c.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, text); err != nil {
		t.Fatal(err)
	}
	if sync {
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	if syncName {
		if err := c.SyncDir("."); err != nil {
			t.Fatal(err)
		}
	}
}

// text reads a file, "-" when there is none.
func text(t *testing.T, c *CrashFS, name string) string {
	t.Helper()
	f, err := c.OpenFile(name, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "-"
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCrashKeepsOnlyWhatWasSynced(t *testing.T) {
	for _, test := range []struct {
		name           string
		data, dir      bool
		want           string
		wantBeforehand string
	}{
		{"neither data nor name", false, false, "-", "abc"},
		{"data without its name", true, false, "-", "abc"},
		{"a name without its data", false, true, "", "abc"},
		{"both", true, true, "abc", "abc"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := NewCrashFS()
			put(t, c, "f", "abc", test.data, test.dir)
			if got := text(t, c, "f"); got != test.wantBeforehand {
				t.Errorf("before: got %q, want %q", got, test.wantBeforehand)
			}
			c.Crash(nil)
			if got := text(t, c, "f"); got != test.want {
				t.Errorf("after: got %q, want %q", got, test.want)
			}
		})
	}
}

func TestCrashForgetsARenameThatWasNotSynced(t *testing.T) {
	c := NewCrashFS()
	put(t, c, "a", "abc", true, true)
	if err := c.Rename("a", "b"); err != nil {
		t.Fatal(err)
	}
	c.Crash(nil)
	if text(t, c, "a") != "abc" || text(t, c, "b") != "-" {
		t.Errorf("a = %q, b = %q", text(t, c, "a"), text(t, c, "b"))
	}
}

func TestCrashForgetsADirectoryWhoseNameWasNotSynced(t *testing.T) {
	c := NewCrashFS()
	c.MkdirAll("d/e", 0o755)
	put(t, c, "d/e/f", "abc", true, false)
	c.SyncDir("d/e")
	c.SyncDir("d")
	c.Crash(nil)
	if got := text(t, c, "d/e/f"); got != "-" {
		t.Errorf("got %q", got)
	}
}

func TestCrashWithChanceStaysBetweenSyncedAndSeen(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(200) {
		c := NewCrashFS()
		f, _ := c.OpenFile("f", os.O_CREATE|os.O_WRONLY, 0o644)
		io.WriteString(f, "ab")
		f.Sync()
		c.SyncDir(".")
		io.WriteString(f, "cd")
		c.Rename("f", "g")
		c.Crash(rand.New(rand.NewPCG(seed, 1)))
		got := text(t, c, "f") + "|" + text(t, c, "g")
		seen[got] = true
	}
	for _, want := range []string{"ab|-", "abc|-", "abcd|-", "-|ab", "-|abc", "-|abcd", "ab\x00|-", "-|ab\x00\x00"} {
		if !seen[want] {
			t.Errorf("never saw %q", want)
		}
		delete(seen, want)
	}
	for got := range seen {
		if got != "ab\x00\x00|-" && got != "-|ab\x00" {
			t.Errorf("saw %q, which no disk could leave", got)
		}
	}
}

func TestPublishRefusesATakenName(t *testing.T) {
	c := NewCrashFS()
	put(t, c, "a", "1", true, true)
	put(t, c, "b", "2", true, true)
	if err := c.Publish("a", "b"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want fs.ErrExist", err)
	}
	if err := c.Rename("a", "b"); err != nil || text(t, c, "b") != "1" {
		t.Errorf("Rename: %v, b = %q", err, text(t, c, "b"))
	}
}

func TestFaultsComeAtTheirOperationAndHaveNoEffect(t *testing.T) {
	c := NewCrashFS()
	boom := errors.New("boom")
	c.FailAt(2, boom)
	f, err := c.OpenFile("f", os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, "abc"); !errors.Is(err, boom) {
		t.Errorf("write: got %v, want boom", err)
	}
	if _, err := io.WriteString(f, "d"); err != nil || text(t, c, "f") != "d" {
		t.Errorf("after the fault: %v, %q", err, text(t, c, "f"))
	}
	c.StopAt(c.Ops() + 1)
	if err := f.Sync(); !errors.Is(err, ErrStopped) {
		t.Errorf("sync: got %v, want ErrStopped", err)
	}
	if err := c.Remove("f"); !errors.Is(err, ErrStopped) {
		t.Errorf("remove: got %v, want ErrStopped", err)
	}
	c.Crash(nil)
	if _, err := f.Write([]byte("x")); !errors.Is(err, ErrStopped) {
		t.Errorf("a handle from before the crash: got %v", err)
	}
}

func TestFullAndReadOnly(t *testing.T) {
	c := NewCrashFS()
	c.SetCapacity(4)
	f, _ := c.OpenFile("f", os.O_CREATE|os.O_WRONLY, 0o644)
	n, err := io.WriteString(f, "abcdef")
	if n != 4 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %d, %v; want 4, ENOSPC", n, err)
	}
	c.SetReadOnly(true)
	if err := c.MkdirAll("d", 0o755); !errors.Is(err, syscall.EROFS) {
		t.Errorf("mkdir: got %v, want EROFS", err)
	}
}

func TestLocksEndWithCloseAndCrash(t *testing.T) {
	c := NewCrashFS()
	l, err := c.Lock("l")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Lock("l"); !errors.Is(err, fsys.ErrLocked) {
		t.Errorf("got %v, want ErrLocked", err)
	}
	l.Close()
	if text(t, c, "l") != "-" {
		t.Error("the lock file stays")
	}
	if _, err = c.Lock("l"); err != nil {
		t.Fatal(err)
	}
	c.Crash(nil)
	if _, err = c.Lock("l"); err != nil {
		t.Errorf("after a crash: %v", err)
	}
}

func TestAfterCrashIsACopyOfWhatIsDurable(t *testing.T) {
	c := NewCrashFS()
	put(t, c, "a", "1", true, true)
	put(t, c, "b", "2", true, false)
	left := c.AfterCrash()
	put(t, left, "a", "9", true, true)
	if text(t, left, "b") != "-" || text(t, c, "a") != "1" || text(t, c, "b") != "2" {
		t.Errorf("left b = %q; a = %q, b = %q", text(t, left, "b"), text(t, c, "a"), text(t, c, "b"))
	}
}
