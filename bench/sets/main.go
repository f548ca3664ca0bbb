// Sets measures exact sets of 16-byte keys on one stream of keys: urisieve's own, and Pebble, a
// log-structured key-value store, which is what one would reach for instead of writing a set of one's own.
// Every answer is checked.
//
//	cd bench && go run ./sets -n 2000000 -distinct 0.5 -memory 256MiB -way memory|spill|state|batch|ingest
//
// memory is dedup.Exact, with all keys in memory; spill is dedup.Spilling; state is dedup.State, which outlives the
// process, with a commit every -sync references, for which all verdicts are made known. With batch and ingest it is Pebble, and the
// keys of a claim are sorted, looked up and written in that order. -curve N prints a line for every N references.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/urisieve/urisieve/config"
	"github.com/urisieve/urisieve/internal/refgen"
	"github.com/urisieve/urisieve/pipeline/dedup"
)

func main() {
	var j job
	flag.Uint64Var(&j.refs.N, "n", 2_000_000, "references")
	flag.Float64Var(&j.refs.Distinct, "distinct", 0.5, "share of them that are new")
	flag.StringVar((*string)(&j.refs.Skew), "skew", string(refgen.Uniform), "which earlier one the others repeat: uniform or zipf")
	flag.Uint64Var(&j.refs.Seed, "seed", 1, "another seed, other keys")
	flag.IntVar(&j.claim, "claim", 64<<10, "keys a claim")
	flag.StringVar(&j.store.way, "way", batchWay, "memory, spill, state; Pebble: batch, ingest (how new keys come in)")
	flag.StringVar(&j.store.lookup, "lookup", bySeek, "how keys are looked up: get, seek or prefix")
	flag.BoolVar(&j.store.wal, "wal", false, "keep a write-ahead log, unsynced")
	flag.Uint64Var(&j.sync, "sync", 10_000_000, "of state: references between two commits")
	flag.Uint64Var(&j.curve, "curve", 0, "print a line for every so many references")
	filter := flag.String("filter", "0", "of spill and state: for a filter")
	memory := flag.String("memory", "256MiB", "for the set; of Pebble: for the block cache, and memtables or collected keys")
	dir := flag.String("dir", os.TempDir(), "where the store is made, and removed again")
	flag.Parse()
	if err := j.start(*memory, *filter, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "sets:", err)
		os.Exit(1)
	}
}

// job is a measurement.
type job struct {
	refs   refgen.Options
	claim  int
	curve  uint64
	sync   uint64
	filter int64
	store  options
}

func (j *job) start(memory, filter, dir string) (err error) {
	filterSize, err := config.ParseSize(filter)
	if err != nil {
		return fmt.Errorf("filter: %w", err)
	}
	j.filter = int64(filterSize)
	size, err := config.ParseSize(memory)
	if err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	if j.claim < 1 || j.claim > math.MaxInt32 {
		return fmt.Errorf("claim: %d is no number of keys", j.claim)
	}
	j.store.memory = int64(size)
	if j.store.dir, err = os.MkdirTemp(dir, "urisieve-sets"); err != nil {
		return err
	}
	defer os.RemoveAll(j.store.dir)
	return j.run(os.Stdout)
}

// usage is what the process took so far.
type usage struct {
	wall time.Time
	cpu  time.Duration
	peak int64 // KiB on Linux
}

func used() (u usage, err error) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return u, err
	}
	return usage{time.Now(), time.Duration(r.Utime.Nano() + r.Stime.Nano()), r.Maxrss}, nil
}

func (j *job) run(w io.Writer) (err error) {
	own, err := j.ownSet()
	if err != nil {
		return err
	}
	if own != nil {
		defer func() { err = errors.Join(err, own.Close()) }()
		return j.measure(w, own, nil)
	}
	s, err := open(j.store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	return j.measure(w, s, s)
}

// claimer is what both sets are to the measurement.
type claimer interface {
	Claim(keys []dedup.Key, verdicts []dedup.Verdict) error
}

// measure claims all keys and brings them into files, and prints what that took. s is the set, if it is a store.
func (j *job) measure(w io.Writer, set claimer, s *set) error {
	before, err := used()
	if err != nil {
		return err
	}
	if err := j.claimAll(w, set); err != nil {
		return err
	}
	claimed, err := used()
	if err != nil {
		return err
	}
	if s != nil {
		if err := s.sync(); err != nil {
			return err
		}
	}
	after, err := used()
	if err != nil {
		return err
	}
	keys, n := j.refs.New(), float64(max(j.refs.N, 1))
	fmt.Fprintf(w, "%s %s/%s, %d CPUs; %d references, %d keys, %d a claim, skew %s\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), j.refs.N, keys, j.claim, j.refs.Skew)
	how := j.store.way
	if s != nil {
		how += ", look-up by " + j.store.lookup + ", write-ahead log " + map[bool]string{false: "off", true: "unsynced"}[j.store.wal]
	}
	fmt.Fprintf(w, "%s, memory %s\n", how, config.Size(j.store.memory))
	fmt.Fprintf(w, "CPU                %.0f ns a reference (user and system, all threads; making the key is in it)\n", float64(after.cpu-before.cpu)/n)
	fmt.Fprintf(w, "wall               %.2f s: %.0f ns a reference\n", after.wall.Sub(before.wall).Seconds(), float64(after.wall.Sub(before.wall))/n)
	fmt.Fprintf(w, "in it, last flush  %.2f s\n", after.wall.Sub(claimed.wall).Seconds())
	fmt.Fprintf(w, "peak RSS           %.1f MiB\n", float64(after.peak)/1024)
	if s == nil {
		return j.printOwn(w, set)
	}
	disk, err := diskBytes(j.store.dir)
	if err != nil {
		return err
	}
	m, wrote := s.db.Metrics(), s.written()
	live := m.Total().TablesSize
	fmt.Fprintf(w, "disk               %.1f bytes a key (%d bytes; %d with what is still to be removed)\n", float64(live)/float64(max(keys, 1)), live, disk)
	fmt.Fprintf(w, "written            %d bytes: flushed %d, ingested %d, compacted %d, write-ahead log %d\n",
		wrote.all(), wrote.flushed, wrote.ingested, wrote.compacted, wrote.log)
	fmt.Fprintf(w, "amplification      %.2f bytes written for each byte of a key\n", float64(wrote.all())/float64(max(keys, 1)*keyBytes))
	fmt.Fprintf(w, "compactions        %d; %d bytes still to compact\n", m.Compact.Count, m.Compact.EstimatedDebt)
	return nil
}

// claimAll hands the keys over, and holds each verdict against the generator, which knows what is new.
func (j *job) claimAll(w io.Writer, set claimer) error {
	late := lateAnswers{set: set}
	curve := newCurve(w, j.curve, set)
	indices, err := refgen.NewIndices(j.refs)
	if err != nil {
		return err
	}
	keys := make([]dedup.Key, 0, j.claim)
	want := make([]dedup.Verdict, 0, j.claim)
	verdicts := make([]dedup.Verdict, j.claim)
	seen, line := uint64(0), uint64(0)
	for more := true; more; {
		keys, want = keys[:0], want[:0]
		for len(keys) < j.claim {
			var i uint64
			if i, more = indices.Next(); !more {
				break
			}
			verdict := dedup.Seen
			if i == seen {
				verdict = dedup.New
				seen++
			}
			keys, want = append(keys, keyOf(j.refs.Seed, i)), append(want, verdict)
		}
		if err := set.Claim(keys, verdicts[:len(keys)]); err != nil {
			return err
		}
		for i, v := range want {
			if verdicts[i] == dedup.Pending {
				late.expect(v)
			} else if verdicts[i] != v {
				return fmt.Errorf("reference %d: verdict %d, want %d", line+uint64(i), verdicts[i], v)
			}
		}
		if err := late.check(); err != nil {
			return err
		}
		line += uint64(len(keys))
		if state, ok := set.(*dedup.State); ok && line/j.sync != (line-uint64(len(keys)))/j.sync {
			if err := errors.Join(late.settle(), state.Sync()); err != nil {
				return err
			}
		}
		if err := curve.point(line); err != nil {
			return err
		}
	}
	if err := late.settle(); err != nil {
		return err
	}
	if state, ok := set.(*dedup.State); ok {
		return state.Sync()
	}
	return nil
}

// keyOf is the key of URL i: bits as random as those of a hash, and as distinct as the indices.
func keyOf(seed, i uint64) dedup.Key {
	return dedup.Key{mix(seed ^ mix(i)), mix(i + 0x9e3779b97f4a7c15)}
}

// mix is SplitMix64's output function, a bijection.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// diskBytes is the size of all files of a folder. One that is removed meanwhile doesn't count.
func diskBytes(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				n += info.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return n, err
}
