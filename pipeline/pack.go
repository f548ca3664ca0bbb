package pipeline

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// packGroup is the number of elements of an array that are packed together: they stay in the first-level
// cache. It is also the greatest number of words that an element may have.
const packGroup = 128

// packDiffs marks a word of which differences are packed.
const packDiffs = 8

// packArray appends an array of values without pointers, in fewer bytes than it takes in memory. An element is
// words of 4 bytes. For each word of a group of elements there is a byte, the width; the least value (4
// bytes); and of each element what its value is more than that, in so many bytes (0 to 4). Where that is
// shorter, the differences to the element before stand in the place of the values, and packDiffs is added to the width.
func packArray[T any](dst []byte, array []T) []byte {
	words, n := wordsOf(array)
	var before [packGroup]uint32 // the last element of the group before
	for ; len(words) > 0; words = words[min(packGroup*n, len(words)):] {
		group := words[:min(packGroup*n, len(words))]
		for w := range n {
			column := group[w : len(group)-n+w+1]
			dst = packColumn(dst, column, n, before[w])
			before[w] = column[len(column)-1]
		}
	}
	return dst
}

// unpackArray fills array, whose length is known, with what packArray appended, and gives what comes after it.
// data must be whole: its checksum was right.
func unpackArray[T any](array []T, data []byte) (rest []byte) {
	words, n := wordsOf(array)
	var before [packGroup]uint32
	for ; len(words) > 0; words = words[min(packGroup*n, len(words)):] {
		group := words[:min(packGroup*n, len(words))]
		for w := range n {
			column := group[w : len(group)-n+w+1]
			data = unpackColumn(column, n, before[w], data)
			before[w] = column[len(column)-1]
		}
	}
	return data
}

// wordsOf views an array as words, n of them an element.
func wordsOf[T any](array []T) (words []uint32, n int) {
	var t T
	n = int(unsafe.Sizeof(t)) / 4
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(array))), len(array)*n), n
}

// packColumn packs every step-th of words.
func packColumn(dst []byte, words []uint32, step int, before uint32) []byte {
	least, most := words[0], words[0]
	leastDiff, mostDiff := int32(words[0]-before), int32(words[0]-before)
	for i := step; i < len(words); i += step {
		v, diff := words[i], int32(words[i]-words[i-step])
		least, most = min(least, v), max(most, v)
		leastDiff, mostDiff = min(leastDiff, diff), max(mostDiff, diff)
	}
	width, diffWidth := bytesFor(most-least), bytesFor(uint32(mostDiff)-uint32(leastDiff))
	diffs := diffWidth < width
	if diffs {
		width, least = diffWidth, uint32(leastDiff)
		dst = append(dst, byte(width)|packDiffs)
	} else {
		dst = append(dst, byte(width))
	}
	dst = binary.LittleEndian.AppendUint32(dst, least)
	if width == 0 {
		return dst
	}
	// Whole words are written, each over what the one before has too much.
	at := len(dst)
	dst = append(dst, make([]byte, (len(words)/step+1)*width+4)...)
	for i := 0; i < len(words); i += step {
		v := words[i] - least
		if diffs {
			v -= before
			before = words[i]
		}
		binary.LittleEndian.PutUint32(dst[at:], v)
		at += width
	}
	return dst[:at]
}

func bytesFor(v uint32) int { return (bits.Len32(v) + 7) / 8 }

func unpackColumn(words []uint32, step int, before uint32, data []byte) (rest []byte) {
	width, diffs := int(data[0]&^packDiffs), data[0]&packDiffs != 0
	least := binary.LittleEndian.Uint32(data[1:])
	data = data[5:]
	size := (len(words) + step - 1) / step * width
	mask := uint32(1)<<(8*width) - 1 // all bits for 4
	base, at := least, 0
	if diffs {
		base += before
	}
	for i := 0; i < len(words); i += step {
		v := uint32(0)
		if at+4 <= len(data) {
			v = binary.LittleEndian.Uint32(data[at:]) & mask
		} else {
			for j := range width {
				v |= uint32(data[at+j]) << (8 * j)
			}
		}
		v += base
		if diffs {
			base = v + least
		}
		words[i] = v
		at += width
	}
	return data[size:]
}
