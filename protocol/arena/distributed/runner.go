package distributed

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strconv"

	"stackmate/protocol/arena"
	"stackmate/protocol/arena/queue"
)

// maxSubmitted is the number of queued matches: enough for hundreds of workers, and few to withdraw at the decision
// of a test.
const maxSubmitted = 256

// runner runs one tournament. Its loop belongs to one goroutine.
type runner struct {
	event   *Event
	queue   *queue.Queue
	archive *arena.Archive // nil: no records
	ledger  *arena.Ledger

	fixtures  func() (arena.Fixture, bool) // the remaining fixtures
	waiting   []arena.Fixture              // the next fixtures in order, up to lookAhead
	submitted map[int]*submission
	busy      map[string]bool // players behind endpoints that play a match
}

// submission is a queued match, and its record from the worker's reports.
type submission struct {
	arena.Fixture
	order   order
	bad     int    // invalid results so far
	attempt string // of the worker
	parts   int
	ended   bool
	tell    func(*arena.Record) error // nil before the first part
}

// Run runs a tournament until all matches are played, its test is decided or ctx ends, and always returns the current
// ranking. Matches in the archive or with results in the queue are not repeated; each is counted once. The queue drops a result
// once its record is in the archive; without an archive, once it is counted. A completed tournament is marked as ended in its file. Update, if
// not nil, is called with the ledger at the beginning and after each match.
func Run(ctx context.Context, q *queue.Queue, e *Event, archive *arena.Archive, update func(*arena.Ledger)) (*arena.Ranking, error) {
	r := &runner{
		event: e, queue: q, archive: archive, ledger: arena.NewLedger(&e.Plan),
		submitted: make(map[int]*submission), busy: make(map[string]bool),
	}
	fixtures, stop := iter.Pull(e.Plan.Fixtures())
	defer stop()
	r.fixtures = fixtures
	if update == nil {
		update = func(*arena.Ledger) {}
	}
	err := r.prepare(ctx)
	update(r.ledger)
	if err == nil && !r.over() {
		err = r.run(ctx, update)
	}
	// Withdraw matches that are not needed any more.
	tidying, cancel := context.WithTimeout(context.WithoutCancel(ctx), queue.Lease)
	defer cancel()
	_ = q.Withdraw(tidying, e.Run)
	if err == nil || archive == nil { // no later run needs the results
		_ = q.Forget(tidying, e.Run)
	}
	if err == nil {
		err = e.end()
	}
	return r.ledger.Ranking(), err
}

// prepare counts the matches in the archive, and stores the rules in the queue.
func (r *runner) prepare(ctx context.Context) error {
	if r.archive != nil {
		records, _ := r.archive.List() // skip files that are no records
		for _, record := range records {
			if n, ok := r.event.Number(record.Match); ok && record.Ended() {
				r.ledger.Add(n, record.Counted())
			}
		}
	}
	for _, text := range r.event.Rules {
		if err := r.queue.PutText(ctx, arena.HashRules(text), text); err != nil {
			return err
		}
	}
	r.fill()
	return nil
}

// fill reads fixtures until lookAhead of them are waiting.
func (r *runner) fill() {
	for len(r.waiting) < lookAhead {
		f, ok := r.fixtures()
		if !ok {
			return
		}
		if !r.ledger.Has(f.Number) {
			r.waiting = append(r.waiting, f)
		}
	}
}

// over reports whether all matches are counted or a test is decided.
func (r *runner) over() bool {
	return r.event.Ended || r.ledger.Verdict() != arena.Undecided || len(r.waiting)+len(r.submitted) == 0
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
			counted, err := r.settle(ctx, result, reports)
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
			return errors.Join(err, r.watchAll(reports)) // keep the reported turns of running matches
		}
	}
	return nil
}

// lookAhead is the number of waiting matches among which submit looks for free players. An interrupted runner has
// submitted matches among them only.
const lookAhead = 2000

// submit queues matches whose players are free.
func (r *runner) submit(ctx context.Context) error {
	r.fill()
	for i := 0; i < len(r.waiting) && len(r.submitted) < maxSubmitted; {
		f := r.waiting[i]
		if f.Number >= r.ledger.Open() {
			break
		}
		f = r.ledger.Seat(f)
		if r.anyBusy(f) {
			i++
			continue
		}
		m := &submission{Fixture: f, order: r.event.order(f, r.ledger)}
		task, err := r.task(m)
		if err != nil {
			return err
		}
		if err := r.queue.Submit(ctx, task); err != nil {
			return err
		}
		r.remove(i)
		r.submitted[f.Number] = m
		r.engage(f, true)
	}
	return nil
}

// task returns the task of a match.
func (r *runner) task(m *submission) (queue.Task, error) {
	data, err := json.Marshal(m.order)
	return queue.Task{Run: r.event.Run, ID: strconv.Itoa(m.Number), Kind: Matches, Data: data}, err
}

// remove removes a waiting match, nearly always the first.
func (r *runner) remove(i int) {
	if i == 0 {
		r.waiting = r.waiting[1:]
	} else {
		r.waiting = slices.Delete(r.waiting, i, i+1)
	}
}

// anyBusy reports whether a player of a match plays another one.
func (r *runner) anyBusy(f arena.Fixture) bool {
	return slices.ContainsFunc(f.Players, func(p int) bool { return r.busy[r.event.Specs[p]] })
}

func (r *runner) engage(f arena.Fixture, busy bool) {
	for _, p := range f.Players {
		if isShared(r.event.Specs[p]) {
			r.busy[r.event.Specs[p]] = busy
		}
	}
}

// settle counts a match unless it is counted. It records the reported turns before the result.
func (r *runner) settle(ctx context.Context, result queue.Result, reports <-chan queue.Result) (counted bool, err error) {
	if err := r.watchAll(reports); err != nil {
		return false, err
	}
	return r.count(ctx, result)
}

// count counts a match unless it is counted. Repeated invalid results, of an incompatible worker, count as a failed
// match.
func (r *runner) count(ctx context.Context, result queue.Result) (counted bool, err error) {
	n, err := strconv.Atoi(result.ID)
	if err != nil {
		return false, nil
	}
	if r.ledger.Has(n) { // by its record, or by another attempt
		r.queue.Settle(ctx, r.event.Run, result)
		return false, nil
	}
	m := r.submitted[n]
	if m == nil { // submitted by an earlier runner
		i := slices.IndexFunc(r.waiting, func(f arena.Fixture) bool { return f.Number == n })
		if i < 0 || n >= r.ledger.Open() {
			return false, nil
		}
		f := r.ledger.Seat(r.waiting[i])
		m = &submission{Fixture: f, order: r.event.order(f, r.ledger)}
		r.remove(i)
		r.submitted[n] = m
		r.engage(m.Fixture, true)
	}
	h, fault := held{}, result.Fault
	if fault == nil {
		h, fault = decode[held](result.Data)
	}
	if fault == nil && h.Record != nil {
		fault = h.Record.CheckOf(m.order.Match, m.order.Rules, m.order.Names)
	}
	if fault != nil {
		m.bad++
		task, err := r.task(m)
		if err != nil {
			return false, err
		}
		if again, err := r.queue.Redo(ctx, task, m.bad, fault); again || err != nil {
			return false, err
		}
		h = held{Failure: fault.Error()}
	}
	if err := r.keep(m, h); err != nil {
		return false, err
	}
	delete(r.submitted, n)
	r.engage(m.Fixture, false)
	r.queue.Settle(ctx, r.event.Run, result)
	return r.ledger.Add(n, m.order.record(h).Result()), nil
}

// keep saves the record of a match if its reports have not saved it. From then on the archive alone knows the result.
func (r *runner) keep(m *submission, h held) error {
	if r.archive == nil || m.attempt == h.Attempt && m.ended {
		return nil
	}
	record := m.order.record(h)
	record.Rulesheet = r.event.Rules[m.Game]
	return r.archive.Keep(record)
}

// watchAll records the turns reported so far.
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

// watch records a turn of a running match. The result has missed turns.
func (r *runner) watch(q queue.Result) error {
	n, err := strconv.Atoi(q.ID)
	m := r.submitted[n]
	if r.archive == nil || err != nil || m == nil {
		return nil
	}
	report, err := decode[report](q.Data)
	part := report.Part
	if err != nil || part == nil || report.Number < 0 {
		return nil // a lost report does not affect the tournament
	}
	if report.Number == 0 {
		if part.CheckOf(m.order.Match, m.order.Rules, m.order.Names) != nil {
			return nil
		}
		_ = r.archive.Discard(m.order.Match) // from a worker that has lost the match
		part.Rulesheet = r.event.Rules[m.Game]
		m.attempt, m.parts, m.ended, m.tell = report.Attempt, 0, false, r.archive.Recorder()
	} else if part.Match != "" {
		return nil
	}
	if m.tell == nil || m.ended || m.attempt != report.Attempt || m.parts != report.Number {
		return nil
	}
	m.parts++
	m.ended = part.Ended()
	return m.tell(part)
}
