package analysis

import (
	"context"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
	"stackmate/search/matrix"
)

// Analyst searches positions for the page: saved solutions, else the searches; and where two players choose at once, the position
// after each joint move.
type Analyst struct {
	Solutions []Saved
	Threads   int
	Bytes     int64 // of memory, for each of the tables of two searches and a solution
	Log       zerolog.Logger
}

// maxCells bounds the matrices that are shown.
const maxCells = 400

// searchShare is the share of the time for the value of the position, where the matrix needs the rest.
const searchShare = 0.8

// Analyse searches a position until ctx ends or nothing is left to find, and reports the results on the way.
func (a *Analyst) Analyse(ctx context.Context, rules *gdl.Game, m machine.Machine, q machine.State, report func(*Analysis)) error {
	searcher, err := newSearcher(a.Threads, a.Bytes)
	if err != nil {
		return err
	}
	x := &analysis{Analyst: a, machine: m, position: q, searcher: searcher, report: report, began: time.Now()}
	x.shown.Matrix = x.matrix(ctx)
	x.tell(search.Result{}, "")
	if !x.known(ctx, rules) {
		_, err = searcher.search(ctx, m, q, x.share(ctx, searchShare), x.tell)
	}
	x.finish(ctx)
	return err
}

// finish fills the matrix and ends the analysis.
func (x *analysis) finish(ctx context.Context) {
	if x.shown.Matrix != nil && ctx.Err() == nil {
		x.fill(ctx)
	}
	x.shown.Done = true
	x.send()
}

// known reports the value that a saved solution of these rules has for the position, at once, and then the lines. It returns false
// if no solution contains the position.
func (x *analysis) known(ctx context.Context, rules *gdl.Game) bool {
	const method = "saved solution"
	first, other, err := search.Opponents(x.machine.Names())
	if err != nil {
		return false
	}
	for _, saved := range x.Solutions {
		solution, err := saved.Open(rules, x.machine, x.Bytes)
		if err != nil {
			continue // a solution of another game
		}
		claim, err := solution.At(ctx, x.position)
		if err != nil {
			x.Log.Warn().Err(err).Str("solution", saved.Name).Msg("a position is searched")
			continue
		}
		x.solution = solution
		r := search.Result{Proved: true, Values: make([]search.Interval, len(x.machine.Names().Roles)), Strategies: claim.Strategies}
		r.Values[first] = search.Exact(claim.Value)
		sum := 0.0
		if other != machine.NoRole {
			sum = x.sum(ctx, first, other)
			r.Values[other] = search.Exact(sum - claim.Value)
		}
		x.tell(r, method)
		if line, _, err := search.Line(ctx, x.machine, solution, x.position); err == nil {
			r.Line = line
		}
		r.Moves = x.moves(ctx, first, sum)
		x.tell(r, method)
		return true
	}
	return false
}

// moves returns, if one role has a choice, the value of each of its moves in the saved solution, and the number of joint moves to the
// end of the game if all players follow the solution. Sum is the sum of the goals of two players.
func (x *analysis) moves(ctx context.Context, first machine.Role, sum float64) [][]search.Known {
	var e play.Expansion
	if play.NewExpander(x.machine).Expand(&e, x.position) != nil {
		return nil
	}
	chooser := slices.IndexFunc(e.Moves, func(moves []machine.Move) bool { return len(moves) > 1 })
	if chooser < 0 || len(e.Moves[chooser]) != e.Children || machine.Role(chooser) == x.machine.Names().Chance() {
		return nil
	}
	known := make([][]search.Known, len(e.Moves))
	for c, move := range e.Moves[chooser] {
		k := search.Known{Move: move}
		value := 0.0
		if e.Terminal[c] {
			value, k.Plies = float64(search.Points(e.ChildGoals(c)[first])), 1
		} else {
			claim, err := x.solution.At(ctx, e.Child(c))
			if err != nil {
				continue // a position that the solution does not reach
			}
			value = claim.Value
			if line, over, err := search.Line(ctx, x.machine, x.solution, e.Child(c)); err == nil && over {
				k.Plies = 1 + len(line)
			}
		}
		if machine.Role(chooser) != first {
			value = sum - value
		}
		k.Bounds, k.Estimate = search.Exact(value), value
		known[chooser] = append(known[chooser], k)
	}
	return known
}

// sum returns the sum of the goals of two players: of a random game, or the usual sum if the game does not end in time.
func (x *analysis) sum(ctx context.Context, first, other machine.Role) float64 {
	goals := play.RandomGoals(ctx, x.machine, x.position)
	if goals == nil {
		return machine.MaxGoal
	}
	return float64(search.Points(goals[first]) + search.Points(goals[other]))
}

// analysis is the analysis of one position.
type analysis struct {
	*Analyst
	machine  machine.Machine
	position machine.State
	searcher *searcher
	solution search.Solution // nil unless it knows the position
	shown    Analysis
	report   func(*Analysis)
	began    time.Time
	row, col machine.Role
	next     play.Expansion // the positions after each joint move of the matrix
}

// share returns a part of the time until the deadline.
func (x *analysis) share(ctx context.Context, part float64) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return time.Minute
	}
	return time.Duration(part * float64(time.Until(end)))
}

// send reports a copy, since the caller keeps it.
func (x *analysis) send() {
	shown := x.shown
	shown.Seconds = time.Since(x.began).Seconds()
	if m := shown.Matrix; m != nil {
		c := *m
		c.Cells = make([][]Cell, len(m.Cells))
		for i, row := range m.Cells {
			c.Cells[i] = slices.Clone(row)
		}
		shown.Matrix = &c
	}
	x.report(&shown)
}

// tell reports the result of a search.
func (x *analysis) tell(r search.Result, method string) {
	names := x.machine.Names()
	x.shown.Roles = names.Roles
	if r.Values != nil {
		x.shown.Method, x.shown.Proved, x.shown.Solved = method, r.Proved, r.Solved()
		x.shown.Nodes, x.shown.Playouts = r.Nodes, r.Playouts
		x.shown.Estimates = r.Estimates
		x.shown.Lower, x.shown.Upper = nil, nil
		for _, v := range r.Values {
			x.shown.Lower, x.shown.Upper = append(x.shown.Lower, v.Lower), append(x.shown.Upper, v.Upper)
		}
		x.shown.Strategies = nil
		for role, s := range r.Strategies {
			var shares []Share
			for _, w := range s {
				shares = append(shares, Share{Move: names.MoveText(machine.Role(role), w.Move), Probability: w.Probability})
			}
			x.shown.Strategies = append(x.shown.Strategies, shares)
		}
		if r.Moves != nil {
			x.shown.Moves = make([][]Known, len(r.Moves))
			for role, moves := range r.Moves {
				for _, k := range moves {
					x.shown.Moves[role] = append(x.shown.Moves[role],
						Known{Move: names.MoveText(machine.Role(role), k.Move), Lower: k.Bounds.Lower, Upper: k.Bounds.Upper, Estimate: k.Estimate, Plies: k.Plies})
				}
			}
		}
		x.shown.Line = names.LineTexts(r.Line)
		if r.Unfinished != nil {
			x.shown.Note = r.Unfinished.Error()
		}
	}
	x.send()
}

// matrix returns the empty matrix of a position in which both players have a choice, or nil.
func (x *analysis) matrix(ctx context.Context) *PayoffMatrix {
	var err error
	names := x.machine.Names()
	if x.row, x.col, err = search.Opponents(names); err != nil || x.col == machine.NoRole || names.Chance() != machine.NoRole {
		return nil
	}
	expander := play.NewExpander(x.machine)
	expander.Limit(ctx, play.MaxExpansionBytes, 0)
	if over, _ := expander.Look(x.position); over || expander.Expand(&x.next, x.position) != nil {
		return nil
	}
	rows, columns := x.next.Moves[x.row], x.next.Moves[x.col]
	if len(rows) < 2 || len(columns) < 2 || x.next.Children > maxCells {
		return nil
	}
	p := &PayoffMatrix{RowRole: names.Roles[x.row], ColumnRole: names.Roles[x.col]}
	for _, move := range rows {
		p.Rows = append(p.Rows, names.MoveText(x.row, move))
		cells := make([]Cell, len(columns))
		for i := range cells {
			cells[i] = Cell{Lower: 0, Upper: machine.MaxGoal, Kind: "open"}
		}
		p.Cells = append(p.Cells, cells)
	}
	for _, move := range columns {
		p.Columns = append(p.Columns, names.MoveText(x.col, move))
	}
	return p
}

// fill searches the positions after each joint move, and solves the matrix if the values of all cells are exact.
func (x *analysis) fill(ctx context.Context) {
	told := time.Now()
	joint := make([]machine.Move, 2)
	for c := range x.next.Children {
		x.next.Joint(joint, c)
		i := slices.Index(x.next.Moves[x.row], joint[x.row])
		j := slices.Index(x.next.Moves[x.col], joint[x.col])
		cell := &x.shown.Matrix.Cells[i][j]
		if x.next.Terminal[c] {
			v := float64(search.Points(x.next.ChildGoals(c)[x.row]))
			*cell = Cell{Lower: v, Upper: v, Kind: "end"}
		} else {
			x.cell(ctx, cell, x.next.Child(c), 1.5/float64(x.next.Children-c))
		}
		if time.Since(told) > 100*time.Millisecond {
			told = time.Now()
			x.send()
		}
	}
	x.equilibrium()
}

// cell searches the position after a joint move.
func (x *analysis) cell(ctx context.Context, cell *Cell, q machine.State, part float64) {
	ctx, cancel := context.WithTimeout(ctx, x.share(ctx, min(part, 1)))
	defer cancel()
	if x.solution != nil {
		if claim, err := x.solution.At(ctx, q); err == nil {
			*cell = Cell{Lower: claim.Value, Upper: claim.Value, Kind: "proved"}
			return
		}
	}
	r, err := x.searcher.exact.Search(ctx, x.machine, q, search.Limits{MaxBytes: x.Bytes, NoLine: true})
	if err != nil || r.Values == nil {
		return
	}
	v := r.Values[x.row]
	kind := "estimated"
	if r.Proved {
		kind = "proved"
	}
	*cell = Cell{Lower: v.Lower, Upper: v.Upper, Kind: kind}
}

// equilibrium solves the matrix if the values of all cells are exact.
func (x *analysis) equilibrium() {
	p := x.shown.Matrix
	m, n := len(p.Rows), len(p.Columns)
	a := make([]float64, 0, m*n)
	for _, row := range p.Cells {
		for _, c := range row {
			if c.Lower != c.Upper || c.Kind == "estimated" {
				return
			}
			a = append(a, c.Lower)
		}
	}
	rows, columns := make([]float64, m), make([]float64, n)
	value, err := matrix.NewNative().Nash(a, m, n, rows, columns)
	if err != nil {
		return
	}
	p.Value, p.RowStrategy, p.ColumnStrategy = &value, rows, columns
	p.RowLoss, p.ColumnLoss = make([]float64, m), make([]float64, n)
	for i := range m {
		p.RowLoss[i] = value
		for j := range n {
			p.RowLoss[i] -= a[i*n+j] * columns[j]
		}
	}
	for j := range n {
		p.ColumnLoss[j] = -value
		for i := range m {
			p.ColumnLoss[j] += a[i*n+j] * rows[i]
		}
	}
}
