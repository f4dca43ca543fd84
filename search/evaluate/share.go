package evaluate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"stackmate/reasoner/machine"
)

// Played are games that one learner played for another learner of the same network.
type Played struct {
	Layout string       `json:"layout"` // digest of the names of roles and fluents, in the order of states
	Games  []PlayedGame `json:"games"`
}

// PlayedGame is a game from its first position to its last but one.
type PlayedGame struct {
	States  []uint64  `json:"states"`  // consecutive
	Values  []float32 `json:"values"`  // estimates of all positions but the first, by output
	Outcome []float32 `json:"outcome"` // by output
	Sum     float64   `json:"sum"`     // of the goals
}

func (g PlayedGame) clone() PlayedGame {
	g.States, g.Values = slices.Clone(g.States), slices.Clone(g.Values)
	return g
}

// Play plays games without learning from them, until ctx is done.
func (l *Learner) Play(ctx context.Context) *Played {
	p := &Played{Layout: layout(l.games.machine)}
	l.games.over = func(g PlayedGame) { p.Games = append(p.Games, g.clone()) }
	defer func() { l.games.over = l.learn }()
	for ctx.Err() == nil {
		l.games.step()
	}
	return p
}

// Take learns from games of another learner. It returns an error for games of other rules, or of a
// machine with another order of fluents.
func (l *Learner) Take(p *Played) error {
	if p == nil || p.Layout != layout(l.games.machine) {
		return errors.New("expected games of the same machine")
	}
	for _, g := range p.Games {
		positions, outputs := len(g.States)/l.games.words, l.trainer.outputs
		if positions == 0 || len(g.States) != positions*l.games.words || len(g.Values) != (positions-1)*outputs ||
			len(g.Outcome) != outputs || !isFinite(g.Values) || !isFinite(g.Outcome) {
			return errors.New("a game that was played elsewhere is damaged: its parts do not fit together")
		}
		l.learn(g)
	}
	return nil
}

// layout returns a digest of the names by which states are read.
func layout(m machine.Machine) string {
	names := m.Names()
	sum := sha256.Sum256([]byte(strings.Join(slices.Concat(names.Roles, names.Fluents), "\n")))
	return hex.EncodeToString(sum[:])
}
