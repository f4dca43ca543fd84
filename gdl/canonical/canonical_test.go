package canonical

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/gdl/rewrite"
)

func TestProbe(t *testing.T) {
	files, _ := filepath.Glob("/work/wt/shared/rulesheets/*.kif")
	seen := map[string]string{}
	for _, f := range files {
		src, _ := os.ReadFile(f)
		g, _, err := gdl.LoadToPlay(t.Context(), f, src)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		began := time.Now()
		c := encode(g)
		s := search{code: c, sums: make([]uint64, len(c.symbols)), marked: make([]bool, len(c.rules))}
		p := newPartition(c.symbols)
		s.refine(p, append([]int32(nil), p.order...))
		cells := 0
		most := 0
		for from := 0; from < len(p.order); from = int(p.ends[from]) {
			cells++
			most = max(most, int(p.ends[from])-from)
		}
		s.explore(p)
		form := New(g)
		d := time.Since(began)
		name := filepath.Base(f)
		fmt.Printf("%-45s symbols %4d rules %4d cells %4d largest %3d autos %3d work %8d  %v\n", name, len(c.symbols), len(c.rules), cells, most, len(s.automorphisms), s.hasher.work, d)
		if other := seen[form.Digest()]; other != "" {
			fmt.Println("EQUAL", name, other)
		}
		seen[form.Digest()] = name
		tree, err := gdl.Parse(f, src)
		if err != nil {
			t.Log(name, err)
			continue
		}
		for seed := range uint64(2) {
			rng := rand.New(rand.NewPCG(seed, 2))
			n := 0
			perm := rng.Perm(100000)
			x := rewrite.Variables(rewrite.Symbols(tree, func(string) string { n++; return fmt.Sprint("w", perm[n]) }), func(string) string { n++; return fmt.Sprint("?w", perm[n]) })
			x = rewrite.Rules(rewrite.Bodies(x, rng), rng)
			h, _, err := gdl.LoadToPlay(t.Context(), f, []byte(gdl.Print(x)))
			if err != nil {
				t.Error(err)
				continue
			}
			if New(h).Digest() != form.Digest() {
				t.Errorf("%s: DIFFERENT", name)
			}
		}
	}
}
