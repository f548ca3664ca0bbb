package offheap

import "testing"

func TestMemoryIsZeroWritableAndOfTheSizeAsked(t *testing.T) {
	for _, n := range []int64{1, pageSize - 1, pageSize, pageSize + 1, 3<<20 + 7} {
		b, err := Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(b)) != n {
			t.Errorf("%d bytes, want %d", len(b), n)
		}
		for i := range b {
			if b[i] != 0 {
				t.Fatalf("byte %d is %d", i, b[i])
			}
			b[i] = 0xff
		}
		Free(b)
	}
	Free(nil)
}

func TestRound(t *testing.T) {
	for n, want := range map[int64]int64{0: 0, 1: pageSize, pageSize: pageSize, pageSize + 1: 2 * pageSize} {
		if got := Round(n); got != want {
			t.Errorf("Round(%d) = %d, want %d", n, got, want)
		}
	}
}
