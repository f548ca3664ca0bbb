package pipeline

import (
	"testing"
)

// TestAFrameThatChangedIsNoFrame flips every bit and cuts at every length.
func TestAFrameThatChangedIsNoFrame(t *testing.T) {
	b := NewBatch(1)
	b.AddRow(Row{Source: b.Source("in"), Base: b.AddBase(nil, []byte("http://base/"), nil), Number: 7})
	b.SetText(0, []byte("text"))
	r := b.AddRef(0, []byte("HTTP://h/"))
	r.Outcome = Unique
	frame := b.appendFrame(nil)
	got := NewBatch(1)
	if !got.fromFrame(frame) || got.SourceName(&got.rows[0]) != "in" || string(got.Raw(&got.recs[0])) != "HTTP://h/" {
		t.Fatalf("came back as %+v", got)
	}
	for i := range len(frame) * 8 {
		frame[i/8] ^= 1 << (i % 8)
		got.Reset()
		if got.fromFrame(frame) {
			t.Fatalf("bit %d was flipped, and it is read", i)
		}
		frame[i/8] ^= 1 << (i % 8)
	}
	for n := range frame {
		got.Reset()
		if got.fromFrame(frame[:n]) {
			t.Fatalf("cut to %d bytes, and it is read", n)
		}
	}
}
