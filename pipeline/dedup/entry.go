package dedup

// entry is what a run, or memory, says of a key whose times are kept: a change of what older ones say.
//
//	put        seen at time, or as late as it was
//	over       seen at time, whatever was before
//	forgotten  not seen, whatever was before; its time is 0
//
// So time is the outcome where there is nothing older, 0 for not seen. The zero entry changes nothing.
type entry struct {
	time uint32 // of the last emission, in seconds since 1970, at least 1; 0: none
	kind entryKind
}

type entryKind uint8

const (
	put entryKind = iota
	over
	forgotten
	entryKinds
)

// then is the change that e and, after it, newer make. It is associative, and e.then(e) is e: so runs may be merged
// in any groups of neighbours, and what a run holds may be applied again.
func (e entry) then(newer entry) entry {
	switch {
	case newer.kind != put:
		return newer
	case e.kind == forgotten && newer.time > 0:
		return entry{newer.time, over}
	case newer.time > e.time:
		e.time = newer.time
	}
	return e
}

// reduced is an entry as it is to be written to a run: without what was emitted before floor, which
// counts as never, and, where nothing is older than the run, without what only changes something older. false: not at all.
func (e entry) reduced(floor uint32, oldest bool) (entry, bool) {
	if e.time < floor && e.kind != forgotten {
		if e.kind == put {
			return entry{}, false
		}
		e = entry{kind: forgotten}
	}
	if !oldest {
		return e, true
	}
	return entry{time: e.time}, e.kind != forgotten
}
