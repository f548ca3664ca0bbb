package dedup

import "unsafe"

// A table's tags and times lie beside its slots, in memory of the same kind.

// tagKeys is the number of keys that take the memory of n tags.
func tagKeys(n int) int { return (n + 3) / 4 }

// newTags makes n tags of 0.
func newTags(n int) ([]uint32, error) {
	keys, err := newSlots(tagKeys(n))
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(keys))), n), nil
}

// freeTags gives back what newTags made.
func freeTags(tags []uint32) {
	freeSlots(unsafe.Slice((*Key)(unsafe.Pointer(unsafe.SliceData(tags))), tagKeys(len(tags))))
}
