// Package equilibrium computes a subgame-perfect equilibrium of a game of two players with goals of any sum, with
// simultaneous moves or turns, and chance: backward induction (Zermelo; Kuhn 1953) over exact rationals, with a Bimatrix at
// each position. It knows state machines, never rules or text.
//
// The result is one of possibly many equilibria, which may have other payoffs. Each position takes the first pure
// equilibrium with the largest sum of payoffs, else an equilibrium in mixed strategies. No player gains by deviating at any
// position: by the one-shot deviation principle, since every match ends, it suffices that the strategies at each position are
// an equilibrium of its matrix, which is verified in rationals.
//
// Cost: every reachable position is expanded once and its payoffs are stored. Pruning is impossible, as bounds on one player's
// payoff do not bound the other player's choice. It is meant for small games.
package equilibrium

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/exact"
)

const (
	// maxBits bounds a payoff: numerators and denominators grow with every position of mixed strategies.
	maxBits = 1 << 16
	// progressNodes is the number of positions between two reports.
	progressNodes = 1 << 8
	// entryBytes is about the memory of a stored position without its key and its numbers, numberBytes of a rational in a matrix.
	entryBytes  = 256
	numberBytes = 160
)

// Errors of games that backward induction in rationals does not fit.
var (
	// ErrEndless is returned for a game in which a position may come again: it need not end.
	ErrEndless = errors.New("a position can be reached from itself, so that the game need not end")
	// ErrLarge is why a search ends unfinished whose numbers are too long.
	ErrLarge = fmt.Errorf("a payoff takes more than %d bits as a fraction", maxBits)
)

// Searcher computes an equilibrium. It belongs to one goroutine and keeps the payoffs of all positions
// from one search to the next on the same machine.
type Searcher struct {
	machine machine.Machine
	known   map[string]*entry
	bytes   int64
}

var _ search.Searcher = (*Searcher)(nil)

// New makes a searcher.
func New() *Searcher { return new(Searcher) }

// entry is the equilibrium of one position; nil payoffs mark a position on the path.
type entry struct {
	payoffs [2]*big.Rat
	profile Profile // over the moves of both players
}

// run is one Search.
type run struct {
	*Searcher
	ctx      context.Context
	lim      search.Limits
	expander *play.Expander
	players  []machine.Role
	plies    []*play.Expansion
	nodes    int64
	hits     int64
	began    time.Time
}

// errStopped ends a search at its limits; it is no error.
var errStopped = errors.New("stopped")

// Search implements search.Searcher for games of one or two players. It returns ErrEndless, wrapped, where a position repeats. A search that
// runs into its memory, a depth of 2000 joint moves or fractions of 65536 bits ends with Result.Unfinished.
func (s *Searcher) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	if _, _, err := search.Opponents(m.Names()); err != nil {
		return search.Result{}, err
	}
	if s.machine != m {
		s.machine, s.known, s.bytes = m, make(map[string]*entry), 0
	}
	r := s.run(ctx, m, lim)
	e, err := r.solve(q, 0)
	found := r.result()
	switch {
	case errors.Is(err, errStopped):
		return found, nil
	case errors.Is(err, ErrLarge), errors.Is(err, exact.ErrTooDeep), errors.Is(err, search.ErrMemory):
		found.Unfinished = err
		return found, nil
	case err != nil:
		return found, err
	}
	for i, role := range r.players {
		v, _ := e.payoffs[i].Float64()
		found.Values[role] = search.Exact(v)
	}
	return found, r.describe(&found, q, e)
}

// run prepares a search of a game of one or two players.
func (s *Searcher) run(ctx context.Context, m machine.Machine, lim search.Limits) *run {
	r := &run{Searcher: s, ctx: ctx, lim: lim, expander: play.NewExpander(m), players: m.Names().Players(), began: time.Now()}
	_, stack := search.Divide(lim.MaxBytes, m.Info().Batch)
	r.expander.Limit(ctx, stack, 0)
	return r
}

// result returns the bounds of every game, with the counters.
func (r *run) result() search.Result {
	res := search.Result{Proved: true, Concept: search.Equilibrium, Values: make([]search.Interval, len(r.machine.Names().Roles))}
	for _, role := range r.players {
		res.Values[role] = search.GoalRange
	}
	res.Nodes, res.TableHits, res.PeakBytes, res.Elapsed = r.nodes, r.hits, r.bytes+r.expander.Bytes(), time.Since(r.began)
	return res
}

// describe adds strategies and the principal line of an equilibrium to a result.
func (r *run) describe(res *search.Result, q machine.State, e *entry) error {
	if over, _ := r.expander.Look(q); over {
		return nil
	}
	x := new(play.Expansion)
	if err := r.expander.Expand(x, q); err != nil {
		return err
	}
	res.Strategies = r.strategies(x, e.profile)
	if r.lim.NoLine {
		return nil
	}
	var err error
	res.Line, _, err = search.Line(r.ctx, r.machine, r.Searcher.answers(r), q)
	return err
}

// strategies returns a profile as moves with probabilities, by role; nil for chance.
func (r *run) strategies(x *play.Expansion, p Profile) [][]search.Weighted {
	list := make([][]search.Weighted, len(x.Moves))
	for i, role := range r.players {
		for k, w := range [][]*big.Rat{p.X, p.Y}[i] {
			if v, _ := w.Float64(); w.Sign() > 0 {
				list[role] = append(list[role], search.Weighted{Move: x.Moves[role][k], Probability: v})
			}
		}
	}
	return list
}

// solve returns the equilibrium of position q at the given depth below the root, in joint moves.
func (r *run) solve(q machine.State, ply int) (*entry, error) {
	key := q.Key()
	if e := r.known[key]; e != nil {
		if e.payoffs[0] == nil {
			return nil, ErrEndless
		}
		r.hits++
		return e, nil
	}
	if over, goals := r.expander.Look(q); over {
		return r.end(goals), nil
	}
	if err := r.mayGoOn(ply); err != nil {
		return nil, err
	}
	e := new(entry)
	r.known[key] = e
	g, err := r.matrix(q, ply)
	if err == nil {
		err = r.settle(e, g)
	}
	if err != nil {
		delete(r.known, key)
		return nil, err
	}
	r.bytes += entryBytes + int64(len(key)) + bytesOf(e)
	return e, nil
}

// mayGoOn returns the reason to stop at a position at the given depth below the root, or nil.
func (r *run) mayGoOn(ply int) error {
	switch {
	case r.ctx.Err() != nil, r.lim.MaxNodes > 0 && r.nodes >= r.lim.MaxNodes:
		return errStopped
	case ply >= exact.MaxPly:
		return exact.ErrTooDeep
	case r.lim.MaxBytes > 0 && r.bytes > r.lim.MaxBytes:
		return fmt.Errorf("the payoffs of %d positions: %w", len(r.known), search.ErrMemory)
	}
	if r.nodes++; r.lim.Progress != nil && r.nodes%progressNodes == 0 {
		r.lim.Progress(r.result())
	}
	return nil
}

// end returns the payoffs of a terminal position.
func (r *run) end(goals []int32) *entry {
	e := new(entry)
	for i := range e.payoffs {
		e.payoffs[i] = new(big.Rat)
	}
	for i, role := range r.players {
		e.payoffs[i].SetInt64(int64(search.Points(goals[role])))
	}
	return e
}

// matrix returns the payoffs of all pairs of moves at q, the mean over the moves of chance.
func (r *run) matrix(q machine.State, ply int) (g Bimatrix, err error) {
	for len(r.plies) <= ply {
		r.plies = append(r.plies, new(play.Expansion))
	}
	x := r.plies[ply]
	if err := r.expander.Expand(x, q); err != nil {
		if r.ctx.Err() != nil {
			err = errStopped
		}
		return g, err
	}
	first, second := r.players[0], machine.NoRole
	if len(r.players) > 1 {
		second = r.players[1]
	}
	rows, columns := x.Choices(first), x.Choices(second)
	back, err := r.take(2 * rows * columns)
	if err != nil {
		return g, err
	}
	defer back()
	g = Bimatrix{zeros(rows, columns), zeros(rows, columns)}
	share, term := big.NewRat(int64(rows*columns), int64(x.Children)), new(big.Rat)
	for c := range x.Children {
		e := (*entry)(nil)
		if x.Terminal[c] {
			e = r.end(x.ChildGoals(c))
		} else if e, err = r.solve(slices.Clone(x.Child(c)), ply+1); err != nil {
			return g, err
		}
		i, j := c/x.Step(first)%rows, c/x.Step(second)%columns
		g.Row[i][j].Add(g.Row[i][j], term.Mul(e.payoffs[0], share))
		g.Column[i][j].Add(g.Column[i][j], term.Mul(e.payoffs[1], share))
	}
	return g, nil
}

// take counts rationals as memory in use until back is called. It returns an error where memory is too short.
func (r *run) take(numbers int) (back func(), err error) {
	bytes := int64(numbers) * numberBytes
	if r.lim.MaxBytes > 0 && r.bytes+bytes > r.lim.MaxBytes {
		return nil, fmt.Errorf("a matrix of %d numbers: %w", numbers, search.ErrMemory)
	}
	r.bytes += bytes
	return func() { r.bytes -= bytes }, nil
}

func zeros(rows, columns int) [][]*big.Rat {
	a := make([][]*big.Rat, rows)
	for i := range a {
		for range columns {
			a[i] = append(a[i], new(big.Rat))
		}
	}
	return a
}

// settle stores the equilibrium of a matrix.
func (r *run) settle(e *entry, g Bimatrix) (err error) {
	var pure bool
	if e.profile, pure = g.BestPure(); !pure {
		if e.profile, err = r.mixed(g); err != nil {
			return err
		}
	}
	row, column := g.Payoffs(e.profile)
	if row.Num().BitLen()+row.Denom().BitLen() > maxBits || column.Num().BitLen()+column.Denom().BitLen() > maxBits {
		return ErrLarge
	}
	e.payoffs = [2]*big.Rat{row, column}
	return nil
}

// mixed returns an equilibrium of a matrix in mixed strategies.
func (r *run) mixed(g Bimatrix) (Profile, error) {
	moves := len(g.Row) + len(g.Row[0])
	back, err := r.take(moves * moves) // two tableaux
	if err != nil {
		return Profile{}, err
	}
	defer back()
	p, err := g.Mixed(r.ctx)
	switch {
	case err != nil && r.ctx.Err() != nil:
		return p, errStopped
	case err != nil:
		return p, fmt.Errorf("the equilibrium of a matrix does not hold: %w", err)
	}
	return p, nil
}

// bytesOf returns about the memory of the numbers of an entry.
func bytesOf(e *entry) (bytes int64) {
	for _, list := range [][]*big.Rat{e.payoffs[:], e.profile.X, e.profile.Y} {
		for _, v := range list {
			bytes += 64 + int64(v.Num().BitLen()+v.Denom().BitLen())/8
		}
	}
	return bytes
}

// Exact is an equilibrium at one position as fractions.
type Exact struct {
	Payoffs [2]*big.Rat       // of both players
	Matrix  Bimatrix          // payoffs by the moves of both players
	Moves   [2][]machine.Move // the rows and the columns
	Profile                   // the probabilities of the moves
}

// Exact returns the equilibrium at a position of the machine that was searched last, and whether it is known. A terminal
// position has none.
func (s *Searcher) Exact(q machine.State) (Exact, bool) {
	e := s.known[q.Key()]
	if e == nil || e.payoffs[0] == nil {
		return Exact{}, false
	}
	r := s.run(context.Background(), s.machine, search.Limits{})
	g, err := r.matrix(q, 0)
	if err != nil {
		return Exact{}, false
	}
	x := Exact{Payoffs: e.payoffs, Matrix: g, Profile: e.profile}
	for i, role := range r.players {
		x.Moves[i] = slices.Clone(r.plies[0].Moves[role])
	}
	return x, true
}

// answers is the equilibrium, position by position.
type answers struct{ *run }

func (s *Searcher) answers(r *run) search.Solution { return answers{r} }

// At implements search.Solution: the payoff of the first player, and the strategies of both.
func (a answers) At(_ context.Context, q machine.State) (search.Claim, error) {
	e, err := a.solve(q, 0)
	if err != nil {
		return search.Claim{}, err
	}
	x := new(play.Expansion)
	if err := a.expander.Expand(x, q); err != nil {
		return search.Claim{}, err
	}
	v, _ := e.payoffs[0].Float64()
	return search.Claim{Value: v, Strategies: a.strategies(x, e.profile)}, nil
}
