package sinks

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/urisieve/urisieve/internal/fsys"
	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/pipetest"
)

// resumableJob writes references with a checkpoint every so many, and keeps what a job keeps of itself: how
// many are settled, and the outputs' progress, in one step.
type resumableJob struct {
	o          Options
	refs       []ref
	every      int
	incomplete bool // the input was damaged

	settled  int
	progress []byte // nil: it never began
}

// run opens or resumes, writes what is left and finishes.
func (j *resumableJob) run(t *testing.T, disk fsys.FS) (err error) {
	out, err := j.open(disk)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Abort()) }()
	if err := j.checkpoint(t, out, 0); err != nil {
		return err
	}
	for j.settled < len(j.refs) {
		n := min(j.every, len(j.refs)-j.settled)
		if err := j.write(t, out, j.refs[j.settled:j.settled+n]); err != nil {
			return err
		}
		if err := j.checkpoint(t, out, n); err != nil {
			return err
		}
	}
	return out.Finish(t.Context(), Totals{References: int64(len(j.refs))}, !j.incomplete)
}

func (j *resumableJob) open(disk fsys.FS) (*Output, error) {
	if j.progress == nil {
		o := j.o
		o.Resumable = true
		return Open(disk, o, info)
	}
	var p Progress
	if err := json.Unmarshal(j.progress, &p); err != nil {
		return nil, err
	}
	return Resume(disk, j.o, info, p)
}

// write writes in batches whose size says nothing about checkpoints.
func (j *resumableJob) write(t *testing.T, out *Output, refs []ref) error {
	for part := range slices.Chunk(refs, 17) {
		b := batch(part)
		views := map[pipeline.Outcome]*pipeline.View{pipeline.Unique: {Batch: b}, pipeline.Duplicate: {Batch: b}, pipeline.Rejected: {Batch: b}}
		for i, r := range part {
			views[r.outcome].Selected = append(views[r.outcome].Selected, uint32(i))
		}
		if err := errors.Join(
			out.Rejects().Write(t.Context(), *views[pipeline.Rejected]),
			out.Duplicates().Write(t.Context(), *views[pipeline.Duplicate]),
			out.Main().Write(t.Context(), *views[pipeline.Unique])); err != nil {
			return err
		}
	}
	return nil
}

func (j *resumableJob) checkpoint(t *testing.T, out *Output, n int) error {
	for _, s := range []pipeline.Sink{out.Rejects(), out.Duplicates(), out.Main()} {
		if err := s.Flush(t.Context()); err != nil {
			return err
		}
	}
	p, err := out.Progress()
	if err != nil {
		return err
	}
	if j.progress, err = json.Marshal(p); err != nil {
		return err
	}
	j.settled += n
	return nil
}

// mixed makes references of every outcome; those of the last quarter are all unique, so that checkpoints of the
// other outputs have nothing new.
func mixed(n int) []ref {
	refs := some(n)
	for i := range refs {
		switch {
		case i >= n*3/4:
		case i%7 == 3:
			refs[i].outcome, refs[i].canon, refs[i].raw = pipeline.Rejected, "", fmt.Sprintf("http://[%d", i)
			refs[i].reason, refs[i].component = normalize.BadHost, normalize.ComponentHost
		case i%5 == 2:
			refs[i].outcome = pipeline.Duplicate
		}
	}
	return refs
}

// kinds are the shapes of output.
func kinds() map[string]Options {
	return map[string]Options{
		"text":          {Output: "d/out.txt", Duplicates: "d/dups.txt"},
		"text.gz":       {Output: "d/out.txt.gz", Duplicates: "d/dups.txt.gz"},
		"jsonl":         {Output: "d/out.jsonl", Duplicates: "d/dups.jsonl", Columns: "url,source_record"},
		"jsonl.zst":     {Output: "d/out.jsonl.zst", Duplicates: "d/dups.jsonl.zst", Columns: "url,x_*"},
		"parquet":       {Output: "d/out.parquet", Duplicates: "d/dups.parquet", Columns: "url,url_fp,source_record"},
		"parquet files": {Output: "d/out", Duplicates: "d/dups", Columns: "url,url_fp,source_record", FileRows: 25},
		"jsonl files":   {Output: "d/out", Format: FormatJSONL, Duplicates: "d/dups", Columns: "url,source_record", FileRows: 25},
		"sorted files":  sortedOptions(Options{Output: "d/out", Format: FormatJSONL, Duplicates: "d/dups", Columns: "url,source_record", FileRows: 25}, SortFile),
	}
}

// older writes what a job with Overwrite or Append finds.
func older(t *testing.T, disk fsys.FS, o Options) {
	o.Overwrite, o.Append = false, false
	j := resumableJob{o: o, refs: mixed(40), every: 100}
	if err := j.run(t, disk); err != nil {
		t.Fatal(err)
	}
}

// stop is an operation at which a job is stopped, and a way to stop it.
type stop struct {
	at   int
	seed uint64 // 0: a kill; 1: a crash that forgets what wasn't synced; 2: one that forgets some of it, twice
}

// stops are those of a job of so many operations: some forty that are spread over all of it, and the last ones in
// every way, where the outputs get to their places.
func stops(total int) (list []stop) {
	spread, last := 40, 24
	if testing.Short() {
		spread, last = 10, 4
	}
	for at := 1; at <= total; at++ {
		switch {
		case at > total-last:
			list = append(list, stop{at, 0}, stop{at, 1}, stop{at, 2})
		case at*spread/total != (at-1)*spread/total:
			list = append(list, stop{at, uint64(len(list) % 3)})
		}
	}
	return list
}

func TestAResumedJobGivesTheSameBytesWhereverItWasKilled(t *testing.T) {
	for name, o := range kinds() {
		modes := map[string]Options{"": o}
		replace, add := o, o
		replace.Overwrite, add.Append = true, true
		modes["over an older one"] = replace
		if strings.HasSuffix(name, "files") {
			modes["beside an older run"] = add
		}
		for mode, o := range modes {
			t.Run(name+" "+mode, func(t *testing.T) {
				t.Parallel()
				testKills(t, &resumableJob{o: o, refs: mixed(240), every: 60})
			})
		}
	}
}

// Where there is nothing to say, and where the input was damaged.
func TestAResumedJobOfLittleGivesTheSameBytesWhereverItWasKilled(t *testing.T) {
	for name, o := range kinds() {
		t.Run(name, func(t *testing.T) {
			testKills(t, &resumableJob{o: o})
			o.Overwrite = true
			testKills(t, &resumableJob{o: o})
			testKills(t, &resumableJob{o: o, refs: mixed(30), every: 20, incomplete: true})
		})
	}
}

// testKills runs the job undisturbed, and then stops it at its operations in turn: by a kill, by a crash that
// forgets what wasn't synced, by one that forgets some of it and comes again while the job is resumed.
func testKills(t *testing.T, j *resumableJob) {
	t.Helper()
	prepared := func() *pipetest.CrashFS {
		disk := newDisk()
		if j.o.Overwrite || j.o.Append {
			older(t, disk, j.o)
		}
		return disk
	}
	reference := prepared()
	before := tree(t, reference, ".")
	from := reference.Ops()
	undisturbed := *j
	if err := undisturbed.run(t, reference); err != nil {
		t.Fatal(err)
	}
	want := tree(t, reference, ".")
	for _, stop := range stops(reference.Ops() - from) {
		disk := prepared()
		job := *j
		if !job.stopped(t, disk, stop, before, want) {
			continue // it had ended
		}
		if err := job.run(t, disk); err != nil {
			t.Fatalf("%+v: resumed: %v", stop, err)
		}
		if got := tree(t, disk, "."); !maps.Equal(got, want) {
			t.Fatalf("%+v: %v, want %v%s", stop, names(got), names(want), differing(got, want))
		}
	}
}

// stopped runs the job until it is stopped, the third way twice; false if it ended before.
func (j *resumableJob) stopped(t *testing.T, disk *pipetest.CrashFS, s stop, before, want map[string]string) bool {
	t.Helper()
	rng := rand.New(rand.NewPCG(s.seed, uint64(s.at)))
	operations := []int{s.at}
	if s.seed == 2 {
		operations = append(operations, 1+rng.IntN(s.at))
	}
	for _, n := range operations {
		disk.StopAt(disk.Ops() + n)
		err := j.run(t, disk)
		if err == nil {
			return false
		}
		if !errors.Is(err, pipetest.ErrStopped) {
			t.Fatalf("%+v: %v", s, err)
		}
		switch s.seed {
		case 0:
			disk.Kill()
		case 1:
			disk.Crash(nil)
		default:
			disk.Crash(rng)
		}
		checkReaders(t, disk, before, want, j.settled == len(j.refs))
	}
	return true
}

func differing(got, want map[string]string) (list string) {
	for name, text := range want {
		if got[name] != text {
			list += fmt.Sprintf("\n%s has %d bytes, want %d", name, len(got[name]), len(text))
		}
	}
	return list
}

// checkReaders looks at what readers of the outputs see of a job that was stopped: before its last checkpoint,
// what was there before; then whole files only.
func checkReaders(t *testing.T, disk *pipetest.CrashFS, before, want map[string]string, settled bool) {
	t.Helper()
	seen := visible(t, disk)
	for name, text := range seen {
		if text != before[name] && (!settled || text != want[name]) {
			t.Errorf("%s is seen with %d bytes", name, len(text))
		}
	}
	if settled {
		return
	}
	for name := range before {
		if _, ok := seen[name]; !ok {
			t.Errorf("%s is gone before the job ended", name)
		}
	}
}

func TestFlushWithNothingNewWritesNothing(t *testing.T) {
	for name, o := range kinds() {
		once, often := newDisk(), newDisk()
		j := resumableJob{o: o, refs: mixed(60), every: 60}
		if err := j.run(t, once); err != nil {
			t.Fatal(err)
		}
		o.Resumable = true
		out, err := Open(often, o, info)
		if err != nil {
			t.Fatal(err)
		}
		j = resumableJob{o: o}
		for _, refs := range [][]ref{nil, mixed(60), nil, nil} {
			if err := errors.Join(j.write(t, out, refs), j.checkpoint(t, out, 0)); err != nil {
				t.Fatal(err)
			}
		}
		if err := out.Finish(t.Context(), Totals{References: 60}, true); err != nil {
			t.Fatal(err)
		}
		got, want := tree(t, often, "."), tree(t, once, ".")
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v%s", name, names(got), names(want), differing(got, want))
		}
	}
}

func TestProgressThatCannotBeMet(t *testing.T) {
	for name, c := range map[string]struct {
		output string
		spoil  func(*pipetest.CrashFS)
		want   string
	}{
		"open file gone":     {"out.jsonl", func(d *pipetest.CrashFS) { d.Remove(".out.jsonl.tmp") }, ".out.jsonl.tmp is not there: the job can't be resumed"},
		"open file shorter":  {"out.jsonl", cutFile(".out.jsonl.tmp"), ".out.jsonl.tmp has 5 bytes, and had"},
		"rejects gone":       {"out.jsonl", func(d *pipetest.CrashFS) { d.Remove(".out.rejects.jsonl.tmp") }, ".out.rejects.jsonl.tmp is not there"},
		"something in place": {"out.jsonl", func(d *pipetest.CrashFS) { makeFile(d, "out.jsonl") }, "output out.jsonl exists"},
		"part gone":          {"out", func(d *pipetest.CrashFS) { d.Remove("out/.part-000001.jsonl.staged") }, "out/.part-000001.jsonl.staged is not there"},
		"part shorter":       {"out", cutFile("out/.part-000000.jsonl.staged"), ".part-000000.jsonl.staged has 5 bytes, and had"},
		"dataset in place":   {"out", func(d *pipetest.CrashFS) { makeFile(d, "out/part-000000.jsonl") }, "output out is not empty (it holds part-000000.jsonl)"},
		"foreign file":       {"out", func(d *pipetest.CrashFS) { makeFile(d, "out/mine.doc") }, "mine.doc"},
	} {
		disk := newDisk()
		j := resumableJob{o: lines(c.output), refs: mixed(120), every: 60}
		j.o.Duplicates, j.o.Rejects = "dups", ""
		stopJob(t, &j, disk)
		c.spoil(disk)
		before := tree(t, disk, ".")
		_, err := j.open(disk)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
		if after := tree(t, disk, "."); !maps.Equal(after, before) {
			t.Errorf("%s: it changed %v to %v", name, names(before), names(after))
		}
	}
}

// stopJob runs a job up to its end, and stops it with all but the end done.
func stopJob(t *testing.T, j *resumableJob, disk *pipetest.CrashFS) {
	t.Helper()
	out, err := j.open(disk)
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(j.refs, j.every) {
		if err := errors.Join(j.write(t, out, part), j.checkpoint(t, out, len(part))); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Abort(); err != nil {
		t.Fatal(err)
	}
}

func cutFile(name string) func(*pipetest.CrashFS) {
	return func(d *pipetest.CrashFS) {
		f, _ := d.OpenFile(name, os.O_RDWR, 0)
		f.Truncate(5)
		f.Close()
	}
}

func makeFile(d *pipetest.CrashFS, name string) {
	f, _ := d.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o644)
	f.Close()
}

// What a killed job had written behind its checkpoint needn't be what it would write there now.
func TestWhatLiesBehindTheCheckpointIsCutOff(t *testing.T) {
	for name, o := range kinds() {
		if strings.HasSuffix(name, "files") {
			continue
		}
		disk, reference := newDisk(), newDisk()
		j := resumableJob{o: o, refs: mixed(120), every: 60}
		whole := j
		if err := whole.run(t, reference); err != nil {
			t.Fatal(err)
		}
		stopJob(t, &j, disk)
		f, err := disk.OpenFile("d/"+tempOf(strings.TrimPrefix(o.Output, "d/")), os.O_RDWR|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		f.Write(make([]byte, 100_000))
		f.Close()
		if err := j.run(t, disk); err != nil {
			t.Fatal(err)
		}
		if got, want := tree(t, disk, "."), tree(t, reference, "."); !maps.Equal(got, want) {
			t.Errorf("%s:%s", name, differing(got, want))
		}
	}
}

func TestResumeWithOtherSettings(t *testing.T) {
	disk := newDisk()
	j := resumableJob{o: lines("out"), refs: mixed(120), every: 60}
	j.o.Duplicates, j.o.Rejects = "dups", ""
	stopJob(t, &j, disk)
	j.o.Columns, j.o.FileBytes, j.o.Overwrite, j.o.Duplicates = "url", 0, true, "other"
	_, err := j.open(disk)
	for _, want := range []string{
		`output out: columns was "url:2,source_record:37" when the job began, and is "url:2"`, `output out: file_bytes was "65536" when the job began, and is "536870912"`,
		`rejects out.rejects: overwrite was "false" when the job began, and is "true": give the old value, or begin anew`,
		`duplicates: was dups when the job began, and is other`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("lacks %s:\n%v", want, err)
		}
	}
	j.o = lines("out")
	if _, err := j.open(disk); err == nil || !strings.Contains(err.Error(), "rejects: was out.rejects when the job began, and is nowhere now") {
		t.Errorf("without rejects: %v", err)
	}
}

// Another run doesn't take over what a killed job left, unless it is told to replace it or to add to it.
func TestAnotherRunWhereAKilledJobLies(t *testing.T) {
	o := lines("out")
	fresh := newDisk()
	writeAll(t, fresh, o, some(900), 500)
	want := tree(t, fresh, ".")
	for _, mode := range []string{"", "overwrite", "append"} {
		disk := newDisk()
		j := resumableJob{o: o, refs: mixed(120), every: 60}
		j.o.Duplicates, j.o.Rejects = "dups", ""
		stopJob(t, &j, disk)
		other := o
		other.Overwrite, other.Append = mode == "overwrite", mode == "append"
		err := tryWriteAll(t.Context(), disk, other, some(900), 500)
		if mode == "" {
			var there *ExistsError
			if !errors.As(err, &there) || !strings.HasSuffix(there.Found, ".staged") {
				t.Errorf("got %v, want an ExistsError", err)
			}
			continue
		}
		got := tree(t, disk, ".")
		maps.DeleteFunc(got, func(name, _ string) bool {
			return !strings.HasPrefix(name, "out/") && !strings.HasPrefix(name, ".out.u")
		})
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", mode, err, names(got), names(want))
		}
		if _, err := j.open(disk); err == nil {
			t.Errorf("%s: the job that was given up can be resumed", mode)
		}
	}
}

func TestResumeTakesTheLocks(t *testing.T) {
	for _, output := range []string{"out", "out.jsonl"} {
		disk := newDisk()
		j := resumableJob{o: lines(output), refs: mixed(120), every: 60}
		j.o.Duplicates, j.o.Rejects = "dups", ""
		stopJob(t, &j, disk)
		out, err := j.open(disk)
		if err != nil {
			t.Fatal(err)
		}
		var busy *BusyError
		if _, err := j.open(disk); !errors.As(err, &busy) {
			t.Errorf("%s: got %v, want a BusyError", output, err)
		}
		if err := out.Abort(); err != nil {
			t.Fatal(err)
		}
		if err := j.run(t, disk); err != nil {
			t.Errorf("%s: after that: %v", output, err)
		}
	}
}

// A job that is given up keeps what was flushed, and nothing where nothing was.
func TestAbortOfAResumableJob(t *testing.T) {
	for name, o := range kinds() {
		disk := newDisk()
		j := resumableJob{o: o, refs: mixed(120), every: 60}
		out, err := j.open(disk)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(j.checkpoint(t, out, 0), j.write(t, out, j.refs[:60]), out.Abort()); err != nil {
			t.Fatal(err)
		}
		if left := tree(t, disk, "."); len(left) > 0 {
			t.Errorf("%s: before the first flush it leaves %v", name, names(left))
		}
		if out, err = j.open(disk); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(j.write(t, out, j.refs[:60]), j.checkpoint(t, out, 60)); err != nil {
			t.Fatal(err)
		}
		kept := tree(t, disk, ".")
		maps.DeleteFunc(kept, func(name, _ string) bool { return strings.HasSuffix(name, "lock") })
		if err := errors.Join(j.write(t, out, j.refs[60:]), out.Abort()); err != nil {
			t.Fatal(err)
		}
		left := tree(t, disk, ".")
		if !slices.Equal(names(left), names(kept)) || len(left) == 0 {
			t.Errorf("%s: it leaves %v, want %v", name, names(left), names(kept))
		}
		for name, text := range kept {
			if !strings.HasPrefix(left[name], text) {
				t.Errorf("%s: what was flushed changed", name)
			}
		}
		if err := j.run(t, disk); err != nil {
			t.Errorf("%s: resumed: %v", name, err)
		}
	}
}

// Whatever fails, a resumable job can go on.
func TestAnyFailingOperationLeavesAJobThatCanGoOn(t *testing.T) {
	boom := errors.New("boom")
	for _, name := range []string{"jsonl.zst", "jsonl files"} {
		for _, overwrite := range []bool{false, true} {
			o := kinds()[name]
			o.Overwrite = overwrite
			reference := newDisk()
			if overwrite {
				older(t, reference, o)
			}
			from := reference.Ops()
			j := resumableJob{o: o, refs: mixed(120), every: 60}
			if err := j.run(t, reference); err != nil {
				t.Fatal(err)
			}
			want := tree(t, reference, ".")
			for at := 1; at <= reference.Ops()-from; at++ {
				disk := newDisk()
				if overwrite {
					older(t, disk, o)
				}
				j := resumableJob{o: o, refs: mixed(120), every: 60}
				disk.FailAt(disk.Ops()+at, boom)
				err := j.run(t, disk)
				if err != nil && !errors.Is(err, boom) {
					t.Fatalf("%s, operation %d: %v", name, at, err)
				}
				if err != nil {
					err = j.run(t, disk)
				}
				if got := tree(t, disk, "."); err != nil || !maps.Equal(got, want) {
					t.Errorf("%s, overwrite %t, operation %d: %v, %v, want %v%s", name, overwrite, at, err, names(got), names(want), differing(got, want))
				}
			}
		}
	}
}

func TestMoreInputThanAFinishedJobHadIsAnError(t *testing.T) {
	disk := newDisk()
	j := resumableJob{o: lines("out"), refs: mixed(120), every: 60}
	j.o.Duplicates, j.o.Rejects = "dups", ""
	if err := j.run(t, disk); err != nil {
		t.Fatal(err)
	}
	out, err := j.open(disk)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Abort()
	again, err := out.Progress()
	if text, _ := json.Marshal(again); err != nil || string(text) != string(j.progress) {
		t.Errorf("its progress is another: %v, %s, want %s", err, text, j.progress)
	}
	if w := out.Written()[0]; w.Path != "out" || w.Files != 2 || w.Rows == 0 {
		t.Errorf("written %+v", w)
	}
	err = errors.Join(j.write(t, out, some(10)), out.Main().Flush(t.Context()))
	if !errors.Is(err, errPlaced) {
		t.Errorf("got %v", err)
	}
}

func TestProgressIsAskedForAfterAFlush(t *testing.T) {
	o := lines("out")
	out, err := Open(newDisk(), o, info)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Progress(); err == nil || !strings.Contains(err.Error(), "Resumable") {
		t.Errorf("not resumable: %v", err)
	}
	out.Abort()
	o.Resumable = true
	if out, err = Open(newDisk(), o, info); err != nil {
		t.Fatal(err)
	}
	defer out.Abort()
	if err := out.Main().Write(t.Context(), view(batch(some(3)))); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Progress(); err == nil || !strings.Contains(err.Error(), "wasn't flushed") {
		t.Errorf("before a flush: %v", err)
	}
}

func TestStandardOutputIsNotResumable(t *testing.T) {
	o := Options{Output: "-", Rejects: "none", Resumable: true}
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "what was written to standard output can't be gone on with") {
		t.Errorf("got %v", err)
	}
}

// On a real file system: stopped in order behind its first checkpoint, and gone on with.
func TestAResumedJobOnARealDisk(t *testing.T) {
	for name, o := range kinds() {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			j := resumableJob{o: o, refs: mixed(120), every: 60}
			whole := j
			if err := whole.run(t, osDisk); err != nil {
				t.Fatal(err)
			}
			want := tree(t, osDisk, "d")
			t.Chdir(t.TempDir())
			out, err := j.open(osDisk)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(j.write(t, out, j.refs[:60]), j.checkpoint(t, out, 60), j.write(t, out, j.refs[60:]), out.Abort()); err != nil {
				t.Fatal(err)
			}
			if err := j.run(t, osDisk); err != nil {
				t.Fatal(err)
			}
			if got := tree(t, osDisk, "d"); !maps.Equal(got, want) {
				t.Errorf("%v, want %v%s", names(got), names(want), differing(got, want))
			}
		})
	}
}
