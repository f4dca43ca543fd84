package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"stackmate/gdl"
	"stackmate/protocol"
	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/solve"
)

// solutionPlayer is the kind of a player that plays a solution; the name of a file may follow.
const solutionPlayer = "solution"

// isSolution reports whether a description denotes a player of a saved solution, and returns its file.
func isSolution(spec string) (file string, ok bool) {
	kind, file, _ := strings.Cut(spec, ":")
	return file, kind == solutionPlayer
}

// adviser returns strategies of a saved solution, or of a search with a time limit. It is safe for concurrent use.
type adviser struct {
	*console
	file  string
	bytes int64 // of memory, for each of the tables of two searches and the book

	mu       sync.Mutex
	machine  machine.Machine
	first    machine.Role    // whose value is told
	known    search.Solution // nil without a file
	solvers  []*solve.Solver
	position machine.State // the position of the last advice
	last     advice
}

// advice is the solution's play in a position.
type advice struct {
	value      string // in words
	strategies [][]search.Weighted
}

// strategy returns the strategy of a role, or nil.
func (a advice) strategy(r machine.Role) []search.Weighted {
	if int(r) < len(a.strategies) {
		return a.strategies[r]
	}
	return nil
}

// begin gets ready for a game.
func (a *adviser) begin(m protocol.Match) (err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if m.Machine == a.machine {
		return nil
	}
	if a.first, _, err = search.Opponents(m.Machine.Names()); err != nil {
		return err
	}
	a.solvers, a.position = nil, nil // made for another machine
	if a.file != "" {
		if a.known, err = a.openSolution(a.file, m.Game, m.Machine, a.bytes); err != nil {
			return err
		}
		if _, err = a.known.At(a.ctx, m.Machine.Initial()); err != nil {
			return err
		}
	}
	for _, method := range []string{"auto", "mcts"} {
		o := solve.Default()
		o.Method, o.Memory, o.Threads = method, max(1, a.bytes/mebibyte), runtime.GOMAXPROCS(0)
		solver, err := solve.New(o)
		if err != nil {
			return err
		}
		a.solvers = append(a.solvers, solver)
	}
	a.machine = m.Machine
	return nil
}

// noteRepetition makes all later advice lead to an end: positions of the game repeat.
func (a *adviser) noteRepetition() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, solver := range a.solvers {
		solver.ExpectRepetition(a.machine)
	}
	a.position = nil
}

// usualThought is the time for a position that is not known, where no clock gives it.
const usualThought = 5 * time.Second

// advise returns the solution's play in a position. An unsolved position is solved in half of the time or, if that
// fails, sampled in most of the rest.
func (a *adviser) advise(ctx context.Context, q machine.State) (advice, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.position != nil && q.Equal(a.position) {
		return a.last, nil
	}
	found, err := a.search(ctx, q)
	if err == nil {
		a.position, a.last = append(machine.State(nil), q...), found
	}
	return found, err
}

func (a *adviser) search(ctx context.Context, q machine.State) (advice, error) {
	first := a.machine.Names().Roles[a.first]
	if a.known != nil {
		claim, err := a.known.At(ctx, q)
		if err == nil {
			return advice{fmt.Sprintf("Value for %s: %.4g", first, claim.Value), claim.Strategies}, nil
		}
		a.log.Warn().Err(err).Str("solution", a.file).Msg("a position is searched")
	}
	think := usualThought
	if end, ok := ctx.Deadline(); ok {
		think = time.Until(end) * 9 / 10
	}
	defer a.progress("thinking, for %v at most", think.Round(time.Millisecond)).end()
	var r search.Result
	for _, solver := range a.solvers {
		within, cancel := context.WithTimeout(ctx, think/2)
		var err error
		r, err = solver.Search(within, a.machine, q, search.Limits{MaxBytes: a.bytes})
		cancel()
		if err != nil {
			return advice{}, err
		}
		if r.Solved() {
			break
		}
	}
	if v := r.Values[a.first]; r.Proved && v.Solved() {
		return advice{fmt.Sprintf("Value for %s: %.4g (just computed)", first, v.Lower), r.Strategies}, nil
	}
	return advice{fmt.Sprintf("Value for %s: about %.4g (not solved in the time: moves are good, not perfect)", first, r.Guess(a.first)), r.Strategies}, nil
}

// seated is a role in a match, which it follows on the match's machine.
type seated struct {
	at   *machine.History
	role machine.Role
	told int // number of messages read
}

// sit begins a match.
func (p *seated) sit(m protocol.Match) error {
	if m.Machine == nil {
		return errors.New("people and solutions play with the names of the rules: without --scramble")
	}
	p.at, p.told = machine.NewHistory(m.Machine, m.Machine.Initial()), 1
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
	*adviser
	seated
	rng *machine.Rand
	// seen holds the positions in which the player had a choice, until one came up again; nil from then on.
	seen map[string]bool
}

var _ protocol.Agent = (*solved)(nil)

// Start implements protocol.Agent.
func (p *solved) Start(_ context.Context, m protocol.Match) error {
	if err := p.sit(m); err != nil {
		return err
	}
	p.seen = make(map[string]bool)
	return p.begin(m)
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
	found, err := p.advise(ctx, p.at.State())
	if err != nil {
		return gdl.Term{}, err
	}
	return gdl.ParseTerm(p.draw(legal, found.strategy(p.role)))
}

// look notices if a position has come up before.
func (p *solved) look(position string) {
	switch {
	case p.seen[position] || len(p.seen) > search.MaxPlies:
		p.seen = nil
		p.noteRepetition()
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
