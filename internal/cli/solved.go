package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"stackmate/gdl"
	"stackmate/player/analysis"
	"stackmate/protocol"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// solutionPlayer is the kind of a player that plays a solution; the name of a file may follow.
const solutionPlayer = "solution"

// isSolution reports whether a description denotes a player of a saved solution, and returns its file.
func isSolution(spec string) (file string, ok bool) {
	kind, file, _ := strings.Cut(spec, ":")
	return file, kind == solutionPlayer
}

// adviser returns an adviser of a player: of a saved solution, or of searches where file is empty.
func (s *console) adviser(file string, bytes int64) *analysis.Adviser {
	a := &analysis.Adviser{Bytes: bytes, Log: s.log, Searching: func(within time.Duration) func() {
		return s.progress("thinking, for %v at most", within.Round(time.Millisecond)).end
	}}
	if file != "" {
		a.Solution = &s.savedSolutions(file)[0]
	}
	return a
}

// seated is a role in a match, which it follows on the match's machine.
type seated struct {
	at   *play.History
	role machine.Role
	told int // number of messages read
}

// sit begins a match.
func (p *seated) sit(m protocol.Match) error {
	if m.Machine == nil {
		return errors.New("people and solutions play with the names of the rules: without --scramble")
	}
	p.at, p.told = play.NewHistory(m.Machine, m.Machine.Initial()), 1
	var known bool
	if p.role, known = p.at.Names.Role(m.Role); !known {
		return fmt.Errorf("the game has no role %s", m.Role)
	}
	return nil
}

// follow makes the joint moves that were told, and returns the news.
func (p *seated) follow(told [][]gdl.Term) (news [][]string, err error) {
	for ; p.told < len(told) && err == nil; p.told++ {
		var joint []string
		for _, t := range told[p.told] {
			joint = append(joint, t.String())
		}
		news, err = append(news, joint), p.at.Advance(joint)
	}
	return news, err
}

// solved plays a solution: it draws its moves from the strategies.
type solved struct {
	*analysis.Adviser
	seated
	rng *machine.Rand
	// seen holds the positions in which the player had a choice, until one came up again; nil from then on.
	seen map[string]bool
}

var _ protocol.Agent = (*solved)(nil)

// Start implements protocol.Agent.
func (p *solved) Start(ctx context.Context, m protocol.Match) error {
	if err := p.sit(m); err != nil {
		return err
	}
	p.seen = make(map[string]bool)
	return p.Begin(ctx, m.Game, m.Machine)
}

// Play implements protocol.Agent.
func (p *solved) Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	if _, err := p.follow(told); err != nil {
		return gdl.Term{}, err
	}
	legal := p.at.Legal(p.role)
	if len(legal) == 1 {
		return gdl.ParseTerm(legal[0])
	}
	p.look(p.at.State().Key())
	found, err := p.Advise(ctx, p.at.State())
	if err != nil {
		return gdl.Term{}, err
	}
	return gdl.ParseTerm(p.draw(legal, found.Strategy(p.role)))
}

// look notices if a position has come up before.
func (p *solved) look(position string) {
	switch {
	case p.seen[position] || len(p.seen) > search.MaxPlies:
		p.seen = nil
		p.NoteRepetition()
	case p.seen != nil:
		p.seen[position] = true
	}
}

// draw draws a move: by the strategy, or uniformly where there is none.
func (p *solved) draw(legal []string, strategy []search.Weighted) string {
	if len(strategy) == 0 {
		return legal[p.rng.Intn(len(legal))]
	}
	left, drawn := p.rng.Float64(), strategy[len(strategy)-1].Move // left after rounding
	for _, w := range strategy {
		if left < w.Probability {
			drawn = w.Move
			break
		}
		left -= w.Probability
	}
	return p.at.Names.MoveText(p.role, drawn)
}

// Stop implements protocol.Agent.
func (*solved) Stop([][]gdl.Term) {}

// Abort implements protocol.Agent.
func (*solved) Abort() {}
