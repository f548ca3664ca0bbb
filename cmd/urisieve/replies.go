package main

import (
	"io"
	"strconv"

	"github.com/urisieve/urisieve/normalize"
	"github.com/urisieve/urisieve/pipeline/dedup"
)

// head is how an answer begins: by its verdict, which may be known later than the rest, the tail.
type head uint8

const (
	headNone head = iota // the tail has all
	headNew
	headSeen
	headForgotten
	headPending
)

var heads = [...]string{
	headNone: "", headNew: `{"verdict":"new"`, headSeen: `{"verdict":"seen"`, headForgotten: `{"verdict":"forgotten"`,
}

// replies are answers in the order of their lines, from the first that isn't written yet.
type replies struct {
	w     io.Writer
	list  []reply
	tails []byte // of the answers of list, and of those before it
	start int    // where the first tail of list begins
	taken uint64 // Pending answers of the state
	buf   []byte
}

// reply is an answer.
type reply struct {
	head head
	end  int // of its tail, which begins where the one before ends
}

// add ends an answer, whose tail goes on with text.
func (r *replies) add(h head, text string, id []byte) {
	r.tails = append(r.tails, text...)
	if id != nil {
		r.tails = append(append(r.tails, `,"id":`...), id...)
	}
	r.tails = append(r.tails, "}\n"...)
	r.list = append(r.list, reply{h, len(r.tails)})
}

// reject adds the answer to a reference that has no canonical URI.
func (r *replies) reject(res *normalize.Result, id []byte) {
	tail := append(r.tails, `{"verdict":"rejected","reason":`...)
	tail = appendNameOrNull(tail, res.Reason.String())
	tail = appendNameOrNull(append(tail, `,"component":`...), res.Component.String())
	r.tails = strconv.AppendUint(append(tail, `,"offset":`...), uint64(res.At), 10)
	r.add(headNone, "", id)
}

// write writes the answers up to the first whose verdict isn't known.
func (r *replies) write(state *dedup.State, counts *seenCounts) error {
	known := state.Known()
	n := 0
	for ; n < len(r.list); n++ {
		a := &r.list[n]
		if a.head == headPending {
			if r.taken == known {
				break
			}
			a.head = headSeen
			if state.Take(r.taken) == dedup.New {
				a.head = headNew
			}
			r.taken++
		}
		counts.add(a.head)
		r.buf = append(append(r.buf, heads[a.head]...), r.tails[r.start:a.end]...)
		r.start = a.end
		if len(r.buf) >= answersBuffer {
			if err := r.flush(); err != nil {
				return err
			}
		}
	}
	if r.list = r.list[:copy(r.list, r.list[n:])]; len(r.list) == 0 {
		r.tails, r.start = r.tails[:0], 0
	}
	return r.flush()
}

func (r *replies) flush() error {
	if len(r.buf) == 0 {
		return nil
	}
	_, err := r.w.Write(r.buf)
	r.buf = r.buf[:0]
	return err
}
