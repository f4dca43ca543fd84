package book

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/search"
)

// reader reads positions and translates the indices of a file to the numbers of a machine.
type reader struct {
	in      *bufio.Reader
	header  header
	names   *machine.Names
	fluents []int32          // by index in the file; -1 if unknown to the machine
	moves   [][]machine.Move // by role and index in the file; NoMove if unknown
	held    []int            // file indices of the true fluents of the last position
}

// newReader translates the names of a header. A name unknown to the machine is an error only if a position
// uses it: another engine may have proved that it never occurs.
func newReader(in *bufio.Reader, h header, names *machine.Names) (*reader, error) {
	if !slices.Equal(h.Roles, names.Roles) || len(h.Moves) != len(h.Roles) {
		return nil, fmt.Errorf("expected the roles %v, found %v", names.Roles, h.Roles)
	}
	r := &reader{in: in, header: h, names: names, moves: make([][]machine.Move, len(h.Roles))}
	for _, text := range h.Fluents {
		f, ok := names.AddFluent(text)
		if !ok {
			f = -1
		}
		r.fluents = append(r.fluents, int32(f))
	}
	for role, table := range h.Moves {
		for _, text := range table {
			m, ok := names.AddMove(machine.Role(role), text)
			if !ok {
				m = machine.NoMove
			}
			r.moves[role] = append(r.moves[role], m)
		}
	}
	return r, nil
}

// rounding is the greatest error of values, and of sums of probabilities, in a file.
const rounding = 1e-6

// record reads one position.
func (r *reader) record() (machine.State, search.Claim, error) {
	var claim search.Claim
	q, err := r.state()
	if err != nil {
		return nil, claim, err
	}
	if claim.Value, err = r.float("value"); err != nil {
		return nil, claim, err
	}
	if v := claim.Value; v < search.GoalRange.Lower-rounding || v > search.GoalRange.Upper+rounding {
		return nil, claim, fmt.Errorf("value: expected goal points from %v to %v, found %v", search.GoalRange.Lower, search.GoalRange.Upper, v)
	}
	for role := range r.moves {
		strategy, err := r.strategy(role)
		if err != nil {
			return nil, claim, fmt.Errorf("strategy of %s: %w", r.header.Roles[role], err)
		}
		claim.Strategies = append(claim.Strategies, strategy)
	}
	return q, claim, nil
}

func (r *reader) state() (machine.State, error) {
	dropped, err := r.number("number of fluents of the position before", len(r.held)+1)
	if err != nil {
		return nil, err
	}
	count, err := r.number("number of fluents", len(r.fluents)+1)
	if err != nil {
		return nil, err
	}
	r.held = r.held[:len(r.held)-dropped]
	last := -1
	if n := len(r.held); n > 0 {
		last = r.held[n-1]
	}
	for range count {
		step, err := r.number("fluent", len(r.fluents)-last)
		if err != nil {
			return nil, err
		}
		last += step
		if step == 0 || r.fluents[last] < 0 {
			return nil, fmt.Errorf("fluent: expected one that the game can reach, found number %d", last)
		}
		r.held = append(r.held, last)
	}
	var held []int32
	for _, f := range r.held {
		held = append(held, r.fluents[f])
	}
	slices.Sort(held)
	q := r.names.NewState()
	r.names.Pack(q, slices.Compact(held))
	return q, nil
}

func (r *reader) strategy(role int) ([]search.Weighted, error) {
	count, err := r.number("number of moves", len(r.moves[role])+1)
	if err != nil || count == 0 {
		return nil, err
	}
	var strategy []search.Weighted
	sum := 0.0
	for range count {
		move, err := r.number("move", len(r.moves[role]))
		if err != nil {
			return nil, err
		}
		probability, err := r.float("probability")
		if err != nil {
			return nil, err
		}
		m := r.moves[role][move]
		if m == machine.NoMove || probability <= 0 || probability > 1 {
			return nil, fmt.Errorf("expected a move of the game with a probability in (0, 1], found %s with %v",
				r.header.Moves[role][move], probability)
		}
		strategy = append(strategy, search.Weighted{Move: m, Probability: probability})
		sum += probability
	}
	if math.Abs(sum-1) > rounding {
		return nil, fmt.Errorf("expected probabilities with the sum 1, found the sum %v", sum)
	}
	return strategy, nil
}

// number reads a number below limit.
func (r *reader) number(what string, limit int) (int, error) {
	n, err := binary.ReadUvarint(r.in)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", what, damaged(err))
	}
	if n >= uint64(limit) {
		return 0, fmt.Errorf("%s: expected a number below %d, found %d", what, limit, n)
	}
	return int(n), nil
}

// float reads a finite number.
func (r *reader) float(what string) (float64, error) {
	var bytes [8]byte
	if _, err := io.ReadFull(r.in, bytes[:]); err != nil {
		return 0, fmt.Errorf("%s: %w", what, damaged(err))
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(bytes[:]))
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%s: expected a number, found %v", what, v)
	}
	return v, nil
}

// damaged replaces an end-of-file error by a description.
func damaged(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file ends too early")
	}
	return err
}
