package dedup_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/pipeline/dedup"
	"github.com/urisieve/urisieve/pipeline/pipetest"
)

// damagedState is a State with several runs and journals, that was closed after a Sync and a few more claims.
type damagedState struct {
	files *pipetest.CrashFS
	model *stateModel // as of the last Sync
	keys  uint64
	clock uint32
}

func newDamagedState(t *testing.T) *damagedState {
	t.Helper()
	s := &damagedState{files: pipetest.NewCrashFS(), keys: 6000}
	d := &stateDriver{t: t, r: rand.New(rand.NewPCG(3, 3)), state: newState(t, s.files), model: newStateModel(0), keys: s.keys, clock: 10_000}
	for round := range 70 {
		if err := d.batch(); err != nil {
			t.Fatal(err)
		}
		if round == 50 {
			if err := d.state.ForgetHost(stateHost(3), 1); err != nil {
				t.Fatal(err)
			}
		}
		if round%10 == 0 || round == 69 {
			if err := d.settle(); err != nil {
				t.Fatal(err)
			}
			d.state.SetProgress([]byte{byte(round)})
			if err := d.state.Sync(); err != nil {
				t.Fatal(err)
			}
			s.model, s.clock = d.model.clone(), d.clock
		}
	}
	if st := d.state.Stats(); st.Runs < 2 || st.Journals < 2 {
		t.Fatalf("%d runs and %d journals aren't enough for this test", st.Runs, st.Journals)
	}
	if err := d.state.Close(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"st/ate", "st", "."} {
		s.files.SyncDir(dir)
	}
	return s
}

// newState makes a state with testSecret lying in it.
func newState(t *testing.T, files *pipetest.CrashFS) *dedup.State {
	t.Helper()
	if err := files.MkdirAll("st/ate", 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := files.OpenFile("st/ate/secret", os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(f, "%x\n", testSecret)
	f.Sync()
	s, err := openTinyErr(files, 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// copy is the state on a disk of its own.
func (s *damagedState) copy() *damagedState {
	return &damagedState{s.files.AfterCrash(), s.model, s.keys, s.clock}
}

func (s *damagedState) open(t *testing.T, name string) interface {
	io.ReadWriteSeeker
	Truncate(size int64) error
	Sync() error
	Close() error
} {
	t.Helper()
	f, err := s.files.OpenFile(path.Join("st/ate", name), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (s *damagedState) flip(t *testing.T, name string, at int64, bit byte) {
	t.Helper()
	f := s.open(t, name)
	var b [1]byte
	f.Seek(at, io.SeekStart)
	if _, err := f.Read(b[:]); err != nil {
		t.Fatal(err)
	}
	b[0] ^= bit
	f.Seek(at, io.SeekStart)
	f.Write(b[:])
	f.Sync()
	f.Close()
}

func (s *damagedState) truncate(t *testing.T, name string, size int64) {
	t.Helper()
	f := s.open(t, name)
	f.Truncate(size)
	f.Sync()
	f.Close()
}

// answers asks for all keys, and says how many that were emitted came out as New, and how many that weren't as Seen.
func (s *damagedState) answers() (lost, wrong int, err error) {
	st, err := dedup.OpenTinyState(stateOptions(s.files, 0), tinyMemory, tinySlack)
	if err != nil {
		return 0, 0, err
	}
	defer st.Close()
	var pending []bool
	count := func(emitted bool, v dedup.Verdict) {
		switch {
		case emitted && v == dedup.New:
			lost++
		case !emitted && v == dedup.Seen:
			wrong++
		}
	}
	for from := uint64(0); from < s.keys; from += 300 {
		var keys []dedup.Key
		for x := from; x < from+300; x++ {
			keys = append(keys, stateKey(x))
		}
		got := make([]dedup.Verdict, len(keys))
		if err := st.Claim(keys, got); err != nil {
			return 0, 0, err
		}
		for i, k := range keys {
			if _, emitted := s.model.times[k]; got[i] == dedup.Pending {
				pending = append(pending, emitted)
			} else {
				count(emitted, got[i])
			}
		}
	}
	if err := st.Settle(); err != nil {
		return 0, 0, err
	}
	for n, emitted := range pending {
		count(emitted, st.Take(uint64(n)))
	}
	return lost, wrong, nil
}

// stateFiles lists the files of a state with their lengths.
func (s *damagedState) stateFiles(t *testing.T) (names []string, sizes map[string]int64) {
	t.Helper()
	entries, err := s.files.ReadDir("st/ate")
	if err != nil {
		t.Fatal(err)
	}
	sizes = map[string]int64{}
	for _, e := range entries {
		info, _ := e.Info()
		names, sizes[e.Name()] = append(names, e.Name()), info.Size()
	}
	return names, sizes
}

// sample gives offsets of a file: all of a short one, else its edges and some at random.
func sample(r *rand.Rand, size int64, most int) (at []int64) {
	if size <= int64(most) {
		for i := range size {
			at = append(at, i)
		}
		return at
	}
	const edge = 40
	for i := int64(0); i < edge; i += 5 {
		at = append(at, i, size-1-i)
	}
	for range most - len(at) {
		at = append(at, r.Int64N(size))
	}
	slices.Sort(at)
	at = slices.DeleteFunc(slices.Compact(at), func(i int64) bool { return i < 0 || i >= size })
	return at
}

// records gives some of the ends of the records of a journal, where a file may be cut without leaving a part of one.
func (s *damagedState) records(t *testing.T, name string) (ends []int64) {
	t.Helper()
	if !strings.HasPrefix(name, "journal-") {
		return nil
	}
	f := s.open(t, name)
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	for at := int64(32); at < int64(len(text)); at += 12 + int64(binary.LittleEndian.Uint32(text[at:])) {
		ends = append(ends, at)
	}
	return append(ends[max(0, len(ends)-6):], ends[0])
}

// checkDamage holds a state with damage in one file, from a byte on, against what is promised: it is told, with its place, by Verify, and by
// opening and asking, unless that gives the right answers; and Repair makes a state of it that has lost no more than it says.
func (s *damagedState) checkDamage(t *testing.T, what, name string, at int64) {
	t.Helper()
	place := func(err error) bool {
		var d *dedup.DamageError
		const longest = 48 << 10 // of a record
		return errors.As(err, &d) && path.Base(d.File) == name && d.Byte <= at && at-d.Byte < longest
	}
	report, err := dedup.Verify(s.files, "st/ate")
	if err != nil {
		t.Fatalf("%s: Verify: %v", what, err)
	}
	if !slices.ContainsFunc(report.Damage, func(d *dedup.DamageError) bool { return place(d) }) {
		t.Errorf("%s: Verify reports %v", what, report.Damage)
	}
	lost, wrong, err := s.copy().answers()
	switch {
	case err != nil && !place(err):
		t.Errorf("%s: the error is %v", what, err)
	case err == nil && lost+wrong > 0:
		t.Errorf("%s: %d emitted keys are new, %d others seen, and no error", what, lost, wrong)
	}
	secret := dedup.Secret(testSecret)
	repaired, err := dedup.Repair(dedup.StateOptions{FS: s.files, Dir: "st/ate", SettingsID: "rfc3986-1.u17+3f9c", Secret: &secret})
	if err != nil {
		t.Fatalf("%s: Repair: %v", what, err)
	}
	report, err = dedup.Verify(s.files, "st/ate")
	if err != nil || len(report.Damage) > 0 {
		t.Errorf("%s: after the repair: %v, %v", what, report.Damage, err)
	}
	lost, wrong, err = s.answers()
	if err != nil || wrong > 0 || int64(lost) > repaired.Dropped {
		t.Errorf("%s: repaired, it has lost %d keys of at most %d, and sees %d that weren't emitted: %v", what, lost, repaired.Dropped, wrong, err)
	}
	if name != "committed" && len(repaired.Aside) == 0 {
		t.Errorf("%s: no file was put aside", what)
	}
}

var testSecret = [16]byte{1, 2, 3}

// Every byte of every file, if it changes, is found, and every file that is cut short.
func TestStateFindsDamage(t *testing.T) {
	whole := newDamagedState(t)
	names, sizes := whole.stateFiles(t)
	if lost, wrong, err := whole.copy().answers(); lost+wrong > 0 || err != nil {
		t.Fatalf("without damage, %d emitted keys are new, %d others seen: %v", lost, wrong, err)
	}
	report, err := dedup.Verify(whole.files, "st/ate")
	if err != nil || len(report.Damage) > 0 || report.Files != len(names) {
		t.Fatalf("without damage, Verify says %+v, %v of %d files", report, err, len(names))
	}
	r := rand.New(rand.NewPCG(8, 8))
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			for _, at := range sample(r, sizes[name], seedCount()) {
				s := whole.copy()
				bit := byte(1) << r.IntN(8)
				s.flip(t, name, at, bit)
				s.checkDamage(t, "bit flipped", name, at)
				if t.Failed() {
					t.Fatalf("byte %d of %d, bit %#x", at, sizes[name], bit)
				}
			}
			for _, size := range append(sample(r, sizes[name], seedCount()/2), whole.records(t, name)...) {
				s := whole.copy()
				s.truncate(t, name, size)
				s.checkDamage(t, "cut short", name, size)
				if t.Failed() {
					t.Fatalf("%d of %d bytes", size, sizes[name])
				}
			}
			s := whole.copy()
			if err := s.files.Remove(path.Join("st/ate", name)); err != nil {
				t.Fatal(err)
			}
			if name == "secret" {
				return // that is a state whose secret was given
			}
			report, err := dedup.Verify(s.files, "st/ate")
			if err != nil || len(report.Damage) == 0 || path.Base(report.Damage[0].File) != name {
				t.Errorf("missing: Verify reports %v, %v", report.Damage, err)
			}
		})
	}
}

// What was added to a file is found.
func TestStateFindsLongerFiles(t *testing.T) {
	whole := newDamagedState(t)
	names, sizes := whole.stateFiles(t)
	for _, name := range names {
		if name == "committed" || strings.HasPrefix(name, "journal-") {
			continue // what is behind their end doesn't count
		}
		s := whole.copy()
		f := s.open(t, name)
		f.Seek(0, io.SeekEnd)
		f.Write([]byte("\n"))
		f.Sync()
		f.Close()
		s.checkDamage(t, "longer", name, sizes[name])
	}
}

// Where the last commit can be read neither in the journal nor in the mark, what is before it is kept.
func TestRepairWithoutTheLastCommit(t *testing.T) {
	s := newDamagedState(t)
	names, sizes := s.stateFiles(t)
	last := ""
	for _, name := range names {
		if strings.HasPrefix(name, "journal-") {
			last = name
		}
	}
	s.flip(t, "committed", 50, 1)
	s.flip(t, last, sizes[last]-10, 1)
	secret := dedup.Secret(testSecret)
	repaired, err := dedup.Repair(dedup.StateOptions{FS: s.files, Dir: "st/ate", SettingsID: "rfc3986-1.u17+3f9c", Secret: &secret})
	if err != nil {
		t.Fatal(err)
	}
	lost, wrong, err := s.answers()
	if err != nil || wrong > 0 || lost > 0 {
		t.Errorf("it has lost %d keys (at most %d, it says), and sees %d that weren't emitted: %v", lost, repaired.Dropped, wrong, err)
	}
}

// A machine that stops while a state is repaired leaves one that can be repaired.
func TestRepairSurvivesACrash(t *testing.T) {
	whole := newDamagedState(t)
	names, sizes := whole.stateFiles(t)
	secret := dedup.Secret(testSecret)
	options := func(s *damagedState) dedup.StateOptions {
		return dedup.StateOptions{FS: s.files, Dir: "st/ate", SettingsID: "rfc3986-1.u17+3f9c", Secret: &secret}
	}
	for _, name := range names {
		for stop := 1; ; stop++ {
			s := whole.copy()
			s.flip(t, name, sizes[name]/2, 4)
			s.files.StopAt(s.files.Ops() + stop)
			_, err := dedup.Repair(options(s))
			s.files.Crash(rand.New(rand.NewPCG(uint64(stop), 2)))
			if err == nil {
				break
			}
			if _, err := dedup.Repair(options(s)); err != nil {
				t.Fatalf("%s, stopped at %d: %v", name, stop, err)
			}
			lost, wrong, err := s.answers()
			if err != nil || wrong > 0 || lost > 3000 {
				t.Fatalf("%s, stopped at %d: repaired, it has lost %d keys, and sees %d that weren't emitted: %v", name, stop, lost, wrong, err)
			}
		}
	}
}
