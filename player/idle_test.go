package player

import (
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"stackmate/gdl"
	"stackmate/internal/corpus"
	"stackmate/internal/exhaustive"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
)

// idleClock is the processor time for each of idleMoves moves of a match.
const (
	idleClock = 20 * time.Millisecond
	idleMoves = 4
)

// TestNoMoveIsMadeWithNothingSearched plays the beginnings of matches of the corpus. Where a role has a
// choice whose value is not proved something must have been searched.
func TestNoMoveIsMadeWithNothingSearched(t *testing.T) {
	exhaustive.Only(t, "takes seconds")
	const large = 20_000 // bytes of rules: larger ones may take seconds to be compiled
	games := 0
	for i, r := range corpus.Rulesheets(t) {
		source := corpus.Source(t, r.Name)
		if len(source) > large || i%10 > 0 {
			continue
		}
		g, _, err := gdl.Load(t.Context(), r.Name, source)
		if err != nil {
			continue // a faulty one
		}
		ctx, cancel := withProcessorTime(t.Context(), 300*time.Millisecond)
		m, err := reasoner.New(ctx, g, reasoner.Options{Memory: 256 << 20})
		if cancel(); err != nil || !m.Info().Parallel { // one pass of a slow machine may take longer than all searches have
			continue
		}
		games++
		t.Run(r.Name, func(t *testing.T) { playsBusily(t, m) })
	}
	t.Logf("%d games", games)
	if games < 15 {
		t.Errorf("%d games, want 15", games)
	}
}

// playsBusily plays the beginning of a match, all roles by one thinker.
func playsBusily(t *testing.T, m machine.Machine) {
	p := newThinker(setting{spec: spec{threads: 1, without: []string{learning}}, log: zerolog.Nop(), memory: &memory{total: 128 << 20, compiled: closed}, margins: NewMargins(0, 0)})
	rng, b, q := machine.NewRand(1), m.NewNarrowBatch(), slices.Clone(m.Initial())
	p.begun = m
	for move := range idleMoves {
		b.Load(q, 1)
		b.Evaluate(1)
		if b.Terminal()[0]&1 != 0 || b.Stuck()[0]&1 != 0 {
			return
		}
		joint := make([]machine.Move, len(m.Names().Roles))
		for role := range joint {
			at := position{machine: m, state: q, role: machine.Role(role), legal: b.AppendLegal(nil, 0, machine.Role(role))}
			joint[role] = at.legal[rng.Intn(len(at.legal))]
			if len(at.legal) == 1 || at.role == m.Names().Chance() {
				continue
			}
			if move == 0 {
				p.prepare(t.Context(), at)
				p.factor(ctxOf(t, idleClock))
				p.adopt(approach{})
			}
			var x *Explanation
			idle := true
			for clock := idleClock; ; clock *= 4 { // on a busy machine searches take longer to begin
				ctx, cancel := withProcessorTime(t.Context(), clock)
				x = explain(at, p.choose(ctx, at), "", clock)
				cancel()
				i := slices.IndexFunc(x.Values, func(v Value) bool { return v.Role == m.Names().Roles[role] })
				idle = i < 0 || x.Nodes == 0 && !(x.Values[i].Proved && x.Values[i].Lower == x.Values[i].Upper)
				if !idle || clock > time.Second {
					break
				}
			}
			if idle {
				t.Errorf("move %d of %s is made with nothing searched: %+v", move, m.Names().Roles[role], x)
			}
		}
		play.Step(b, joint)
		q = make(machine.State, len(m.Initial())) // an abandoned search may still read the one before
		b.Store(q, 1)
	}
}
