package analysis

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Adviser knows the strategies of a solution: of a saved one, or of searches. It is safe for concurrent use.
type Adviser struct {
	Solution *Saved // nil: all positions are searched
	Bytes    int64  // of memory, for each of the tables of two searches and the book
	Log      zerolog.Logger
	// Searching is called when a search begins, which lasts so long at most. The function that it returns ends its display.
	Searching func(time.Duration) (end func())

	mu       sync.Mutex
	machine  machine.Machine
	first    machine.Role    // the role whose value is named
	known    search.Solution // nil without a saved solution
	searcher *searcher
	position machine.State // the position of the last advice
	last     Advice
}

// Advice is the best play in a position, as far as it is known.
type Advice struct {
	Value      string // in words
	strategies [][]search.Weighted
}

// Strategy returns the strategy of a role; nil if there is none.
func (a Advice) Strategy(r machine.Role) []search.Weighted {
	if int(r) < len(a.strategies) {
		return a.strategies[r]
	}
	return nil
}

// Begin prepares for a game.
func (a *Adviser) Begin(ctx context.Context, rules *gdl.Game, m machine.Machine) (err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if m == a.machine {
		return nil
	}
	if a.first, _, err = search.Opponents(m.Names()); err != nil {
		return err
	}
	a.position = nil // of another machine
	if a.Solution != nil {
		if a.known, err = a.Solution.Open(rules, m, a.Bytes); err != nil {
			return err
		}
		if _, err = a.known.At(ctx, m.Initial()); err != nil {
			return err
		}
	}
	if a.searcher, err = newSearcher(runtime.GOMAXPROCS(0), a.Bytes); err == nil {
		a.machine = m
	}
	return err
}

// NoteRepetition makes later advice lead to an end: positions of the game repeat.
func (a *Adviser) NoteRepetition() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.searcher.expectRepetition(a.machine)
	a.position = nil
}

// usualSearch is the time for a position that the solution does not contain, if ctx has no deadline.
const usualSearch = 5 * time.Second

// Advise returns the advice for a position of the game.
func (a *Adviser) Advise(ctx context.Context, q machine.State) (Advice, error) {
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

func (a *Adviser) search(ctx context.Context, q machine.State) (Advice, error) {
	first := a.machine.Names().Roles[a.first]
	if a.known != nil {
		claim, err := a.known.At(ctx, q)
		if err == nil {
			return Advice{fmt.Sprintf("Value for %s: %.4g", first, claim.Value), claim.Strategies}, nil
		}
		a.Log.Warn().Err(err).Str("solution", a.Solution.Name).Msg("a position is searched")
	}
	within := usualSearch
	if end, ok := ctx.Deadline(); ok {
		within = time.Until(end) * 9 / 10
	}
	defer a.Searching(within)()
	r, err := a.searcher.search(ctx, a.machine, q, within, func(search.Result, string) {})
	if err != nil {
		return Advice{}, err
	}
	if v := r.Values[a.first]; r.Proved && v.Solved() {
		return Advice{fmt.Sprintf("Value for %s: %.4g (just computed)", first, v.Lower), r.Strategies}, nil
	}
	return Advice{fmt.Sprintf("Value for %s: about %.4g (not solved in the time: moves are good, not perfect)", first, r.Guess(a.first)), r.Strategies}, nil
}
