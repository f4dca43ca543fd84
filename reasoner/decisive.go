package reasoner

import (
	"context"
	"sync"

	"stackmate/reasoner/circuit"
	"stackmate/reasoner/machine"
)

// decider is a circuit that can be compiled once more, with decisive moves or for threats,
// and read as a formula (prove.go).
type decider struct {
	machine.Machine
	planning
	game    *circuit.Game
	options circuit.Options

	mu       sync.Mutex
	decisive [2]struct { // in turns, and at once
		tried   bool            // once: what did not fit into the time then is not worth it
		machine machine.Machine // nil if there is none
	}
	sought  bool // the same of threats
	threats machine.Threats

	factored bool // the same of subgames
	subgames []machine.Subgame
}

var (
	_ machine.Decider    = (*decider)(nil)
	_ machine.Threatener = (*decider)(nil)
	_ machine.Factored   = (*decider)(nil)
)

// Decisive implements machine.Decider.
func (d *decider) Decisive(ctx context.Context, atOnce bool) machine.Machine {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := &d.decisive[0]
	if atOnce {
		found = &d.decisive[1]
	}
	if found.tried {
		return found.machine
	}
	found.tried = true
	if g := circuit.WithDecisiveMoves(ctx, d.game, atOnce); g != nil {
		if m, err := circuit.Compile(ctx, g, d.options); err == nil {
			found.machine = m
		}
	}
	return found.machine
}

// Threats implements machine.Threatener.
func (d *decider) Threats(ctx context.Context) machine.Threats {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.sought {
		d.sought = true
		if t := circuit.FindThreats(ctx, d.game, d.options); t != nil {
			d.threats = t
		}
	}
	return d.threats
}

// Subgames implements machine.Factored.
func (d *decider) Subgames(ctx context.Context) []machine.Subgame {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.factored {
		return d.subgames
	}
	d.factored = true
	var list []machine.Subgame
	for _, s := range d.game.Subgames(ctx) {
		m, err := circuit.Compile(ctx, s.Game, d.options)
		if err != nil {
			return nil
		}
		list = append(list, machine.Subgame{Machine: &decider{Machine: m, game: s.Game, options: d.options}, Fluents: s.Fluents, Elsewhere: s.Elsewhere})
	}
	d.subgames = list
	return list
}
