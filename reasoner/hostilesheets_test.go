package reasoner_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stackmate/gdl"
	"stackmate/gdl/rewrite"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/reference"
)

var hostileSheets = flag.Int("hostile.sheets", 0, "number of random rulesheets with hostile names and shapes that all engines are compared on; 0 means a sample")

// TestHostileSheets compares all engines, in lock step and by counts, on random games whose names
// and terms are such as no author writes. Sheet n is the same in every run.
func TestHostileSheets(t *testing.T) {
	n := *hostileSheets
	if n == 0 {
		n = exhaustive.Choose(20, 100)
	}
	failed := 0
	for i := range n {
		rng := rand.New(rand.NewPCG(uint64(i), 11))
		text := hostileSheet(t, rng)
		if err := enginesAgree(t, text, rng); err != nil {
			t.Errorf("sheet %d: %v\n%s", i, err, text)
			if failed++; failed == 5 {
				break
			}
		}
	}
	t.Logf("%d sheets, %d differ", n, failed)
}

// hostileSheet draws a rulesheet: a random game with relations of several arities under one name, terms in
// place of constants, and names with signs.
func hostileSheet(t *testing.T, rng *rand.Rand) string {
	draws := make([]byte, 30+rng.IntN(150))
	for i := range draws {
		draws[i] = byte(rng.Uint32())
	}
	src := randomGame(draws) + hostileShapes(rng)
	if rng.IntN(2) == 0 {
		src = strings.NewReplacer("(even ", "(r1 ", "(odd ", "(path ", "(far ", "(p ").Replace(src)
	}
	tree := must.Get(gdl.Parse("random", []byte(src)))(t)
	constants := make(map[string]string)
	for _, c := range []string{"a", "b", "c"} {
		if rng.IntN(2) == 0 {
			constants[c] = hostileTerm(rng, c)
		}
	}
	// Constants stay recognisable until they are replaced: renaming leaves them alone.
	names := newHostileNames(rng)
	tree = rewrite.Symbols(tree, func(symbol string) string {
		if constants[symbol] != "" || rng.IntN(4) == 0 && !slices.Contains(names.known, symbol) {
			return symbol
		}
		return names.rename(symbol)
	})
	var out strings.Builder
	word := func(w string) string {
		if term, ok := constants[w]; ok {
			return term
		}
		return w
	}
	text := gdl.Print(tree)
	for start, i := 0, 0; i <= len(text); i++ {
		if i == len(text) || strings.IndexByte("() \n", text[i]) >= 0 {
			out.WriteString(word(text[start:i]))
			if i < len(text) {
				out.WriteByte(text[i])
			}
			start = i + 1
		}
	}
	return out.String()
}

// hostileTerm returns a term in place of a constant; different terms for different constants.
func hostileTerm(rng *rand.Rand, constant string) string {
	k := strings.Index("abc", constant)
	switch rng.IntN(6) {
	case 0:
		return fmt.Sprint(-1 - k)
	case 1:
		return []string{"007", "1.5", "+1"}[k]
	case 2:
		depth := 1 + 40*k + rng.IntN(40)
		return strings.Repeat("(box ", depth) + "0" + strings.Repeat(")", depth)
	case 3:
		return fmt.Sprintf("(legal~1 (does/2 x %d) terminal/0)", k)
	case 4:
		return []string{"true/1", "terminal|", "goal~2"}[k]
	}
	return fmt.Sprintf("(box %s %s)", []string{"p", "q", "m"}[k], strings.TrimSpace(strings.Repeat("0 ", 1+rng.IntN(20))))
}

// hostileShapes returns rules with relations of many columns, of one name with every arity, and with fluents
// and moves that are named alike.
func hostileShapes(rng *rand.Rand) string {
	var b strings.Builder
	if rng.IntN(2) == 0 {
		columns := 3 + rng.IntN(15)
		fmt.Fprintf(&b, "(wide%s)\n(wide%s)\n", strings.Repeat(" a b c", columns), strings.Repeat(" b b a", columns))
		b.WriteString("(<= (legal x (wide ?u)) (wide")
		for i := range 3 * columns {
			fmt.Fprintf(&b, " %s", []string{"?u", fmt.Sprintf("?v%d", i/3), "?w"}[i%3])
		}
		b.WriteString("))\n(<= (next (wide ?u)) (does x (wide ?u)))\n")
	}
	if rng.IntN(2) == 0 {
		b.WriteString("(<= any (any a))\n(any a)\n(any a b)\n(any b c a)\n(<= (any ?u ?v ?u ?v) (any ?u ?v) (not (any ?v)))\n" +
			"(<= (next any) any (any ?u ?v ?u ?v) (true (any ?u)))\n(init (any a))\n(<= (next (any ?u ?v)) (any ?u ?v ?u ?v) (does x (any ?u)))\n" +
			"(<= (legal x (any ?u)) (any ?u ?v) (not (true any)))\n(<= (legal x (any ?u ?v)) (true (any ?u ?v)) (any ?u ?v))\n")
	}
	return b.String()
}

// enginesAgree plays a game on all engines in lock step, and counts its joint moves.
func enginesAgree(t *testing.T, text string, rng *rand.Rand) error {
	g, _, err := gdl.Load(t.Context(), "hostile", []byte(text))
	if err != nil {
		return err
	}
	oracle, err := reference.New(t.Context(), g)
	if err != nil {
		return err
	}
	names := kernels()
	machines := []machine.Machine{oracle}
	for _, o := range []reasoner.Options{{Engine: "datalog"}, {Engine: "circuit", Kernel: names[rng.IntN(len(names))]}} {
		m, err := reasoner.New(t.Context(), g, o)
		if err != nil {
			return fmt.Errorf("%s: %w", o.Engine, err)
		}
		machines = append(machines, m)
	}
	var walkers []*walker
	var want []play.PerftCount
	for i, m := range machines {
		walkers = append(walkers, newWalker(m, same, rng))
		counts, err := play.Perft(t.Context(), m, m.Initial(), 1)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Info().Engine, err)
		}
		if i == 0 {
			want = counts
		} else if !slices.Equal(counts, want) {
			return fmt.Errorf("%s counts %v, want %v", m.Info().Engine, counts, want)
		}
	}
	return lockstep(walkers, rng, 8)
}
