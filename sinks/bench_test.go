package sinks

import (
	"io"
	"testing"
)

// BenchmarkRows writes rows of about 45 bytes of url. ns/row is what a row costs on one core.
func BenchmarkRows(b *testing.B) {
	for _, c := range []struct{ format, columns string }{
		{FormatParquet, "min"}, {FormatParquet, "cc"}, {FormatParquet, "crawl"}, {FormatJSONL, "crawl"}, {FormatText, ""},
	} {
		b.Run(c.format+" "+c.columns, func(b *testing.B) {
			o := Options{Output: "-", Format: c.format, Columns: c.columns, Rejects: "none"}
			columns, err := o.columns(columnEnv{Info: info})
			if err != nil {
				b.Fatal(err)
			}
			e := newEncoder(o.mainPlace(), o, "", SchemaMain, columns)
			v := &refs{cache: newHostCache(builtinSuffixes())}
			batch := batch(some(4000))
			selected := view(batch).Selected
			if err := e.begin(io.Discard); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				v.load(batch, selected, needHosts(columns))
				if _, _, err := e.encode(v, 0, len(v.recs), noLimit); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(selected)), "ns/row")
		})
	}
}
