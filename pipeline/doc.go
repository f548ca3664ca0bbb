// Package pipeline moves references from a source through normalizing workers to sinks.
//
//	free list <------------------------------------------------------ empty batch (once sinks released it)
//	   |                                                                   |
//	reader: Fill -> seq -> [todo] -> N workers: resolve, normalize, hash -> [done] -> settle: put in order -> Claim -> Write -> (checkpoint) flush, sync, commit
package pipeline
