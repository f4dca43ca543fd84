package gdl

import "strings"

//go:generate go test -run TestDiagnosticsPageIsCurrent -update

// Code describes one kind of finding. The table of all codes is what the
// documentation is generated from and what the tests run.
type Code struct {
	ID      string // "E012" of an error, "W003" of a warning
	Title   string // what is wrong, in a few words
	Explain string // what the rule is and why it is one
	Hint    string // how to repair it
	Bad     string // an example with this finding
	Good    string // the example repaired
	Whole   bool   // the examples are whole games, not parts of one
}

// Codes lists all kinds of findings, errors first.
func Codes() []Code { return append(append([]Code(nil), errorCodes...), warningCodes...) }

// hints finds the hint of a code.
var hints = func() map[string]string {
	m := make(map[string]string)
	for _, c := range Codes() {
		m[c.ID] = c.Hint
	}
	return m
}()

// errorCodes are the faults that make a rulesheet invalid.
var errorCodes = []Code{
	{
		ID: "E001", Title: "closing parenthesis without an opening one",
		Explain: "Every `)` closes the nearest open `(`.",
		Hint:    "delete the parenthesis, or look for a `(` that is missing before it",
		Bad:     "(init (cell 1 1)))",
		Good:    "(init (cell 1 1))",
	}, {
		ID: "E002", Title: "parenthesis that is never closed",
		Explain: "A form ends with the `)` that closes its first `(`. Where parentheses are missing, a `(` in the " +
			"first column is taken for the start of the next form, so that the finding names the form at fault.",
		Hint: "add the missing `)` at the end of this form",
		Bad:  "(init (cell 1 1)\n(init (cell 1 2))",
		Good: "(init (cell 1 1))\n(init (cell 1 2))",
	}, {
		ID: "E003", Title: "parentheses nest too deeply",
		Explain: "Nesting is limited to 1000 levels; rules that people write stay below 20.",
		Hint:    "give the inner parts names of their own, as relations",
		Bad:     "(init " + deep(1001) + ")",
		Good:    "(init " + deep(10) + ")",
	}, {
		ID: "E004", Title: "variable without a name",
		Explain: "A variable is a `?` followed by its name without a blank.",
		Hint:    "write a name directly behind the question mark, such as ?x",
		Bad:     "(<= (seen ?) (true (cell ? 1)))",
		Good:    "(<= (seen ?x) (true (cell ?x 1)))",
	}, {
		ID: "E005", Title: "empty parentheses",
		Explain: "A list starts with the name of a relation or a function.",
		Hint:    "delete the parentheses, or write the name that is missing",
		Bad:     "(init (cell 1 ()))",
		Good:    "(init (cell 1 1))",
	}, {
		ID: "E006", Title: "something else where a name is expected",
		Explain: "The first element of a list is the name of a relation or a function: no variable and no list. GDL is " +
			"a first-order language.",
		Hint: "write the name of a relation or a function behind the parenthesis",
		Bad:  "(<= (seen ?x) (?r ?x))",
		Good: "(<= (seen ?x) (true (cell ?x 1)))",
	}, {
		ID: "E007", Title: "malformed infix rule",
		Explain: "In infix syntax a rule is `head :- condition & condition`, a condition `~p(X,a)` or `(p(X) | q(X))`.",
		Hint:    "see the operators of infix syntax: `:-` `&` `|` `~` and the comma between arguments",
		Bad:     "role(p)\nterminal :- & true(s)",
		Good: "role(p)\nterminal :- ~true(s)\ninit(s)\nlegal(p,n)\ngoal(p,50)\n" +
			"base(s)\ninput(p,n)",
		Whole: true,
	}, {
		ID: "E008", Title: "text or symbol that is too long",
		Explain: "A text has at most 786432 symbols, parentheses and comments (in infix syntax, 131072), a symbol at most " +
			"4096 bytes: limits that nothing but an accident or an attack exceeds.",
		Hint: "shorten the symbol, or let rules say what so many facts do",
		Bad:  "(init (cell 1 " + strings.Repeat("x", 5000) + "))",
		Good: "(init (cell 1 1))",
	}, {
		ID: "E009", Title: "too many conditions",
		Explain: "All rules together have 131072 conditions at most. A rule with disjunctions counts as one rule for each way " +
			"to choose their branches, or as a relation for each disjunction.",
		Hint: "define a relation for each disjunction, with the variables that the rest of the rule needs",
		Bad:  multiplied(4),
		Good: multiplied(1),
	}, {
		ID: "E010", Title: "rule without a head",
		Explain: "A rule is `(<= head condition …)`.",
		Hint:    "write what the rule concludes behind `<=`",
		Bad:     "(<=)",
		Good:    "(<= (seen 1))",
	}, {
		ID: "E011", Title: "head that is no relation",
		Explain: "A fact or the head of a rule is a relation applied to terms: no connective and no variable.",
		Hint:    "move `not`, `or` and `distinct` into bodies of rules",
		Bad:     "(<= (not (seen 1)) (true (cell 1 1)))",
		Good:    "(<= (seen 1) (not (true (cell 1 1))))",
	}, {
		ID: "E012", Title: "keyword with the wrong number of arguments",
		Explain: "role/1 init/1 base/1 input/2 true/1 does/2 next/1 legal/2 goal/2 terminal/0 distinct/2 not/1 sees/2.",
		Hint:    "give the keyword exactly its arguments",
		Bad:     "(<= (legal p) (true (cell 1 1)))",
		Good:    "(<= (legal p n) (true (cell 1 1)))",
	}, {
		ID: "E013", Title: "keyword used as a function",
		Explain: "Keywords are relations or connectives; inside a term they would mean nothing.",
		Hint:    "ask for the relation as a condition of its own, or rename the function",
		Bad:     "(<= (seen ?x) (true (next (cell ?x 1))))",
		Good:    "(<= (seen ?x) (true (cell ?x 1)))",
	}, {
		ID: "E014", Title: "`role`, `true` or `does` as the head of a rule",
		Explain: "Roles are facts. What is true follows from `init` and `next`, what a role does is its choice.",
		Hint:    "conclude `next` or `init` instead of `true`, `legal` instead of `does`; write roles as facts",
		Bad:     "(<= (true (cell 1 1)) (does p n))",
		Good:    "(<= (next (cell 1 1)) (does p n))",
	}, {
		ID: "E015", Title: "`init`, `next`, `base` or `input` in a body",
		Explain: "These relations are what the rules conclude for whoever runs the game; no rule may ask for them.",
		Hint:    "ask for `true`, or define a relation that both rules use",
		Bad:     "(<= (seen ?x) (init (cell ?x 1)))",
		Good:    "(<= (seen ?x) (true (cell ?x 1)))",
	}, {
		ID: "E016", Title: "negation of something other than an atom or `distinct`",
		Explain: "`not` negates one atom, a `distinct`, or, by courtesy, an `or` of such.",
		Hint:    "take a double negation away; define a relation for a conjunction and negate that",
		Bad:     "(<= (seen 1) (not (not (true (cell 1 1)))))",
		Good:    "(<= (seen 1) (true (cell 1 1)))",
	}, {
		ID: "E017", Title: "rule inside a rule",
		Explain: "`<=` stands at the start of a form only.",
		Hint:    "close the rule before the next one starts",
		Bad:     "(<= (seen 1) (true (cell 1 1)) (<= (seen 2) (true (cell 1 2))))",
		Good:    "(<= (seen 1) (true (cell 1 1)))\n(<= (seen 2) (true (cell 1 2)))",
	}, {
		ID: "E018", Title: "variable in a fact",
		Explain: "A fact has no body that could bind a variable, so it would hold of everything.",
		Hint:    "add a body that binds the variable, or write the facts one by one",
		Bad:     "(index ?x)\n(<= (seen ?x) (index ?x))",
		Good:    "(index 1)\n(index 2)\n(<= (seen ?x) (index ?x))",
	}, {
		ID: "E019", Title: "unsafe variable",
		Explain: "Every variable of the head, of a `not` and of a `distinct` must occur in a positive condition of the same " +
			"body; an `or` binds only what all of its branches bind. Else the rule would hold of infinitely many terms. The " +
			"order of the conditions does not matter.",
		Hint: "add a positive condition in which the variable occurs",
		Bad:  "(<= (seen ?x) (not (true (cell ?x 1))))",
		Good: "(index 1)\n(<= (seen ?x) (index ?x) (not (true (cell ?x 1))))",
	}, {
		ID: "E020", Title: "no role", Whole: true,
		Explain: "A game has at least one role.",
		Hint:    "declare each role with a fact, such as (role robot)",
		Bad:     "(init (s 1))\n(<= (next (s 1)) (true (s 1)))\n(legal p n)\n(goal p 50)\n(<= terminal (true (s 1)))",
		Good: "(role p)\n(init (s 1))\n(<= (next (s 1)) (true (s 1)))\n(legal p n)\n(goal p 50)\n" +
			"(<= terminal (true (s 1)))",
	}, {
		ID: "E021", Title: "no terminal rule", Whole: true,
		Explain: "A game must be able to end.",
		Hint:    "say when the game ends with a rule for `terminal`",
		Bad:     "(role p)\n(init (s 1))\n(<= (next (s 1)) (true (s 1)))\n(legal p n)\n(goal p 50)",
		Good: "(role p)\n(init (s 1))\n(<= (next (s 1)) (true (s 1)))\n(legal p n)\n(goal p 50)\n" +
			"(<= terminal (true (s 1)))",
	}, {
		ID: "E022", Title: "no goal rule", Whole: true,
		Explain: "Every role must be told what an outcome is worth.",
		Hint:    "write a rule for `goal` for each role, with a value from 0 to 100",
		Bad:     "(role p)\n(init (s 1))\n(<= (next (s 1)) (true (s 1)))\n(legal p n)\n(<= terminal (true (s 1)))",
		Good: "(role p)\n(init (s 1))\n(<= (next (s 1)) (true (s 1)))\n(legal p n)\n(goal p 50)\n" +
			"(<= terminal (true (s 1)))",
	}, {
		ID: "E023", Title: "no legal rule", Whole: true,
		Explain: "Every role needs a legal move in every position that is not terminal.",
		Hint:    "write a rule for `legal` for each role",
		Bad:     "(role p)\n(init (s 1))\n(<= (next (s 1)) (true (s 1)))\n(goal p 50)\n(<= terminal (true (s 1)))",
		Good: "(role p)\n(init (s 1))\n(<= (next (s 1)) (true (s 1)))\n(legal p n)\n(goal p 50)\n" +
			"(<= terminal (true (s 1)))",
	}, {
		ID: "E024", Title: "`init`, `base` or `input` depends on the position",
		Explain: "These relations hold before there is a position, so no chain of rules may lead from them to `true` or " +
			"`does`.",
		Hint: "define them by facts and by relations that hold in all positions",
		Bad:  "(<= (base (cell ?x 2)) (true (cell ?x 1)))",
		Good: "(index 1)\n(<= (base (cell ?x 2)) (index ?x))",
	}, {
		ID: "E025", Title: "`legal`, `goal` or `terminal` depends on `does`",
		Explain: "What is legal and what a position is worth is known before the roles choose.",
		Hint:    "ask for `true`; let `next` remember what was done",
		Bad:     "(<= (legal p n) (does p n))",
		Good:    "(<= (next (done n)) (does p n))\n(<= (legal p n) (true (done n)))",
	}, {
		ID: "E026", Title: "negation in a cycle",
		Explain: "A relation must not depend on its own negation: the rules must be stratified to have one meaning.",
		Hint:    "break the cycle: define the negated relation without the one that negates it",
		Bad:     "(<= (won 1) (true (cell 1 1)) (not (lost 1)))\n(<= (lost 1) (true (cell 1 1)) (not (won 1)))",
		Good:    "(<= (won 1) (true (cell 1 1)))\n(<= (lost 1) (not (won 1)))",
	}, {
		ID: "E027", Title: "recursion that may not end",
		Explain: "Each argument of a condition that is in a cycle with the head must be ground, an argument of the head, or " +
			"be an argument of a positive condition outside the cycle. It keeps the terms finite although function terms nest.",
		Hint: "bind the argument by a condition that is not recursive",
		Bad:  "(number zero)\n(<= (number (s ?x)) (number ?x))",
		Good: "(follows zero one)\n(number zero)\n(<= (number ?y) (follows ?x ?y) (number ?x))",
	}, {
		ID: "E030", Title: "imperfect information is not supported",
		Explain: "Games of GDL-II in which roles see only part of the moves (`sees`, `percept`) need players that reason " +
			"about what they do not know. They are refused, because to play them as if all were known would be wrong.",
		Hint: "play the game with a player for GDL-II, or delete the rules for `sees` and `percept` if all roles see all",
		Bad:  "(<= (sees p (cell ?x 1)) (true (cell ?x 1)))",
		Good: "(<= (seen (cell ?x 1)) (true (cell ?x 1)))",
	}, {
		ID: "E031", Title: "more errors than are listed",
		Explain: "A thousand errors are listed, those that were found first.",
		Hint:    "repair these, then check again",
		Bad:     strings.Repeat("(init ())\n", 1001),
		Good:    "(init (cell 1 2))",
	},
}

// multiplied is some rules of 50 000 conditions each when their disjunctions are
// distributed.
func multiplied(rules int) string {
	const condition = "(true (cell 1 1)) "
	return strings.Repeat("(<= (seen 1) "+strings.Repeat(condition, 200)+"(or "+strings.Repeat(condition, 250)+"))\n", rules)
}

// deep is a term of the given depth.
func deep(n int) string { return strings.Repeat("(f ", n) + "a" + strings.Repeat(")", n) }
