package ground

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"stackmate/gdl"
	"stackmate/internal/cputime"
	"stackmate/internal/guard"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/internal/gametest"
)

// BenchmarkGround grounds each rulesheet of the corpus and reports the size of
// the program.
func BenchmarkGround(b *testing.B) {
	for _, name := range gametest.Rulesheets(b, 1) {
		b.Run(name, func(b *testing.B) {
			g := gametest.LoadRulesheet(b, name)
			for b.Loop() {
				p, err := New(context.Background(), g, datalog.Limits{})
				gametest.SkipTooLarge(b, err)
				b.ReportMetric(float64(p.Atoms), "atoms")
				b.ReportMetric(float64(len(p.Head)), "rules")
				b.ReportMetric(float64(len(p.Body)), "literals")
			}
		})
	}
}

// passFiles maps each pass that can be left out to its file. The pass reduce shares a file with other stages.
var passFiles = map[string]string{
	"constants": "constants.go", "linear": "linear.go", "reduce": "", "existential": "existential.go", "merge": "merge.go", "unfold": "unfold.go",
	"right-linear": "rightlinear.go", "split": "split.go", "demand": "demand.go",
}

// BenchmarkPasses prints the table of docs/lab/reasoner.md of the passes of grounding: for each pass that can be left out
// its lines, the number of rulesheets of the corpus whose program it changes, the rulesheets with a change by a twentieth
// at least, the geometric mean of the sizes without the pass by the sizes with it, and the rulesheets without a program if
// the pass is left out. The size of a program is its number of rules and literals.
func BenchmarkPasses(b *testing.B) {
	type change struct {
		sheet string
		ratio float64 // +Inf without a program
	}
	changes := make(map[string][]change)
	for range b.N {
		for _, sheet := range gametest.Rulesheets(b, 1) {
			g := gametest.LoadRulesheet(b, sheet)
			size, ok := sizeWithout(b, g)
			if !ok {
				fmt.Printf("no program: %s\n", sheet)
				continue
			}
			for _, pass := range optional() {
				switch other, ok := sizeWithout(b, g, pass); {
				case !ok:
					changes[pass] = append(changes[pass], change{sheet, math.Inf(1)})
				case other != size:
					changes[pass] = append(changes[pass], change{sheet, float64(other) / float64(size)})
				}
			}
		}
	}
	for _, pass := range optional() {
		list := changes[pass]
		slices.SortFunc(list, func(x, y change) int { return cmp.Compare(y.ratio, x.ratio) })
		sum, more, none := 0.0, 0, 0
		var most []string
		for i, c := range list {
			switch {
			case math.IsInf(c.ratio, 1):
				none++
			case c.ratio > 1.05:
				more++
				fallthrough
			default:
				sum += math.Log(c.ratio)
			}
			if i < 5 {
				most = append(most, fmt.Sprintf("%s %.2f", c.sheet, c.ratio))
			}
		}
		text, _ := os.ReadFile(passFiles[pass])
		fmt.Printf("| %s | %d | %d | %d | %.2f | %d | %s |\n", pass, bytes.Count(text, []byte("\n")), len(list), more,
			math.Exp(sum/float64(max(1, len(list)-none))), none, strings.Join(most, ", "))
	}
	b.ReportMetric(0, "ns/op")
}

// sizeWithout returns the number of rules and literals of the program of a game without some passes. Large games are
// grounded thoroughly, as the reasoner does. It returns false if the program exceeds a limit, or half a minute of processor
// time.
func sizeWithout(b *testing.B, g *gdl.Game, without ...string) (size int, ok bool) {
	ctx, cancel := cputime.Budget(b.Context(), 30*time.Second)
	defer cancel()
	for _, lim := range []datalog.Limits{{MaxInstances: 2_500_000}, {MaxInstances: 10_000_000, Thorough: true}} {
		p, err := newWithout(ctx, g, lim, without...)
		if err == nil {
			return len(p.Head) + len(p.Body), true
		}
		if !errors.Is(err, datalog.ErrLimit) {
			break
		}
	}
	return 0, false
}

// newWithout is New without some passes.
func newWithout(ctx context.Context, g *gdl.Game, lim datalog.Limits, without ...string) (p *Program, err error) {
	defer guard.Stopped(&err)
	return newGrounder(ctx, g, lim, without...).ground()
}
