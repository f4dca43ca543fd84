package reasoner

import (
	"context"
	"fmt"
	"strings"

	"stackmate/reasoner/machine"
)

// Fault is a violation of the rules of well-formed games (Love, Hinrichs, Haley,
// Schkufza and Genesereth, 2008, section 5) that a random match has met.
type Fault struct {
	Message string     `json:"message"`
	State   []string   `json:"state"` // the fluents that are true
	Moves   [][]string `json:"moves"` // the joint moves that lead there
}

// String tells the fault with the way to it.
func (f Fault) String() string {
	const shown = 20 // the last joint moves that fit on a screen
	moves := f.Moves[max(0, len(f.Moves)-shown):]
	var b strings.Builder
	fmt.Fprintf(&b, "after %d joint moves: %s\n    state: %s", len(f.Moves), f.Message, strings.Join(f.State, " "))
	if len(moves) < len(f.Moves) {
		fmt.Fprintf(&b, "\n    the last %d joint moves:", len(moves))
	} else if len(moves) > 0 {
		b.WriteString("\n    joint moves:")
	}
	for _, joint := range moves {
		fmt.Fprintf(&b, " (%s)", strings.Join(joint, " "))
	}
	return b.String()
}

// simulateSeed makes every simulation the same one.
const simulateSeed = 1

// Simulate plays random matches and returns how many were played and what is
// wrong with the game: roles without a legal move, terminal positions without
// exactly one goal from 0 to 100 for each role, matches of more than
// machine.MaxSteps joint moves. Of faults that read the same only the first is
// kept. It stops when ctx is done.
func Simulate(ctx context.Context, m machine.Machine, matches int) (played int, faults []Fault) {
	s := simulation{
		machine: m,
		batch:   m.NewBatch(),
		rng:     machine.NewRand(simulateSeed),
		state:   make(machine.State, m.Words()),
		goals:   make([]int32, len(m.Names().Roles)),
		known:   make(map[string]bool),
		faults:  []Fault{},
	}
	for ; played < matches && ctx.Err() == nil; played++ {
		s.match(ctx)
	}
	return played, s.faults
}

type simulation struct {
	machine machine.Machine
	batch   machine.Batch // lane 0 alone
	rng     *machine.Rand
	state   machine.State
	joint   []machine.Move // one after the other
	legal   []machine.Move
	goals   []int32
	known   map[string]bool // messages of faults
	faults  []Fault
}

func (s *simulation) match(ctx context.Context) {
	s.joint = s.joint[:0]
	s.batch.Fill(s.machine.Initial(), nil)
	for range machine.MaxSteps {
		s.batch.Evaluate(1)
		if s.batch.Terminal()[0]&1 != 0 {
			s.checkGoals()
			return
		}
		if ctx.Err() != nil || !s.choose() {
			return
		}
		s.batch.Advance(1)
	}
	s.report("expected the match to end, found none of its first %d positions terminal", machine.MaxSteps)
}

// choose makes a random move for every role and tells whether all have one.
func (s *simulation) choose() bool {
	able := true
	for r, role := range s.machine.Names().Roles {
		s.legal = s.batch.AppendLegal(s.legal[:0], 0, machine.Role(r))
		if len(s.legal) == 0 {
			s.report("expected a legal move for %s, found none", role)
			able = false
			continue
		}
		move := s.legal[s.rng.Intn(len(s.legal))]
		s.batch.Choose(0, machine.Role(r), move)
		s.joint = append(s.joint, move)
	}
	return able
}

func (s *simulation) checkGoals() {
	s.batch.Goals(s.goals, 0)
	for r, goal := range s.goals {
		role := s.machine.Names().Roles[r]
		switch {
		case role == machine.RandomRole: // chance wants nothing
		case goal == machine.NoGoal:
			s.report("expected one goal for %s at the end, found none, several, or no number", role)
		case goal < 0 || goal > 100:
			s.report("expected a goal from 0 to 100 for %s at the end, found %d", role, goal)
		}
	}
}

// report keeps a fault of the present position.
func (s *simulation) report(format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if s.known[message] {
		return
	}
	s.known[message] = true
	names := s.machine.Names()
	s.batch.Store(s.state, 1)
	f := Fault{Message: message, State: names.AppendFluents(nil, s.state), Moves: [][]string{}}
	for n := len(names.Roles); len(s.joint) >= n*(len(f.Moves)+1); {
		joint := make([]string, n)
		for r := range joint {
			joint[r] = names.Moves[r][s.joint[n*len(f.Moves)+r]]
		}
		f.Moves = append(f.Moves, joint)
	}
	s.faults = append(s.faults, f)
}
