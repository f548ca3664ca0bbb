package sources

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree makes files, each with its name as content, and goes there.
func tree(t *testing.T, names ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, name := range names {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(name+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestInputsAreFoundInOrder(t *testing.T) {
	tree(t, "z.txt", "a.txt", "[odd].txt", "d/2.txt", "d/10.txt", "d/.hidden", "d/_SUCCESS", "d/sub/x.log", "d/_tmp/y", "d/sub/deep/w.txt", "d-1/q.txt")
	for _, c := range []struct{ inputs, want string }{
		{"z.txt a.txt z.txt", "z.txt a.txt z.txt"},
		{"d", "d/10.txt d/2.txt d/sub/deep/w.txt d/sub/x.log"},
		{"*.txt", "[odd].txt a.txt z.txt"},
		{"[odd].txt", "[odd].txt"},
		{"[az].txt", "a.txt z.txt"},
		{"d/*", "d/10.txt d/2.txt d/sub/deep/w.txt d/sub/x.log"},
		{"d/.*", "d/.hidden"},
		{"d/_S*", "d/_SUCCESS"},
		{"d/?.txt ./a.txt", "d/2.txt ./a.txt"},
		{"**/*.txt", "[odd].txt a.txt d/10.txt d/2.txt d/sub/deep/w.txt d-1/q.txt z.txt"},
		{"d/**/x.*", "d/sub/x.log"},
		{"d/**", "d/10.txt d/2.txt d/sub/deep/w.txt d/sub/x.log"},
		{"d*/**/*/w.txt", "d/sub/deep/w.txt"},
	} {
		found, err := findInputs(strings.Fields(c.inputs))
		if err != nil {
			t.Errorf("%s: %v", c.inputs, err)
		}
		var names []string
		for _, in := range found {
			names = append(names, in.name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.inputs, got, c.want)
		}
	}
}

func TestAllInputsThatCannotBeReadAreReportedAtOnce(t *testing.T) {
	tree(t, "ok", "empty/_SUCCESS", "closed")
	if err := os.Chmod("closed", 0); err != nil {
		t.Fatal(err)
	}
	_, err := Open(context.Background(), Options{Inputs: []string{"ok", "missing.txt", "empty", "no*.gz", "closed", "-", "-"}, Format: "texd", MaxExpansion: -1})
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		`input_format: "texd" is not known: want text, csv`, `max_expansion: "-1" is out of range`,
		`input "missing.txt": file does not exist: check the name`, `input "empty": the directory holds no input files: names that begin`,
		`input "no*.gz": no file matches: check the glob`, `input "-": standard input is named twice`,
	}
	if os.Getuid() != 0 {
		want = append(want, `input "closed": permission denied: make it readable`)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%v\nlacks %s", err, w)
		}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error("not fs.ErrNotExist")
	}
	if _, err := Open(context.Background(), Options{}); err == nil || !strings.Contains(err.Error(), "no input is named") {
		t.Errorf("no inputs: %v", err)
	}
}

func TestHeadersOfAllFilesAreCheckedFirst(t *testing.T) {
	tree(t, "a.csv", "b.csv", "c.csv")
	for name, text := range map[string]string{"a.csv": "url,x\nr,1\n", "b.csv": "x,y\n1,2\n", "c.csv": "\xef\xbb\xbf\r\nx,url\n2,s\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{Inputs: []string{"a.csv", "b.csv", "c.csv"}, Format: "csv", RefFields: []string{"url"}}
	if _, err := Open(context.Background(), o); err == nil || !strings.Contains(err.Error(), `input "b.csv": the header has no field "url"`) || strings.Contains(err.Error(), "a.csv") || strings.Contains(err.Error(), "c.csv") {
		t.Errorf("got %v", err)
	}
	o.Inputs = []string{"a.csv", "c.csv"}
	f, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := strings.Join(readAll(t, f, 0), "\n"); got != "1@6 |r\n1@11 |s" {
		t.Errorf("fields in another order in the second file: got %q", got)
	}
}

func TestStatsOfSeveralFiles(t *testing.T) {
	tree(t, "a", "b", "c")
	f, err := Open(context.Background(), Options{Inputs: []string{"a", "b", "c"}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	readAll(t, f, 1)
	s := f.Stats()
	if s.Records != 3 || s.BytesIn != 6 || s.BytesTotal != 6 || s.BytesPlain != 6 || len(s.Inputs) != 3 {
		t.Errorf("got %+v", s)
	}
	for _, in := range s.Inputs {
		if !in.Done || in.Records != 1 || in.BytesIn != 2 || in.BytesPlain != 2 || in.Damage != nil {
			t.Errorf("got %+v", in)
		}
	}
}
