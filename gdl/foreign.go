package gdl

import (
	"fmt"

	"github.com/alecthomas/participle/v2/lexer"
)

// Operators and arrows of other languages that GDL lacks, with their equivalent in GDL.

const (
	noArithmetic = "GDL does not compute; write facts such as (succ 0 1) and ask for them"
	noInequality = "write (distinct ?x ?y), in infix syntax distinct(X,Y)"
	noEquality   = "write the same variable twice, or (not (distinct ?x ?y))"
)

// foreignOperators maps operators between two terms to their form in GDL.
var foreignOperators = map[string]string{
	"!=": noInequality, `\=`: noInequality, `\==`: noInequality, "<>": noInequality, "=": noEquality, "==": noEquality,
	"<": noArithmetic, ">": noArithmetic, ">=": noArithmetic, "=<": noArithmetic, "is": noArithmetic,
	"+": noArithmetic, "-": noArithmetic, "*": noArithmetic, "/": noArithmetic, "++": noArithmetic, "--": noArithmetic,
	"mod": noArithmetic, "plus": noArithmetic, "minus": noArithmetic, "add": noArithmetic,
}

// foreignConnectives maps connectives of other languages in prefix syntax to their form in GDL.
var foreignConnectives = map[string]string{
	"~": "write (not …)", "!": "write (not …)", "¬": "write (not …)", `\+`: "write (not …)",
	"&": "write the conditions side by side", "&&": "write the conditions side by side", ",": "write the conditions side by side",
	"|": "write (or … …)", "||": "write (or … …)",
}

// foreignArrows are arrows of other languages for `<=`.
var foreignArrows = map[string]bool{":-": true, "<-": true, "=>": true, "<==": true, "=<": true}

// isForeignOperator reports whether a token, not at the start of a line, is an operator that GDL lacks.
func isForeignOperator(t lexer.Token) bool {
	sign := foreignOperators[t.Value] != "" && (t.Value == "is" || t.Value[0] < 'a')
	return t.Type == tokenSymbol && t.Pos.Column > 1 && sign || isPunct(t, "!=")
}

// foreignFault returns an error for a clause of infix syntax with a foreign operator between two terms.
func foreignFault(clause []lexer.Token) (Diagnostic, bool) {
	for i, t := range clause {
		if i > 0 && isForeignOperator(t) && endsOperand(clause[i-1]) {
			return Diagnostic{
				Code: "E033", Pos: place(t.Pos), Text: t.Value,
				Message: fmt.Sprintf("expected an operator of infix syntax, found `%s`: %s", t.Value, foreignOperators[t.Value]),
			}, true
		}
	}
	return Diagnostic{}, false
}

// arrow reports a rule with another arrow than `<=`, or with a `<=` without parenthesis.
func (c *collector) arrow(cl *Clause) (malformed bool) {
	head := &cl.Head
	switch {
	case head.Kind == Symbol && head.Name == "<=" || head.Kind == Symbol && foreignArrows[head.Name]:
		c.fault("E032", head.Pos, head, "expected a rule in parentheses, found `%s` without `(` before it", head.Name)
	case head.Kind == Compound && cl.IsFact() && foreignArrows[head.Name]:
		c.fault("E032", head.Pos, head, "expected a rule that starts with `(<=`, found `(%s`", head.Name)
	default:
		return false
	}
	c.incomplete = true
	return true
}

// connective reports a foreign connective as a condition.
func (c *collector) connective(t *Term) (foreign bool) {
	advice := foreignConnectives[t.Name]
	if advice == "" || t.Kind == Compound && len(t.Args) > 0 && t.Args[0].Kind != Compound {
		return false
	}
	c.fault("E033", t.Pos, t, "expected a condition, found `%s`: %s", t.Name, advice)
	return true
}
