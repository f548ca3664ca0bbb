package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/urisieve/urisieve/pipeline/dedup"
)

// Ways to bring new keys into the store.
const (
	batchWay  = "batch"  // a write batch for each Claim, through the memtables
	ingestWay = "ingest" // collected in a table in memory, from there into one sorted file, past the memtables
)

// Ways to look up the keys of a Claim, in ascending order.
const (
	byGet    = "get"    // DB.Get: Bloom filters above the last level
	bySeek   = "seek"   // Iterator.SeekGE within bounds: no Bloom filters
	byPrefix = "prefix" // Iterator.SeekPrefixGE, the whole key being the prefix: Bloom filters on all levels
)

// options say how Pebble is used.
type options struct {
	dir    string
	memory int64  // bytes for the block cache, the memtables and what ingest collects
	way    string // batch or ingest
	lookup string // get, seek or prefix
	wal    bool   // of batch: keep a write-ahead log, never synced
}

func (o options) validate() error {
	var faults []error
	if o.way != batchWay && o.way != ingestWay {
		faults = append(faults, fmt.Errorf("way: %q is neither %s nor %s", o.way, batchWay, ingestWay))
	}
	if o.lookup != byGet && o.lookup != bySeek && o.lookup != byPrefix {
		faults = append(faults, fmt.Errorf("lookup: %q is neither %s, %s nor %s", o.lookup, byGet, bySeek, byPrefix))
	}
	if o.memory < minMemory {
		faults = append(faults, fmt.Errorf("memory: %d bytes are less than %d", o.memory, minMemory))
	}
	return errors.Join(faults...)
}

const (
	minMemory = 4 << 20
	keyBytes  = 16
	// collectedBytes is the memory of a key that ingest collects: 27 bytes in a table, 16 in a list, and as much
	// once more to sort it.
	collectedBytes = 27 + 2*keyBytes
	bloomBits      = 10
)

// set is an exact set of keys in a Pebble store: it answers at once, as dedup.Exact does.
type set struct {
	options
	db     *pebble.DB
	store  *pebble.Options
	sorted []numbered // the keys of a Claim
	fresh  []dedup.Key

	// Of ingest: the keys that are in no file yet, and a table of them that tells.
	collected []dedup.Key
	table     *dedup.Exact
	most      int // to collect
	files     int
}

// numbered is a key and its place in a Claim.
type numbered struct {
	key dedup.Key
	at  int
}

// open makes an empty set in a folder.
func open(o options) (*set, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	store := &pebble.Options{
		FormatMajorVersion: pebble.FormatNewest,
		DisableWAL:         !o.wal,
		Logger:             silent{},
		// Half of the memory for blocks; of the other half, one memtable is filled while two are being flushed, or
		// ingest collects.
		CacheSize:                   o.memory / 2,
		MemTableSize:                uint64(min(max(o.memory/6, 1<<20), 64<<20)),
		MemTableStopWritesThreshold: 3,
		L0StopWritesThreshold:       24,
		CompactionConcurrencyRange:  func() (lower, upper int) { return 1, 2 },
	}
	if o.way == ingestWay {
		store.MemTableSize = 1 << 20 // unused
	}
	for i := range store.Levels {
		store.Levels[i].FilterPolicy = bloom.FilterPolicy(bloomBits)
		// Keys are random bits: nothing to compress.
		store.Levels[i].Compression = func() *sstable.CompressionProfile { return sstable.NoCompression }
	}
	db, err := pebble.Open(o.dir, store)
	if err != nil {
		return nil, err
	}
	return &set{
		options: o, db: db, store: store,
		table: dedup.NewExact(o.memory), most: int(o.memory / 2 / collectedBytes),
	}, nil
}

// Claim decides keys[i] into verdicts[i]; the first one of a key wins.
func (s *set) Claim(keys []dedup.Key, verdicts []dedup.Verdict) error {
	s.sorted = s.sorted[:0]
	if s.way == ingestWay {
		// What the table has is seen for certain. It takes the rest, whether the store has it or not: it
		// is a cache of the store, too.
		if err := s.table.Claim(keys, verdicts); err != nil {
			return err
		}
		for i := range keys {
			if verdicts[i] == dedup.New {
				s.sorted = append(s.sorted, numbered{keys[i], i})
			}
		}
	} else {
		for i := range keys {
			s.sorted = append(s.sorted, numbered{keys[i], i})
		}
	}
	slices.SortFunc(s.sorted, func(a, b numbered) int {
		return cmp.Or(compare(a.key, b.key), cmp.Compare(a.at, b.at))
	})
	if err := s.decide(verdicts); err != nil {
		return err
	}
	if s.way == batchWay {
		return s.write()
	}
	s.collected = append(s.collected, s.fresh...)
	if s.table.Len() < int64(s.most) {
		return nil
	}
	return s.ingest()
}

// decide asks the store about the sorted keys, each once, and leaves the new ones in fresh.
func (s *set) decide(verdicts []dedup.Verdict) error {
	s.fresh = s.fresh[:0]
	if len(s.sorted) == 0 {
		return nil
	}
	has, done, err := s.lookups(s.sorted[0].key, s.sorted[len(s.sorted)-1].key)
	if err != nil {
		return err
	}
	for i, k := range s.sorted {
		verdicts[k.at] = dedup.Seen
		if i > 0 && s.sorted[i-1].key == k.key {
			continue
		}
		found, err := has(k.key)
		if err != nil {
			return errors.Join(err, done())
		}
		if !found {
			verdicts[k.at] = dedup.New
			s.fresh = append(s.fresh, k.key)
		}
	}
	return done()
}

// lookups gives a function that tells whether a key is in the store, to be called with ascending
// keys of a range, and one that ends this.
func (s *set) lookups(first, last dedup.Key) (has func(dedup.Key) (bool, error), done func() error, err error) {
	var text [keyBytes]byte
	if s.lookup == byGet {
		return func(k dedup.Key) (bool, error) {
			_, closer, err := s.db.Get(appendKey(text[:0], k))
			if errors.Is(err, pebble.ErrNotFound) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
			return true, closer.Close()
		}, func() error { return nil }, nil
	}
	it, err := s.db.NewIter(&pebble.IterOptions{
		LowerBound:   appendKey(nil, first),
		UpperBound:   append(appendKey(nil, last), 0), // the next text after it
		UseL6Filters: true,
	})
	if err != nil {
		return nil, nil, err
	}
	if s.lookup == byPrefix {
		return func(k dedup.Key) (bool, error) { return it.SeekPrefixGE(appendKey(text[:0], k)), it.Error() }, it.Close, nil
	}
	return func(k dedup.Key) (bool, error) {
		want := appendKey(text[:0], k)
		if it.Valid() && bytes.Compare(it.Key(), want) >= 0 {
			return bytes.Equal(it.Key(), want), nil // it stands beyond all keys between
		}
		found := it.SeekGE(want) && bytes.Equal(it.Key(), want)
		return found, it.Error()
	}, it.Close, nil
}

// write brings the fresh keys in, in ascending order.
func (s *set) write() error {
	if len(s.fresh) == 0 {
		return nil
	}
	b := s.db.NewBatchWithSize(len(s.fresh) * (keyBytes + 8))
	for _, k := range s.fresh {
		op := b.SetDeferred(keyBytes, 0)
		appendKey(op.Key[:0], k)
		if err := op.Finish(); err != nil {
			return errors.Join(err, b.Close())
		}
	}
	return errors.Join(s.db.Apply(b, pebble.NoSync), b.Close())
}

// ingest makes a sorted file of the collected keys and hands it to the store.
func (s *set) ingest() (err error) {
	if err := s.table.Close(); err != nil { // its memory isn't the collector's
		return err
	}
	s.table = dedup.NewExact(s.memory)
	if len(s.collected) == 0 {
		return nil
	}
	slices.SortFunc(s.collected, compare)
	s.files++
	name := filepath.Join(s.dir, fmt.Sprintf("collected-%d", s.files))
	f, err := vfs.Default.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	w := sstable.NewWriter(objstorageprovider.NewFileWritable(f),
		s.store.MakeWriterOptions(0, s.db.FormatMajorVersion().MaxTableFormat()))
	var text [keyBytes]byte
	for _, k := range s.collected {
		if err := w.Set(appendKey(text[:0], k), nil); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	s.collected = s.collected[:0]
	return s.db.Ingest(context.Background(), []string{name})
}

func (s *set) close() error { return errors.Join(s.db.Close(), s.table.Close()) }

// sync brings all that was claimed into files.
func (s *set) sync() error {
	if s.way == ingestWay {
		return s.ingest()
	}
	return s.db.Flush()
}

// written is the number of bytes that went to files.
type written struct{ flushed, ingested, compacted, log uint64 }

func (w written) all() uint64 { return w.flushed + w.ingested + w.compacted + w.log }

// written adds the levels up. Metrics.Total has what was ingested and logged among what was flushed, and what a
// log would have taken where there is none.
func (s *set) written() (w written) {
	m := s.db.Metrics()
	for i := range m.Levels {
		w.flushed += m.Levels[i].TableBytesFlushed
		w.ingested += m.Levels[i].TableBytesIngested
		w.compacted += m.Levels[i].TableBytesCompacted
	}
	if s.wal {
		w.log = m.WAL.BytesWritten
	}
	return w
}

// compare orders keys as the bytes of appendKey are ordered.
func compare(a, b dedup.Key) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
}

func appendKey(dst []byte, k dedup.Key) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(dst, k[0]), k[1])
}

// silent is a logger that says nothing of the store's progress.
type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}
