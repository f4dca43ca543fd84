// Package experiment measures the solvers on families of games and puts the
// figures of the literature beside its own. It owns the list of experiments and
// their plots; it must not know where a game comes from: the caller compiles games
// by name.
package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"stackmate/reasoner/machine"
	"stackmate/search"
	"stackmate/search/solve"
)

// run is one line of a table: a method on a game, or on several of one size,
// whose means are taken.
type run struct {
	table   string // caption
	method  string // name in the table
	size    int
	games   []string
	options solve.Options
	paper   *Published // nil if nothing was published
	special special    // what is measured in place of games; nil otherwise
}

// special measures what is no game that others compile.
type special interface {
	// measure fills in the figures of a row, as far as it comes until ctx is done.
	measure(ctx context.Context, row *Row) error
}

// line is what a plot draws as one line: a method in a table.
type line struct{ table, method string }

func (r run) line() line { return line{r.table, r.method} }

// Published are figures of the literature, obtained on other hardware. Zero
// stands for a figure that is not given.
type Published struct {
	Source  string  `json:"source"`
	Nodes   int64   `json:"nodes,omitempty"`
	LPCalls int64   `json:"lp_calls,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Ratio   float64 `json:"ratio,omitempty"` // see Row
	Bound   float64 `json:"bound,omitempty"`
	Note    string  `json:"note,omitempty"`
}

// Row is the result of one line of a table. Where several games were run it
// holds the means of those that were finished.
type Row struct {
	Experiment string     `json:"experiment"`
	Table      string     `json:"table"`
	Method     string     `json:"method"`
	Size       int        `json:"size"`
	Games      []string   `json:"games"`
	Finished   bool       `json:"finished"` // otherwise the figures are those of the time limit
	Value      [2]float64 `json:"value"`    // of the first player in the last game, in goal points
	Nodes      float64    `json:"nodes"`    // as the literature counts: without those of serialized searches
	LPCalls    float64    `json:"lp_calls"`
	LPSeconds  float64    `json:"lp_seconds"`
	Seconds    float64    `json:"seconds"`
	PeakBytes  int64      `json:"peak_bytes"` // the largest
	Epsilon    float64    `json:"epsilon,omitempty"`
	Ratio      float64    `json:"ratio,omitempty"` // of nodes to those at ε = 0
	Bound      float64    `json:"bound,omitempty"` // mean width of the value
	Note       string     `json:"note,omitempty"`
	Paper      *Published `json:"paper,omitempty"`
}

// Range is a range of sizes, inclusive. The zero value means the usual ones.
type Range struct{ Min, Max int }

// UnmarshalText reads "4" or "4-7".
func (r *Range) UnmarshalText(text []byte) error {
	low, high, isRange := strings.Cut(string(text), "-")
	if !isRange {
		high = low
	}
	var errLow, errHigh error
	r.Min, errLow = strconv.Atoi(low)
	r.Max, errHigh = strconv.Atoi(high)
	if errLow != nil || errHigh != nil || r.Min < 1 || r.Max < r.Min {
		return fmt.Errorf("expected a range of sizes such as 4-7, found %q", text)
	}
	return nil
}

// contains tells whether a size is in the range.
func (r Range) contains(size int) bool { return r == Range{} || r.Min <= size && size <= r.Max }

// ErrNoSize is returned, wrapped, where a range contains no size of an experiment.
var ErrNoSize = errors.New("there is no size")

// Lab runs experiments.
type Lab struct {
	// Compile makes the machine of a game given by name.
	Compile func(ctx context.Context, game string) (machine.Machine, error)
	// Games are names for Compile, in place of those that the experiment on games of turns
	// has itself.
	Games  []string
	Sizes  Range
	Limit  time.Duration // for each game; an unfinished one is shown as such
	Memory int64         // MiB for each table
	// Elsewhere, if not nil, solves games instead, several at a time; see Measure.
	Elsewhere func(ctx context.Context, j Job) (Measured, error)
	// Progress, if not nil, is told what is being run and for how many nodes.
	Progress func(what string, nodes int64)
}

// Run runs an experiment, one of Names, and calls yield with each row as soon as
// it is there. A line of a table ends at the first size that is not finished, but
// for one row that says so, and the figures of the literature. A game that fails
// does not keep the others from being run, and its error is returned in the end.
// When ctx is done, the row of the game that was interrupted is the last one, and
// Run returns ctx.Err(). Errors of yield end the experiment.
func (l *Lab) Run(ctx context.Context, name string, yield func(Row) error) error {
	runs, err := runsOf(name, l.Sizes)
	if err == nil && l.Games != nil {
		if runs = turns(l.Games); name != turnsName {
			err = ErrNoGames
		}
	}
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(runs, func(r run) bool { return l.Sizes.contains(r.size) }) {
		return fmt.Errorf("%s: %w from %d to %d; expected some of %s", name, ErrNoSize, l.Sizes.Min, l.Sizes.Max, sizesOf(runs))
	}
	var failures []error
	ended := make(map[line]int) // the size that was not finished
	told := make(map[line]bool) // that larger ones are not tried
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	elsewhere := l.dispatch(ctx, name, runs)
	for i, r := range runs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !l.Sizes.contains(r.size) {
			continue
		}
		row := newRow(name, r)
		if size, ok := ended[r.line()]; ok && r.size > size && r.special == nil {
			if told[r.line()] && r.paper == nil {
				continue
			}
			told[r.line()] = true
			row.Note = fmt.Sprintf("not tried: size %d was not finished", size)
		} else if err := l.obtain(ctx, r, elsewhere[i], &row); !errors.Is(err, errUnavailable) {
			if !row.Finished {
				ended[r.line()] = r.size
			}
			if err != nil {
				failures = append(failures, err)
			}
		}
		if err := yield(row); err != nil {
			return err
		}
	}
	return errors.Join(append(failures, ctx.Err())...)
}

// newRow is the row of a run before it is measured.
func newRow(name string, r run) Row {
	return Row{Experiment: name, Table: r.table, Method: r.method, Size: r.size, Games: r.games, Paper: r.paper}
}

// obtain measures a run, or waits for what has come of it elsewhere.
func (l *Lab) obtain(ctx context.Context, r run, elsewhere <-chan reply, row *Row) error {
	if elsewhere == nil {
		return l.measure(ctx, r, row)
	}
	l.tell(fmt.Sprintf("%s, %s, size %d", r.table, r.method, r.size), 0)
	return await(ctx, elsewhere, row)
}

// sizesOf lists the different sizes of runs.
func sizesOf(runs []run) string {
	var sizes []int
	for _, r := range runs {
		sizes = append(sizes, r.size)
	}
	slices.Sort(sizes)
	return strings.Trim(fmt.Sprint(slices.Compact(sizes)), "[]")
}

// measure runs the games of one line. Where one of them is not finished the note
// of the row says why. It returns the error of a game that failed.
func (l *Lab) measure(ctx context.Context, r run, row *Row) error {
	if r.special != nil {
		l.tell(fmt.Sprintf("%s, %s, %d", r.table, r.method, r.size), 0)
		limited, cancel := context.WithTimeout(ctx, l.Limit)
		defer cancel()
		return r.special.measure(limited, row)
	}
	for i, game := range r.games {
		result, err := l.solve(ctx, r, game)
		if err == nil {
			row.add(result)
		}
		if err == nil && r.table == turnsTable && len(result.Values) > 0 {
			row.Note = proved(search.Interval{Lower: row.Value[0], Upper: row.Value[1]})
		}
		if err == nil && result.Solved() {
			continue
		}
		row.scale(1 / float64(i+1))
		row.Note = strings.TrimPrefix(row.Note+"; "+reason(ctx, result, err), "; ")
		if len(r.games) > 1 {
			row.Note = fmt.Sprintf("game %d of %d: %s", i+1, len(r.games), row.Note)
		}
		if err == nil || ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("%s on %s: %w", r.method, game, err)
	}
	row.scale(1 / float64(len(r.games)))
	row.Finished = true
	return nil
}

// reason says why a game was not solved.
func reason(ctx context.Context, result search.Result, err error) string {
	after := fmt.Sprintf("after %.0f s", result.Elapsed.Seconds())
	switch {
	case ctx.Err() != nil:
		return "interrupted " + after
	case err != nil:
		return err.Error()
	case result.Evictions > 0:
		return fmt.Sprintf("stopped %s, for want of memory too: %d positions forgotten", after, result.Evictions)
	}
	return "stopped " + after
}

// add adds the figures of one game.
func (r *Row) add(result search.Result) {
	for _, v := range result.Values[:1] {
		r.Value = [2]float64{v.Lower, v.Upper}
	}
	r.Nodes += float64(result.Nodes)
	r.LPCalls += float64(result.LPCalls)
	r.LPSeconds += result.LPTime.Seconds()
	r.Seconds += result.Elapsed.Seconds()
	r.PeakBytes = max(r.PeakBytes, result.PeakBytes)
}

// scale turns sums into means.
func (r *Row) scale(by float64) {
	r.Nodes *= by
	r.LPCalls *= by
	r.LPSeconds *= by
	r.Seconds *= by
}

// errUnavailable is the error of a method that this program was built without.
var errUnavailable = errors.New("not available")

// solve runs one game. What compiling costs does not count.
func (l *Lab) solve(ctx context.Context, r run, game string) (search.Result, error) {
	l.tell(r.method+" on "+game, 0)
	m, err := l.Compile(ctx, game)
	if err != nil {
		return search.Result{}, err
	}
	options := r.options
	options.LP, options.Memory = "native", l.Memory
	solver, err := solve.New(options)
	if err != nil {
		return search.Result{}, err
	}
	limited, cancel := context.WithTimeout(ctx, l.Limit)
	defer cancel()
	result, err := solver.Search(limited, m, m.Initial(), search.Limits{
		MaxBytes: l.Memory << 20,
		Progress: func(r2 search.Result) { l.tell(r.method+" on "+game, r2.Nodes) },
	})
	if err != nil && options.Method == sequenceForm {
		err = fmt.Errorf("%w: %w", errUnavailable, err)
	}
	return result, err
}

func (l *Lab) tell(what string, nodes int64) {
	if l.Progress != nil {
		l.Progress(what, nodes)
	}
}
