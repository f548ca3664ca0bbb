package sinks

import (
	"math/bits"

	"github.com/urisieve/urisieve/normalize"
)

// flagNames are the names of canon_flags' bits, by bit.
func flagNames() []string {
	names := make([]string, 64)
	for _, f := range normalize.FlagInfos() {
		names[bits.TrailingZeros64(uint64(f.Bit))] = f.Name
	}
	return names
}

// ruleNames are the names of canon_changed's bits, by bit.
func ruleNames() []string {
	names := make([]string, 64)
	for _, r := range normalize.Rules() {
		if r.Bit != 0 {
			names[bits.TrailingZeros64(uint64(r.Bit))] = r.Name
		}
	}
	return names
}
