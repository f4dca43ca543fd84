package datalog

import (
	"context"
	"fmt"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
)

// interpreter is what all evaluators of a game share: its rules, its static
// relations, the tables of fluents and moves, and what was learnt about the cost
// of its relations. It is immutable once the machine has been made.
type interpreter struct {
	theory    *theory
	rules     []*rule // the dynamic rules
	names     *machine.Names
	inputs    []*relation // true and does: their possible tuples
	numbers   [][]int32   // by input, then tuple: fluent, or bit of the move
	fluentAt  []place     // by fluent
	moveAt    [][]place   // by role, then move
	firstMove []int32     // by role: the bit of its first move; one more for the end
	initial   machine.State
	cost      costs
}

// costs is what decides how relations are computed.
type costs struct {
	profiles map[*relation]*profile
	modes    map[*relation]mode
}

// mode is how a derived relation is computed.
type mode uint8

const (
	modeKeyed  mode = iota // by key, as asked
	modeWhole              // all of it at first use
	modeInline             // not at all: its rules replace it where it is used
)

// NewMachine makes the machine for games whose ground program would not fit: it
// evaluates the rules anew in every position, and of them only what is asked. The
// fluents and moves are those that are possible when all negated literals that
// differ between positions are taken to hold.
//
// The error says which limit was hit, and at which rule, or that ctx is done.
func NewMachine(ctx context.Context, g *gdl.Game, lim Limits) (m machine.Machine, err error) {
	defer until(&err)
	in, err := newInterpreter(ctx, g, lim)
	if err != nil {
		return nil, err
	}
	in.tune(ctx)
	newStepper(in, in.theory.watch) // makes the indexes that all evaluators share
	info := machine.Info{Engine: "datalog", Gates: len(in.rules), Bytes: in.theory.bytes()}
	return machine.NewScalar(in.names, in.initial, info, func() machine.Stepper { return newStepper(in, &watch{ctx: context.Background()}) }), nil
}

// maxEager is the size from which static relations are computed on demand: most
// games ask for a small part of relations as large as that.
const maxEager = 500_000

func newInterpreter(ctx context.Context, g *gdl.Game, lim Limits) (*interpreter, error) {
	gr := newGrounder(ctx, g, lim)
	th := gr.theory
	if err := th.evaluateStatic(gr.joiner, maxEager); err != nil {
		return nil, err
	}
	th.reduce()
	in := &interpreter{theory: th, names: &machine.Names{}}
	for _, r := range th.dynamicRules() {
		same := *r
		in.rules = append(in.rules, &same)
	}
	th.rules = reaching(th.rules)
	if err := gr.reach(); err != nil {
		return nil, fmt.Errorf("no table of fluents and moves: %w", err)
	}
	in.nameInputs()
	for _, rel := range th.relations {
		if rel.dynamic && rel.name.name != "true" && rel.name.name != "does" {
			rel.release()
		}
	}
	return in, nil
}

// reaching keeps the rules that decide which fluents and moves are possible, and
// the static ones.
func reaching(rules []*rule) []*rule {
	needed := neededToReach(rules)
	var kept []*rule
	for _, r := range rules {
		if needed[r.head.rel] || !r.head.rel.dynamic {
			kept = append(kept, r)
		}
	}
	return kept
}

// neededToReach is the set of relations that next and legal reach through
// positive literals.
func neededToReach(rules []*rule) map[*relation]bool {
	byHead := make(map[*relation][]*rule)
	needed := make(map[*relation]bool)
	var todo []*relation
	need := func(rel *relation) {
		if !needed[rel] {
			needed[rel] = true
			todo = append(todo, rel)
		}
	}
	for _, r := range rules {
		rel := r.head.rel
		byHead[rel] = append(byHead[rel], r)
		if rel.name.name == "next" || rel.name.name == "legal" {
			need(rel)
		}
	}
	for len(todo) > 0 {
		rel := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, r := range byHead[rel] {
			for i := range r.body {
				if l := &r.body[i]; l.op == gdl.Holds {
					need(l.atom.rel)
				}
			}
		}
	}
	return needed
}

// nameInputs numbers the possible fluents and moves by their texts.
func (in *interpreter) nameInputs() {
	th := in.theory
	var fluents []named
	moves := make([][]named, len(th.roles))
	var at []place // by running number, which stands for the atom
	for _, rel := range th.relations {
		name := rel.name.name
		if name != "true" && name != "does" {
			continue
		}
		k := int32(len(in.inputs))
		in.inputs = append(in.inputs, rel)
		numbers := make([]int32, rel.n)
		for t := range rel.n {
			th.watch.step()
			numbers[t] = -1
			id := int32(len(at))
			at = append(at, place{k, t})
			if name == "true" {
				fluents = append(fluents, named{id, th.terms.argName(rel.name, 0, rel.row(t))})
			} else if role := th.roleOf(rel.name, rel.row(t)); role >= 0 {
				moves[role] = append(moves[role], named{id, th.terms.argName(rel.name, 1, rel.row(t))})
			}
		}
		in.numbers = append(in.numbers, numbers)
	}
	in.names.Fluents, in.fluentAt = in.number(fluents, at, 0)
	bit := int32(0)
	for r, role := range th.roles {
		names, places := in.number(moves[r], at, bit)
		in.names.Roles = append(in.names.Roles, th.terms.name(role))
		in.names.Moves = append(in.names.Moves, names)
		in.moveAt = append(in.moveAt, places)
		in.firstMove = append(in.firstMove, bit)
		bit += int32(len(names))
	}
	in.firstMove = append(in.firstMove, bit)
	in.findInitial()
}

// number gives the atoms of list the bits from first on, in the order of their
// texts.
func (in *interpreter) number(list []named, at []place, first int32) ([]string, []place) {
	texts, places := make([]string, len(list)), make([]place, len(list))
	for i, x := range in.theory.sortNamed(list) {
		p := at[x.atom]
		texts[i], places[i] = x.text, p
		in.numbers[p.input][p.tuple] = first + int32(i)
	}
	return texts, places
}

func (in *interpreter) findInitial() {
	in.initial = in.names.NewState()
	for _, rel := range in.theory.relations {
		if rel.name.name != "init" {
			continue
		}
		to := in.theory.successor(rel)
		for t := range rel.n {
			in.initial.Set(int(in.numbers[in.inputOf(to)][to.find(rel.row(t))]))
		}
	}
}

func (in *interpreter) inputOf(rel *relation) int32 {
	for k, r := range in.inputs {
		if r == rel {
			return int32(k)
		}
	}
	return -1
}
