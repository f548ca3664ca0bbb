package dedup

// answers are the verdicts of Pending answers, by number, two bits each, in a ring.
//
//	taken <= known <= next <= taken + 32*len(words)
type answers struct {
	words              []uint64 // its length is a power of two
	taken, known, next uint64
}

// The states of an answer.
const (
	unknown = iota
	isNew
	isSeen
)

// add makes a number for one more Pending answer.
func (a *answers) add() (number uint64) {
	if a.next-a.taken == 32*uint64(len(a.words)) {
		a.grow()
	}
	number = a.next
	a.next++
	a.set(number, unknown)
	return number
}

func (a *answers) grow() {
	old := *a
	a.words = make([]uint64, max(64, 2*len(a.words)))
	for n := old.taken; n < old.next; n++ {
		a.set(n, old.get(n))
	}
}

func (a *answers) at(n uint64) (word *uint64, shift uint64) {
	return &a.words[n/32&uint64(len(a.words)-1)], n % 32 * 2
}

func (a *answers) get(n uint64) uint64 {
	word, shift := a.at(n)
	return *word >> shift & 3
}

func (a *answers) set(n, state uint64) {
	word, shift := a.at(n)
	*word = *word&^(3<<shift) | state<<shift
}

// prefix moves known on over what is known by now.
func (a *answers) prefix() uint64 {
	for a.known < a.next && a.get(a.known) != unknown {
		a.known++
	}
	return a.known
}

// take gives an answer and forgets it and those before it.
func (a *answers) take(n uint64) Verdict {
	a.taken = n + 1
	if a.get(n) == isNew {
		return New
	}
	return Seen
}

// Tags. A key in a table is one of these. What a run says of it is not known where its tag stands for the
// number of the answer that waits for it, of which there are never so many at a time that two share one, and for
// tagAsked and tagPartial.
const (
	tagNew = uint32(0) // in no run, or in runs with an earlier time

	tagCycle     = 1<<32 - 6            // tags from 1 to tagCycle are numbers
	tagAsked     = uint32(tagCycle + 1) // questions wait for it
	tagPartial   = uint32(tagCycle + 2) // put, over whatever the runs say
	tagForgotten = uint32(tagCycle + 3) // not seen, whatever the runs say
	tagOver      = uint32(tagCycle + 4) // seen at its time, whatever the runs say
	tagStored    = uint32(tagCycle + 5) // as the runs say
)

// inDoubt says whether what the runs say of a key isn't known.
func inDoubt(tag uint32) bool { return tag-1 < tagPartial }

// waits says whether the tag stands for the number of an answer.
func waits(tag uint32) bool { return tag-1 < tagCycle }

func tagOf(number uint64) uint32 { return uint32(number%tagCycle) + 1 }

// numberOf is the number, among those not taken yet, that a tag stands for.
func (a *answers) numberOf(tag uint32) uint64 {
	from := a.taken % tagCycle
	return a.taken + (uint64(tag)-1+tagCycle-from)%tagCycle
}
