package dedup_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urisieve/urisieve/internal/fsys"
	"github.com/urisieve/urisieve/pipeline/dedup"
	"github.com/urisieve/urisieve/pipeline/pipetest"
)

func openRead(t *testing.T, files fsys.FS, dir string) *dedup.ReadState {
	t.Helper()
	r, err := dedup.OpenRead(dedup.ReadOptions{FS: files, Dir: dir, Scratch: fsys.Scratch{FS: fsys.OS{}, Dir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// timesOf collects what an Each gives.
func timesOf(t *testing.T, each func(func(k dedup.Key, time uint32) error) error) map[dedup.Key]uint32 {
	t.Helper()
	all := map[dedup.Key]uint32{}
	last, first := dedup.Key{}, true
	err := each(func(k dedup.Key, time uint32) error {
		if !first && (k[0] < last[0] || k[0] == last[0] && k[1] <= last[1]) {
			t.Fatalf("%x comes after %x", k, last)
		}
		last, first = k, false
		all[k] = time
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// seenTimes are the times of the keys that a model sees, whatever their hosts.
func (m *stateModel) seenTimes() map[dedup.Key]uint32 {
	seen := map[dedup.Key]uint32{}
	for k, t := range m.times {
		if t >= m.floor {
			seen[k] = t
		}
	}
	return seen
}

// What is read beside the process that writes is the last commit, before and after that removes files.
func TestReadStateIsTheLastCommit(t *testing.T) {
	files := pipetest.NewCrashFS()
	r := rand.New(rand.NewPCG(4, 4))
	d := &stateDriver{t: t, r: r, state: openTiny(t, files, 0), model: newStateModel(0), verbs: true, keys: 9000, clock: 10_000}
	synced := d.model.clone()
	var open *dedup.ReadState
	var opened *stateModel
	check := func() {
		seen := opened.seenTimes()
		if got := timesOf(t, open.Each); !maps.Equal(got, seen) {
			t.Fatalf("%d keys are read of %d", len(got), len(opened.times))
		}
		var keys []dedup.Key
		for range 300 {
			keys = append(keys, stateKey(r.Uint64N(d.keys)))
		}
		got := make([]uint32, len(keys))
		if err := open.Times(keys, got); err != nil {
			t.Fatal(err)
		}
		for i, k := range keys {
			if want := seen[k]; got[i] != want {
				t.Fatalf("key %x: time %d, want %d", k, got[i], want)
			}
		}
	}
	for round := range 160 {
		if err := d.batch(); err != nil {
			t.Fatal(err)
		}
		if round%16 == 0 {
			if err := d.forget(); err != nil {
				t.Fatal(err)
			}
		}
		if round%5 == 0 {
			if err := d.settle(); err != nil {
				t.Fatal(err)
			}
			if err := d.state.Sync(); err != nil {
				t.Fatal(err)
			}
			synced = d.model.clone()
		}
		if round%20 == 7 {
			if open != nil {
				check() // its files may be gone by now
			}
			open, opened = openRead(t, files, "st/ate"), synced
			check()
		}
	}
	if got := timesOf(t, d.state.Each); !maps.Equal(got, d.model.seenTimes()) {
		t.Errorf("Each of the State gives %d keys of %d", len(got), len(d.model.times))
	}
}

// gone is a file system where a file goes away just before it is opened, once.
type gone struct {
	*pipetest.CrashFS
	name string
	then func()
}

func (g *gone) OpenFile(name string, flag int, perm fs.FileMode) (fsys.File, error) {
	if then := g.then; then != nil && strings.Contains(name, g.name) {
		g.then = nil
		then()
	}
	return g.CrashFS.OpenFile(name, flag, perm)
}

func TestReadStateLooksAgainWhenAFileWentAway(t *testing.T) {
	for _, name := range []string{"journal-", "run-"} {
		files := pipetest.NewCrashFS()
		d := &stateDriver{t: t, r: rand.New(rand.NewPCG(4, 4)), model: newStateModel(0), keys: 50_000, clock: 10_000}
		var err error
		if d.state, err = openTinyErr(files, 0); err != nil {
			t.Fatal(err)
		}
		batches := func(n int) {
			for range n {
				if err := d.batch(); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(d.settle(), d.state.Sync()); err != nil {
				t.Fatal(err)
			}
		}
		batches(60)
		before := d.state.Stats()
		read := openRead(t, &gone{files, name, func() { batches(200) }}, "st/ate")
		if after := d.state.Stats(); after.Shards/256 < before.Shards/256+4 {
			t.Errorf("%s: nothing was merged while it was opened", name)
		}
		if got := timesOf(t, read.Each); !maps.Equal(got, d.model.seenTimes()) {
			t.Errorf("%s: %d keys are read of %d", name, len(got), len(d.model.times))
		}
	}
}

// A snapshot is a state of its own, as the other one was, on a file system with links and on one without.
func TestSnapshotIsAStateOfItsOwn(t *testing.T) {
	temp := t.TempDir()
	for _, c := range []struct {
		name    string
		files   fsys.FS
		dir, to string
	}{
		{"copied", pipetest.NewCrashFS(), "st/ate", "sn/ap"},
		{"linked", fsys.OS{}, filepath.Join(temp, "state"), filepath.Join(temp, "snap")},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := stateOptions(c.files, 0)
			o.Dir = c.dir
			open := func() *dedup.State {
				s, err := dedup.OpenTinyState(o, tinyMemory, tinySlack)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			d := &stateDriver{t: t, r: rand.New(rand.NewPCG(4, 4)), state: open(), model: newStateModel(0), verbs: true, keys: 20_000, clock: 10_000}
			more := func() {
				for range 60 {
					if err := d.batch(); err != nil {
						t.Fatal(err)
					}
				}
				if err := errors.Join(d.settle(), d.state.Sync()); err != nil {
					t.Fatal(err)
				}
			}
			more()
			read, want := openRead(t, c.files, c.dir), d.model.seenTimes()
			more()
			if err := read.Snapshot(c.to); err != nil {
				t.Fatal(err)
			}
			if err := read.Snapshot(c.to); err == nil {
				t.Error("a second snapshot in the same directory is made")
			}
			d.state.Close()
			if report, err := dedup.Verify(c.files, c.to); err != nil || len(report.Damage) > 0 {
				t.Errorf("Verify: %v, %v", report.Damage, err)
			}
			o.Dir = c.to
			snap := open()
			defer snap.Close()
			if got := timesOf(t, snap.Each); !maps.Equal(got, want) {
				t.Errorf("%d keys of %d", len(got), len(want))
			}
		})
	}
}

// Merge makes one of several states: a key is as late as in the latest of them.
func TestMergeTakesTheLatest(t *testing.T) {
	files := pipetest.NewCrashFS()
	secret := dedup.Secret{7}
	all := newStateModel(0)
	open := func(dir, settings string) *dedup.State {
		s, err := dedup.OpenTinyState(dedup.StateOptions{FS: files, Dir: dir, SettingsID: settings, Secret: &secret}, tinyMemory, tinySlack)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var from []*dedup.ReadState
	for i := range uint64(3) {
		d := &stateDriver{t: t, r: rand.New(rand.NewPCG(i, 4)), state: open(fmt.Sprint("from", i), "a"), model: newStateModel(0), verbs: true, keys: 6000, clock: 10_000 * uint32(i+1)}
		for range 40 {
			if err := d.batch(); err != nil {
				t.Fatal(err)
			}
		}
		if i == 1 {
			if err := d.state.ForgetHost(stateHost(2), 10_000); err != nil {
				t.Fatal(err)
			}
			all.hosts[stateHost(2)] = 10_000
		}
		if err := errors.Join(d.settle(), d.state.Sync(), d.state.Close()); err != nil {
			t.Fatal(err)
		}
		for k, time := range d.model.times {
			all.times[k] = max(all.times[k], time)
		}
		from = append(from, openRead(t, files, fmt.Sprint("from", i)))
	}
	dst := open("to", "a")
	if err := errors.Join(dedup.Merge(dst, from...), dst.Sync(), dst.Close()); err != nil {
		t.Fatal(err)
	}
	dst = open("to", "a")
	if got := timesOf(t, dst.Each); !maps.Equal(got, all.times) {
		t.Errorf("%d keys of %d", len(got), len(all.times))
	}
	d := &stateDriver{t: t, r: rand.New(rand.NewPCG(9, 4)), state: dst, model: all, verbs: true, keys: 6000, clock: 40_000}
	for range 20 {
		if err := d.batch(); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.settle(); err != nil {
		t.Fatal(err)
	}
	dst.Close()

	other := open("other", "b")
	if err := dedup.Merge(other, from...); err == nil || !strings.Contains(err.Error(), "settings b, these are a") {
		t.Errorf("other settings: %v", err)
	}
	own, err := dedup.OpenState(dedup.StateOptions{FS: files, Dir: "own", SettingsID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if err := dedup.Merge(own, from...); err == nil || !strings.Contains(err.Error(), from[0].KeyID()) {
		t.Errorf("another secret: %v", err)
	}
}

// The keys of known states count as noted before all others.
func TestKnownStatesCountAsSeen(t *testing.T) {
	files := pipetest.NewCrashFS()
	secret := dedup.Secret{7}
	open := func(dir string, known ...*dedup.ReadState) *dedup.State {
		s, err := dedup.OpenTinyState(dedup.StateOptions{FS: files, Dir: dir, SettingsID: "a", Secret: &secret, Known: known, TTL: 5000 * time.Second}, tinyMemory, tinySlack)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var known []*dedup.ReadState
	model := newStateModel(5000)
	for i := range uint64(2) {
		d := &stateDriver{t: t, r: rand.New(rand.NewPCG(i, 4)), state: open(fmt.Sprint("known", i)), model: newStateModel(5000), verbs: true, keys: 9000 * (i + 1), clock: 10_000}
		for range 50 {
			if err := d.batch(); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(d.settle(), d.state.Sync(), d.state.Close()); err != nil {
			t.Fatal(err)
		}
		for k, time := range d.model.times {
			model.times[k] = max(model.times[k], time)
		}
		known = append(known, openRead(t, files, fmt.Sprint("known", i)))
	}
	t.Run("in a State", func(t *testing.T) {
		d := &stateDriver{t: t, r: rand.New(rand.NewPCG(9, 4)), state: open("new", known...), model: model.clone(), verbs: true, keys: 20_000, clock: 12_000}
		for range 10 {
			for range 20 {
				if err := d.batch(); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(d.settle(), d.state.Sync(), d.state.Close()); err != nil {
				t.Fatal(err)
			}
			d.state, d.want, d.taken = open("new", known...), nil, 0
		}
		d.checkAll()
	})
	t.Run("in a Spilling", func(t *testing.T) {
		s := dedup.NewSpilling(dedup.SpillingOptions{Memory: 2 << 20, Scratch: fsys.Scratch{FS: fsys.OS{}, Dir: t.TempDir()}, Known: known})
		defer s.Close()
		var keys []dedup.Key
		for x := range uint64(20_000) {
			keys = append(keys, stateKey(x))
		}
		verdicts := make([]dedup.Verdict, len(keys))
		if err := errors.Join(s.Claim(keys, verdicts), s.Settle()); err != nil {
			t.Fatal(err)
		}
		n := uint64(0)
		for i, k := range keys {
			got := verdicts[i]
			if got == dedup.Pending {
				got = s.Take(n)
				n++
			}
			if _, ok := model.times[k]; ok != (got == dedup.Seen) {
				t.Fatalf("key %x: got %d, known: %v", k, got, ok)
			}
		}
	})
	t.Run("with another secret", func(t *testing.T) {
		other := dedup.Secret{8}
		_, err := dedup.OpenState(dedup.StateOptions{FS: files, Dir: "x", SettingsID: "a", Secret: &other, Known: known})
		if err == nil || !strings.Contains(err.Error(), known[0].KeyID()) {
			t.Errorf("got %v", err)
		}
	})
}

// A state whose keys are forced and forgotten again and again stays small.
func TestStateWritesItsJournalAnew(t *testing.T) {
	files := pipetest.NewCrashFS()
	d := &stateDriver{t: t, r: rand.New(rand.NewPCG(4, 4)), state: openTiny(t, files, 0), model: newStateModel(0), verbs: true, keys: 300, clock: 10_000}
	for range 1000 {
		if err := errors.Join(d.batch(), d.settle(), d.state.Sync()); err != nil {
			t.Fatal(err)
		}
		if st := d.state.Stats(); st.JournalBytes > 3*tinySlack || st.Journals > 2 {
			t.Fatalf("its %d journals have %d bytes", st.Journals, st.JournalBytes)
		}
	}
	if n := d.state.Stats().Commits; n < 900 {
		t.Errorf("%d commits", n)
	}
	d.state.Close()
	d.state, d.want, d.taken = openTiny(t, files, 0), nil, 0
	d.checkAll()
}

// A Sync with nothing to make durable writes nothing.
func TestStateSyncOfNothing(t *testing.T) {
	files := pipetest.NewCrashFS()
	s := openTiny(t, files, 0)
	before := files.Ops()
	if err := s.Sync(); err != nil || files.Ops() != before {
		t.Errorf("%d operations, %v", files.Ops()-before, err)
	}
}

// A directory that has other files is left alone, and one where a state was being made is taken.
func TestStateTakesOnlyItsOwnDirectory(t *testing.T) {
	files := pipetest.NewCrashFS()
	files.MkdirAll("st/ate", 0o755)
	f, _ := files.OpenFile("st/ate/thesis.txt", os.O_WRONLY|os.O_CREATE, 0o600)
	f.Close()
	if _, err := dedup.OpenState(stateOptions(files, 0)); err == nil || !strings.Contains(err.Error(), "thesis.txt") {
		t.Errorf("got %v", err)
	}
	if _, err := dedup.OpenRead(dedup.ReadOptions{FS: files, Dir: "st/ate"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("read: got %v", err)
	}
	if _, err := dedup.Verify(files, "st/ate"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("verify: got %v", err)
	}
}

var writeFixture = flag.Bool("write-fixture", false, "write testdata/state-1 anew")

// fixture asks what testdata/state-1 was made with, and gives what it must answer from.
func fixture(t *testing.T, ask func(asks []dedup.Ask)) *stateModel {
	t.Helper()
	model := newStateModel(0)
	var asks []dedup.Ask
	add := func(a dedup.Ask) {
		model.ask(a)
		if asks = append(asks, a); len(asks) == 50 {
			ask(asks)
			asks = nil
		}
	}
	key := func(x uint32) dedup.Key { return dedup.Key{uint64(x) * 0x9e3779b97f4a7c15 >> 8, uint64(x)} }
	for x := uint32(1); x <= 600; x++ {
		add(dedup.Ask{Key: key(x), Time: 1000 + x})
		if x%10 == 3 {
			add(dedup.Ask{Key: key(x / 2), Verb: dedup.Forget})
		}
		if x%7 == 0 {
			add(dedup.Ask{Key: key(x / 3), Time: 5000, Verb: dedup.Force})
		}
	}
	ask(asks)
	return model
}

// A state of format version 1 opens as long as this program says that it reads version 1.
func TestStateOfVersion1Opens(t *testing.T) {
	const dir = "testdata/state-1"
	if *writeFixture {
		makeFixture(t, dir)
	}
	model := fixture(t, func([]dedup.Ask) {})
	model.hosts[stateHost(1)] = 1100
	temp := filepath.Join(t.TempDir(), "state")
	if err := os.CopyFS(temp, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	o := dedup.StateOptions{Dir: temp, SettingsID: "rfc3986-1.u17+fixture"}
	s, err := dedup.OpenState(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := timesOf(t, s.Each); !maps.Equal(got, model.times) {
		t.Errorf("%d keys of %d", len(got), len(model.times))
	}
	if string(s.Progress()) != "fixture" || s.Secret() != dedup.Secret(testSecret) || s.Created() != time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) {
		t.Errorf("progress %q, made %v", s.Progress(), s.Created())
	}
	var asks []dedup.Ask
	for _, k := range slices.SortedFunc(maps.Keys(model.times), func(a, b dedup.Key) int { return bytes.Compare(fmt.Append(nil, a), fmt.Append(nil, b)) }) {
		asks = append(asks, dedup.Ask{Key: k, Time: 6000, Host: stateHost(k[1])})
	}
	verdicts := make([]dedup.Verdict, len(asks))
	if err := errors.Join(s.Ask(asks, verdicts), s.Settle()); err != nil {
		t.Fatal(err)
	}
	n := uint64(0)
	for i, a := range asks {
		got := verdicts[i]
		if got == dedup.Pending {
			got = s.Take(n)
			n++
		}
		if want := model.ask(a); got != want {
			t.Errorf("%v: got %d, want %d", a, got, want)
		}
	}
}

func makeFixture(t *testing.T, dir string) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "secret"), fmt.Appendf(nil, "%x\n", testSecret), 0o600)); err != nil {
		t.Fatal(err)
	}
	o := dedup.StateOptions{Dir: dir, SettingsID: "rfc3986-1.u17+fixture", Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	s, err := dedup.OpenTinyState(o, 10<<10, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	taken := uint64(0)
	fixture(t, func(asks []dedup.Ask) {
		err := errors.Join(s.Ask(asks, make([]dedup.Verdict, len(asks))), s.Settle())
		if err != nil {
			t.Fatal(err)
		}
		for ; taken < s.Known(); taken++ {
			s.Take(taken)
		}
	})
	if err := errors.Join(s.ForgetHost(stateHost(1), 1100), s.SetProgress([]byte("fixture")), s.Sync(), s.Close()); err != nil {
		t.Fatal(err)
	}
}
