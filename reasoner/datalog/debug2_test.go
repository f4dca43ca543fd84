package datalog

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestDebugMachine(t *testing.T) {
	name := os.Getenv("GAME")
	if name == "" {
		t.Skip()
	}
	g := load(t, filepath.Join(corpusDir(t), "rulesheets", name+".kif"))
	in, err := newInterpreter(context.Background(), g, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	in.calibrate()
	s := newStepper(in)
	c := &calibration{in: in}
	c.play()
	type row struct {
		n, keys float64
		full    bool
		whole   bool
		rec     bool
		cols    [][]int32
	}
	rows := map[string]*row{}
	w0 := s.meter.work
	for i := range c.samples {
		s.visit(&c.samples[i])
		for _, d := range s.derived {
			r := rows[d.rel.name.key()]
			if r == nil {
				r = &row{full: in.cost.full[s.original(d.rel)], rec: d.component != nil, whole: d.whole != nil}
				rows[d.rel.name.key()] = r
				for _, c := range d.calls {
					r.cols = append(r.cols, c.columns)
				}
			}
			r.n += float64(d.rel.n)
			for _, c := range d.calls {
				r.keys += float64(c.asked.n)
			}
		}
	}
	var names []string
	for n := range rows {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Compare(rows[b].n+rows[b].keys, rows[a].n+rows[a].keys)
	})
	k := float64(len(c.samples))
	fmt.Println("work per state", float64(s.meter.work-w0)/k, "samples", k)
	for _, n := range names[:min(14, len(names))] {
		r := rows[n]
		fmt.Printf("%10.1f tuples %10.1f keys full %v whole %v rec %v %s %v\n", r.n/k, r.keys/k, r.full, r.whole, r.rec, n, r.cols)
	}
}
