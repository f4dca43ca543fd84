package canonical

import (
	"bytes"
	"compress/gzip"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/cputime"
)

// BenchmarkCorpus computes the forms of all rulesheets. It reports processor times and the sizes of the rules in a gzip stream.
func BenchmarkCorpus(b *testing.B) {
	for range b.N {
		var sum, most time.Duration
		var slowest string
		sheets := corpus.Rulesheets(b)
		size, largest := 0, 0
		for _, sheet := range sheets {
			g, _, err := gdl.LoadToPlay(b.Context(), sheet.Path, corpus.Source(b, sheet.Name))
			if err != nil {
				b.Fatal(err)
			}
			before := cputime.Now()
			form := New(g)
			taken := cputime.Now() - before
			if sum += taken; taken > most {
				most, slowest = taken, sheet.Name
			}
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			_, _ = z.Write([]byte(form.Rules()))
			_ = z.Close()
			size, largest = size+packed.Len(), max(largest, packed.Len())
		}
		b.Logf("slowest: %s", slowest)
		n := float64(len(sheets))
		b.ReportMetric(sum.Seconds()*1e3/n, "cpu-ms/sheet")
		b.ReportMetric(most.Seconds()*1e3, "cpu-ms/slowest")
		b.ReportMetric(float64(size)/n, "B/sheet")
		b.ReportMetric(float64(largest), "B/largest")
	}
}
