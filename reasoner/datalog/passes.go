package datalog

import (
	"fmt"
	"slices"
)

// pass transforms the rules of a game into equivalent rules with a smaller grounding or less evaluation, or
// computes data for later passes.
type pass struct {
	name string
	// doc describes the transformation, before → after. The file named after the pass, or with its function, has
	// the details.
	doc     string
	assumes string // assumptions about the rules, beyond GDL's restrictions
	of      phase
	run     func(*grounder) error
	// needed marks a pass on whose results other passes rely; all other passes are optional.
	needed bool
}

// phase says when a pass runs.
type phase uint8

const (
	inBoth      phase = iota // for grounding and for the machine
	inGrounding              // for grounding only
	ifThorough               // only where grounding is thorough
	inMachine                // for the machine only
)

// passes lists the passes in order; constraints gives the reasons of the order.
var passes = []pass{
	{
		name: "constants",
		doc:  "true(wall(X)), of which the rules only say next(wall(X)) ← true(wall(X)) → init(wall(X))",
		run:  (*grounder).fixConstants, assumes: "positions are reachable",
	},
	{
		name: "linear",
		doc:  "path(X,Z) ← path(X,Y) ∧ path(Y,Z) → path(X,Z) ← step(X,Y) ∧ path(Y,Z), for each rule path ← step",
		run:  (*grounder).linearise, assumes: "other conditions of the rule speak of Y, or of what all three have in common",
	},
	{
		name: "static",
		doc:  "relations that depend on neither true nor does → their tuples; those with too many are left pending",
		run:  (*grounder).evaluateStatic, needed: true,
	},
	{
		name: "reduce",
		doc:  "p(X) ← q(X) ∧ succ(1,2) ∧ ¬none(X) → p(X) ← q(X), where succ has (1,2) and none is empty",
		run:  (*grounder).reduce,
	},
	{
		name: "existential", of: inGrounding,
		doc: "columns in which all terms of a domain say the same → no columns",
		run: (*grounder).projectColumns, assumes: "the domain is not empty, the relation not negated",
	},
	{
		name: "merge", of: ifThorough,
		doc: "h ← a ∧ p and h ← a ∧ q → h ← a ∧ m, m ← p, m ← q",
		run: (*grounder).mergeRules, assumes: "p and q do not recur on h",
	},
	{
		name: "unfold", of: inGrounding,
		doc: "h ← a ∧ p, where p is static and large → h ← a ∧ b for each rule p ← b, if that has fewer instances after splitting",
		run: (*grounder).unfold, assumes: "p is not recursive",
	},
	{
		name: "settle", of: inGrounding,
		doc: "pending relations that are still needed → their tuples, unless they can be asked by key",
		run: (*grounder).settle, needed: true,
	},
	{
		name: "right-linear", of: inGrounding,
		doc: "p(X,N) ← e(X,Y) ∧ p(Y,N) → reached(Y) ← reached(X) ∧ e(X,Y), found(N) ← reached(X) ∧ …",
		run: (*grounder).factorRightLinear, assumes: "p recurs once in a rule, is not negated, and each use knows X",
	},
	{
		name: "split", of: inGrounding,
		doc: "h(X) ← a(X,Y) ∧ b(Y,Z) → h(X) ← a(X,Y) ∧ p(Y), p(Y) ← b(Y,Z)",
		run: (*grounder).split,
	},
	{
		name: "demand", of: inGrounding,
		doc: "h(X) ← a(X) ∧ p(X,Y), where p is large → asked(X) ← a(X), and p(X,Y) ← asked(X) ∧ … for each rule p(X,Y) ← …",
		run: (*grounder).restrict,
	},
	{
		name: "reach", of: inGrounding,
		doc: "rules → the atoms that are possible",
		run: (*grounder).reach, needed: true,
	},
	{
		name: "magic", of: inMachine,
		doc: "as demand, for recursive relations of one position", assumes: "what is asked of other relations does not depend on the recursion",
	},
}

// constraint requires one pass to stand before another, for a reason.
type constraint struct{ before, after, reason string }

// constraints are the requirements for the order of the passes.
var constraints = []constraint{
	{"constants", "static", "what follows from fluents that never change is static then"},
	{"linear", "static", "relations are computed by the rules that they keep"},
	{"static", "reduce", "a relation without tuples is empty only when it has been computed"},
	{"static", "existential", "a domain must have been computed"},
	{"reduce", "existential", "a condition that always holds would count as a use of the column"},
	{"existential", "unfold", "the fewer columns, the fewer instances it expects"},
	{"static", "unfold", "it replaces what is pending"},
	{"merge", "unfold", "alternatives are to be unfolded once"},
	{"unfold", "settle", "what is unfolded wherever it is used need not be computed"},
	{"settle", "right-linear", "whether it pays is judged by the sizes of static relations"},
	{"unfold", "split", "what has been split no longer falls into other parts"},
	{"right-linear", "split", "a part would hide the recursion"},
	{"settle", "split", "whether a part pays is judged by the sizes of static relations"},
	{"split", "demand", "parts are asked by key, too"},
	{"demand", "reach", "reaching finds what is asked for"},
}

func init() {
	if err := checkOrder(passes, constraints); err != nil {
		panic(err) // the tables above are inconsistent: a programming error
	}
}

// checkOrder returns an error that names the first violated constraint, or nil.
func checkOrder(passes []pass, constraints []constraint) error {
	place := make(map[string]int)
	for i, p := range passes {
		if _, ok := place[p.name]; ok {
			return fmt.Errorf("there are two passes %q", p.name)
		}
		place[p.name] = i
	}
	for _, c := range constraints {
		before, ok := place[c.before]
		after, found := place[c.after]
		if !ok || !found {
			return fmt.Errorf("no pass %q or no pass %q", c.before, c.after)
		}
		if before >= after {
			return fmt.Errorf("pass %q must stand before %q: %s", c.before, c.after, c.reason)
		}
	}
	return nil
}

// runPasses runs the passes of the given phases.
func (gr *grounder) runPasses(phases ...phase) error {
	for _, p := range passes {
		if p.run == nil || !slices.Contains(phases, p.of) || slices.Contains(gr.without, p.name) {
			continue
		}
		if err := p.run(gr); err != nil {
			return err
		}
		gr.clock.Done(p.name)
	}
	return nil
}
