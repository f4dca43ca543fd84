package experiment

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Job identifies one line of a table for a worker. A worker of the same program measures the same line.
type Job struct {
	Experiment string        `json:"experiment"`
	Min        int           `json:"min"` // of Lab.Sizes
	Max        int           `json:"max"`
	Number     int           `json:"number"` // of the line in the experiment
	Limit      time.Duration `json:"limit"`
}

// Measured is the result of a job.
type Measured struct {
	Row         Row    `json:"row"`
	Failure     string `json:"failure,omitempty"` // error of a game
	Unavailable bool   `json:"unavailable,omitempty"`
}

// err returns the failure as an error of Lab.measure.
func (m Measured) err() error {
	switch {
	case m.Unavailable:
		return errUnavailable
	case m.Failure != "":
		return errors.New(m.Failure)
	}
	return nil
}

// Measure does a job, with the sizes and the limit of the job instead of the Lab's.
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

// reply is the answer of a worker to a job.
type reply struct {
	Measured
	err error
}

// dispatch starts the jobs of an experiment: lines of different tables and methods concurrently, each by
// growing size until a size is not finished. It returns a channel for the reply to each run; nil for
// runs to be measured here.
func (l *Lab) dispatch(ctx context.Context, name string, runs []run) []chan reply {
	results := make([]chan reply, len(runs))
	if l.Elsewhere == nil || l.Games != nil { // workers may not have the rulesheets of Games
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
			ended := -1 // smallest unfinished size
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

// await waits for the reply to a run.
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
