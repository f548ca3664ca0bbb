package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// resumeInput has new URLs, duplicates near and far, and rejects.
func resumeInput(t *testing.T) string {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 5))
	var b bytes.Buffer
	for i := range 70_000 {
		switch r.IntN(8) {
		case 0:
			fmt.Fprintf(&b, "http://[broken%d\n", i)
		case 1, 2, 3:
			fmt.Fprintf(&b, "http://host%d.example/a/../path?id=%d\n", i%97, r.IntN(i+1)/3)
		default:
			fmt.Fprintf(&b, "HTTP://host%d.example/path?id=%d\n", i%97, i)
		}
	}
	name := filepath.Join(t.TempDir(), "in.txt")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestAKilledJobGoesOnToTheSameBytes kills a job at random moments and resumes it until it comes to its end:
// what it publishes is what an undisturbed job does, and nothing else lies around. -e2e does it many more times.
func TestAKilledJobGoesOnToTheSameBytes(t *testing.T) {
	rounds := 2
	if *e2e {
		rounds = 100
	}
	if testing.Short() {
		rounds = 1
	}
	in := resumeInput(t)
	killed := 0
	for _, c := range []struct {
		name string
		args []string
	}{
		{"out.txt", nil},
		{"out.jsonl.gz", []string{"--duplicates", "out.seen.jsonl"}},
		{"out.parquet", []string{"--duplicates", "mark"}},
		{"out", []string{"--file-rows", "20000", "--row-group-rows", "3000"}},
		{"out.jsonl", []string{"--dedup-memory", "2MiB", "--workers", "3", "--columns", "url"}},
		{"each", []string{"--sort", "file", "--file-rows", "4000", "--sort-memory", "1MiB", "--duplicates", "each.seen"}},
		{"sorted", []string{"--sort", "global", "--file-rows", "20000", "--sort-memory", "1MiB"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"run", "-q", in, "--output", c.name, "--state", "state"}, c.args...)
			if !slices.Contains(c.args, "global") { // which has one checkpoint
				args = append(args, "--checkpoint-records", "5000")
			}
			want := t.TempDir()
			t.Chdir(want)
			took := timeOf(t, args)
			for round := range rounds {
				dir := t.TempDir()
				t.Chdir(dir)
				resumed := slices.Clone(args)
				for n := 0; killAfter(t, resumed, time.Duration(rand.Int64N(int64(took)))); n++ {
					killed++
					if n == 0 {
						resumed = append(resumed, "--resume")
					}
					if n == 8 { // it may be that no time is long enough on a busy machine
						break
					}
				}
				timeOf(t, append(slices.Clone(args), "--resume"))
				sameTree(t, fmt.Sprint("round ", round), want, dir)
			}
		})
	}
	if killed == 0 {
		t.Error("it was always done before it was killed: the test shows nothing")
	}
}

// sameTree compares all that lies in two directories, but for the states.
func sameTree(t *testing.T, what, want, got string) {
	t.Helper()
	read := func(dir string) map[string]string {
		files := map[string]string{}
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			name, _ := filepath.Rel(dir, path)
			if err != nil || d.IsDir() || strings.HasPrefix(name, "state"+string(filepath.Separator)) {
				return err
			}
			data, err := os.ReadFile(path)
			files[name] = string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	wanted, found := read(want), read(got)
	for name, data := range wanted {
		if found[name] != data {
			t.Errorf("%s: %s has %d bytes, want %d, or others", what, name, len(found[name]), len(data))
		}
	}
	for name := range found {
		if _, ok := wanted[name]; !ok {
			t.Errorf("%s: %s is left behind", what, name)
		}
	}
}
