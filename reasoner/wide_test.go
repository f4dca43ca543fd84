package reasoner_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stackmate/internal/exhaustive"
)

const (
	wideSeeds = 16 // random games of an exhaustive test; the fast tier compares a quarter
	wideBytes = 16 // draws of a game; the rest follows from them
)

// STACKMATE_WIDE is the number of random wide games to compare; few by default. Each STACKMATE_WIDE_SEED
// gives different games, so that many can be compared in several runs.
const wideGames, wideSeed = "STACKMATE_WIDE", "STACKMATE_WIDE_SEED"

// FuzzWideMachine does the checks of FuzzMachine for games that are wide and deep.
func FuzzWideMachine(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, uint64(countFrom(f, wideSeed, 4))))
	for range countFrom(f, wideGames, exhaustive.Choose(wideSeeds/4, wideSeeds)) {
		draws := make([]byte, wideBytes)
		for i := range draws {
			draws[i] = byte(rng.Uint32())
		}
		f.Add(draws)
	}
	f.Fuzz(func(t *testing.T, draws []byte) { compareEngines(t, wideGame(draws)) })
}

// A wide game has no variables but many atoms. It has conjunctions of up to 200 literals of mostly one sign,
// disjunctions of up to 40 rules, and chains of atoms that each need or deny the previous atom. It has rings
// of atoms that recur on each other, and next rules that are only conjunctions. Of its up to twelve roles
// some have no moves or get stuck, and some goals are no numbers. A few games have no fluents. The first
// draws are its size; a generator that they seed makes the rest. All engines together take about a second for
// one game: a fuzzer takes ten for a deadlock.
type wide struct {
	strings.Builder
	rng    *rand.Rand
	widest int
	names  int
}

func wideGame(draws []byte) string {
	size := func(i, n int) int { // from 0 to n-1
		if i >= len(draws) {
			return 0
		}
		return int(draws[i]) % n
	}
	seed := fnv.New64a()
	seed.Write(draws)
	g := &wide{rng: rand.New(rand.NewPCG(seed.Sum64(), 0)), widest: []int{3, 17, 40, 200}[size(0, 4)]}
	roles, fluents := 1+size(1, 12), size(2, 40)
	if size(3, 16) == 0 {
		fluents = 0
	}
	var position []string // atoms of the position
	for i := range fluents {
		position = append(position, fmt.Sprintf("(true (q %d))", i))
		if g.rng.IntN(3) == 0 {
			g.line("(init (q %d))", i)
		}
	}
	if fluents == 0 {
		position = []string{"(true never)"}
	}
	position = g.grow(position, size(4, 5), size(5, 128), size(6, 30))
	moves := g.roles(roles, position)
	both := slices.Concat(position, moves)
	both = g.grow(both, size(7, 4), size(8, 48), size(9, 12))
	for i := range fluents {
		g.next(i, both, moves)
	}
	g.line("(<= terminal %s)", g.literals(position, 1+g.rng.IntN(2), 2))
	return g.String()
}

func (g *wide) line(format string, args ...any) { fmt.Fprintf(g, format+"\n", args...) }

func (g *wide) name() string {
	g.names++
	return fmt.Sprintf("d%d", g.names)
}

// literals returns a conjunction of n literals. One literal in `denied` is positive; if denied is 0, every
// literal is.
func (g *wide) literals(pool []string, n, denied int) string {
	var b strings.Builder
	for range n {
		atom := pool[g.rng.IntN(len(pool))]
		if denied > 0 && g.rng.IntN(denied) > 0 {
			atom = "(not " + atom + ")"
		}
		b.WriteString(" " + atom)
	}
	return b.String()
}

// body returns a conjunction that may be wide, with literals mostly of one sign.
func (g *wide) body(pool []string) string {
	n := 1 + g.rng.IntN(3)
	if g.rng.IntN(3) == 0 {
		n = 2 + g.rng.IntN(g.widest)
	}
	return g.literals(pool, n, []int{0, 2, 50}[g.rng.IntN(3)])
}

// grow adds derived atoms to a pool: disjunctions, a chain and a ring.
func (g *wide) grow(pool []string, gates, chain, ring int) []string {
	out := slices.Clone(pool)
	for range gates {
		name, rules := g.name(), 1
		if g.rng.IntN(3) == 0 {
			rules = 1 + g.rng.IntN(min(g.widest, 40))
		}
		for range rules {
			g.line("(<= %s%s)", name, g.literals(out, 1+g.rng.IntN(max(1, g.widest/rules)), 2+g.rng.IntN(9)))
		}
		out = append(out, name)
	}
	last := pool[0]
	kind := g.rng.IntN(3)
	for range chain {
		name := g.name()
		if kind > 0 && (kind == 2 || g.rng.IntN(2) == 0) {
			last = "(not " + last + ")"
		}
		g.line("(<= %s %s%s)", name, last, g.literals(pool, g.rng.IntN(2), 2))
		if g.rng.IntN(3) == 0 {
			g.line("(<= %s%s)", name, g.literals(pool, 2, 2))
		}
		last = name
	}
	if chain > 0 {
		out = append(out, last)
	}
	return g.ring(out, ring)
}

// ring adds atoms that need the one before or another one of the ring.
func (g *wide) ring(pool []string, n int) []string {
	var names []string
	for range n {
		names = append(names, g.name())
	}
	for i, name := range names {
		g.line("(<= %s %s%s)", name, names[(i+n-1)%n], g.literals(pool, g.rng.IntN(2), 2))
		if g.rng.IntN(2) == 0 {
			g.line("(<= %s %s %s%s)", name, names[g.rng.IntN(n)], names[g.rng.IntN(n)], g.literals(pool, 1, 2))
		}
		if i == 0 || g.rng.IntN(5) == 0 {
			g.line("(<= %s%s)", name, g.body(pool))
		}
	}
	return append(slices.Clone(pool), names...)
}

// roles adds roles with their moves and goals, and returns the atoms of their moves.
func (g *wide) roles(n int, position []string) []string {
	moves := []string{"(does r0 m0)"}
	g.line("(<= (legal r0 m0) (true never))") // some rule for legal there must be
	for r := range n {
		g.line("(role r%d)", r)
		g.line("(<= (goal r%d 100)%s)", r, g.literals(position, 1, 2))
		value := []string{"0", "50", "-3", "101", "much"}[g.rng.IntN(5)]
		g.line("(worth%[1]d %[2]s) (<= (goal r%[1]d ?v) (worth%[1]d ?v))", r, value)
		if g.rng.IntN(20) == 0 {
			continue // a role without moves
		}
		if g.rng.IntN(20) > 0 {
			g.line("(legal r%d m0)", r)
		}
		for m := range g.rng.IntN(12) {
			g.line("(<= (legal r%d m%d)%s)", r, m, g.body(position))
			moves = append(moves, fmt.Sprintf("(does r%d m%d)", r, m))
		}
	}
	return moves
}

// next adds the rules for a fluent.
func (g *wide) next(fluent int, both, moves []string) {
	switch g.rng.IntN(4) {
	case 0: // it stays, unless one of many moves is made
		g.line("(<= (next (q %d)) (true (q %d))%s)", fluent, fluent, g.literals(moves, 1+g.rng.IntN(20), 50))
	case 1: // nothing but a conjunction, most of it negated
		g.line("(<= (next (q %d))%s)", fluent, g.literals(both, 2+g.rng.IntN(g.widest), 50))
		return
	}
	for range 1 + g.rng.IntN(3) {
		g.line("(<= (next (q %d))%s)", fluent, g.body(both))
	}
}
