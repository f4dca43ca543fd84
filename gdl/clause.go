package gdl

import (
	"context"
	"fmt"
	"strings"
)

// keywords maps the relations and operators with a fixed meaning to their number
// of arguments; -1 stands for any number.
var keywords = map[string]int{
	"role": 1, "init": 1, "base": 1, "input": 2, "true": 1, "does": 2, "next": 1,
	"legal": 2, "goal": 2, "terminal": 0, "sees": 2, "percept": 2,
	"distinct": 2, "not": 1, "or": -1, "and": -1, "<=": -1,
}

// Keyword is the lower-case spelling of a keyword in any case, or "" of any other
// name. A chance role counts as one.
func Keyword(name string) string {
	if strings.EqualFold(name, chance) {
		return chance
	}
	low, ok := keyword(name)
	if !ok {
		return ""
	}
	return low
}

// IsVariable tells whether an atom is a variable.
func IsVariable(atom string) bool { return strings.HasPrefix(atom, "?") }

// keyword gives the lower-case spelling of a relation or operator with a fixed
// meaning.
func keyword(name string) (string, bool) {
	if len(name) > len("terminal") {
		return "", false
	}
	low := strings.ToLower(name)
	_, ok := keywords[low]
	return low, ok
}

// clause is one form of a rulesheet read as a rule, before normalisation.
type clause struct {
	head Term
	body []formula
	pos  Pos
	// malformed clauses count as definitions but are not looked into.
	malformed bool
}

// connective tells what a formula is.
type connective uint8

const (
	atomic   connective = iota // atom
	differ                     // args[0] and args[1] are different terms
	negation                   // not subs[0]
	anyOf                      // some formula of subs
	allOf                      // every formula of subs
)

// formula is a condition in the body of a clause, nested as it was written.
type formula struct {
	connective connective
	atom       Term
	args       [2]Term
	subs       []formula
	pos        Pos
}

// builder turns forms into clauses and reports what is malformed.
type builder struct {
	watch      *watch
	faults     *findings
	clauses    []*clause
	conditions int // so far
}

func (b *builder) form(f *Form) {
	c := &clause{pos: place(f.Pos)}
	before := b.faults.errors
	head, body := f, []*Form(nil)
	if f.IsList() && len(f.List) > 0 && f.List[0].Atom == "<=" {
		if len(f.List) == 1 {
			b.faults.report("E010", f.Pos, f.excerpt(), "expected a head after `<=`, found `)`")
			return
		}
		head, body = f.List[1], f.List[2:]
	}
	c.head = b.head(head)
	c.body = b.formulas(body, false, 0)
	c.malformed = b.faults.errors > before
	b.clauses = append(b.clauses, c)
}

// head reads what a fact or rule asserts.
func (b *builder) head(f *Form) Term {
	t := b.atom(f)
	switch t.Name {
	case "not", "or", "and", "distinct", "<=":
		b.faults.report("E011", f.Pos, f.excerpt(), "expected a relation as the head, found `%s`", t.Name)
	case "true", "does":
		b.faults.report("E014", f.Pos, f.excerpt(), "`%s` cannot be the head of a rule", t.Name)
	}
	return t
}

// formulas reads conditions, as many as are allowed.
func (b *builder) formulas(list []*Form, negated bool, depth int) []formula {
	out := make([]formula, 0, min(len(list), max(0, maxConditions-b.conditions)+1))
	for _, f := range list {
		if b.conditions > maxConditions {
			break
		}
		out = append(out, b.formula(f, negated, depth))
	}
	return out
}

// formula reads a condition. Negated tells that it stands inside a `not`, depth
// how many connectives it stands in.
func (b *builder) formula(f *Form, negated bool, depth int) formula {
	out := formula{pos: place(f.Pos)}
	op, args := operator(f)
	if b.conditions++; b.conditions > maxConditions {
		if b.conditions == maxConditions+1 {
			b.faults.report("E009", f.Pos, f.excerpt(), "expected at most %d conditions in all rules, found more", maxConditions)
		}
		return out
	}
	if op != "" && depth == maxConnectives {
		b.faults.report("E003", f.Pos, f.excerpt(), "expected at most %d nested `or`, `and` and `not`, found more", maxConnectives)
		return out
	}
	if negated && (op == "not" || op == "and") {
		b.faults.report("E016", f.Pos, f.excerpt(), "expected an atom or `distinct` inside `not`, found `%s`", op)
		return out
	}
	switch op {
	case "not":
		out.connective = negation
		if len(args) != 1 {
			b.arity(f, op, len(args))
			return out
		}
		out.subs = []formula{b.formula(args[0], true, depth+1)}
	case "or", "and":
		out.connective = anyOf
		if op == "and" {
			out.connective = allOf
		}
		out.subs = b.formulas(args, negated, depth+1)
	case "distinct":
		out.connective = differ
		if len(args) != 2 {
			b.arity(f, op, len(args))
			return out
		}
		out.args = [2]Term{b.term(args[0]), b.term(args[1])}
	case "<=":
		b.faults.report("E017", f.Pos, f.excerpt(), "expected a condition, found a rule inside a rule")
	default:
		out.atom = b.atom(f)
	}
	return out
}

// operator is the connective that a form starts with, and its operands.
func operator(f *Form) (string, []*Form) {
	if !f.IsList() || len(f.List) == 0 {
		return "", nil
	}
	switch op, _ := keyword(f.List[0].Atom); op {
	case "not", "or", "and", "distinct", "<=":
		return op, f.List[1:]
	}
	return "", nil
}

func (b *builder) arity(f *Form, name string, found int) {
	b.faults.report("E012", f.Pos, f.excerpt(), "`%s` takes %s, found %d", name, plural(keywords[name], "argument"), found)
}

// atom reads a relation applied to arguments; keywords become lower-case.
func (b *builder) atom(f *Form) Term {
	t := b.compound(f)
	if t.Kind == Variable {
		b.faults.report("E006", f.Pos, f.excerpt(), "expected a relation, found the variable %s", t.Name)
	}
	if name, ok := keyword(t.Name); ok {
		t.Name = name
		if want := keywords[name]; want >= 0 && want != len(t.Args) {
			b.arity(f, name, len(t.Args))
		}
	}
	return t
}

// term reads an argument.
func (b *builder) term(f *Form) Term {
	t := b.compound(f)
	if name, ok := keyword(t.Name); ok && t.Kind == Compound {
		b.faults.report("E013", f.Pos, f.excerpt(), "expected a term, found the keyword `%s` used as a function", name)
	}
	return t
}

// compound reads a symbol, a variable, or a name applied to arguments.
func (b *builder) compound(f *Form) Term {
	b.watch.step()
	t := Term{Name: f.Atom, Pos: place(f.Pos)}
	if !f.IsList() {
		if IsVariable(f.Atom) {
			t.Kind = Variable
		}
		return t
	}
	if len(f.List) == 0 {
		b.faults.report("E005", f.Pos, "()", "expected a name after `(`, found `)`")
		return t
	}
	name := f.List[0]
	if name.IsList() || IsVariable(name.Atom) {
		b.faults.report("E006", name.Pos, name.excerpt(), "expected a name after `(`, found %s", name.excerpt())
		return t
	}
	t.Name = name.Atom
	if len(f.List) > 1 {
		t.Kind, t.Args = Compound, make([]Term, len(f.List)-1)
	}
	for i, g := range f.List[1:] {
		t.Args[i] = b.term(g)
	}
	return t
}

// Term reads the form as a term; zero-arity parentheses vanish.
func (f *Form) Term() (Term, error) {
	b := builder{watch: &watch{ctx: context.Background()}, faults: &findings{}}
	t := b.term(f)
	return t, b.faults.finish("").err()
}

// ParseTerm reads one ground term, such as a move on the wire.
func ParseTerm(s string) (Term, error) {
	tree, err := Parse("", []byte(s))
	if err != nil {
		return Term{}, err
	}
	if len(tree.Forms) != 1 {
		return Term{}, fmt.Errorf("expected one term, found %s in %q", plural(len(tree.Forms), "form"), s)
	}
	t, err := tree.Forms[0].Term()
	if err != nil {
		return Term{}, err
	}
	if v := t.variables(nil); len(v) > 0 {
		return Term{}, fmt.Errorf("%s: expected a ground term, found the variable %s", v[0].Pos, v[0].Name)
	}
	return t, nil
}

// variables appends the occurrences of variables in t.
func (t Term) variables(dst []Term) []Term {
	if t.Kind == Variable {
		return append(dst, t)
	}
	for _, a := range t.Args {
		dst = a.variables(dst)
	}
	return dst
}

// plural is a number with a noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "is"); ok {
		return fmt.Sprintf("%d %ses", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
