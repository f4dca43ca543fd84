package distributed

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"stackmate/protocol/arena"
	"stackmate/protocol/arena/queue"
)

// maxSubmitted is how many matches are in the queue at a time: enough for hundreds of
// workers, and few to withdraw when a test is decided.
const maxSubmitted = 256

// runner runs one tournament. Its loop belongs to one goroutine.
type runner struct {
	event   *Event
	queue   *queue.Queue
	archive *arena.Archive // nil: no records
	ledger  *arena.Ledger

	waiting   []arena.Fixture // in order
	submitted map[int]arena.Fixture
	busy      map[string]bool // players at an address who are in a match
	watched   map[int]*watched
}

// watched is a match under way whose turns are recorded.
type watched struct {
	attempt string
	parts   int
	ended   bool
	tell    func(*arena.Record) error
}

// Run runs a tournament until all matches have been held, its test is decided or ctx ends,
// and returns the ranking so far in any case. Matches that the archive has, or of which
// the queue has results, are not held again, and each is counted once. Update, if not nil,
// is called with the ledger at the beginning and after each match.
func Run(ctx context.Context, q *queue.Queue, e *Event, archive *arena.Archive, update func(*arena.Ledger)) (*arena.Ranking, error) {
	r := &runner{
		event: e, queue: q, archive: archive, ledger: arena.NewLedger(&e.Plan),
		submitted: make(map[int]arena.Fixture), busy: make(map[string]bool), watched: make(map[int]*watched),
	}
	if update == nil {
		update = func(*arena.Ledger) {}
	}
	err := r.prepare(ctx)
	update(r.ledger)
	if err == nil && !r.over() {
		err = r.run(ctx, update)
	}
	// Nobody is to begin a match of which nobody wants to know.
	tidying, cancel := context.WithTimeout(context.WithoutCancel(ctx), queue.Lease)
	defer cancel()
	_ = q.Withdraw(tidying, e.Run)
	if err == nil && archive != nil {
		_ = q.Forget(tidying, e.Run)
	}
	return r.ledger.Ranking(), err
}

// prepare counts what the archive has, and gives the rules to the queue.
func (r *runner) prepare(ctx context.Context) error {
	if r.archive != nil {
		records, _ := r.archive.List() // files that are no records are nobody's matches
		for _, record := range records {
			if n, ok := r.event.Number(record.Match); ok && record.Ended() {
				r.ledger.Add(n, *record.Summary)
			}
		}
	}
	for _, text := range r.event.Rules {
		if err := r.queue.PutText(ctx, arena.HashRules(text), text); err != nil {
			return err
		}
	}
	for f := range r.event.Plan.Fixtures() {
		if !r.ledger.Has(f.Number) {
			r.waiting = append(r.waiting, f)
		}
	}
	return nil
}

// over tells whether there is nothing left to hold.
func (r *runner) over() bool {
	return r.ledger.Verdict() != arena.Undecided || len(r.waiting)+len(r.submitted) == 0
}

// run submits matches and counts results.
func (r *runner) run(ctx context.Context, update func(*arena.Ledger)) error {
	reports, stop, err := r.queue.Reports(r.event.Run)
	if err != nil {
		return err
	}
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan queue.Result)
	failed := make(chan error, 1)
	go func() {
		failed <- r.queue.Results(ctx, r.event.Run, func(result queue.Result) error {
			select {
			case results <- result:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	for !r.over() {
		if err := r.submit(ctx); err != nil {
			return err
		}
		select {
		case result := <-results:
			if err := r.watchAll(reports); err != nil { // the turns come before the result
				return err
			}
			counted, err := r.count(result)
			if err != nil {
				return err
			}
			if counted {
				update(r.ledger)
			}
		case report := <-reports:
			if err := r.watch(report); err != nil {
				return err
			}
		case err := <-failed:
			return errors.Join(err, r.watchAll(reports)) // what matches under way had is not lost
		}
	}
	return nil
}

// lookAhead is how many matches are looked through for one whose players are free.
const lookAhead = 1000

// submit fills the queue with matches whose players are free.
func (r *runner) submit(ctx context.Context) error {
	for i := 0; i < min(len(r.waiting), lookAhead) && len(r.submitted) < maxSubmitted; {
		f := r.waiting[i]
		if r.anyBusy(f) {
			i++
			continue
		}
		data, err := json.Marshal(r.event.order(f))
		if err != nil {
			return err
		}
		if err := r.queue.Submit(ctx, queue.Task{Run: r.event.Run, ID: strconv.Itoa(f.Number), Kind: Matches, Data: data}); err != nil {
			return err
		}
		r.remove(i)
		r.submitted[f.Number] = f
		r.engage(f, true)
	}
	return nil
}

// remove takes a match from those that wait, which is the first one nearly always.
func (r *runner) remove(i int) {
	if i == 0 {
		r.waiting = r.waiting[1:]
	} else {
		r.waiting = slices.Delete(r.waiting, i, i+1)
	}
}

// anyBusy tells whether a player of a match is in another one.
func (r *runner) anyBusy(f arena.Fixture) bool {
	for _, p := range f.Players {
		if r.busy[r.event.Specs[p]] {
			return true
		}
	}
	return false
}

func (r *runner) engage(f arena.Fixture, busy bool) {
	for _, p := range f.Players {
		if isShared(r.event.Specs[p]) {
			r.busy[r.event.Specs[p]] = busy
		}
	}
}

// count counts a match, unless it has been counted.
func (r *runner) count(result queue.Result) (counted bool, err error) {
	n, err := strconv.Atoi(result.ID)
	if err != nil || r.ledger.Has(n) {
		return false, nil
	}
	f, ok := r.submitted[n]
	if !ok { // submitted by a runner before this one
		i := slices.IndexFunc(r.waiting, func(f arena.Fixture) bool { return f.Number == n })
		if i < 0 {
			return false, nil
		}
		f = r.waiting[i]
		r.remove(i)
	}
	h, err := decode[held](result.Data)
	if err != nil {
		h = held{Failure: err.Error()} // of a worker that is none of ours
	}
	if err := r.keep(n, f, h); err != nil {
		return false, err
	}
	if ok {
		delete(r.submitted, n)
		r.engage(f, false)
	}
	return r.ledger.Add(n, r.event.order(f).result(h)), nil
}

// keep saves the record of a match that its reports have not saved.
func (r *runner) keep(n int, f arena.Fixture, h held) error {
	w := r.watched[n]
	delete(r.watched, n)
	if r.archive == nil || h.Record == nil || w != nil && w.attempt == h.Attempt && w.ended {
		return nil
	}
	h.Record.Rulesheet = r.event.Rules[f.Game]
	return r.archive.Keep(h.Record)
}

// watchAll records the turns that have been reported so far.
func (r *runner) watchAll(reports <-chan queue.Result) error {
	for {
		select {
		case report := <-reports:
			if err := r.watch(report); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// watch records a turn of a match under way. What is missed, the result will bring.
func (r *runner) watch(q queue.Result) error {
	n, err := strconv.Atoi(q.ID)
	f, ok := r.submitted[n]
	if r.archive == nil || err != nil || !ok {
		return nil
	}
	report, err := decode[report](q.Data)
	if err != nil || report.Part == nil || report.Number < 0 {
		return nil // watching may fail, the tournament need not
	}
	w := r.watched[n]
	if report.Number == 0 {
		_ = r.archive.Discard(r.event.match(n)) // of a worker that has not come back
		report.Part.Rulesheet = r.event.Rules[f.Game]
		w = &watched{attempt: report.Attempt, tell: r.archive.Recorder()}
		r.watched[n] = w
	}
	if w == nil || w.attempt != report.Attempt || w.parts != report.Number {
		return nil
	}
	w.parts++
	w.ended = report.Part.Ended()
	return w.tell(report.Part)
}
