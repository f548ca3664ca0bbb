package dedup_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/urisieve/urisieve/internal/fsys"
	"github.com/urisieve/urisieve/pipeline/dedup"
	"github.com/urisieve/urisieve/pipeline/pipetest"
)

// stateModel is a State as a map.
type stateModel struct {
	ttl   uint64
	times map[dedup.Key]uint32
	hosts map[dedup.Key]uint32
	floor uint32
}

func newStateModel(ttl uint64) *stateModel {
	return &stateModel{ttl: ttl, times: map[dedup.Key]uint32{}, hosts: map[dedup.Key]uint32{}}
}

func (m *stateModel) clone() *stateModel {
	return &stateModel{m.ttl, maps.Clone(m.times), maps.Clone(m.hosts), m.floor}
}

func (m *stateModel) ask(a dedup.Ask) dedup.Verdict {
	now := max(a.Time, 1)
	least := max(m.floor, 1)
	if at, ok := m.hosts[a.Host]; ok {
		least = max(least, at+1)
	}
	t := m.times[a.Key]
	switch {
	case a.Verb == dedup.Forget:
		delete(m.times, a.Key)
		return dedup.Seen
	case a.Verb == dedup.Claim && t >= least && (m.ttl == 0 || uint64(now) < uint64(t)+m.ttl):
		return dedup.Seen
	}
	m.times[a.Key] = max(t, now, least)
	if a.Verb == dedup.Note {
		return dedup.Seen
	}
	return dedup.New
}

// stateDriver asks a State at random, and holds its answers against the model.
type stateDriver struct {
	t       *testing.T
	r       *rand.Rand
	state   *dedup.State
	model   *stateModel
	want    []dedup.Verdict // of Pending answers, by number
	taken   uint64
	verbs   bool // not only Claim
	keys    uint64
	clock   uint32
	verdict []dedup.Verdict // all of them, in order
}

// stateKey is one of few shards, so that a cycle is short.
func stateKey(x uint64) dedup.Key {
	if x == 0 {
		return dedup.Key{}
	}
	return dedup.Key{x%5<<56 | x*0x9e3779b97f4a7c15>>8, x}
}

func stateHost(x uint64) dedup.Key { return dedup.Key{x%11 + 1, 7} }

func (d *stateDriver) randomAsk() dedup.Ask {
	x := d.r.Uint64N(d.keys)
	if d.r.IntN(3) == 0 {
		x = d.r.Uint64N(1 + d.keys/50)
	}
	a := dedup.Ask{Key: stateKey(x), Time: d.clock}
	if !d.verbs {
		return a
	}
	a.Time = d.clock - d.r.Uint32N(min(d.clock, 3000)+1)
	if d.r.IntN(4) > 0 {
		a.Host = stateHost(x)
	}
	switch d.r.IntN(12) {
	case 0:
		a.Verb = dedup.Note
	case 1:
		a.Verb = dedup.Force
	case 2:
		a.Verb = dedup.Forget
	}
	return a
}

// batch asks one batch.
func (d *stateDriver) batch() error {
	asks := make([]dedup.Ask, 1+d.r.IntN(300))
	for i := range asks {
		asks[i] = d.randomAsk()
		d.clock += d.r.Uint32N(3)
	}
	got := make([]dedup.Verdict, len(asks))
	if err := d.ask(asks, got); err != nil {
		return err
	}
	for i, a := range asks {
		want := d.model.ask(a)
		if got[i] == dedup.Pending {
			d.want = append(d.want, want)
		} else if got[i] != want {
			d.t.Fatalf("%+v: got %d, want %d", a, got[i], want)
		}
		d.verdict = append(d.verdict, want)
	}
	return nil
}

func (d *stateDriver) ask(asks []dedup.Ask, got []dedup.Verdict) error {
	if d.verbs {
		return d.state.Ask(asks, got)
	}
	keys := make([]dedup.Key, len(asks))
	for i := range asks {
		asks[i].Time = d.clock
		keys[i] = asks[i].Key
	}
	d.state.SetTime(d.clock)
	return d.state.Claim(keys, got)
}

// take takes the answers that are known.
func (d *stateDriver) take() {
	for ; d.taken < d.state.Known(); d.taken++ {
		if got := d.state.Take(d.taken); got != d.want[d.taken] {
			d.t.Fatalf("pending answer %d is %d, want %d", d.taken, got, d.want[d.taken])
		}
	}
}

func (d *stateDriver) settle() error {
	if err := d.state.Settle(); err != nil {
		return err
	}
	if d.state.Known() != uint64(len(d.want)) {
		d.t.Fatalf("after Settle, %d of %d answers are known", d.state.Known(), len(d.want))
	}
	d.take()
	return nil
}

func (d *stateDriver) forget() error {
	at := d.clock - d.r.Uint32N(min(d.clock, 500)+1)
	if d.r.IntN(5) == 0 {
		at -= min(at, 5000)
		d.model.floor = max(d.model.floor, at)
		for h, t := range d.model.hosts {
			if t < d.model.floor {
				delete(d.model.hosts, h)
			}
		}
		return d.state.ForgetBefore(at)
	}
	host := stateHost(d.r.Uint64N(20))
	if at >= d.model.floor {
		d.model.hosts[host] = max(d.model.hosts[host], at)
	}
	return d.state.ForgetHost(host, at)
}

// checkAll claims every key once, at a time when the answer tells whether it is seen.
func (d *stateDriver) checkAll() {
	d.t.Helper()
	for from := uint64(0); from < d.keys; from += 200 {
		var asks []dedup.Ask
		for x := from; x < min(from+200, d.keys); x++ {
			asks = append(asks, dedup.Ask{Key: stateKey(x), Time: d.clock})
		}
		got := make([]dedup.Verdict, len(asks))
		if err := d.state.Ask(asks, got); err != nil {
			d.t.Fatal(err)
		}
		for i, a := range asks {
			if want := d.model.ask(a); got[i] == dedup.Pending {
				d.want = append(d.want, want)
			} else if got[i] != want {
				d.t.Fatalf("%+v: got %d, want %d", a, got[i], want)
			}
		}
	}
	if err := d.settle(); err != nil {
		d.t.Fatal(err)
	}
}

func stateOptions(files fsys.FS, ttl uint64) dedup.StateOptions {
	return dedup.StateOptions{FS: files, Dir: "st/ate", SettingsID: "rfc3986-1.u17+3f9c", TTL: time.Duration(ttl) * time.Second}
}

const tinyMemory, tinySlack = 128 << 10, 16 << 10

func openTiny(t *testing.T, files fsys.FS, ttl uint64) *dedup.State {
	t.Helper()
	s, err := dedup.OpenTinyState(stateOptions(files, ttl), tinyMemory, tinySlack)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Whatever is asked, a State answers as a map does, over cycles, merges, and being opened again, with and without a
// Sync before.
func TestStateAgreesWithMap(t *testing.T) {
	for _, c := range []struct {
		name  string
		ttl   uint64
		verbs bool
		keys  uint64
		slack int64
	}{
		{"claims", 0, false, 40_000, tinySlack},
		{"claims that fit in memory", 0, false, 800, tinySlack},
		{"claims with a time to live", 3000, false, 20_000, tinySlack},
		{"all verbs", 0, true, 20_000, tinySlack},
		{"all verbs with a time to live", 5000, true, 20_000, tinySlack},
		{"all verbs, few keys", 2000, true, 500, tinySlack},
		{"all verbs, the journal always written anew", 2000, true, 5000, -1 << 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			rounds := 1000
			if testing.Short() {
				rounds = 300
			}
			files := pipetest.NewCrashFS()
			r := rand.New(rand.NewPCG(1, 2))
			open := func() *dedup.State {
				s, err := dedup.OpenTinyState(stateOptions(files, c.ttl), tinyMemory, c.slack)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			d := &stateDriver{t: t, r: r, state: open(), model: newStateModel(c.ttl), verbs: c.verbs, keys: c.keys, clock: 10_000}
			synced := d.model.clone()
			cycles := 0
			reopen := func() {
				cycles += d.state.Stats().Shards / 256
				if err := d.state.Close(); err != nil {
					t.Fatal(err)
				}
				d.state, d.model, d.want, d.taken = open(), synced.clone(), nil, 0
			}
			for range rounds {
				err := d.batch()
				switch n := r.IntN(60); {
				case err != nil:
				case n == 0:
					reopen()
				case n < 5:
					if err = d.settle(); err == nil {
						err = d.state.Sync()
					}
					synced = d.model.clone()
				case n < 9 && c.verbs:
					err = d.forget()
				case n < 12:
					err = d.settle()
				case n < 30:
					d.take()
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			reopen()
			d.checkAll()
			if c.keys > 2000 && cycles < 5 {
				t.Errorf("there were %d cycles", cycles)
			}
			if err := d.state.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// The answers depend neither on memory nor on the secret nor on when answers are taken.
func TestStateAnswersTheSameWithAnyMemory(t *testing.T) {
	var first []dedup.Verdict
	for _, memory := range []int64{96 << 10, 128 << 10, 1 << 20, 64 << 20} {
		s, err := dedup.OpenTinyState(stateOptions(pipetest.NewCrashFS(), 4000), memory, tinySlack)
		if err != nil {
			t.Fatal(err)
		}
		d := &stateDriver{t: t, r: rand.New(rand.NewPCG(5, 5)), state: s, model: newStateModel(4000), verbs: true, keys: 8000, clock: 10_000}
		for range 200 {
			if err := d.batch(); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.settle(); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = d.verdict
		}
		if fmt.Sprint(d.verdict) != fmt.Sprint(first) {
			t.Errorf("with %d bytes of memory the answers differ", memory)
		}
		s.Close()
	}
}

func TestStateKeepsProgress(t *testing.T) {
	files := pipetest.NewCrashFS()
	s := openTiny(t, files, 0)
	if s.Progress() != nil {
		t.Errorf("a new state has the progress %q", s.Progress())
	}
	for _, progress := range []string{"links.txt 81", "links.txt 4096"} {
		if err := s.SetProgress([]byte(progress)); err != nil {
			t.Fatal(err)
		}
		if err := s.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	s.SetProgress([]byte("not synced"))
	files.Crash(nil)
	if got := openTiny(t, files, 0).Progress(); !bytes.Equal(got, []byte("links.txt 4096")) {
		t.Errorf("got %q", got)
	}
}

func TestStateSyncNeedsTheAnswersTaken(t *testing.T) {
	s := openTiny(t, pipetest.NewCrashFS(), 0)
	d := &stateDriver{t: t, r: rand.New(rand.NewPCG(5, 5)), state: s, model: newStateModel(0), keys: 1 << 40, clock: 1}
	for len(d.want) == 0 {
		if err := d.batch(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sync(); err == nil {
		t.Error("no error")
	}
	if err := d.settle(); err != nil {
		t.Fatal(err)
	}
	if err := s.Sync(); err != nil {
		t.Errorf("after they were taken: %v", err)
	}
}

// A state that is opened a second time, or under other settings, or with another secret, is refused, and the
// error names what differs.
func TestStateRefuses(t *testing.T) {
	files := pipetest.NewCrashFS()
	s := openTiny(t, files, 0)
	refused := func(what string, o dedup.StateOptions, names ...string) {
		t.Helper()
		_, err := dedup.OpenState(o)
		if err == nil {
			t.Fatalf("%s: no error", what)
		}
		for _, name := range names {
			if !bytes.Contains([]byte(err.Error()), []byte(name)) {
				t.Errorf("%s: %q isn't named by: %v", what, name, err)
			}
		}
	}
	o := stateOptions(files, 0)
	refused("a second process", o, "st/ate/LOCK")
	if _, err := dedup.OpenState(o); !errors.Is(err, fsys.ErrLocked) {
		t.Errorf("a second process: %v isn't ErrLocked", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	o.SettingsID = "whatwg-1.u17+0000"
	refused("other settings", o, "rfc3986-1.u17+3f9c", "whatwg-1.u17+0000")
	o = stateOptions(files, 0)
	o.Secret = &dedup.Secret{1}
	refused("another secret", o, "key id", "49f2a1b79c15faa3")
}

// A key that was forgotten, and emitted again at an earlier time than before, keeps that time when the journal is written
// anew, whatever a run says of it.
func TestStateWritesItsJournalAnewWithWhatOverridesRuns(t *testing.T) {
	files := pipetest.NewCrashFS()
	open := func() *dedup.State {
		s, err := dedup.OpenTinyState(stateOptions(files, 1000), tinyMemory, -1<<40)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	taken := uint64(0)
	ask := func(a dedup.Ask) dedup.Verdict {
		t.Helper()
		v := make([]dedup.Verdict, 1)
		if err := errors.Join(s.Ask([]dedup.Ask{a}, v), s.Settle()); err != nil {
			t.Fatal(err)
		}
		for ; taken < s.Known(); taken++ {
			v[0] = s.Take(taken)
		}
		return v[0]
	}
	key := stateKey(1)
	for x := uint64(1); s.Stats().Shards < 256; x++ {
		ask(dedup.Ask{Key: stateKey(x), Time: 500})
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	ask(dedup.Ask{Key: key, Verb: dedup.Forget})
	if got := ask(dedup.Ask{Key: key, Time: 100}); got != dedup.New {
		t.Errorf("forgotten, it is %d", got)
	}
	if err := errors.Join(s.Sync(), s.Close()); err != nil {
		t.Fatal(err)
	}
	s, taken = open(), 0
	defer s.Close()
	if got := ask(dedup.Ask{Key: key, Time: 1099}); got != dedup.Seen {
		t.Errorf("before its time, it is %d", got)
	}
	if got := ask(dedup.Ask{Key: key, Time: 1100}); got != dedup.New {
		t.Errorf("after its time, it is %d", got)
	}
}
