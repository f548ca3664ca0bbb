package dedup_test

import (
	"errors"
	"flag"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"

	"github.com/urisieve/urisieve/pipeline/dedup"
	"github.com/urisieve/urisieve/pipeline/pipetest"
)

var seeds = flag.Int("seeds", 20, "random runs of the tests of State that crash")

func seedCount() int {
	if testing.Short() {
		return *seeds / 4
	}
	return *seeds
}

// crashScript is a run of a State that ends with the machine stopping, at the latest at its end. model is as of the last
// Sync that returned, next as of one that was called and didn't, nil if there was none.
type crashScript struct {
	files       *pipetest.CrashFS
	ttl         uint64
	seed        uint64
	rounds      int
	model, next *stateModel
	keys        uint64
	clock       uint32
	runs        int // that were there, or made
}

// run asks at random until the machine stops.
func (c *crashScript) run(t *testing.T) {
	r := rand.New(rand.NewPCG(c.seed, 9))
	d := &stateDriver{t: t, r: r, model: c.model.clone(), verbs: true, keys: c.keys, clock: c.clock}
	s, err := openTinyErr(c.files, c.ttl)
	if err == nil {
		d.state = s
		err = c.rest(d)
		c.runs = max(c.runs, s.Stats().Runs+s.Stats().Shards/256)
		s.Close()
	}
	if err != nil && !errors.Is(err, pipetest.ErrStopped) && !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EROFS) {
		t.Fatalf("seed %d: %v", c.seed, err)
	}
	c.clock = d.clock
}

func (c *crashScript) rest(d *stateDriver) error {
	for range c.rounds {
		if err := d.batch(); err != nil {
			return err
		}
		switch n := d.r.IntN(12); {
		case n == 0:
			if err := d.forget(); err != nil {
				return err
			}
		case n < 4:
			if err := d.settle(); err != nil {
				return err
			}
			c.next = d.model.clone()
			if err := d.state.Sync(); err != nil {
				return err
			}
			c.model, c.next = c.next, nil
		}
	}
	return nil
}

// check opens what the crash left, and finds the claims of the last Sync, or of the one that didn't return. It leaves
// model as what was found.
func (c *crashScript) check(t *testing.T) {
	t.Helper()
	left := c.files.AfterCrash() // claims are asked of a copy, so that the next run goes on from here
	s := openTiny(t, left, c.ttl)
	defer s.Close()
	if c.next != nil && c.agrees(t, s, c.next) {
		c.model, c.next = c.next, nil
		return
	}
	c.next = nil
	left = c.files.AfterCrash()
	again := openTiny(t, left, c.ttl)
	defer again.Close()
	if !c.agrees(t, again, c.model) {
		t.Fatalf("seed %d: after the crash there is neither what the last Sync made durable nor what the one that failed did", c.seed)
	}
}

// agrees says whether a State answers the claims of all keys as the model does.
func (c *crashScript) agrees(t *testing.T, s *dedup.State, want *stateModel) bool {
	t.Helper()
	want = want.clone()
	var pending, given []dedup.Verdict
	for from := uint64(0); from < c.keys; from += 200 {
		var asks []dedup.Ask
		for x := from; x < min(from+200, c.keys); x++ {
			asks = append(asks, dedup.Ask{Key: stateKey(x), Host: stateHost(x), Time: c.clock})
		}
		got := make([]dedup.Verdict, len(asks))
		if err := s.Ask(asks, got); err != nil {
			t.Fatal(err)
		}
		for i, a := range asks {
			w := want.ask(a)
			if got[i] == dedup.Pending {
				pending = append(pending, w)
			} else if got[i] != w {
				return false
			}
		}
	}
	if err := s.Settle(); err != nil {
		t.Fatal(err)
	}
	for n := range s.Known() {
		given = append(given, s.Take(n))
	}
	return slices.Equal(given, pending)
}

func openTinyErr(files *pipetest.CrashFS, ttl uint64) (*dedup.State, error) {
	return dedup.OpenTinyState(stateOptions(files, ttl), 56<<10, tinySlack)
}

// Wherever the machine stops, what was synced is there afterwards, and nothing else.
func TestStateSurvivesACrashAtEveryOperation(t *testing.T) {
	runs := 0
	script := func(stopAt int, rng *rand.Rand) (ops int) {
		c := &crashScript{files: pipetest.NewCrashFS(), ttl: 3000, seed: 4, rounds: 60, model: newStateModel(3000), keys: 7000, clock: 10_000}
		c.files.StopAt(stopAt)
		c.run(t)
		ops = c.files.Ops()
		c.files.Crash(rng)
		c.check(t)
		runs = max(runs, c.runs)
		return ops
	}
	all := script(0, nil)
	step := 1
	if testing.Short() {
		step = 7
	}
	for op := 1; op <= all; op += step {
		script(op, nil)
		script(op, rand.New(rand.NewPCG(uint64(op), 3)))
	}
	t.Logf("%d operations", all)
	if runs < 4 {
		t.Errorf("there were %d runs", runs)
	}
}

// The same, again and again on one state.
func TestStateSurvivesManyCrashes(t *testing.T) {
	for seed := range uint64(seedCount()) {
		r := rand.New(rand.NewPCG(seed, 17))
		ttl := seed % 3 * 2000
		c := &crashScript{files: pipetest.NewCrashFS(), ttl: ttl, rounds: 60, model: newStateModel(ttl), keys: 2000 + seed%5*1500, clock: 10_000}
		for crash := range 6 {
			c.seed = seed*100 + uint64(crash)
			c.files.StopAt(c.files.Ops() + 1 + r.IntN(400))
			c.run(t)
			c.files.Crash(r)
			c.check(t)
		}
	}
}

// A disk that is full or read-only makes an error. When it is right again, the state opens with what was synced.
func TestStateSurvivesAFullDisk(t *testing.T) {
	for seed := range uint64(seedCount()) {
		r := rand.New(rand.NewPCG(seed, 19))
		c := &crashScript{files: pipetest.NewCrashFS(), ttl: 0, rounds: 100, model: newStateModel(0), keys: 20_000, clock: 10_000}
		c.files.SetCapacity(1000 + r.Int64N(600_000))
		c.seed = seed
		c.run(t)
		c.files.SetCapacity(-1)
		c.check(t)

		c.seed += 1000
		c.rounds = 20
		c.run(t)
		s := openTiny(t, c.files, 0)
		d := &stateDriver{t: t, r: r, state: s, model: c.model.clone(), verbs: true, keys: 20_000, clock: c.clock}
		c.files.SetReadOnly(true)
		if err := c.rest(d); !errors.Is(err, syscall.EROFS) {
			t.Fatalf("seed %d: the error is %v", seed, err)
		}
		if err := s.Sync(); !errors.Is(err, syscall.EROFS) {
			t.Errorf("seed %d: after an error, Sync says %v", seed, err)
		}
		s.Close()
		if _, err := openTinyErr(c.files, 0); !errors.Is(err, syscall.EROFS) {
			t.Errorf("seed %d: opening on a read-only disk: %v", seed, err)
		}
		c.files.SetReadOnly(false)
		c.check(t)
	}
}
