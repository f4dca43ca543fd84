// Package experiment measures the solvers on families of games and compares the figures with the
// literature. It owns the list of experiments and their plots. It must not know the source of games: the
// caller compiles games by name.
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

// run is one line of a table: a method on one game, or the means of a method over games of one size.
type run struct {
	table   string // caption
	method  string // name in the table
	size    int
	games   []string
	options solve.Options
	paper   *Published // nil if nothing was published
	special special    // measured instead of games; nil: none
}

// special measures an instance that is not a game in GDL.
type special interface {
	// measure fills in the figures of a row; partially if ctx ends.
	measure(ctx context.Context, row *Row) error
}

// line is one line of a plot: a method in a table.
type line struct{ table, method string }

func (r run) line() line { return line{r.table, r.method} }

// Published are figures of the literature, measured on other hardware. Zero: not given.
type Published struct {
	Source  string  `json:"source"`
	Nodes   int64   `json:"nodes,omitempty"`
	LPCalls int64   `json:"lp_calls,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Ratio   float64 `json:"ratio,omitempty"` // see Row
	Bound   float64 `json:"bound,omitempty"`
	Note    string  `json:"note,omitempty"`
}

// Row is the result of one line of a table: the means over its finished games.
type Row struct {
	Experiment string     `json:"experiment"`
	Table      string     `json:"table"`
	Method     string     `json:"method"`
	Size       int        `json:"size"`
	Games      []string   `json:"games"`
	Finished   bool       `json:"finished"` // otherwise the figures at the time limit
	Value      [2]float64 `json:"value"`    // of the first player in the last game, in goal points
	Nodes      float64    `json:"nodes"`    // counted as in the literature: without nodes of serialized searches
	LPCalls    float64    `json:"lp_calls"`
	LPSeconds  float64    `json:"lp_seconds"`
	Seconds    float64    `json:"seconds"`
	PeakBytes  int64      `json:"peak_bytes"` // the largest
	Epsilon    float64    `json:"epsilon,omitempty"`
	Ratio      float64    `json:"ratio,omitempty"` // nodes relative to nodes at ε = 0
	Bound      float64    `json:"bound,omitempty"` // mean width of the value
	Note       string     `json:"note,omitempty"`
	Paper      *Published `json:"paper,omitempty"`
}

// Range is a range of sizes, inclusive. The zero value means the default sizes.
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

// contains reports whether a size is in the range.
func (r Range) contains(size int) bool { return r == Range{} || r.Min <= size && size <= r.Max }

// ErrNoSize is wrapped by the error for a range without sizes of the experiment.
var ErrNoSize = errors.New("there is no size")

// Lab runs experiments.
type Lab struct {
	// Compile returns the machine of a game.
	Compile func(ctx context.Context, game string) (machine.Machine, error)
	// Games replace the default games of the experiment on turn-based games.
	Games  []string
	Sizes  Range
	Limit  time.Duration // for each game; unfinished games are marked
	Memory int64         // MiB for each table
	// Elsewhere, if not nil, has workers solve games, several at a time; see Measure.
	Elsewhere func(ctx context.Context, j Job) (Measured, error)
	// Progress, if not nil, is called with the present run and its number of nodes.
	Progress func(what string, nodes int64)
}

// Run runs an experiment, one of Names, and calls yield with each row as soon as it is measured. After
// the first unfinished size, a line of a table has one row that says so, and the figures of the
// literature. The failure of a game does not stop the experiment; Run returns it at the end. When ctx is
// done, the row of the interrupted game is the last, and Run returns ctx.Err(). An error of yield ends the
// experiment.
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
	ended := make(map[line]int) // smallest unfinished size
	told := make(map[line]bool) // larger sizes have been reported as skipped
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

// newRow returns the row of a run, unmeasured.
func newRow(name string, r run) Row {
	return Row{Experiment: name, Table: r.table, Method: r.method, Size: r.size, Games: r.games, Paper: r.paper}
}

// obtain measures a run, or waits for the reply of a worker.
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

// measure runs the games of one line. If a game is unfinished, the note of the row gives the reason. It
// returns the error of a game that failed.
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

// reason returns the reason why a game was not solved.
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

// errUnavailable is returned for a method that this program was built without.
var errUnavailable = errors.New("not available")

// solve runs one game. Compile time does not count.
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
