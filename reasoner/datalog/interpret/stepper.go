package interpret

import (
	"fmt"
	"slices"

	"stackmate/internal/guard"
	"stackmate/reasoner/datalog"
	"stackmate/reasoner/datalog/internal/join"
	"stackmate/reasoner/datalog/internal/rules"
	"stackmate/reasoner/datalog/internal/tuples"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/scalar"
)

// stepper is the scalar.Stepper of the Datalog engine: it asks an evaluator for
// terminal, legal, goal and next.
type stepper struct {
	*evaluator
	now        machine.State // the current position
	positioned bool          // the evaluator has this position
	listed     bool          // byRole holds its legal moves
	ends       *call
	always     bool // every position is terminal
	legals     []output
	nexts      []output
	goals      []*rules.Relation
	goalsOf    []*call // by element of goals; nil if static
	values     map[rules.Term]int32
	byRole     [][]machine.Move
	fluents    []int32 // of the next position
}

// output is a relation whose tuples become moves or fluents: legal and next.
type output struct {
	input int // index of the input
	found *tuples.Selection
	plans []*join.Plan    // plans that derive into found, or nil
	rel   *rules.Relation // without plans: the relation that holds the tuples
	call  *call           // the call that computes rel, nil if static
}

var _ scalar.Stepper = (*stepper)(nil)

func newStepper(shared *sharedRules, w *guard.Watch) *stepper {
	s := &stepper{evaluator: newEvaluator(shared, w), values: make(map[rules.Term]int32)}
	s.byRole = make([][]machine.Move, len(shared.theory.Roles))
	used := rules.AllUsed(s.shared.rules)
	for _, rel := range shared.theory.Relations {
		switch rel.Name {
		case "terminal":
			s.always = s.always || !rel.IsOpen() && rel.Len() > 0
			if d := s.derived[s.copy(rel)]; d != nil && rel.Arity == 0 {
				s.ends = s.call(d, nil) // the first proof suffices
			}
		case "legal":
			s.legals = s.appendOutput(s.legals, rel, used[rel])
		case "next":
			s.nexts = s.appendOutput(s.nexts, rel, used[rel])
		case "goal":
			s.goals = append(s.goals, s.copy(rel))
			s.goalsOf = append(s.goalsOf, s.whole(rel))
		}
	}
	return s
}

// whole returns the call that completes a relation.
func (s *stepper) whole(rel *rules.Relation) *call {
	if d := s.derived[s.copy(rel)]; d != nil {
		return s.wholeCall(d)
	}
	return nil
}

// appendOutput appends the output of rel. Relations that no body uses store no tuples.
func (s *stepper) appendOutput(list []output, rel *rules.Relation, used bool) []output {
	to := s.copy(s.shared.theory.Successor(rel))
	k := slices.IndexFunc(s.inputs.list, func(in *input) bool { return in.Relation == to })
	o := output{input: k, found: tuples.NewSelection(to.Table)}
	if used || !rel.IsOpen() {
		o.rel, o.call = s.copy(rel), s.whole(rel)
		return append(list, o)
	}
	if d := s.derived[s.copy(rel)]; d != nil {
		for _, r := range d.rules {
			p := s.planning().NewPlan(r, join.WholeRule, nil)
			p.Collected = o.found
			o.plans = append(o.plans, p)
		}
	}
	return append(list, o)
}

// collect finds the fluents or moves of o, and returns their tuples.
func (s *stepper) collect(o *output) []int32 {
	o.found.Clear()
	s.derive(o)
	s.inputs.numberNew(o.input)
	return o.found.List
}

// derive derives the tuples of o.
func (s *stepper) derive(o *output) {
	if o.rel == nil {
		j := s.enter()
		defer s.leave()
		for _, p := range o.plans {
			_ = j.Derive(p, nil) // the meter keeps the error
		}
		return
	}
	if o.call != nil {
		o.call.Ensure(nil)
	}
	for t := range o.rel.Len() {
		o.found.Insert(o.rel.Row(t))
	}
}

// SetState implements scalar.Stepper. The evaluator's position is set at the first question.
func (s *stepper) SetState(state machine.State) {
	if len(s.now) > 0 && s.now.Equal(state) {
		return
	}
	s.now = append(s.now[:0], state...)
	s.positioned, s.listed = false, false
}

// evaluateInitial evaluates the initial position.
func (s *stepper) evaluateInitial() error {
	s.SetState(s.shared.initial)
	s.Terminal()
	s.AppendLegal(nil, 0)
	return s.meter.Err
}

// setPosition sets the evaluator's position.
func (s *stepper) setPosition() {
	if !s.positioned {
		s.positioned = true
		s.setState(s.now)
	}
}

// Err returns the reason why the answers about the position are incomplete, or nil.
func (s *stepper) Err() error {
	if !s.positioned {
		return nil
	}
	return s.meter.Err
}

// Terminal implements scalar.Stepper.
func (s *stepper) Terminal() bool {
	if s.ends == nil || s.shared.names.Lost(s.now) {
		return s.always
	}
	s.setPosition()
	s.ends.Ensure(nil)
	return s.always || s.ends.to.rel.Len() > 0 && s.meter.Err == nil
}

// AppendLegal implements scalar.Stepper.
func (s *stepper) AppendLegal(dst []machine.Move, r machine.Role) []machine.Move {
	if !s.listed {
		s.listed = true
		s.list()
	}
	return append(dst, s.byRole[r]...)
}

// list computes the legal moves of the position; none if they are not all known.
func (s *stepper) list() {
	s.setPosition()
	s.forgetMoves()
	for i := range s.legals {
		found := s.collect(&s.legals[i])
		if s.shared.names.Lost(s.now) || s.meter.Err != nil {
			break
		}
		of := s.inputs.list[s.legals[i].input]
		for _, t := range found {
			switch number, role := of.number[t], of.role[t]; {
			case role < 0: // a move of no role
			case number < 0:
				s.meter.Err = fmt.Errorf("%w: bytes of different moves", datalog.ErrLimit)
			default:
				s.byRole[role] = append(s.byRole[role], machine.Move(number))
			}
		}
	}
	if s.meter.Err != nil {
		s.forgetMoves()
	}
	for _, moves := range s.byRole {
		slices.Sort(moves)
	}
}

func (s *stepper) forgetMoves() {
	for r := range s.byRole {
		s.byRole[r] = s.byRole[r][:0]
	}
}

// Goal implements scalar.Stepper.
func (s *stepper) Goal(r machine.Role) int32 {
	s.setPosition()
	value, found := machine.NoGoal, 0
	th := s.shared.theory
	for i, rel := range s.goals {
		if c := s.goalsOf[i]; c != nil {
			c.Ensure(nil)
		}
		for t := range rel.Len() {
			row := rel.Row(t)
			if th.RoleOf(s.terms, rel.Predicate, row) == int32(r) {
				value = s.value(rel, row)
				found++
			}
		}
	}
	if found != 1 || s.meter.Err != nil {
		return machine.NoGoal
	}
	return value
}

// value returns the goal value in the last column of a goal atom.
func (s *stepper) value(rel *rules.Relation, row []int32) int32 {
	if rel.Shapes[1] != rules.NoFunctor {
		return machine.NoGoal
	}
	id := row[len(row)-1]
	v, ok := s.values[id]
	if !ok {
		v = machine.GoalOf(s.terms.Name(id))
		s.values[id] = v
	}
	return v
}

// Next implements scalar.Stepper.
func (s *stepper) Next(dst machine.State, joint []machine.Move) {
	s.setPosition()
	s.setJoint(joint)
	s.fluents = s.fluents[:0]
	for i := range s.nexts {
		for _, t := range s.collect(&s.nexts[i]) {
			s.fluents = append(s.fluents, s.inputs.list[s.nexts[i].input].number[t])
		}
	}
	if s.meter.Err != nil {
		s.fluents = append(s.fluents, -1)
	}
	slices.Sort(s.fluents)
	s.shared.names.Pack(dst, s.fluents)
}
