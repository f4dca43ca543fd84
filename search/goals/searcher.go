package goals

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"stackmate/internal/cputime"
	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Kind is the kind of game that a search is for.
type Kind int

// The kinds.
const (
	// AnySum: the search determines the concept of its values, and assumes nothing about the sum of the goals.
	AnySum Kind = iota
	// ZeroSum: the search maximises the first player's goal, and derives the second player's value from the
	// sum of the goals.
	ZeroSum
	// Exhaustive: a zero-sum search that visits all reachable terminal positions, or returns an error. So
	// equal sums at all of them are a proof.
	Exhaustive
)

// Config says how to search.
type Config struct {
	Kind    Kind
	Threads int                    // of each search
	Make    func() search.Searcher // makes one
	// Rounding is the greatest error, in goal points, of the bounds of the search in a game with chance, whose
	// means are rounded. Open intervals are moved outwards by it; an interval with equal ends is a value that is
	// right up to this error.
	Rounding float64
	// Lenient is for players, which must go on where the rules are faulty: a missing goal is worth 0, and the
	// machine's goals are taken for the only ones. Where the sum of the goals is not proved, each role is searched for on its own,
	// with decisive moves.
	Lenient bool
}

// Searcher runs a search on games whose goals are checked. Zero-sum searches of two players run
// on the game itself if the sum of its goals is proved, or if it seems to be 100 (see shared), else once for each
// role (see view).
// It keeps the searches of the last machine, and belongs to one goroutine.
type Searcher struct {
	config Config

	machine machine.Machine
	learned bool // there was time enough for all facts
	facts   Facts
	err     error
	watch   *watch
	other   bool    // a sum of goals other than 100 was met
	whole   *part   // the search of the game itself; nil where there are parts
	parts   []*part // by player
}

// part is a search with the machine that it is given.
type part struct {
	search.Searcher
	machine machine.Machine
}

var _ search.Searcher = (*Searcher)(nil)

// NewSearcher makes a searcher.
func NewSearcher(c Config) *Searcher { return &Searcher{config: c} }

// Search implements search.Searcher. The positions searched must be reachable from the initial
// one of m. Besides the errors of the search it returns a Fault (search.ErrGoals).
func (s *Searcher) Search(ctx context.Context, m machine.Machine, q machine.State, lim search.Limits) (search.Result, error) {
	if s.prepare(ctx, m); s.err != nil {
		return search.Result{}, s.err
	}
	if tell := lim.Progress; tell != nil {
		lim.Progress = func(r search.Result) {
			s.outwards(&r)
			tell(r)
		}
	}
	working, end := context.WithCancel(ctx)
	defer end()
	s.watch.end.Store(&end)
	r, err := s.search(working, q, lim)
	if s.watch.fault.Load() == nil && s.watch.sum.Load() && !s.other {
		s.other = true
		s.divide()
		again, end := context.WithCancel(ctx)
		defer end()
		s.watch.end.Store(&end)
		r, err = s.search(again, q, lim)
	}
	if fault := s.watch.fault.Load(); fault != nil {
		s.err = fault
		return search.Result{}, fault
	}
	s.outwards(&r)
	return r, err
}

// outwards moves the ends of open intervals outwards by the rounding error.
func (s *Searcher) outwards(r *search.Result) {
	if s.config.Rounding == 0 || s.watch.names.Chance() == machine.NoRole {
		return
	}
	widen := func(v search.Interval) search.Interval {
		if v.Solved() {
			return v
		}
		return search.Interval{Lower: max(0, v.Lower-s.config.Rounding), Upper: min(machine.MaxGoal, v.Upper+s.config.Rounding)}
	}
	r.Values, r.Moves = slices.Clone(r.Values), slices.Clone(r.Moves) // the search may report them again
	for role, v := range r.Values {
		r.Values[role] = widen(v)
	}
	for role, moves := range r.Moves {
		moves = slices.Clone(moves)
		for i := range moves {
			moves[i].Bounds = widen(moves[i].Bounds)
		}
		r.Moves[role] = moves
	}
}

func (s *Searcher) search(ctx context.Context, q machine.State, lim search.Limits) (search.Result, error) {
	s.facts.Hundred = s.whole != nil && s.isShared()
	if s.whole == nil {
		return s.byRole(ctx, q, lim)
	}
	if tell := lim.Progress; tell != nil {
		lim.Progress = func(r search.Result) {
			s.name(&r)
			tell(r)
		}
	}
	if !s.isShared() || lim.MaxNodes > 0 {
		r, err := s.whole.Search(ctx, s.whole.machine, q, lim)
		s.name(&r)
		return r, err
	}
	return s.proving(ctx, q, lim)
}

// isShared reports whether one search finds the guarantees of both players.
func (s *Searcher) isShared() bool {
	v, ok := s.whole.machine.(*view)
	return ok && v.hundred
}

// proving searches a shared game. Now and then it tries for one part in proofShare of the time to prove the sum of the goals,
// after which the game itself is searched.
func (s *Searcher) proving(ctx context.Context, q machine.State, lim search.Limits) (search.Result, error) {
	spent := time.Duration(0)
	var before search.Counters
	for slice := learnTime * proofShare; ; slice *= 2 {
		within, cancel := context.WithTimeout(ctx, slice)
		r, err := s.whole.Search(within, s.whole.machine, q, lim)
		over := within.Err() != nil
		cancel()
		spent += slice
		before = before.And(r.Counters)
		if r.Counters = before; err != nil || !over || ctx.Err() != nil || r.Solved() {
			s.name(&r)
			return r, err
		}
		short, cancel := cputime.Budget(ctx, spent/proofShare)
		proved := s.prove(short)
		cancel()
		if proved {
			return s.search(ctx, q, lim)
		}
	}
}

// name fills in the concept of solution of a search of the game itself. A search of AnySum that names
// none bounds the goal of each role by its own moves and all moves of the others.
func (s *Searcher) name(r *search.Result) {
	switch {
	case r.Concept != "":
		return
	case s.config.Kind != Exhaustive && !s.facts.Constant && len(s.watch.players) > 1:
		r.Concept = search.Guarantee
	default:
		r.Concept = search.Value
	}
	if !s.facts.Constant || len(s.watch.players) != 2 {
		return
	}
	// Goals of two players from 0 to MaxGoal that add up to the sum bound each other.
	least, most := float64(max(0, s.facts.Sum-machine.MaxGoal)), float64(min(machine.MaxGoal, s.facts.Sum))
	for _, role := range s.watch.players {
		if int(role) < len(r.Values) {
			v := &r.Values[role]
			v.Lower, v.Upper = max(v.Lower, least), min(v.Upper, most)
		}
	}
}

// prepare resets the facts about the last machine.
func (s *Searcher) prepare(ctx context.Context, m machine.Machine) {
	if s.machine == m && s.learned {
		return
	}
	s.machine, s.other = m, false
	s.facts, s.err = Learn(ctx, m)
	if s.config.Lenient {
		s.facts.Single, s.err = true, nil
	}
	s.watch = newWatch(m, s.facts)
	s.divide()
	s.learned = ctx.Err() == nil
}

// divide makes the searches that the facts allow.
func (s *Searcher) divide() {
	s.parts, s.whole = nil, nil
	players := s.watch.players
	if s.config.Kind != ZeroSum || len(players) != 2 || s.facts.Constant {
		s.whole = &part{s.config.Make(), checked(s.machine, s.watch)}
		return
	}
	if !s.facts.Varies && !s.other && !s.config.Lenient {
		s.whole = &part{s.config.Make(), shared(s.machine, s.watch)}
		return
	}
	for _, r := range players {
		s.parts = append(s.parts, &part{s.config.Make(), against(s.machine, s.watch, r)})
	}
}

// prove tries once more to prove the sum of the goals, and reports whether it is proved now. The searches then
// begin anew.
func (s *Searcher) prove(ctx context.Context) bool {
	sum, ok := provedSum(ctx, s.machine)
	if ok {
		s.facts = Facts{Single: true, Constant: true, Sum: sum}
		s.watch = newWatch(s.machine, s.facts)
		s.divide()
	}
	return ok
}

// Facts returns the facts about the goals of the last machine searched.
func (s *Searcher) Facts() Facts { return s.facts }

// Part is a search with the machine that it searches: its solution is the value of that machine's
// game.
type Part struct {
	Machine  machine.Machine
	Searcher search.Searcher
}

// Parts returns the searches of the last machine: the one of a value, or one for each player.
func (s *Searcher) Parts() []Part {
	all := s.parts
	if s.whole != nil {
		all = []*part{s.whole}
	}
	var list []Part
	for _, p := range all {
		list = append(list, Part{p.machine, p.Searcher})
	}
	return list
}

// keeper is a Searcher whose searches save proofs. Each record is preceded by a word: the number of the player whose game was
// searched, or wholeGame: bounds of the first player's goal hold whether or not the sum was proved.
type keeper struct{ *Searcher }

const wholeGame = ^uint64(0)

var _ search.Keeper = keeper{}

// NewKeeper makes a searcher of searches that are search.Keepers.
func NewKeeper(c Config) search.Keeper { return keeper{NewSearcher(c)} }

// games returns the searches with the words in front of their records.
func (k keeper) games() map[uint64]*part {
	games := make(map[uint64]*part)
	for i, p := range k.parts {
		games[uint64(i)] = p
	}
	if k.whole != nil {
		games[wholeGame] = k.whole
	}
	return games
}

// Kept implements search.Keeper.
func (k keeper) Kept() iter.Seq[[]uint64] {
	return func(yield func([]uint64) bool) {
		var tagged []uint64
		for tag, p := range k.games() {
			for record := range p.Searcher.(search.Keeper).Kept() {
				tagged = append(append(tagged[:0], tag), record...)
				if !yield(tagged) {
					return
				}
			}
		}
	}
}

// errOtherGames is the error of records of a game whose sum of goals was another one.
var errOtherGames = errors.New("expected records of a search of this game, found records of another version: begin without --resume")

// Keep implements search.Keeper.
func (k keeper) Keep(m machine.Machine, maxBytes int64, records iter.Seq2[[]uint64, error]) error {
	if k.prepare(context.Background(), m); k.err != nil {
		return k.err
	}
	next, stop := iter.Pull2(records)
	defer stop()
	record, err, ok := next()
	if ok && len(record) > 0 && record[0] != wholeGame && k.whole != nil && k.isShared() {
		k.other = true // the search that was saved met a sum of goals other than 100
		k.divide()
	}
	games := k.games()
	for ok && err == nil {
		var p *part
		if len(record) > 0 {
			p = games[record[0]]
		}
		if p == nil {
			return errOtherGames
		}
		tag := record[0]
		err = p.Searcher.(search.Keeper).Keep(p.machine, maxBytes/int64(len(games)), func(yield func([]uint64, error) bool) {
			for ok && err == nil && len(record) > 0 && record[0] == tag && yield(record[1:], nil) {
				record, err, ok = next()
			}
		})
	}
	return err
}

// byRole searches the zero-sum game of each player, in turns that grow. Now and then it tries for
// proofShare of the time to prove the sum of the goals, after which the game itself is searched.
func (s *Searcher) byRole(ctx context.Context, q machine.State, lim search.Limits) (search.Result, error) {
	began, due := time.Now(), learnTime*proofShare
	r, err := ByRole(ctx, s.machine.Names(), s.config.Threads, lim, func(ctx context.Context, i int, lim search.Limits) (search.Result, error) {
		if passed := time.Since(began); passed > due && !s.facts.Varies {
			due = 2 * passed
			short, cancel := cputime.Budget(ctx, passed/proofShare)
			defer cancel()
			if s.prove(short) {
				return search.Result{}, errProved
			}
		}
		return s.parts[i].Search(ctx, s.parts[i].machine, q, lim)
	})
	if errors.Is(err, errProved) {
		return s.search(ctx, q, lim)
	}
	return r, err
}

// proofShare: proofs of the sum of the goals take 1/proofShare of the time of a search.
const proofShare = 20

// errProved ends the searches of the players once the sum of the goals is proved.
var errProved = errors.New("the sum of the goals is proved")

// firstTurn is the number of nodes of a role's first turn, some tens of milliseconds; each
// later turn has twice as many.
const firstTurn = 1 << 14

// ByRole runs one search for each player, by turns that have twice as many nodes each time, and
// returns for each role the values of its own search: its guarantee. A search is done when it
// stops before one of its threads has used up its share of the nodes, or has solved the value of
// its role. The searches share the memory. The line is the first one that a search found.
func ByRole(
	ctx context.Context, names *machine.Names, threads int, lim search.Limits,
	find func(ctx context.Context, player int, lim search.Limits) (search.Result, error),
) (search.Result, error) {
	players := names.Players()
	b := &byRole{names: names, players: players, found: make([]search.Result, len(players))}
	lim.MaxBytes /= int64(max(1, len(players)))
	done := make([]bool, len(players))
	for i, role := range players {
		done[i] = lim.Wanted != nil && !slices.Contains(lim.Wanted, role)
	}
	for turn := int64(firstTurn); slices.Contains(done, false); turn *= 2 {
		for i, role := range players {
			if done[i] {
				continue
			}
			own := lim
			if own.MaxNodes = turn; lim.MaxNodes > 0 {
				own.MaxNodes = min(turn, max(1, (lim.MaxNodes-b.spent.Nodes)/int64(len(players)-i)))
			}
			if lim.Progress != nil {
				own.Progress = func(r search.Result) { lim.Progress(b.with(i, r)) }
			}
			r, err := find(ctx, i, own)
			if err != nil {
				return search.Result{}, err
			}
			b.add(i, r)
			done[i] = r.Unfinished != nil || r.Nodes < own.MaxNodes/int64(max(1, threads)) || ctx.Err() != nil ||
				lim.MaxNodes > 0 && b.spent.Nodes >= lim.MaxNodes || r.Proved && len(r.Values) > 0 && r.Values[role].Solved()
		}
	}
	return b.merged(), nil
}

// byRole collects the results of the searches for each player.
type byRole struct {
	names   *machine.Names
	players []machine.Role
	found   []search.Result // by player
	spent   search.Counters
}

// add takes the result of the latest turn of a player.
func (b *byRole) add(player int, r search.Result) {
	b.found[player] = r
	b.spent = b.spent.And(r.Counters)
}

// with returns the result that would be if a player's search ended now.
func (b *byRole) with(player int, r search.Result) search.Result {
	now := &byRole{b.names, b.players, slices.Clone(b.found), b.spent.And(r.Counters)}
	now.found[player] = r
	return now.merged()
}

// merged returns the combined result for all players.
func (b *byRole) merged() search.Result {
	roles := len(b.names.Roles)
	total := search.Result{
		Values: make([]search.Interval, roles), Strategies: make([][]search.Weighted, roles), Moves: make([][]search.Known, roles),
		Concept: search.Guarantee, Proved: true, Counters: b.spent,
	}
	total.PeakBytes, total.Evictions = 0, 0
	for i, role := range b.players {
		r := &b.found[i]
		total.Values[role] = search.GoalRange
		if len(r.Values) > 0 && r.Proved {
			total.Values[role] = r.Values[role]
		}
		if len(r.Strategies) > 0 {
			total.Strategies[role] = r.Strategies[role]
		}
		if len(r.Moves) > 0 {
			total.Moves[role] = r.Moves[role]
		}
		if total.Line == nil {
			total.Line = r.Line
		}
		if r.Estimates != nil {
			total.Estimates = append(total.Estimates, make([]float64, roles-len(total.Estimates))...)
			total.Estimates[role] = r.Estimates[role]
		}
		if total.Unfinished == nil {
			total.Unfinished = r.Unfinished
		}
		total.PeakBytes, total.Evictions = total.PeakBytes+r.PeakBytes, total.Evictions+r.Evictions
	}
	for i, role := range b.players {
		if total.Estimates != nil && b.found[i].Estimates == nil {
			v := total.Values[role]
			total.Estimates[role] = (v.Lower + v.Upper) / 2
		}
	}
	return total
}
