package player

import (
	"context"
	"slices"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/factor"
	"stackmate/search/montecarlo"
	"stackmate/search/solve"
)

// Which rule the sampling search should follow where players choose at once
// depends on the game (Tak, Lanctot and Winands, 2014): regret matching is far
// ahead in goofspiel and bidding, UCT in oshi-zumo and tron. Decisive moves in playouts
// are worth what they cost in most games of turns, but not in all, and in few of those
// where players choose at once (search/montecarlo/README.md). So part of the start clock goes into
// matches between the ways of sampling, at equal time.

const (
	// samplingShare is the part of the start clock for this, trialTime the most. proofShare is
	// the part of it that the exact search gets before, proofTime the most.
	samplingShare = 0.2
	proofShare    = 0.045
	proofTime     = 600 * time.Millisecond
	// factoringShare is the part of the start clock in which subgames must be found,
	// factoringTime the most.
	factoringShare = 0.15
	factoringTime  = 3 * time.Second
	// comparisonBytes bounds each tree, comparisonSteps a match, in case the game never ends.
	comparisonBytes = 32 << 20
	comparisonSteps = 500
)

// solves gives the exact search a chance to solve the game at once.
func (t *thinker) solves(ctx context.Context, at position) bool {
	if len(t.exact) == 0 || t.granted(t.exact[0]) == 0 {
		return false
	}
	exact := t.exact[0]
	short, stop := context.WithTimeout(ctx, min(proofTime, scaled(proofShare, timeLeft(ctx, time.Now()))))
	defer stop()
	r, err := exact.Search(short, at.machine, at.state, search.Limits{MaxBytes: t.granted(exact), Seed: t.seed})
	if err != nil {
		t.reclassify(exact, err)
	}
	return err == nil && r.Solved()
}

// factor finds out whether the game is made of several that can be searched each on its own.
func (t *thinker) factor(ctx context.Context) {
	if !t.has(factoring) || t.class.Chance {
		return
	}
	short, cancel := context.WithTimeout(ctx, min(factoringTime, scaled(factoringShare, timeLeft(ctx, time.Now()))))
	defer cancel()
	subgames := factor.Subgames(short, t.machine, t.seed)
	if subgames == nil {
		return
	}
	t.parts = make(map[machine.Machine]*thinker)
	for _, g := range subgames {
		part := &thinker{setting: t.setting, machine: g.Machine, class: solve.Classify(short, g.Machine, t.seed)}
		t.parts[g.Machine] = part
		t.log.Info().Stringer("class", part.class).Float64("length", part.class.Length).Float64("branching", part.class.Branching).Msg("subgame")
	}
}

// choosesRule tells whether there are rules to choose from.
func (t *thinker) choosesRule() bool {
	return t.class.Players == 2 && t.class.Simultaneous && t.has(regretMatching)
}

// ways are those of sampling that there are to choose from: the present one first, but that by
// subgames where there are any (search/factor/README.md).
func (t *thinker) ways() []configuration {
	list := []configuration{t.configuration}
	vary := func(name string, from []configuration, change func(*configuration)) {
		for _, d := range from {
			change(&d)
			d.name += "+" + name
			list = append(list, d)
		}
	}
	if t.choosesRule() {
		vary("uct", list, func(d *configuration) { d.rule = montecarlo.UCT })
	}
	switch {
	case t.hasDecisive && t.isInTurns():
		vary("plain", list, func(d *configuration) { d.plain = true })
	case t.hasDecisive:
		vary("decisive", list, func(d *configuration) { d.plain = false })
	}
	if t.parts != nil { // the first is taken where there are too few matches to say
		list = slices.Insert(list, 0, configuration{name: factoring, factors: true})
	}
	if t.isInTurns() && t.has(rave) && montecarlo.Raves(t.machine) {
		vary(rave, list[:1], func(d *configuration) { d.rave = true })
	}
	return list
}
