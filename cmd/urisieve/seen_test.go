package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/urisieve/urisieve/pipeline/dedup"
)

// seenModel is what urisieve seen --ttl has to know, in maps.
type seenModel struct {
	times map[string]uint32
	hosts map[string]uint32
	floor uint32
	ttl   uint32
}

// ask gives the verdict on a URL of a host.
func (m *seenModel) ask(verb, host, url string, at uint32) string {
	least := max(m.floor, 1)
	if until, ok := m.hosts[host]; ok {
		least = max(least, until+1)
	}
	last := m.times[url]
	verdict := "new"
	switch {
	case verb == "forget":
		delete(m.times, url)
		return "forgotten"
	case verb == "claim" && last >= least && at < last+m.ttl:
		return "seen"
	case verb == "note":
		verdict = "seen"
	}
	m.times[url] = max(last, at, least)
	return verdict
}

// seenScript are random lines and the answers to them.
func (m *seenModel) script(r *rand.Rand, n int, now uint32) (lines []string, answers []string) {
	add := func(answer, format string, args ...any) {
		lines, answers = append(lines, fmt.Sprintf(format, args...)), append(answers, answer)
	}
	for id := range n {
		host, at := fmt.Sprintf("host%d.example", r.IntN(50)), now-r.Uint32N(1<<20)
		url := fmt.Sprintf("http://%s/%d", host, r.IntN(5000))
		switch k := r.IntN(10_000); {
		case k < 2:
			add(`{"forgotten":true}`, `{"forget_host":%q,"time":%d}`, strings.ToUpper(host), at)
			m.hosts[host] = max(m.hosts[host], at)
		case k < 3:
			at = now - 1<<20 + r.Uint32N(1<<10)*uint32(1+id*1000/n)
			add(`{"forgotten":true}`, `{"forget_before":%q}`, time.Unix(int64(at), 0).UTC().Format(time.RFC3339))
			m.floor = max(m.floor, at)
		case k < 4:
			add(fmt.Sprintf(`{"synced":true,"id":%d}`, id), `{"sync":true,"id":%d}`, id)
		case k < 20:
			add(`{"verdict":"rejected","reason":"bad_host","component":"host","offset":10}`, `"http://[bad"`)
		case k < 4000:
			add(fmt.Sprintf(`{"verdict":%q,"url":%q,"id":%d}`, m.ask("claim", host, url, at), url, id), `{"ref":%q,"id":%d,"time":%d}`, url, id, at)
		case k < 8000:
			add(fmt.Sprintf(`{"verdict":%q,"url":%q}`, m.ask("claim", host, url, at), url), `{"time":%d,"ref":"/%s","base":"http://%s/"}`, at, url[len("http:///")+len(host):], host)
		default:
			verb := []string{"claim", "note", "force", "forget"}[r.IntN(4)]
			add(fmt.Sprintf(`{"verdict":%q,"url":%q}`, m.ask(verb, host, url, at), url), `{"time":%d,"verb":%q,"ref":%q}`, at, verb, url)
		}
	}
	return lines, answers
}

// runSeen runs urisieve seen over lines, in this process, and gives what it answers.
func runSeen(t *testing.T, in io.Reader, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	p := program{stdin: in, stdout: &stdout, stderr: &console{w: &stderr}}
	if code := p.main(append([]string{"seen", "-q"}, args...)); code != exitDone {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	return stdout.String()
}

// TestSeenAnswersAsAMapWould: hundreds of thousands of lines of all kinds, pipelined, over several processes, in memory that
// has room for a part of them.
func TestSeenAnswersAsAMapWould(t *testing.T) {
	n := 300_000
	if testing.Short() {
		n = 30_000
	}
	const ttl = 1 << 19
	for seed := range uint64(2) {
		dir, now := filepath.Join(t.TempDir(), "state"), seconds(time.Now())
		m := &seenModel{times: map[string]uint32{}, hosts: map[string]uint32{}, ttl: ttl}
		r := rand.New(rand.NewPCG(seed, 7))
		for part := range 2 {
			lines, want := m.script(r, n, now)
			in := &choppedReader{text: strings.Join(lines, "\n"), random: r}
			got := strings.Split(runSeen(t, in, "--state", dir, "--ttl", fmt.Sprint(ttl, "s"), "--dedup-memory", "2MiB"), "\n")
			if len(got) != len(want)+1 {
				t.Fatalf("seed %d, part %d: %d answers to %d lines", seed, part, len(got)-1, len(want))
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("seed %d, part %d, line %d: %s\n got %s\nwant %s", seed, part, i, lines[i], got[i], want[i])
				}
			}
		}
	}
}

// choppedReader gives a text in pieces of any length.
type choppedReader struct {
	text   string
	random *rand.Rand
}

func (c *choppedReader) Read(p []byte) (int, error) {
	if c.text == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 1+c.random.IntN(1<<c.random.IntN(18)))], c.text)
	c.text = c.text[n:]
	return n, nil
}

// client talks to a process of urisieve seen.
type client struct {
	t       *testing.T
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     io.Closer
	answers *bufio.Reader
	stderr  bytes.Buffer
}

func startClient(t *testing.T, args ...string) *client {
	t.Helper()
	c := &client{t: t, cmd: command(t, append([]string{"seen"}, args...)...)}
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.out, c.answers = out, bufio.NewReader(out)
	c.cmd.Stderr = &c.stderr
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.cmd.Process.Kill() })
	return c
}

// ask writes a line and waits for its answer.
func (c *client) ask(line string) string {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
	answer, err := c.answers.ReadString('\n')
	if err != nil {
		c.t.Fatalf("%s: %v: %s", line, err, c.stderr.String())
	}
	return strings.TrimSuffix(answer, "\n")
}

// end closes the input and gives the exit code.
func (c *client) end() int {
	c.t.Helper()
	c.in.Close()
	return c.wait()
}

func (c *client) wait() int {
	c.t.Helper()
	io.Copy(io.Discard, c.answers)
	err := c.cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		c.t.Fatal(err)
	} else if ok {
		return exit.ExitCode()
	}
	return 0
}

// TestSeenAnswersAClientThatWaits: each answer comes though the input stays open, also where the state has to look at its
// runs for it.
func TestSeenAnswersAClientThatWaits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	var b bytes.Buffer
	const keys = 150_000
	for i := range keys {
		fmt.Fprintf(&b, "\"http://h/%d\"\n", i)
	}
	runSeen(t, &b, "--state", dir, "--dedup-memory", "2MiB")
	c := startClient(t, "-q", "--state", dir, "--dedup-memory", "2MiB")
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 50 {
		n := r.IntN(keys)
		if got, want := c.ask(fmt.Sprintf(`"http://h/%d"`, n)), fmt.Sprintf(`{"verdict":"seen","url":"http://h/%d"}`, n); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
		if got, want := c.ask(fmt.Sprintf(`"http://h/%d"`, keys+i)), fmt.Sprintf(`{"verdict":"new","url":"http://h/%d"}`, keys+i); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
	if got := c.ask(`{"sync":true}`); got != `{"synced":true}` {
		t.Error(got)
	}
	if code := c.end(); code != 0 {
		t.Errorf("exit code %d: %s", code, c.stderr.String())
	}
}

// TestSeenEndsInOrderAtASignal: what was answered is remembered, and the code tells of the signal.
func TestSeenEndsInOrderAtASignal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	c := startClient(t, "--state", dir)
	c.ask(`"http://h/1"`)
	locked := command(t, "seen", "--state", dir)
	locked.Stdin = strings.NewReader(`"http://h/2"`)
	if text, err := locked.CombinedOutput(); err == nil || !strings.Contains(string(text), "it is in use: wait for the process") {
		t.Errorf("a second process: %v: %s", err, text)
	}
	c.cmd.Process.Signal(os.Interrupt)
	if code := c.wait(); code != exitSignal+int(syscall.SIGINT) || !strings.Contains(c.stderr.String(), "all 1 lines that were read are answered and synced") {
		t.Errorf("exit code %d: %s", code, c.stderr.String())
	}
	if got, want := runSeen(t, strings.NewReader(`"http://h/1"`), "--state", dir), `{"verdict":"seen","url":"http://h/1"}`+"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestSeenForgetsWhatNobodyReads: when the reader of the answers goes away, what it may not have read is new again.
func TestSeenForgetsWhatNobodyReads(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	c := startClient(t, "-q", "--state", dir)
	c.ask(`"http://h/1"`)
	c.ask(`{"sync":true}`)
	c.cmd.Process.Signal(syscall.SIGSTOP)
	_, _ = io.WriteString(c.in, "\"http://h/2\"\n")
	c.out.Close()
	c.cmd.Process.Signal(syscall.SIGCONT)
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, c.stderr.String())
	}
	got := runSeen(t, strings.NewReader("\"http://h/1\"\n\"http://h/2\"\n"), "--state", dir)
	if want := "{\"verdict\":\"seen\",\"url\":\"http://h/1\"}\n{\"verdict\":\"new\",\"url\":\"http://h/2\"}\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestSeenSyncsByItself: claims are durable though no line asks for it.
func TestSeenSyncsByItself(t *testing.T) {
	for _, every := range []string{"1ms", "1"} {
		dir := filepath.Join(t.TempDir(), "state")
		c := startClient(t, "-q", "--state", dir, "--sync-every", every)
		c.ask(`"http://h/1"`)
		for committed := int64(0); committed < 2; time.Sleep(time.Millisecond) { // the first commit is that of making it
			committed = commitsOf(t, dir)
		}
		c.cmd.Process.Kill()
		c.wait()
		if got, want := runSeen(t, strings.NewReader(`"http://h/1"`), "--state", dir), `{"verdict":"seen","url":"http://h/1"}`+"\n"; got != want {
			t.Errorf("--sync-every %s: got %s, want %s", every, got, want)
		}
	}
}

func commitsOf(t *testing.T, dir string) int64 {
	t.Helper()
	r, err := dedup.OpenRead(dedup.ReadOptions{Dir: dir, Memory: 2 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return r.Stats().Commits
}

// TestKillSeenAtAnyMoment kills the process at random moments, again and again with one state: all that was answered
// before a {"synced":true} is remembered, and nothing that was never asked. -e2e does it many more times.
func TestKillSeenAtAnyMoment(t *testing.T) {
	rounds := 6
	if *e2e {
		rounds = 200
	}
	if testing.Short() {
		rounds = 2
	}
	dir := filepath.Join(t.TempDir(), "state")
	const keys = 400_000
	const (
		fresh   = iota
		unknown // asked, and not synced
		synced
	)
	state := make([]uint8, keys)
	r := rand.New(rand.NewPCG(3, 3))
	syncs := 0
	for round := range rounds {
		c := startClient(t, "-q", "--state", dir, "--dedup-memory", "2MiB")
		asked := make(chan int, keys) // -1 for a sync, in the order of the lines
		go writeUntilKilled(c.in, rand.New(rand.NewPCG(uint64(round), 4)), keys, asked)
		kill := time.AfterFunc(time.Duration(20+r.IntN(400))*time.Millisecond, func() { c.cmd.Process.Kill() })
		var since []int // asked since the last sync
		for {
			line, err := c.answers.ReadString('\n')
			if err != nil {
				break
			}
			key := <-asked
			if key < 0 {
				if line != "{\"synced\":true}\n" {
					t.Fatalf("answer to a sync: %s", line)
				}
				for _, k := range since {
					state[k] = synced
				}
				since = since[:0]
				syncs++
				continue
			}
			var answer struct{ Verdict, URL string }
			if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.URL != fmt.Sprintf("http://h/%d", key) {
				t.Fatalf("answer to %d: %s, %v", key, line, err)
			}
			switch {
			case state[key] == fresh && answer.Verdict != "new":
				t.Fatalf("round %d: %s was never asked", round, line)
			case state[key] == synced && answer.Verdict != "seen":
				t.Fatalf("round %d: %s was synced", round, line)
			}
			if state[key] == fresh {
				state[key] = unknown
			}
			since = append(since, key)
		}
		kill.Stop()
		c.wait()
		for key := range asked { // those that have no answer
			if key >= 0 && state[key] == fresh {
				state[key] = unknown
			}
		}
	}
	if syncs == 0 {
		t.Error("it was always killed before the first sync: the test shows nothing")
	}
	checkSeen(t, dir, state, fresh, synced)
}

// writeUntilKilled writes lines, with a sync now and then, until the reader is gone, and sends what it is about to write.
func writeUntilKilled(w io.Writer, r *rand.Rand, keys int, asked chan<- int) {
	defer close(asked)
	for range cap(asked) / 101 {
		var b bytes.Buffer
		for range 100 {
			key := r.IntN(keys)
			asked <- key
			fmt.Fprintf(&b, "\"http://h/%d\"\n", key)
		}
		if r.IntN(10) == 0 {
			asked <- -1
			b.WriteString("{\"sync\":true}\n")
		}
		if _, err := w.Write(b.Bytes()); err != nil {
			return
		}
	}
}

// checkSeen asks for all keys at last.
func checkSeen(t *testing.T, dir string, state []uint8, fresh, synced uint8) {
	t.Helper()
	var b bytes.Buffer
	for key := range state {
		fmt.Fprintf(&b, "\"http://h/%d\"\n", key)
	}
	answers := strings.Split(runSeen(t, &b, "--state", dir, "--dedup-memory", "2MiB"), "\n")
	count := map[bool]int{}
	for key, is := range state {
		isNew := strings.HasPrefix(answers[key], `{"verdict":"new"`)
		if is == fresh && !isNew || is == synced && isNew {
			t.Errorf("at last: %s, state %d", answers[key], is)
		}
		count[isNew]++
	}
	if count[true] == 0 || count[false] == 0 {
		t.Errorf("%d new, %d seen: the test shows nothing", count[true], count[false])
	}
}

// FuzzSeenLine: whatever a line is, it has one meaning, and what isn't JSON is told to be that.
func FuzzSeenLine(f *testing.F) {
	for _, line := range []string{
		`"http://h/"`, `{"ref":"x","base":"b","id":[1,{"a":null}],"verb":"note","time":1e9}`, `{"sync":true}`, `{"forget_before":"2026-01-01T00:00:00Z"}`,
		`{"re\u0066":"\ud83d\ude00"}`, `{"forget_host":"h"} x`, `{"time":-1e999,"ref":""}`, `[`, `5`, `{"ref":null,"url":"x"}`, `{}`, "\x00",
	} {
		f.Add([]byte(line))
	}
	var l seenLine
	f.Fuzz(func(t *testing.T, line []byte) {
		if len(line) > 5000 {
			return // the standard library has a limit of depth
		}
		l.parse(line, 1<<30)
		valid := json.Valid(line)
		switch l.kind {
		case aBlank:
			if len(bytes.Trim(line, " \t\r\n")) > 0 {
				t.Fatalf("%q: blank", line)
			}
			return
		case aFault:
			if (l.offset >= 0) == valid && !strings.HasPrefix(l.fault, "no member") || l.fault == "" {
				t.Fatalf("%q: %s, offset %d, JSON %v", line, l.fault, l.offset, valid)
			}
		case aReference:
			if l.ref == nil || !valid {
				t.Fatalf("%q: a reference without ref, JSON %v", line, valid)
			}
		default:
			if !valid || l.ref != nil {
				t.Fatalf("%q: kind %d, JSON %v", line, l.kind, valid)
			}
		}
		if l.time > 1<<30 || l.id != nil && !json.Valid(l.id) {
			t.Fatalf("%q: time %d, id %q", line, l.time, l.id)
		}
	})
}
