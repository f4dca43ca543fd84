package experiment

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Job is one line of a table, as whoever measures it elsewhere is told of it: with the same
// program it is the same line there.
type Job struct {
	Experiment string        `json:"experiment"`
	Min        int           `json:"min"` // of Lab.Sizes
	Max        int           `json:"max"`
	Number     int           `json:"number"` // of the line in the experiment
	Limit      time.Duration `json:"limit"`
}

// Measured is what has come of a job.
type Measured struct {
	Row         Row    `json:"row"`
	Failure     string `json:"failure,omitempty"` // of a game
	Unavailable bool   `json:"unavailable,omitempty"`
}

// err is the failure as measure returns it.
func (m Measured) err() error {
	switch {
	case m.Unavailable:
		return errUnavailable
	case m.Failure != "":
		return errors.New(m.Failure)
	}
	return nil
}

// Measure does a job. Lab.Sizes and Lab.Limit are those of the job.
func (l *Lab) Measure(ctx context.Context, j Job) (Measured, error) {
	sizes := Range{j.Min, j.Max}
	runs, err := runsOf(j.Experiment, sizes)
	if err != nil || j.Number < 0 || j.Number >= len(runs) {
		return Measured{}, errors.Join(err, fmt.Errorf("experiment %s has no line %d in this program", j.Experiment, j.Number))
	}
	lab := *l
	lab.Sizes, lab.Limit, lab.Elsewhere = sizes, j.Limit, nil
	m := Measured{Row: newRow(j.Experiment, runs[j.Number])}
	if err := lab.measure(ctx, runs[j.Number], &m.Row); err != nil {
		m.Failure, m.Unavailable = err.Error(), errors.Is(err, errUnavailable)
	}
	return m, ctx.Err()
}

// reply is what measuring a line elsewhere has come to.
type reply struct {
	Measured
	err error
}

// dispatch has the games of an experiment solved elsewhere: lines of different tables and
// methods at the same time, each by growing size until one is not finished. It returns
// where what has come of a run will be, nil for those that are measured here.
func (l *Lab) dispatch(ctx context.Context, name string, runs []run) []chan reply {
	results := make([]chan reply, len(runs))
	if l.Elsewhere == nil || l.Games != nil { // which others may not have
		return results
	}
	lines := make(map[line][]int)
	for i, r := range runs {
		if l.Sizes.contains(r.size) && r.special == nil {
			results[i] = make(chan reply, 1)
			lines[r.line()] = append(lines[r.line()], i)
		}
	}
	for _, numbers := range lines {
		go func() {
			ended := -1 // the size that was not finished
			for _, i := range numbers {
				if ended >= 0 && runs[i].size > ended {
					return
				}
				m, err := l.Elsewhere(ctx, Job{name, l.Sizes.Min, l.Sizes.Max, i, l.Limit})
				if results[i] <- (reply{m, err}); !m.Row.Finished && !m.Unavailable && ended < 0 {
					ended = runs[i].size
				}
			}
		}()
	}
	return results
}

// await waits for what has come of a run elsewhere.
func await(ctx context.Context, from <-chan reply, row *Row) error {
	select {
	case o := <-from:
		if o.err != nil {
			row.Note = "not measured: " + o.err.Error()
			return o.err
		}
		paper := row.Paper
		*row = o.Row
		row.Paper = paper
		return o.Measured.err()
	case <-ctx.Done():
		row.Note = "interrupted"
		return nil
	}
}
