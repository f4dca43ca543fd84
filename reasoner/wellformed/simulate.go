package wellformed

import (
	"context"
	"fmt"
	"strings"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/prover"
)

// Options bound the simulation.
type Options struct {
	Matches  int    // number of matches
	MaxSteps int    // joint moves after which a match counts as endless; 0 means play.MaxSteps
	Seed     uint64 // of the random moves
}

// simulation is the state of Simulate.
type simulation struct {
	prover   *prover.Prover
	names    *machine.Names
	batch    machine.Batch // one match at a time, in lane 0
	rng      *machine.Rand
	limit    int
	report   Report
	seen     map[key]*Fault
	kinds    map[key]int // by kind and role: the number of distinct faults
	declared declarations

	state   machine.State
	fluents []int32 // of state
	legal   []machine.Move
	joint   []machine.Move
	goals   []int32
	path    []machine.Move // joint moves so far, one after the other
}

// Simulate plays random matches of g on its machine m, and reports the faults that they show. The error is the error
// of ctx, or says that `base` or `input` lists too much; the report then holds the faults found so far.
func Simulate(ctx context.Context, g *gdl.Game, m machine.Machine, o Options) (*Report, error) {
	names := m.Names()
	s := &simulation{
		prover: prover.New(g), names: names, batch: m.NewBatch(), rng: machine.NewRand(o.Seed), limit: o.MaxSteps,
		report: Report{Faults: []*Fault{}},
		seen:   make(map[key]*Fault),
		kinds:  make(map[key]int),
		state:  make(machine.State, len(m.Initial())),
		joint:  make([]machine.Move, len(names.Roles)), goals: make([]int32, len(names.Roles)),
	}
	if s.limit == 0 {
		s.limit = play.MaxSteps
	}
	if err := s.readDeclarations(ctx); err != nil {
		return &s.report, err
	}
	for range o.Matches {
		if err := s.match(ctx, m.Initial()); err != nil {
			return &s.report, err
		}
		s.report.Matches++
	}
	return &s.report, nil
}

// match plays a match to its end, a fault, or the limit. It checks every position before the next joint move, which
// is most of the work. A fault is reported with the line that leads to it. play.Lockstep does not fit: it plays
// many matches at once and stops at play.MaxPlayout.
func (s *simulation) match(ctx context.Context, initial machine.State) error {
	s.path = s.path[:0]
	s.batch.Fill(initial, nil)
	for step := 0; ; step++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.batch.Store(s.state, 1)
		s.checkFluents()
		s.batch.Evaluate(1)
		if err := machine.Unknown(s.batch, 0); err != nil {
			return fmt.Errorf("after %d joint moves: %w", step, err)
		}
		if s.batch.Terminal()[0]&1 != 0 {
			return s.checkGoals(ctx)
		}
		if !s.chooseJointMove() {
			return nil
		}
		if step == s.limit {
			s.add(kindEndless, "", "", fmt.Sprintf("expected the match to end, found no end after %d joint moves", step))
			return nil
		}
		s.path = append(s.path, s.joint...)
		s.batch.Advance(1)
	}
}

// chooseJointMove chooses a random legal move for every role; it returns false if a role has no legal move.
func (s *simulation) chooseJointMove() bool {
	alive := true
	for r, name := range s.names.Roles {
		role := machine.Role(r)
		if s.legal = s.batch.AppendLegal(s.legal[:0], 0, role); len(s.legal) == 0 {
			s.add(kindStuck, name, "", fmt.Sprintf("expected a legal move for %s, found none in a position that is not terminal", name))
			alive = false
			continue
		}
		s.checkMoves(role)
		s.joint[r] = s.legal[s.rng.Intn(len(s.legal))]
		s.batch.Choose(0, role, s.joint[r])
	}
	return alive
}

// checkGoals checks that each role has exactly one goal from 0 to 100. If the machine has no goal, the prover
// lists the goals for the message.
func (s *simulation) checkGoals(ctx context.Context) error {
	s.batch.Goals(s.goals, 0)
	if err := machine.Unknown(s.batch, 0); err != nil {
		return err
	}
	for r, goal := range s.goals {
		if goal != machine.NoGoal || machine.Role(r) == s.names.Chance() {
			continue
		}
		facts, err := s.prover.Facts(ctx, s.names.AppendFluents(nil, s.state), "goal", 2)
		if err != nil {
			return err
		}
		var found []string
		for _, f := range facts {
			if f[0] == s.names.Roles[r] {
				found = append(found, f[1])
			}
		}
		text := "none"
		if len(found) > 0 {
			text = strings.Join(clipAll(found[:min(len(found), maxDistinct)]), " and ")
		}
		s.add(kindGoal, s.names.Roles[r], text, fmt.Sprintf(
			"expected one goal for %s from 0 to 100 in a terminal position, found %s", s.names.Roles[r], text))
	}
	return nil
}
