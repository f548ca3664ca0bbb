package pipeline

// SetBeforeWork has every worker call f before each batch.
func SetBeforeWork(o *Options, f func()) { o.beforeWork = f }

// NominalBatchBytes is the memory of an ordinary batch.
func NominalBatchBytes(records, bytes int) int64 { return nominalBatchBytes(records, bytes) }
