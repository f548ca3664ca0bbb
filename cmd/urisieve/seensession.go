package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/normalize/uri"
	"github.com/urisieve/urisieve/pipeline/dedup"
)

const (
	// askLines is the number of references after which a state is asked: as many as it looks up at a time.
	askLines = 1024
	// waitingBytes bounds the answers that wait for the verdict of one of them. The more wait, the less often the runs of
	// a state are read for them.
	waitingBytes = 32 << 20
	// longestWait bounds how long answers wait for more lines, for whose sake, too, the runs are read.
	longestWait = 100 * time.Millisecond
)

// seenSession answers the lines of one client from a state, in order. It has one goroutine.
type seenSession struct {
	state  *dedup.State
	norm   *normalize.Normalizer
	hasher dedup.Hasher
	every  syncInterval

	line   seenLine
	now    uint32 // seconds since 1970
	base   normalize.Base
	layers [3][]byte // that base was made of; nil: absent
	hosts  bool      // some were forgotten
	canon  []byte

	asks     []dedup.Ask
	asked    []int // the reply that each of asks is of
	verdicts []dedup.Verdict
	replies  replies

	settleBy   time.Time     // when the answers that wait are settled at the latest; zero: none wait
	settleTook time.Duration // the last time
	syncBy     time.Time     // likewise of --sync-every TIME
	unsynced   int64         // references and orders since the last sync

	counts seenCounts
}

func newSeenSession(state *dedup.State, norm *normalize.Normalizer, w io.Writer, every syncInterval) *seenSession {
	return &seenSession{
		hosts: state.Stats().Hosts > 0,
		state: state, norm: norm, hasher: dedup.NewHasher(state.Secret()), every: every,
		verdicts: make([]dedup.Verdict, askLines), replies: replies{w: w},
	}
}

// serve answers until the input ends, or drain is closed and what was read by then is answered. It returns at once
// when ctx is done.
func (s *seenSession) serve(ctx context.Context, in *lineFeed, drain <-chan struct{}) error {
	defer in.stop()
	for {
		piece, ok, err := s.next(ctx, in, drain)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		s.now = seconds(time.Now())
		if err := in.lines(piece, s.answer); err != nil {
			return err
		}
		in.giveBack(piece)
		if err := s.deliver(); err != nil {
			return err
		}
	}
	select {
	case <-drain: // the last line may go on
		return s.settle()
	default:
	}
	if err := in.rest(s.answer); err != nil {
		return err
	}
	if err := s.settle(); err != nil {
		return err
	}
	return in.err
}

// next waits for input; false at its end. When there is none just now, it settles what waits, and makes the sync that
// falls due.
func (s *seenSession) next(ctx context.Context, in *lineFeed, drain <-chan struct{}) (piece []byte, ok bool, err error) {
	for {
		select {
		case piece, ok = <-in.pieces:
			select {
			case <-drain:
				in.stop()
			default:
			}
			return piece, ok, ctx.Err()
		default:
		}
		due, waits := s.due()
		if waits && due <= 0 {
			if err := s.catchUp(); err != nil {
				return nil, false, err
			}
			continue
		}
		var alarm <-chan time.Time
		if waits {
			alarm = time.After(due)
		}
		select {
		case piece, ok = <-in.pieces:
			return piece, ok, ctx.Err()
		case <-drain:
			return nil, false, ctx.Err()
		case <-alarm:
		}
	}
}

// due says in what time something has to be done though no line comes; false if nothing has.
func (s *seenSession) due() (time.Duration, bool) {
	by := s.settleBy
	if by.IsZero() || !s.syncBy.IsZero() && s.syncBy.Before(by) {
		by = s.syncBy
	}
	return time.Until(by), !by.IsZero()
}

// catchUp does what is due.
func (s *seenSession) catchUp() error {
	now := time.Now()
	if !s.settleBy.IsZero() && !now.Before(s.settleBy) {
		if err := s.settle(); err != nil {
			return err
		}
	}
	if !s.syncBy.IsZero() && !now.Before(s.syncBy) {
		return s.sync()
	}
	return nil
}

// answer answers a line, nil for one that is too long.
func (s *seenSession) answer(line []byte) error {
	l := &s.line
	if line == nil {
		l.reset(nil)
		l.complain("the line is too long: shorten it, or raise --max-record-bytes (input.max_record_bytes)")
	} else {
		l.parse(line, s.now)
	}
	if l.kind == aBlank {
		return nil
	}
	s.counts.lines++
	if l.future {
		s.counts.future++
	}
	switch l.kind {
	case aReference:
		return s.reference(l)
	case aForgetHost, aForgetBefore:
		return s.forget(l)
	case aSync:
		if err := s.sync(); err != nil {
			return err
		}
		s.replies.add(headNone, `{"synced":true`, l.id)
	default:
		s.fault(l)
	}
	return nil
}

// reference normalizes a reference, and asks for it with the next others.
func (s *seenSession) reference(l *seenLine) error {
	canon, r := s.norm.Append(s.canon[:0], s.baseOf(l), l.ref)
	if s.canon = canon; r.Reason != normalize.OK {
		s.counts.rejected++
		s.replies.reject(&r, l.id)
		return nil
	}
	url := canon[:r.Parts.URLEnd(len(canon))]
	key := url
	tail := appendJSON(append(s.replies.tails, `,"url":`...), url)
	if s.norm.HasKeyRules() {
		s.canon, _ = s.norm.AppendKey(canon, canon, r)
		key = s.canon[len(canon):]
		tail = appendJSON(append(tail, `,"key":`...), key)
	}
	s.replies.tails = tail
	ask := dedup.Ask{Key: s.hasher.Sum(key), Time: l.time, Verb: l.verb}
	if ask.Time == 0 {
		ask.Time = s.now
	}
	if host := r.Parts.Host(url); s.hosts && len(host) > 0 {
		ask.Host = s.hasher.Host(host)
	}
	s.asks, s.asked = append(s.asks, ask), append(s.asked, len(s.replies.list))
	s.replies.add(headPending, "", l.id)
	if len(s.asks) == askLines {
		if err := s.ask(); err != nil {
			return err
		}
	}
	return s.changed()
}

// baseOf is the base of a line, nil for none.
func (s *seenSession) baseOf(l *seenLine) *normalize.Base {
	layers := [...][]byte{l.embedded, l.entity, l.retrieval}
	none, same := true, true
	for i, text := range layers {
		none = none && text == nil
		same = same && (text == nil) == (s.layers[i] == nil) && bytes.Equal(text, s.layers[i])
	}
	switch {
	case none:
		return nil
	case same: // as is often so, of the links of a document
		return &s.base
	}
	for i, text := range layers {
		s.layers[i] = bytes.Clone(text)
	}
	s.norm.SetBase(&s.base, s.layers[0], s.layers[1], s.layers[2])
	return &s.base
}

// ask asks the state for the references that came since it was asked last.
func (s *seenSession) ask() error {
	verdicts := s.verdicts[:len(s.asks)]
	if err := s.state.Ask(s.asks, verdicts); err != nil {
		return err
	}
	for i, v := range verdicts {
		reply := &s.replies.list[s.asked[i]]
		switch {
		case v == dedup.Pending:
			if s.settleBy.IsZero() {
				s.settleBy = time.Now().Add(min(s.settleTook, longestWait))
			}
		case s.asks[i].Verb == dedup.Forget:
			reply.head = headForgotten
		case v == dedup.New:
			reply.head = headNew
		default:
			reply.head = headSeen
		}
	}
	s.asks, s.asked = s.asks[:0], s.asked[:0]
	return nil
}

// deliver writes the answers whose verdicts are known.
func (s *seenSession) deliver() error {
	if err := s.ask(); err != nil {
		return err
	}
	if err := s.replies.write(s.state, &s.counts); err != nil {
		return err
	}
	if len(s.replies.list) == 0 {
		s.settleBy = time.Time{}
	}
	if len(s.replies.tails) > waitingBytes {
		return s.settle()
	}
	return nil
}

// settle makes all verdicts known, and writes all answers.
func (s *seenSession) settle() error {
	if err := s.ask(); err != nil {
		return err
	}
	start := time.Now()
	if err := s.state.Settle(); err != nil {
		return err
	}
	s.settleTook, s.settleBy = time.Since(start), time.Time{}
	return s.replies.write(s.state, &s.counts)
}

// changed counts what a sync is for, and makes the one that --sync-every N asks for.
func (s *seenSession) changed() error {
	s.unsynced++
	switch {
	case s.every.lines > 0 && s.unsynced >= s.every.lines:
		return s.sync()
	case s.every.time > 0 && s.syncBy.IsZero():
		s.syncBy = time.Now().Add(s.every.time)
	}
	return nil
}

// sync writes all answers and then makes all claims durable: what became of an answer is for the client to
// know, but none may be lost here.
func (s *seenSession) sync() error {
	if err := s.settle(); err != nil {
		return err
	}
	s.unsynced, s.syncBy = 0, time.Time{}
	return s.state.Sync()
}

// forget does what a line wants that forgets a host, or what was before a time.
func (s *seenSession) forget(l *seenLine) error {
	at := l.time
	if at == 0 {
		at = s.now
	}
	if l.kind == aForgetHost {
		host, problem := canonicalHost(s.norm, l.host)
		if problem != "" {
			l.complain("forget_host: %s", problem)
			s.fault(l)
			return nil
		}
		if err := s.settle(); err != nil {
			return err
		}
		if err := s.state.ForgetHost(s.hasher.Host(host), at); err != nil {
			return err
		}
		s.hosts = true
	} else {
		if err := s.settle(); err != nil {
			return err
		}
		if err := s.state.ForgetBefore(at); err != nil {
			return err
		}
	}
	s.replies.add(headNone, `{"forgotten":true`, l.id)
	return s.changed()
}

func (s *seenSession) fault(l *seenLine) {
	s.counts.faults++
	tail := appendJSON(append(s.replies.tails, `{"error":`...), []byte(l.fault))
	if l.offset >= 0 {
		tail = strconv.AppendInt(append(tail, `,"offset":`...), int64(l.offset), 10)
	}
	s.replies.tails = tail
	s.replies.add(headNone, "", l.id)
}

// canonicalHost is a host as it stands in a canonical URI; or what is wrong with it.
func canonicalHost(norm *normalize.Normalizer, host []byte) (canonical []byte, problem string) {
	const before, behind = "http://", "/"
	text := append(append([]byte(before), host...), behind...)
	url, r := norm.Append(nil, nil, text)
	if r.Reason != normalize.OK {
		return nil, fmt.Sprintf("%q is no host (%s): want one as in a URL, such as example.com", host, r.Reason)
	}
	canonical = r.Parts.Host(url)
	if given := uri.Split(text); given.HasPort() || given.HasUserinfo() || string(url) != before+string(canonical)+behind {
		return nil, fmt.Sprintf("%q is more than a host: want it without scheme, port and path, such as example.com", host)
	}
	return canonical, ""
}

// seenCounts is what became of the lines.
type seenCounts struct {
	lines, fresh, seen, forgotten, rejected, faults int64
	future                                          int64 // times that were to come
}

func (c *seenCounts) add(h head) {
	switch h {
	case headNew:
		c.fresh++
	case headSeen:
		c.seen++
	case headForgotten:
		c.forgotten++
	default:
	}
}

// summary is what is told of them at the end.
func (c *seenCounts) summary(dir string) string {
	text := fmt.Sprintf("state %s: %s answered: %s new, %s seen", dir, counted(c.lines, "line"), grouped(c.fresh), grouped(c.seen))
	for _, more := range []struct {
		n    int64
		what string
	}{{c.forgotten, "forgotten"}, {c.rejected, "rejected"}, {c.faults, "not understood"}, {c.future, "dated in the future, which was taken for now"}} {
		if more.n > 0 {
			text += ", " + grouped(more.n) + " " + more.what
		}
	}
	return text + "\n"
}
