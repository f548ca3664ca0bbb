// Package dedup remembers which keys were seen.
package dedup
