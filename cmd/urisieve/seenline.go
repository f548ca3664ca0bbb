package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urisieve/urisieve/internal/jsonscan"
	"github.com/urisieve/urisieve/pipeline/dedup"
)

// member is a name that a line of urisieve seen may have.
type member uint8

const (
	memberRef member = iota
	memberURL        // as ref
	memberBase
	memberDocument // as base
	memberEntityBase
	memberEmbeddedBase
	memberVerb
	memberTime
	memberID
	memberForgetHost
	memberForgetBefore
	memberSync
	members
)

var memberNames = [members]string{
	"ref", "url", "base", "document", "entity_base", "embedded_base", "verb", "time", "id",
	"forget_host", "forget_before", "sync",
}

// textMembers are those whose values are strings.
var textMembers = [...]member{
	memberRef, memberURL, memberBase, memberDocument, memberEntityBase, memberEmbeddedBase, memberVerb, memberForgetHost,
}

// lineKind is what a line wants.
type lineKind uint8

const (
	aReference lineKind = iota
	aForgetHost
	aForgetBefore
	aSync
	aBlank // nothing: it has no answer
	aFault // it can't be understood
)

// seenLine is a line that a client of urisieve seen wrote. Its bytes are those of the line, or belong to the
// seenLine, until the next parse.
type seenLine struct {
	kind                        lineKind
	ref                         []byte
	embedded, entity, retrieval []byte // bases, nil where there is none
	verb                        dedup.Verb
	host                        []byte
	time                        uint32 // seconds since 1970; 0: now
	future                      bool   // the time was one to come
	id                          []byte // as it stands in the line, nil for none
	fault                       string // of aFault: what to write instead
	offset                      int    // of the first byte that can't be, -1 where bytes aren't to blame

	scan   jsonscan.Scan
	values [members]jsonValue
	text   []byte // strings that had escapes
	name   []byte // the name of a member that had escapes
}

// jsonValue is a span of a line: between the quotes of a string, else the whole value.
type jsonValue struct {
	from, to int
	kind     byte // its first byte; 0: there is none
	escaped  bool
}

// parse reads a line. now is the time, in seconds since 1970, that later ones are taken for.
func (l *seenLine) parse(line []byte, now uint32) {
	l.reset(line)
	s := &l.scan
	var ok bool
	switch c := s.Space(); {
	case c == 0 && s.Pos == len(line):
		l.kind = aBlank
		return
	case c == '"':
		ok = l.value(memberRef)
	case c == '{':
		ok = l.object()
	case s.Skip() && s.Space() == 0 && s.Pos == len(line):
		l.complain("want an object, or a string that is a reference")
		return
	}
	if ok = ok && s.Space() == 0 && s.Pos == len(line); !ok {
		if l.kind != aFault {
			l.complain("not JSON: want an object, or a string that is a reference, in one line")
			l.offset = s.Pos
		}
		return
	}
	l.understand(now)
}

func (l *seenLine) reset(line []byte) {
	l.kind, l.verb, l.time, l.future, l.offset = aReference, dedup.Claim, 0, false, -1
	l.ref, l.embedded, l.entity, l.retrieval, l.host, l.id, l.fault = nil, nil, nil, nil, nil, nil, ""
	l.scan.Data, l.scan.Pos = line, 0
	l.values, l.text = [members]jsonValue{}, l.text[:0]
}

// complain makes the line a faulty one. The first fault counts.
func (l *seenLine) complain(format string, args ...any) {
	if l.kind != aFault {
		l.kind, l.fault = aFault, fmt.Sprintf(format, args...)
	}
}

// object reads the members; false if they aren't JSON. Of a name that comes twice the last one counts.
func (l *seenLine) object() bool {
	s := &l.scan
	s.Pos++
	if s.Space() == '}' {
		s.Pos++
		return true
	}
	for {
		if s.Space() != '"' {
			return false
		}
		from, escaped, ok := s.Text()
		if !ok {
			return false
		}
		name := s.Data[from : s.Pos-1]
		if escaped {
			l.name = jsonscan.AppendUnescaped(l.name[:0], name)
			name = l.name
		}
		if !s.Take(':') || !l.member(name) {
			return false
		}
		switch s.Space() {
		case ',':
			s.Pos++
		case '}':
			s.Pos++
			return true
		default:
			return false
		}
	}
}

func (l *seenLine) member(name []byte) bool {
	for m := range members {
		if string(name) == memberNames[m] {
			return l.value(m)
		}
	}
	if !l.scan.Skip() {
		return false
	}
	l.complain("no member is called %q: want %s", name, strings.Join(memberNames[:], ", "))
	return true
}

// value reads the value of a member.
func (l *seenLine) value(m member) bool {
	s := &l.scan
	v := jsonValue{kind: s.Space(), from: s.Pos}
	var ok bool
	if v.kind == '"' {
		v.from, v.escaped, ok = s.Text()
		v.to = s.Pos - 1
	} else {
		ok = s.Skip()
		v.to = s.Pos
	}
	if v.kind == 'n' { // null is as good as absent
		v = jsonValue{}
	}
	l.values[m] = v
	return ok
}

// raw is the value as it stands in the line, nil for none.
func (l *seenLine) raw(m member) []byte {
	v := l.values[m]
	switch v.kind {
	case 0:
		return nil
	case '"':
		return l.scan.Data[v.from-1 : v.to+1]
	}
	return l.scan.Data[v.from:v.to]
}

// string is what a string holds, nil for none.
func (l *seenLine) string(m member) []byte {
	v := l.values[m]
	if v.kind == 0 {
		return nil
	}
	text := l.scan.Data[v.from:v.to:v.to]
	if !v.escaped {
		return text
	}
	from := len(l.text)
	l.text = jsonscan.AppendUnescaped(l.text, text)
	return l.text[from:len(l.text):len(l.text)]
}

// firstOf is the string of the first of two members that is there.
func (l *seenLine) firstOf(m, n member) []byte {
	if l.values[m].kind != 0 {
		return l.string(m)
	}
	return l.string(n)
}

// understand makes of the values what they mean.
func (l *seenLine) understand(now uint32) {
	l.id = l.raw(memberID)
	for _, m := range textMembers {
		if k := l.values[m].kind; k != 0 && k != '"' {
			l.complain("%s: want a string", memberNames[m])
		}
	}
	if l.kind == aFault {
		return
	}
	l.ref = l.firstOf(memberRef, memberURL)
	l.retrieval = l.firstOf(memberBase, memberDocument)
	l.entity, l.embedded, l.host = l.string(memberEntityBase), l.string(memberEmbeddedBase), l.string(memberForgetHost)
	l.understandKind()
	l.understandVerb()
	if l.kind == aForgetBefore {
		l.understandTime(memberForgetBefore, now)
	} else {
		l.understandTime(memberTime, now)
	}
}

// orders are the members that a line without a reference has.
var orders = [...]struct {
	member member
	kind   lineKind
}{{memberForgetHost, aForgetHost}, {memberForgetBefore, aForgetBefore}, {memberSync, aSync}}

// understandKind finds out what the line wants: one thing.
func (l *seenLine) understandKind() {
	wants := 0
	if l.ref != nil {
		wants++
	}
	for _, o := range orders {
		if l.values[o.member].kind != 0 {
			l.kind = o.kind
			wants++
		}
	}
	switch {
	case wants != 1:
		l.complain("want one of ref, forget_host, forget_before and sync in a line")
	case l.kind == aSync && l.values[memberSync].kind != 't':
		l.complain("sync: want true")
	}
}

var verbNames = []string{dedup.Claim: "claim", dedup.Note: "note", dedup.Force: "force", dedup.Forget: "forget"}

func (l *seenLine) understandVerb() {
	name := l.string(memberVerb)
	if name == nil {
		return
	}
	verb := slices.Index(verbNames, string(name))
	switch {
	case verb < 0:
		l.complain("verb: %q is none: want %s", name, strings.Join(verbNames, ", "))
	case l.kind != aReference:
		l.complain("verb: belongs to a ref")
	default:
		l.verb = dedup.Verb(verb)
	}
}

// understandTime reads a time, which is no later than now.
func (l *seenLine) understandTime(m member, now uint32) {
	var seconds int64
	switch v := l.values[m]; {
	case v.kind == 0:
		return
	case v.kind == '"':
		t, err := time.Parse(time.RFC3339, string(l.string(m)))
		if err != nil {
			l.complain("%s: %q: want a time as 2026-12-31T23:59:59Z, or seconds since 1970", memberNames[m], l.string(m))
			return
		}
		seconds = t.Unix()
	case v.kind == '-' || v.kind >= '0' && v.kind <= '9':
		f, err := strconv.ParseFloat(string(l.raw(m)), 64)
		if err != nil { // too large for a float64
			f = math.Copysign(math.MaxInt32, f)
		}
		seconds = int64(max(min(f, math.MaxUint32), 0))
	default:
		l.complain("%s: want a time as 2026-12-31T23:59:59Z, or seconds since 1970", memberNames[m])
		return
	}
	l.future = seconds > int64(now)
	l.time = uint32(max(min(seconds, int64(now)), 1))
}
