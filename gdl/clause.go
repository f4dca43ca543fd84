package gdl

import (
	"context"
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"stackmate/internal/guard"
)

// keywords maps the relations and operators with a fixed meaning to their number of arguments; -1 means any number.
var keywords = map[string]int{
	"role": 1, "init": 1, "base": 1, "input": 2, "true": 1, "does": 2, "next": 1,
	"legal": 2, "goal": 2, "terminal": 0, "sees": 2, "percept": 2,
	"distinct": 2, "not": 1, "or": -1, "and": -1, "<=": -1,
}

// Keyword returns the lower-case spelling of a keyword in any case, or "" for other names. The chance role counts as
// a keyword.
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

// IsVariable reports whether an atom is a variable.
func IsVariable(atom string) bool { return strings.HasPrefix(atom, "?") }

// keyword returns the lower-case spelling of a relation or operator with a fixed meaning.
func keyword(name string) (string, bool) {
	if len(name) > len("terminal") {
		return "", false
	}
	low := strings.ToLower(name)
	_, ok := keywords[low]
	return low, ok
}

// connectiveOf returns the connective with a name, in any case.
func connectiveOf(name string) Connective {
	switch {
	case strings.EqualFold(name, "not"):
		return Negation
	case strings.EqualFold(name, "or"):
		return Disjunction
	case strings.EqualFold(name, "and"):
		return Conjunction
	case strings.EqualFold(name, "distinct"):
		return Differ
	}
	return Atomic
}

// symbol returns a symbol or a variable.
func symbol(pos lexer.Position, name string) Term {
	t := Term{Name: name, Pos: place(pos)}
	if IsVariable(name) {
		t.Kind = Variable
	}
	return t
}

// collector collects clauses, reports malformed parts, and spells keywords in lower case.
type collector struct {
	watch      *guard.Watch
	findings   *findings
	clauses    []*Clause
	conditions int  // so far
	incomplete bool // malformed clauses have been left out
	perceives  bool // within the term of a percept, which may be (does role move)
}

func (c *collector) clause(cl *Clause) {
	before := c.findings.errors
	if cl.isHeadless() {
		c.findings.add("E010", cl.Pos, cl.String(), "expected a head after `<=`, found `)`")
		return
	}
	if c.arrow(cl) {
		return
	}
	c.head(&cl.Head)
	cl.Body = c.formulas(cl.Body, false, 0)
	cl.malformed = c.findings.errors > before
	c.clauses = append(c.clauses, cl)
}

// head checks the head of a fact or rule.
func (c *collector) head(t *Term) {
	low, _ := keyword(t.Name)
	c.perceives = isPerception(Term{Name: low})
	c.sentence(t)
	c.perceives = false
	switch t.Name {
	case "not", "or", "and", "distinct", "<=":
		c.fault("E011", t.Pos, t, "expected a relation as the head, found `%s`", t.Name)
	case "true", "does":
		c.fault("E014", t.Pos, t, "`%s` cannot be the head of a rule", t.Name)
	}
}

// fault reports an error in a part of a clause.
func (c *collector) fault(code string, at Pos, part interface{ excerpt() string }, format string, args ...any) {
	c.findings.add(code, at, part.excerpt(), fmt.Sprintf(format, args...))
}

// formulas checks conditions, and returns them up to maxConditions.
func (c *collector) formulas(list []Formula, negated bool, depth int) []Formula {
	for i := range list {
		if c.conditions > maxConditions {
			return list[:i]
		}
		c.formula(&list[i], negated, depth)
	}
	return list
}

// formula checks a condition. Negated: it is inside a `not`. Depth is the number of enclosing connectives.
func (c *collector) formula(f *Formula, negated bool, depth int) {
	if c.conditions++; c.conditions > maxConditions {
		if c.conditions == maxConditions+1 {
			c.fault("E009", f.Pos, f, "expected at most %d conditions in all rules, found more", maxConditions)
		}
		*f = Formula{Pos: f.Pos}
		return
	}
	if f.Connective != Atomic && depth == maxConnectives {
		c.fault("E003", f.Pos, f, "expected at most %d nested `or`, `and` and `not`, found more", maxConnectives)
		*f = Formula{Pos: f.Pos}
		return
	}
	if negated && (f.Connective == Negation || f.Connective == Conjunction) {
		name, _ := keyword(f.Name)
		c.fault("E016", f.Pos, f, "expected an atom or `distinct` inside `not`, found `%s`", name)
		return
	}
	switch f.Connective {
	case Negation:
		if len(f.Subs) != 1 {
			c.fault("E012", f.Pos, f, "`not` takes 1 condition, found %d: write one `not` for each, or a relation for all of them", len(f.Subs))
			return
		}
		c.formulas(f.Subs, true, depth+1)
	case Disjunction, Conjunction:
		f.Subs = c.formulas(f.Subs, negated, depth+1)
	case Differ:
		if len(f.Args) != 2 {
			c.arity(f.Pos, f, "distinct", len(f.Args))
			return
		}
		c.terms(f.Args)
	case Atomic:
		if f.Atom.Name == "<=" && f.Atom.Kind == Compound {
			c.fault("E017", f.Pos, f, "expected a condition, found a rule inside a rule")
			return
		}
		if !c.connective(&f.Atom) {
			c.sentence(&f.Atom)
		}
	}
}

func (c *collector) arity(at Pos, part interface{ excerpt() string }, name string, found int) {
	c.fault("E012", at, part, "`%s` takes %s, found %d", name, plural(keywords[name], "argument"), found)
}

// sentence checks a relation applied to arguments.
func (c *collector) sentence(t *Term) {
	c.compound(t)
	if t.Kind == Variable {
		c.fault("E006", t.Pos, t, "expected a relation, found the variable %s", t.Name)
	}
	if name, ok := keyword(t.Name); ok {
		if want := keywords[name]; want >= 0 && want != len(t.Args) {
			c.arity(t.Pos, t, name, len(t.Args))
		}
		t.Name = name
	}
	t.unwrap()
}

// terms checks arguments.
func (c *collector) terms(list []Term) {
	for i := range list {
		t := &list[i]
		c.compound(t)
		t.unwrap()
		if name, ok := keyword(t.Name); ok && t.Kind == Compound && !(c.perceives && name == "does") {
			c.fault("E013", t.Pos, t, "expected a term, found the keyword `%s` used as a function", name)
		}
	}
}

// unwrap removes the parentheses around a name without arguments.
func (t *Term) unwrap() {
	if t.Kind == Compound && t.Name != "" && len(t.Args) == 0 {
		t.Kind = Symbol
	}
}

// compound reports a list that does not start with a name.
func (c *collector) compound(t *Term) {
	c.watch.Step()
	switch {
	case t.Kind != Compound || t.Name != "":
		c.terms(t.Args)
	case len(t.Args) == 0:
		c.fault("E005", t.Pos, t, "expected a name after `(`, found `)`")
	default:
		name, advice := t.Args[0], ""
		if len(t.Args) > 1 && foreignOperators[t.Args[1].Name] != "" {
			advice = ": " + foreignOperators[t.Args[1].Name]
		}
		c.fault("E006", name.Pos, name, "expected a name after `(`, found %s%s", name.excerpt(), advice)
	}
}

// Normal returns a term of a syntax tree without zero-arity parentheses. It fails unless each list in it starts with
// a name other than a keyword.
func (t Term) Normal() (Term, error) { return t.normal(false) }

// normal implements Normal; perceives permits (does role move), as in percepts.
func (t Term) normal(perceives bool) (Term, error) {
	c := collector{watch: guard.NewWatch(context.Background(), reading), findings: &findings{}, perceives: perceives}
	list := []Term{t}
	c.terms(list)
	return list[0], c.findings.finish("").err()
}

// ParseTerm parses a ground term, such as a move of a message.
func ParseTerm(s string) (Term, error) { return parseTerm(s, false) }

// ParsePercept parses a ground term of a percept, which may be (does role move).
func ParsePercept(s string) (Term, error) { return parseTerm(s, true) }

// ParseTerms parses terms in prefix syntax, without checking them: names such as # and a:-b are no comments or rules.
func ParseTerms(s string) ([]Term, error) {
	r := &reader{watch: guard.NewWatch(context.Background(), reading), text: textOf(s), syntax: lone, findings: &findings{}}
	tree, err := r.tree()
	if err != nil {
		return nil, err
	}
	var terms []Term
	for _, c := range tree.Clauses {
		if !c.IsFact() {
			return nil, fmt.Errorf("expected a term, found the rule %s", c.Head.excerpt())
		}
		terms = append(terms, c.Head)
	}
	return terms, nil
}

func parseTerm(s string, perceives bool) (Term, error) {
	terms, err := ParseTerms(s)
	if err != nil {
		return Term{}, err
	}
	if len(terms) != 1 {
		return Term{}, fmt.Errorf("expected one term, found %d in %q", len(terms), s)
	}
	t, err := terms[0].normal(perceives)
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

// plural returns a number with a noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "is"); ok {
		return fmt.Sprintf("%d %ses", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
