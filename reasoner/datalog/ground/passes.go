package ground

import (
	"slices"

	"stackmate/internal/passorder"
)

// pass transforms the rules of a game into equivalent rules with a smaller grounding or less evaluation, or
// computes data for later passes.
type pass struct {
	name string
	// doc describes the transformation, before → after. The file named after the pass has the details.
	doc     string
	assumes string // assumptions about the rules, beyond GDL's restrictions
	phase   phase
	run     func(*grounder) error
	// needed marks a pass on whose results other passes rely; all other passes are optional.
	needed bool
}

// phase says when a pass runs.
type phase uint8

const (
	inBoth      phase = iota // for grounding and for the machine
	inGrounding              // for grounding only
	ifThorough               // for thorough grounding only
)

// passes lists the passes in order; constraints gives the reasons of the order.
var passes = []pass{
	{
		name: "constants",
		doc:  "true(wall(X)), with next(wall(X)) ← true(wall(X)) as the only rule of next → init(wall(X))",
		run:  (*grounder).fixConstants, assumes: "positions are reachable",
	},
	{
		name: "linear",
		doc:  "path(X,Z) ← path(X,Y) ∧ path(Y,Z) → path(X,Z) ← step(X,Y) ∧ path(Y,Z), for each rule path ← step",
		run:  (*grounder).linearise, assumes: "other conditions of the rule contain only Y and variables of all three literals",
	},
	{
		name: "static",
		doc:  "relations that depend on neither true nor does → their tuples; relations with too many stay pending",
		run:  (*grounder).evaluateStatic, needed: true,
	},
	{
		name: "reduce",
		doc:  "p(X) ← q(X) ∧ succ(1,2) ∧ ¬none(X) → p(X) ← q(X), where succ has (1,2) and none is empty",
		run:  (*grounder).reduce,
	},
	{
		name: "existential", phase: inGrounding,
		doc: "columns whose relation holds for all terms of a domain or for none → no columns",
		run: (*grounder).projectColumns, assumes: "the domain is not empty, the relation not negated",
	},
	{
		name: "merge", phase: ifThorough,
		doc: "h ← a ∧ p and h ← a ∧ q → h ← a ∧ m, m ← p, m ← q",
		run: (*grounder).mergeRules, assumes: "p and q do not recur on h",
	},
	{
		name: "unfold", phase: inGrounding,
		doc: "h ← a ∧ p, where p is static and large → h ← a ∧ b for each rule p ← b, if that has fewer instances after splitting",
		run: (*grounder).unfold, assumes: "p is not recursive",
	},
	{
		name: "pending", phase: inGrounding,
		doc: "pending relations that are still needed → their tuples, unless all uses have a key",
		run: (*grounder).computePending, needed: true,
	},
	{
		name: "right-linear", phase: inGrounding,
		doc: "p(X,N) ← e(X,Y) ∧ p(Y,N) → reached(Y) ← reached(X) ∧ e(X,Y), found(N) ← reached(X) ∧ …",
		run: (*grounder).factorRightLinear, assumes: "p is no output, recurs once in a rule, is not negated, and each use knows X",
	},
	{
		name: "split", phase: inGrounding,
		doc: "h(X) ← a(X,Y) ∧ b(Y,Z) → h(X) ← a(X,Y) ∧ p(Y), p(Y) ← b(Y,Z)",
		run: (*grounder).split,
	},
	{
		name: "demand", phase: inGrounding,
		doc: "h(X) ← a(X) ∧ p(X,Y), where p is large → asked(X) ← a(X), and p(X,Y) ← asked(X) ∧ … for each rule p(X,Y) ← …",
		run: (*grounder).restrict,
	},
	{
		name: "reach", phase: inGrounding,
		doc: "rules → the possible atoms",
		run: (*grounder).reach, needed: true,
	},
}

// constraints are the requirements for the order of the passes.
var constraints = []passorder.Constraint{
	{"constants", "static", "relations derived from fluents that never change become static"},
	{"linear", "static", "static relations are computed by the rewritten rules"},
	{"static", "reduce", "only a computed relation without tuples is empty"},
	{"static", "existential", "a domain must have been computed"},
	{"reduce", "existential", "a condition that always holds would count as a use of the column"},
	{"existential", "unfold", "with fewer columns it expects fewer instances"},
	{"static", "unfold", "it replaces pending relations"},
	{"merge", "unfold", "merged alternatives are unfolded once"},
	{"unfold", "pending", "a relation that is unfolded at all uses need not be computed"},
	{"pending", "right-linear", "its gain is estimated from the sizes of static relations"},
	{"unfold", "split", "split rules cannot be divided into other parts"},
	{"right-linear", "split", "a part would hide the recursion"},
	{"pending", "split", "the gain of a part is estimated from the sizes of static relations"},
	{"split", "demand", "parts can be demanded by key, too"},
	{"demand", "reach", "reaching computes the demand"},
}

func init() {
	var names []string
	for _, p := range passes {
		names = append(names, p.name)
	}
	if err := passorder.Check(names, constraints); err != nil {
		panic(err) // the tables above are inconsistent: a programming error
	}
}

// runPasses runs the passes of the given phases.
func (gr *grounder) runPasses(phases ...phase) error {
	for _, p := range passes {
		if !slices.Contains(phases, p.phase) || slices.Contains(gr.without, p.name) {
			continue
		}
		if err := p.run(gr); err != nil {
			return err
		}
		gr.Clock.Done(p.name)
	}
	return nil
}
