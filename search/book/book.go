// Package book stores solutions: value and strategies of the relevant positions, in memory and in files.
// It defines the file format; it does not know solvers or rules.
package book

import (
	"context"
	"fmt"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// Label identifies the solution in a book.
type Label struct {
	Game   string `json:"game"`   // name, for messages
	Rules  string `json:"rules"`  // digest of the rules, which must match
	Method string `json:"method"` // solver method
	// Uncertified reports that the certificate was not finished, or found strategies that do not
	// reach the end: the values are proved by the search alone, and positions may be missing.
	Uncertified bool `json:"uncertified,omitempty"`
}

// Book holds the claims of a solution by position. It is not safe for concurrent use.
type Book struct {
	Label
	machine  machine.Machine
	claims   map[string]search.Claim
	bytes    int64
	maxBytes int64
}

// New returns an empty book for a machine. It uses at most maxBytes of memory; zero means no limit.
func New(m machine.Machine, label Label, maxBytes int64) *Book {
	return &Book{Label: label, machine: m, claims: make(map[string]search.Claim), maxBytes: maxBytes}
}

// Len returns the number of positions in the book.
func (b *Book) Len() int { return len(b.claims) }

// Lookup returns the claim for position q.
func (b *Book) Lookup(q machine.State) (search.Claim, bool) {
	claim, ok := b.claims[q.Key()]
	return claim, ok
}

// At implements search.Solution. It returns an error for a position that is not in the book.
func (b *Book) At(_ context.Context, q machine.State) (search.Claim, error) {
	claim, ok := b.Lookup(q)
	if !ok {
		return claim, fmt.Errorf("the saved solution does not know the position %v", b.machine.Names().AppendFluents(nil, q))
	}
	return claim, nil
}

// Recorder returns a solution that answers like s and adds the exact answers to the book. It queries s
// only for positions missing from the book. Claims with slack are not stored: a book holds exact values.
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

// Approximate memory of an entry without its key, in bytes: map, slice headers and allocations.
const (
	entryBytes    = 128
	strategyBytes = 24
	moveBytes     = 16
)

// add adds a claim. It returns search.ErrMemory, wrapped, if memory is full.
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
