package pipetest

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/urisieve/urisieve/internal/fsys"
)

// ErrStopped is what every operation of a CrashFS gives from the one named by StopAt on, until
// Crash: the machine is off.
var ErrStopped = errors.New("the machine stopped")

// CrashFS is a file system in memory that keeps two states: what a program sees, and what a crash
// leaves of it. File data is durable after Sync of the file; names are after SyncDir of the directory that
// holds them, a new directory's own name after SyncDir of its parent. A rename inside one directory is
// one step; between two directories it is two, each durable by itself (more than a real
// file system does to a program, so whoever passes here is safe there).
//
// Operations that change something are counted from 1, in the order of the calls, for FailAt and StopAt:
// OpenFile with O_CREATE or O_TRUNC, Write, Sync, Truncate, Publish, Rename, Remove, RemoveAll, MkdirAll,
// SyncDir, Lock.
//
// Names are slash-separated; a leading slash changes nothing. It is safe for concurrent use.
type CrashFS struct {
	mu       sync.Mutex
	root     *crashNode
	epoch    int // counts crashes; handles of an earlier epoch are dead
	ops      int
	stopAt   int
	failAt   map[int]error
	capacity int64 // -1: no bound
	readOnly bool
	locks    map[string]bool
}

var _ fsys.FS = (*CrashFS)(nil)

// crashNode is a file or a directory.
type crashNode struct {
	dir     map[string]*crashNode // nil for a file
	durable map[string]*crashNode // directory: the names that are on disk
	pending []crashStep           // directory: steps since its last SyncDir, in order
	data    []byte                // file: as seen
	synced  []byte                // file: as of the last Sync
	mode    fs.FileMode
}

// crashStep is one change of a directory: names that went and came, together.
type crashStep struct {
	gone  string
	come  string
	child *crashNode
}

func newCrashDir() *crashNode {
	return &crashNode{dir: map[string]*crashNode{}, durable: map[string]*crashNode{}, mode: fs.ModeDir | 0o755}
}

// NewCrashFS makes an empty file system without bounds.
func NewCrashFS() *CrashFS {
	return &CrashFS{root: newCrashDir(), failAt: map[int]error{}, capacity: -1, locks: map[string]bool{}}
}

// Ops is the number of changing operations so far.
func (c *CrashFS) Ops() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ops
}

// FailAt makes the op-th changing operation fail with err, without effect.
func (c *CrashFS) FailAt(op int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failAt[op] = err
}

// StopAt makes the op-th changing operation and all after it fail with ErrStopped, without effect.
func (c *CrashFS) StopAt(op int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopAt = op
}

// SetCapacity bounds the bytes of all files together: a Write past it writes what fits and
// fails with syscall.ENOSPC. -1 lifts the bound.
func (c *CrashFS) SetCapacity(bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.capacity = bytes
}

// SetReadOnly makes every changing operation fail with syscall.EROFS.
func (c *CrashFS) SetReadOnly(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.readOnly = on
}

// Crash turns the machine off and on again: what wasn't durable is forgotten, open files and locks
// are gone, and StopAt and FailAt are lifted. With rng, part of what wasn't durable survives, as on a real
// disk: of each directory a random prefix of its steps, of each file a random length between the synced one
// and the one seen, at times with its end as zeros.
func (c *CrashFS) Crash(rng *rand.Rand) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.root.crash(rng)
	c.restart()
}

// Kill ends the program and not the machine: open files and locks are gone, StopAt and FailAt are lifted, and
// nothing is forgotten.
func (c *CrashFS) Kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.restart()
}

func (c *CrashFS) restart() {
	c.epoch++
	c.stopAt = 0
	clear(c.failAt)
	clear(c.locks)
}

// AfterCrash is a copy as a crash right now would leave it, with nothing that wasn't durable. c goes on.
func (c *CrashFS) AfterCrash() *CrashFS {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := NewCrashFS()
	left.root = c.root.durableCopy()
	return left
}

func (n *crashNode) durableCopy() *crashNode {
	if n.dir == nil {
		return &crashNode{data: slices.Clone(n.synced), synced: slices.Clone(n.synced), mode: n.mode}
	}
	left := newCrashDir()
	left.mode = n.mode
	for name, child := range n.durable {
		node := child.durableCopy()
		left.dir[name], left.durable[name] = node, node
	}
	return left
}

func (n *crashNode) crash(rng *rand.Rand) {
	if n.dir == nil {
		n.crashData(rng)
		return
	}
	keep := 0
	if rng != nil {
		keep = rng.IntN(len(n.pending) + 1)
	}
	for _, s := range n.pending[:keep] {
		s.apply(n.durable)
	}
	n.pending = nil
	n.dir = map[string]*crashNode{}
	for _, name := range sortedNames(n.durable) { // in order: rng must not see map order
		n.dir[name] = n.durable[name]
		n.dir[name].crash(rng)
	}
}

func (n *crashNode) crashData(rng *rand.Rand) {
	seen := n.data
	n.data = slices.Clone(n.synced)
	if rng != nil && len(seen) > len(n.synced) {
		n.data = slices.Clone(seen[:len(n.synced)+rng.IntN(len(seen)-len(n.synced)+1)])
		if rng.IntN(3) == 0 {
			clear(n.data[len(n.synced):])
		}
	}
	n.synced = slices.Clone(n.data)
}

func (s crashStep) apply(names map[string]*crashNode) {
	if s.gone != "" {
		delete(names, s.gone)
	}
	if s.come != "" {
		names[s.come] = s.child
	}
}

func (n *crashNode) step(s crashStep) {
	s.apply(n.dir)
	n.pending = append(n.pending, s)
}

func sortedNames(m map[string]*crashNode) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// begin counts a changing operation and says whether it may go on.
func (c *CrashFS) begin(op, name string) error {
	c.ops++
	switch {
	case c.stopAt > 0 && c.ops >= c.stopAt:
		return &fs.PathError{Op: op, Path: name, Err: ErrStopped}
	case c.failAt[c.ops] != nil:
		return &fs.PathError{Op: op, Path: name, Err: c.failAt[c.ops]}
	case c.readOnly:
		return &fs.PathError{Op: op, Path: name, Err: syscall.EROFS}
	}
	return nil
}

func clean(name string) string { return strings.TrimPrefix(path.Clean("/"+name), "/") }

// find gives the node of a name, nil when there is none.
func (c *CrashFS) find(name string) *crashNode {
	n := c.root
	if name = clean(name); name == "" {
		return n
	}
	for part := range strings.SplitSeq(name, "/") {
		if n = n.dir[part]; n == nil {
			return nil
		}
	}
	return n
}

// parent gives the directory that holds, or would hold, a name.
func (c *CrashFS) parent(op, name string) (*crashNode, string, error) {
	dir, base := path.Split(clean(name))
	n := c.find(dir)
	if n == nil || n.dir == nil || base == "" {
		return nil, "", &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return n, base, nil
}

// OpenFile opens or creates a file; flags as in package os, all but O_APPEND's sharing.
func (c *CrashFS) OpenFile(name string, flag int, perm fs.FileMode) (fsys.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	dir, base, err := c.parent("open", name)
	if err != nil {
		return nil, err
	}
	n := dir.dir[base]
	switch {
	case n != nil && n.dir != nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EISDIR}
	case n != nil && flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
	case n == nil && flag&os.O_CREATE == 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if n == nil || flag&os.O_TRUNC != 0 {
		if err := c.begin("open", name); err != nil {
			return nil, err
		}
	}
	if n == nil {
		n = &crashNode{mode: perm}
		dir.step(crashStep{come: base, child: n})
	}
	if flag&os.O_TRUNC != 0 {
		n.data = nil
	}
	f := &crashFile{fs: c, node: n, name: name, epoch: c.epoch, flag: flag}
	return f, nil
}

// Publish gives a file its name unless that is taken.
func (c *CrashFS) Publish(oldName, newName string) error {
	return c.rename("publish", oldName, newName, false)
}

// Rename replaces a file; a directory must not be in the way.
func (c *CrashFS) Rename(oldName, newName string) error {
	return c.rename("rename", oldName, newName, true)
}

func (c *CrashFS) rename(op, oldName, newName string, replace bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	from, oldBase, err := c.parent(op, oldName)
	if err != nil {
		return err
	}
	to, newBase, err := c.parent(op, newName)
	if err != nil {
		return err
	}
	n := from.dir[oldBase]
	if n == nil {
		return &os.LinkError{Op: op, Old: oldName, New: newName, Err: fs.ErrNotExist}
	}
	if old := to.dir[newBase]; old != nil && (!replace || old.dir != nil || n.dir != nil) {
		return &os.LinkError{Op: op, Old: oldName, New: newName, Err: fs.ErrExist}
	}
	if err := c.begin(op, newName); err != nil {
		return err
	}
	if from == to {
		from.step(crashStep{gone: oldBase, come: newBase, child: n})
		return nil
	}
	to.step(crashStep{come: newBase, child: n})
	from.step(crashStep{gone: oldBase})
	return nil
}

// Remove takes away a file or an empty directory.
func (c *CrashFS) Remove(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	dir, base, err := c.parent("remove", name)
	if err != nil {
		return err
	}
	n := dir.dir[base]
	switch {
	case n == nil:
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	case len(n.dir) > 0:
		return &fs.PathError{Op: "remove", Path: name, Err: syscall.ENOTEMPTY}
	}
	if err := c.begin("remove", name); err != nil {
		return err
	}
	dir.step(crashStep{gone: base})
	return nil
}

// RemoveAll takes away a name and what is under it; as in os, nothing there is no error. Like a real one
// it goes name by name, each an operation of its own, so that a stop can leave half of it.
func (c *CrashFS) RemoveAll(name string) error {
	c.mu.Lock()
	n := c.find(name)
	var under []string
	if n != nil {
		under = sortedNames(n.dir)
	}
	c.mu.Unlock()
	if n == nil {
		return nil
	}
	for _, child := range under {
		if err := c.RemoveAll(path.Join(name, child)); err != nil {
			return err
		}
	}
	return c.Remove(name)
}

// MkdirAll makes a directory and those above it.
func (c *CrashFS) MkdirAll(name string, perm fs.FileMode) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.find(name); n != nil && n.dir != nil {
		return nil
	}
	if err := c.begin("mkdir", name); err != nil {
		return err
	}
	n := c.root
	for part := range strings.SplitSeq(clean(name), "/") {
		next := n.dir[part]
		if next == nil {
			next = newCrashDir()
			next.mode = fs.ModeDir | perm
			n.step(crashStep{come: part, child: next})
		}
		if next.dir == nil {
			return &fs.PathError{Op: "mkdir", Path: name, Err: syscall.ENOTDIR}
		}
		n = next
	}
	return nil
}

// SyncDir makes the names in a directory durable.
func (c *CrashFS) SyncDir(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.find(name)
	if n == nil || n.dir == nil {
		return &fs.PathError{Op: "syncdir", Path: name, Err: fs.ErrNotExist}
	}
	if err := c.begin("syncdir", name); err != nil {
		return err
	}
	for _, s := range n.pending {
		s.apply(n.durable)
	}
	n.pending = nil
	return nil
}

// ReadDir lists a directory by name.
func (c *CrashFS) ReadDir(name string) ([]fs.DirEntry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.find(name)
	switch {
	case n == nil:
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	case n.dir == nil:
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: syscall.ENOTDIR}
	}
	var entries []fs.DirEntry
	for _, base := range sortedNames(n.dir) {
		entries = append(entries, fs.FileInfoToDirEntry(n.dir[base].info(base)))
	}
	return entries, nil
}

// Stat describes a name.
func (c *CrashFS) Stat(name string) (fs.FileInfo, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.find(name)
	if n == nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return n.info(path.Base(clean(name))), nil
}

// Lock takes a lock by name; Crash frees it. The file is there while the lock is held.
func (c *CrashFS) Lock(name string) (io.Closer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	dir, base, err := c.parent("lock", name)
	if err != nil {
		return nil, err
	}
	if c.locks[clean(name)] {
		return nil, &fs.PathError{Op: "lock", Path: name, Err: fsys.ErrLocked}
	}
	if err := c.begin("lock", name); err != nil {
		return nil, err
	}
	n := dir.dir[base]
	if n == nil {
		n = &crashNode{mode: 0o644}
		dir.step(crashStep{come: base, child: n})
	}
	c.locks[clean(name)] = true
	return &crashLock{fs: c, name: name, node: n, epoch: c.epoch}, nil
}

type crashLock struct {
	fs    *CrashFS
	name  string
	node  *crashNode
	epoch int
}

func (l *crashLock) Close() error {
	l.fs.mu.Lock()
	defer l.fs.mu.Unlock()
	if l.epoch != l.fs.epoch {
		return nil
	}
	delete(l.fs.locks, clean(l.name))
	if l.fs.stopAt > 0 && l.fs.ops >= l.fs.stopAt {
		return nil
	}
	if dir, base, err := l.fs.parent("unlock", l.name); err == nil && dir.dir[base] == l.node {
		dir.step(crashStep{gone: base})
	}
	return nil
}

type crashInfo struct {
	name string
	size int64
	mode fs.FileMode
	node *crashNode
}

func (n *crashNode) info(name string) fs.FileInfo {
	return crashInfo{name, int64(len(n.data)), n.mode, n}
}

func (i crashInfo) Name() string       { return i.name }
func (i crashInfo) Size() int64        { return i.size }
func (i crashInfo) Mode() fs.FileMode  { return i.mode }
func (i crashInfo) ModTime() time.Time { return time.Time{} }
func (i crashInfo) IsDir() bool        { return i.mode.IsDir() }
func (i crashInfo) Sys() any           { return i.node }
