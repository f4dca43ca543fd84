// Package book keeps solutions: the value and the strategies of the positions
// that matter, in memory and in files. It owns the file format; it must not know
// how a solution is found, or where the rules of a game come from.
package book

import (
	"context"
	"fmt"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Label says which solution a book holds.
type Label struct {
	Game   string `json:"game"`   // name, for messages
	Rules  string `json:"rules"`  // digest of the rules: a book fits no others
	Method string `json:"method"` // how the solution was found
	// Uncertified reports that the certificate was not finished, or found strategies that do not
	// reach the end: the values are proved by the search alone, and positions may be missing.
	Uncertified bool `json:"uncertified,omitempty"`
}

// Book holds the claims of a solution, position by position. It belongs to one
// goroutine.
type Book struct {
	Label
	machine  machine.Machine
	claims   map[string]search.Claim
	bytes    int64
	maxBytes int64
}

// New makes an empty book for a machine. It grows up to maxBytes of memory; zero
// means no bound.
func New(m machine.Machine, label Label, maxBytes int64) *Book {
	return &Book{Label: label, machine: m, claims: make(map[string]search.Claim), maxBytes: maxBytes}
}

// Len is the number of positions in the book.
func (b *Book) Len() int { return len(b.claims) }

// Lookup tells what the book claims of q.
func (b *Book) Lookup(q machine.State) (search.Claim, bool) {
	claim, ok := b.claims[q.Key()]
	return claim, ok
}

// At implements search.Solution: a position that is not in the book is an error.
func (b *Book) At(_ context.Context, q machine.State) (search.Claim, error) {
	claim, ok := b.Lookup(q)
	if !ok {
		return claim, fmt.Errorf("the saved solution does not know the position %v", b.machine.Names().AppendFluents(nil, q))
	}
	return claim, nil
}

// Recorder returns a solution that answers like s and leaves its exact answers in
// the book. It asks s only for what the book does not hold. Claims with slack are not
// kept: a book tells values.
func (b *Book) Recorder(s search.Solution) search.Solution { return recorder{b, s} }

type recorder struct {
	book     *Book
	solution search.Solution
}

// At implements search.Solution.
func (r recorder) At(ctx context.Context, q machine.State) (search.Claim, error) {
	if claim, ok := r.book.Lookup(q); ok {
		return claim, nil
	}
	claim, err := r.solution.At(ctx, q)
	if err == nil && claim.Slack == 0 {
		err = r.book.add(q, claim)
	}
	return claim, err
}

// Memory of an entry besides its key, in bytes: what Go's map, slice headers and
// allocations take, rounded up.
const (
	entryBytes    = 128
	strategyBytes = 24
	moveBytes     = 16
)

// add enters a claim, or says that there is no memory left.
func (b *Book) add(q machine.State, claim search.Claim) error {
	b.bytes += entryBytes + 8*int64(len(q))
	for _, strategy := range claim.Strategies {
		b.bytes += strategyBytes + moveBytes*int64(len(strategy))
	}
	if b.maxBytes > 0 && b.bytes > b.maxBytes {
		return fmt.Errorf("%w: a solution of more than %d positions needs more than %d MiB",
			search.ErrMemory, len(b.claims), b.maxBytes>>20)
	}
	b.claims[q.Key()] = claim
	return nil
}
