package dedup

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/urisieve/urisieve/internal/fsys"
)

// survey goes through all of a state that can be read, whatever of it is damaged.
type survey struct {
	files  fsys.FS
	dir    string
	header stateHeader // of a damaged one, only KeyID, and "" if nothing tells of it

	headerDamage, secretDamage, markDamage bool

	damage []*DamageError
	lost   int64 // keys that can't be read, at most
	bytes  int64 // that were read
	keys   int64 // of runs, that were read
	read   int   // files

	commit   commit // the last one that can be read
	at       place  // of its end
	durable  place  // of the end of the last one that was durable; {} if the mark can't be read
	journals []*journalFile
}

// newSurvey finds the header and the last commit. The error isn't of damage.
func newSurvey(files fsys.FS, dir string) (*survey, error) {
	v := &survey{files: files, dir: dir}
	if err := v.readHeader(); err != nil {
		return nil, err
	}
	if err := v.readSecret(); err != nil {
		return nil, err
	}
	return v, v.findCommit()
}

func (v *survey) close() {
	for _, j := range v.journals {
		_ = j.file.Close() // opened for reading
	}
}

func (v *survey) path(name string) string { return filepath.Join(v.dir, name) }

// note keeps what an error tells of damage; the other errors it gives back.
func (v *survey) note(err error) error {
	if d, ok := errors.AsType[*DamageError](missingIsDamage(err)); ok {
		v.damage = append(v.damage, d)
		return nil
	}
	return err
}

func (v *survey) readHeader() error {
	h, err := readHeader(v.files, v.dir)
	if err == nil {
		v.header = h
		v.count(headerFile)
		return nil
	}
	v.headerDamage = true
	if errors.Is(err, fs.ErrNotExist) {
		numbers, listErr := numbered(v.files, v.dir, journalPrefix)
		if listErr != nil || len(numbers) == 0 {
			return fmt.Errorf("there is no state: %w", errors.Join(err, listErr))
		}
	}
	if err := v.note(err); err != nil {
		return err
	}
	v.header.KeyID, err = v.guessKeyID()
	return err
}

// guessKeyID gives the key id that a journal tells of.
func (v *survey) guessKeyID() (string, error) {
	numbers, err := numbered(v.files, v.dir, journalPrefix)
	if err != nil {
		return "", err
	}
	for _, n := range numbers {
		f, err := v.files.OpenFile(v.path(journalName(n)), os.O_RDONLY, 0)
		if err != nil {
			return "", err
		}
		h := make([]byte, journalHeader)
		_, err = io.ReadFull(io.NewSectionReader(f, 0, journalHeader), h)
		if err := f.Close(); err != nil {
			return "", err
		}
		if err != nil {
			continue
		}
		const idAt, idEnd = 16, 24
		if id := hex.EncodeToString(h[idAt:idEnd]); string(fileHeader(journalMagic, n, id)) == string(h) {
			return id, nil
		}
	}
	return "", nil
}

func (v *survey) readSecret() error {
	if _, err := v.header.ownSecret(v.files, v.dir); err != nil && !errors.Is(err, errNoSecret) {
		v.secretDamage = true
		return v.note(err)
	} else if err == nil {
		v.count(secretFile)
	}
	return nil
}

// count counts a file that was read whole.
func (v *survey) count(name string) {
	if info, err := v.files.Stat(v.path(name)); err == nil {
		v.bytes += info.Size()
		v.read++
	}
}

// findCommit finds the last commit that can be read, wherever the journals are damaged before it, or in the mark.
func (v *survey) findCommit() error {
	m := &stateImage{files: v.files, dir: v.dir, header: v.header}
	marked, ok, err := m.readMark()
	if err != nil {
		return err
	}
	v.count(markFile)
	if !ok || marked.commit == nil {
		v.markDamage = true
		v.damage = append(v.damage, &DamageError{v.path(markFile), 0, "the file is corrupt or missing"})
	}
	v.durable = marked.place
	numbers, err := numbered(v.files, v.dir, journalPrefix)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		j, err := m.openJournal(n, os.O_RDONLY)
		if err != nil {
			return err
		}
		v.journals = append(v.journals, j)
		if err := v.lastCommit(j, ok); err != nil {
			return err
		}
	}
	switch {
	case !v.at.before(v.durable):
	case marked.commit != nil:
		v.commit, v.at = *marked.commit, v.durable
	case v.at.end > 0:
		v.extend()
	}
	return nil
}

// extend adds to the commit what is behind it in the journals up to the one that was durable and can't be read.
func (v *survey) extend() {
	for _, j := range v.journals {
		switch {
		case j.number == v.at.journal:
			v.damage = append(v.damage, &DamageError{j.file.Name(), v.at.end, "the commit behind it can't be read"})
			fallthrough
		case j.number > v.at.journal:
			if j.number < v.durable.journal {
				v.commit.journals = append(v.commit.journals, journalID{j.number, j.size})
			}
		}
	}
	v.at = v.durable
}

// lastCommit looks for commits in a journal: with a mark, not behind what a crash left of one that wasn't durable.
func (v *survey) lastCommit(j *journalFile, marked bool) error {
	r := resumeJournal(j, journalHeader, j.size)
	for {
		kind, payload, err := r.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, ErrCorrupt):
			if marked && !(place{j.number, r.at}).before(v.durable) {
				return nil
			}
			err = r.skip()
		case err == nil && kind == recordCommit:
			if c, ok := decodeCommit(payload); ok {
				v.commit, v.at = c, place{j.number, r.at}
			}
		}
		if err != nil {
			return err
		}
	}
}

// live gives the journals that the commit needs, each as long as it needs it. One that isn't there, or is too short, is noted.
func (v *survey) live() []*journalFile {
	var live []*journalFile
	for _, id := range append(slices.Clip(v.commit.journals), journalID{v.at.journal, v.at.end}) {
		if id.bytes == 0 {
			v.damage = append(v.damage, &DamageError{v.path(journalName(1)), 0, "no commit can be read"})
			continue
		}
		var file *journalFile
		for _, j := range v.journals {
			if j.number == id.number {
				file = j
			}
		}
		if file == nil {
			v.damage = append(v.damage, &DamageError{v.path(journalName(id.number)), 0, "the file is missing"})
			v.lost += id.bytes / keyBytes
			continue
		}
		if file.size < id.bytes {
			v.damage = append(v.damage, &DamageError{file.file.Name(), file.size, fmt.Sprintf("the file ends here, it had %d bytes", id.bytes)})
			v.lost += (id.bytes - file.size) / keyBytes
		}
		live = append(live, &journalFile{id.number, file.file, min(file.size, id.bytes), true})
	}
	return live
}

// replay reads all records that can be read of the journals that the commit needs.
func (v *survey) replay(f func(kind byte, payload []byte) error) error {
	for _, j := range v.live() {
		v.read++
		v.bytes += j.size
		from := int64(journalHeader)
		if _, err := newJournalReader(j, j.size, v.header.KeyID); err != nil {
			if err := v.note(err); err != nil {
				return err
			}
			from = min(from, j.size)
		}
		if err := v.replayJournal(resumeJournal(j, from, j.size), f); err != nil {
			return err
		}
	}
	return nil
}

func (v *survey) replayJournal(r *journalReader, f func(kind byte, payload []byte) error) error {
	for {
		kind, payload, err := r.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, ErrCorrupt):
			before := r.at
			if err := v.note(err); err != nil {
				return err
			}
			err = r.skip()
			v.lost += (r.at - before) / keyBytes
		case err == nil && !recordRight(kind, payload):
			err = v.note(&DamageError{r.name, r.at, "the record before it can't be read"})
		case err == nil:
			err = f(kind, payload)
		}
		if err != nil {
			return err
		}
	}
}

// recordRight says whether a record's payload is what its kind says.
func recordRight(kind byte, payload []byte) (ok bool) {
	switch kind {
	case recordKeys:
		_, _, ok = readChanges(payload, nil, nil)
	case recordHosts:
		ok = eachHost(payload, func(Key, uint32) {})
	case recordCommit:
		_, ok = decodeCommit(payload)
	}
	return ok
}

// resumeJournal reads the records of a journal from an offset on.
func resumeJournal(j *journalFile, at, size int64) *journalReader {
	at = min(at, size)
	return &journalReader{
		name: j.file.Name(), number: j.number, file: j.file, at: at, size: size,
		in: bufio.NewReaderSize(io.NewSectionReader(j.file, at, size-at), 256<<10),
	}
}

// skip goes on to the next record that can be read behind one that can't, or to the end.
func (r *journalReader) skip() error {
	const window = 64 << 10
	buf := make([]byte, window+recordHeader)
	for at := r.at + 1; at < r.size; at += window {
		n := min(int64(len(buf)), r.size-at)
		if _, err := io.ReadFull(io.NewSectionReader(r.file, at, n), buf[:n]); err != nil {
			return fmt.Errorf("%s: byte %d: %w", r.name, at, err)
		}
		for i := int64(0); i < min(window, n-recordHeader+1); i++ {
			if !mayBeRecord(buf[i:], r.size-at-i) {
				continue
			}
			again := resumeJournal(&journalFile{number: r.number, file: r.file}, at+i, r.size)
			_, _, err := again.next()
			if err != nil && !errors.Is(err, ErrCorrupt) {
				return err
			}
			if err == nil {
				*r = *resumeJournal(&journalFile{number: r.number, file: r.file}, at+i, r.size)
				return nil
			}
		}
	}
	r.at = r.size
	return nil
}

// mayBeRecord says whether data may begin with a record, of which so many bytes at most are there.
func mayBeRecord(data []byte, left int64) bool {
	length, kind := int64(binary.LittleEndian.Uint32(data)), data[4]
	return length <= left-recordHeader && kind >= recordKeys && kind <= recordCommit && data[5] == 0 && data[6] == 0 && data[7] == 0
}

// run reads all keys of a run that can be read, ascending, and says whether it is as it was written.
func (v *survey) run(id runID, f func(k Key, e entry) error) (whole bool, err error) {
	before, kept := len(v.damage), int64(0)
	err = v.readRun(id, func(k Key, e entry) error {
		kept++
		return f(k, e)
	})
	if err != nil {
		return false, err
	}
	v.keys += kept
	if kept != id.keys && before == len(v.damage) {
		v.damage = append(v.damage, &DamageError{v.path(runName(id.number)), 0, fmt.Sprintf("it has %d keys, its commit says %d", kept, id.keys)})
	}
	v.lost += max(id.keys-kept, 0)
	return before == len(v.damage), nil
}

func (v *survey) readRun(id runID, f func(k Key, e entry) error) error {
	file, err := v.files.OpenFile(v.path(runName(id.number)), os.O_RDONLY, 0)
	if err != nil {
		return v.note(err)
	}
	defer file.Close()
	if _, err := openRun(file, id, v.header.KeyID); err != nil {
		if err := v.note(err); err != nil {
			return err
		}
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	v.read++
	v.bytes += info.Size()
	b := blockReader{file: file, at: journalHeader, end: min(info.Size(), id.bytes-runFooter)}
	for {
		n, damage, err := b.next()
		if err != nil {
			return err
		}
		if damage != nil {
			v.damage = append(v.damage, damage)
		}
		if n == 0 {
			return nil
		}
		for i := range b.keys[:n] {
			if err := f(b.keys[i], b.entries[i]); err != nil {
				return err
			}
		}
	}
}

// blockReader reads the blocks of a run one after the other, and goes on behind those that are damaged.
type blockReader struct {
	file    fsys.File
	at, end int64 // offsets of the next block, and of the last one's end
	buf     []byte
	unread  []byte // of buf: the file from at on
	last    Key    // of the block before
	keys    [runBlockKeys]Key
	entries [runBlockKeys]entry
}

// next reads the next block that can be read; 0 at the end. damage is what is before it that can't.
func (b *blockReader) next() (n int, damage *DamageError, err error) {
	for b.at < b.end {
		if err := b.fill(); err != nil {
			return 0, damage, err
		}
		n, size := decodeBlock(b.unread, true, &b.keys, &b.entries)
		if n > 0 && b.ascends(n) {
			b.last = b.keys[n-1]
			b.at += int64(size)
			b.unread = b.unread[size:]
			return n, damage, nil
		}
		if damage == nil {
			damage = &DamageError{b.file.Name(), b.at, "the block there is corrupt"}
		}
		b.at++
		b.unread = b.unread[1:]
	}
	return 0, damage, nil
}

// ascends says whether the keys of a block rise, from those of the one before on.
func (b *blockReader) ascends(n int) bool {
	last := &b.last
	for i := range b.keys[:n] {
		if !less(last, &b.keys[i]) {
			return false
		}
		last = &b.keys[i]
	}
	return true
}

// fill makes sure that a whole block is in buf, if the file has one.
func (b *blockReader) fill() error {
	if len(b.unread) >= min(runBlockMost, int(b.end-b.at)) {
		return nil
	}
	if b.buf == nil {
		b.buf = make([]byte, runBuffer+runBlockMost)
	}
	n := min(int64(len(b.buf)), b.end-b.at)
	if _, err := io.ReadFull(io.NewSectionReader(b.file, b.at, n), b.buf[:n]); err != nil {
		return fmt.Errorf("%s: byte %d: %w", b.file.Name(), b.at, err)
	}
	b.unread = b.buf[:n]
	return nil
}
