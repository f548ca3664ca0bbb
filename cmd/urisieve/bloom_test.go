package main

import (
	"strings"
	"testing"

	"github.com/urisieve/urisieve/config"
	"github.com/urisieve/urisieve/pipeline"
	"github.com/urisieve/urisieve/pipeline/dedup"
)

func TestTheNextCapacityIsEnough(t *testing.T) {
	for _, c := range []struct {
		name                              string
		capacity, keys, refused           int64
		references, read, bytesIn, inputs int64
		want                              int64
	}{
		{"twice what it was", 10000, 9900, 300, 9900, 10200, 0, 0, 21000},
		{"with what was refused", 100, 0, 4096, 0, 4096, 0, 0, 8200},
		{"the input was read to its end", 10000, 9900, 50, 9900, 20000, 5000, 5000, 20000},
		{"a tenth of the input was read", 10000, 10000, 0, 20000, 20000, 5000, 50000, 110000},
		{"much was read ahead", 10000, 10000, 0, 20000, 40000, 10000, 50000, 110000},
		{"no more than there may be", dedup.MaxCapacity, dedup.MaxCapacity, 0, 1, 1, 0, 0, dedup.MaxCapacity},
	} {
		s := &pipeline.Stats{References: c.references, Read: c.read}
		s.Source.BytesIn, s.Source.BytesTotal = c.bytesIn, c.inputs
		b := dedup.BloomStats{Capacity: c.capacity, Keys: c.keys, Refused: c.refused}
		if got := nextCapacity(b, s); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestSharesForPeople(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0%", 1: "100%", 0.4412: "44.1%", 0.001: "0.1%", 0.0009512: "0.0951%", 0.000001: "0.0001%", 3e-12: "below 0.000001%",
	} {
		if got := shareText(f); got != want {
			t.Errorf("shareText(%v) = %q, want %q", f, got, want)
		}
	}
}

// TestABloomFilterIsHeldAgainstTheMachine where dedup.memory is auto, by run alone.
func TestABloomFilterIsHeldAgainstTheMachine(t *testing.T) {
	l := &config.Loaded{Config: config.Default()}
	l.Dedup.Mode, l.Dedup.Capacity = "bloom", dedup.MaxCapacity // nearly 2 TB
	faults := machineFaults(l)
	if len(faults) != 1 || faults[0].Key != "dedup.memory" || !strings.Contains(faults[0].Problem, "needs 1853182MiB") {
		t.Errorf("%v", faults)
	}
	l.Dedup.Memory = 4 << 40
	if faults := machineFaults(l); len(faults) > 0 {
		t.Errorf("memory is given: %v", faults)
	}
	l.Dedup.Mode, l.Dedup.Memory = "exact", config.Auto
	if faults := machineFaults(l); len(faults) > 0 {
		t.Errorf("there is no filter: %v", faults)
	}
}
