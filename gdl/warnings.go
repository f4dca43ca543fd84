package gdl

import "strings"

// warningCodes are the findings that leave a rulesheet valid.
var warningCodes = []Code{
	{
		ID: "W001", Title: "name with a varying number of arguments",
		Explain: "A relation or a function has one number of arguments. Uses with another number are read as another " +
			"relation or function, which is seldom meant.",
		Hint: "use the same number of arguments everywhere, or another name",
		Bad:  "(index 1)\n(<= (seen ?x) (index ?x 2))",
		Good: "(index 1)\n(<= (seen ?x) (index ?x))",
	}, {
		ID: "W002", Title: "name of a relation and of a function",
		Explain: "The two are kept apart, but readers will take one for the other, and some engines do.",
		Hint:    "rename one of them",
		Bad:     "(seen 1)\n(<= (init (seen ?x)) (seen ?x))",
		Good:    "(index 1)\n(<= (init (seen ?x)) (index ?x))",
	}, {
		ID: "W003", Title: "keyword used as a constant",
		Explain: "Inside terms a keyword is an ordinary symbol. Some servers change its case.",
		Hint:    "rename the constant",
		Bad:     "(init (cell 1 goal))",
		Good:    "(init (cell 1 target))",
	}, {
		ID: "W004", Title: "relation without a rule",
		Explain: "No fact and no rule concludes the relation, so the condition is always false. Most often the name is " +
			"misspelt.",
		Hint: "check the spelling, or define the relation",
		Bad:  "(<= (seen ?x) (indx ?x))",
		Good: "(index 1)\n(<= (seen ?x) (index ?x))",
	}, {
		ID: "W005", Title: "relation that is never used",
		Explain: "No body asks for the relation, so its rules have no effect.",
		Hint:    "delete its rules, or check the spelling where it should be used",
		Bad:     "(index 1)",
		Good:    "(index 1)\n(<= (next (cell ?x 1)) (index ?x))",
	}, {
		ID: "W006", Title: "nested, empty or single `or`",
		Explain: "An `or` inside an `or` is the same `or`; an empty one is always false; one branch needs no `or`.",
		Hint:    "write one `or` with all branches, at least two",
		Bad:     "(<= (seen 1) (or (true (cell 1 1)) (or (true (cell 1 2)) (true (cell 2 1)))))",
		Good:    "(<= (seen 1) (or (true (cell 1 1)) (true (cell 1 2)) (true (cell 2 1))))",
	}, {
		ID: "W007", Title: "no `base` or no `input`", Whole: true,
		Explain: "They list all fluents and moves. They are hints: many rulesheets have none, and what can be reached is " +
			"computed from the rules in any case.",
		Hint: "add `base` for every fluent and `input` for every move, for engines that rely on them",
		Bad: "(role p)\n(init (s 1))\n(<= (next (s 1)) (true (s 1)))\n(legal p n)\n(goal p 50)\n" +
			"(<= terminal (true (s 1)))",
		Good: "(role p)\n(base (s 1))\n(input p n)\n(init (s 1))\n(<= (next (s 1)) (true (s 1)))\n(legal p n)\n" +
			"(goal p 50)\n(<= terminal (true (s 1)))",
	}, {
		ID: "W008", Title: "`base` or `input` disagrees with the rules", Whole: true,
		Explain: "A function heads a fluent of `init` or `next` (a move of `legal`) but no fluent of `base` (no move of " +
			"`input`), or the other way round.",
		Hint: "make `base` list what `init` and `next` conclude, and `input` what `legal` does",
		Bad: "(role p)\n(base (t 1))\n(base (s 1))\n(input p n)\n(init (s 1))\n(<= (next (s 1)) (true (s 1)))\n" +
			"(legal p n)\n(goal p 50)\n(<= terminal (true (s 1)))",
		Good: "(role p)\n(base (s 1))\n(input p n)\n(init (s 1))\n(<= (next (s 1)) (true (s 1)))\n" +
			"(legal p n)\n(goal p 50)\n(<= terminal (true (s 1)))",
	}, {
		ID: "W009", Title: "goal value that is a variable",
		Explain: "The value is known only when the game is played; nothing can be said about its range beforehand.",
		Hint:    "nothing needs repair if the variable is bound to numbers from 0 to 100",
		Bad:     "(score 50)\n(<= (goal p ?v) (score ?v) (true (cell 1 1)))",
		Good:    "(<= (goal p 50) (true (cell 1 1)))",
	}, {
		ID: "W010", Title: "symbols that differ only in case",
		Explain: "Symbols are compared as spelled, but servers that change the case of the whole text make one of two.",
		Hint:    "spell the symbol in one way",
		Bad:     "(init (cell 1 Red))\n(<= (seen ?x) (true (cell ?x red)))",
		Good:    "(init (cell 1 red))\n(<= (seen ?x) (true (cell ?x red)))",
	}, {
		ID: "W011", Title: "`or` inside `not`",
		Explain: "Read as the negation of every branch. GDL allows `not` of an atom only, and some engines misread the rest.",
		Hint:    "write one `not` for each branch",
		Bad:     "(<= (seen 1) (not (or (true (cell 1 1)) (true (cell 1 2)))))",
		Good:    "(<= (seen 1) (not (true (cell 1 1))) (not (true (cell 1 2))))",
	}, {
		ID: "W012", Title: "`and`",
		Explain: "Read as the conjunction of its operands. It is no keyword of GDL, and other engines take it for a relation.",
		Hint:    "list the conditions in the body; inside an `or`, define a relation for the conjunction",
		Bad:     "(<= (seen 1) (and (true (cell 1 1)) (true (cell 1 2))))",
		Good:    "(<= (seen 1) (true (cell 1 1)) (true (cell 1 2)))",
	}, {
		ID: "W013", Title: "symbol that is not ASCII",
		Explain: "Messages of the protocol are ASCII, so such a symbol may arrive garbled.",
		Hint:    "spell the symbol in ASCII",
		Bad:     "(init (cell 1 bœuf))",
		Good:    "(init (cell 1 beef))",
	}, {
		ID: "W014", Title: "role declared twice",
		Explain: "The repetition is ignored.",
		Hint:    "delete the repetition",
		Bad:     "(role q)\n(role q)\n(legal q n)\n(goal q 0)",
		Good:    "(role q)\n(legal q n)\n(goal q 0)",
	}, {
		ID: "W015", Title: "role without a rule for `legal` or `goal`",
		Explain: "No head of `legal` (or `goal`) fits the role, so it never has a move (or a value).",
		Hint:    "write the rule, or delete the role",
		Bad:     "(role q)\n(legal q n)",
		Good:    "(role q)\n(legal q n)\n(goal q 0)",
	}, {
		ID: "W016", Title: "goal value that is no number from 0 to 100",
		Explain: "Goal values are integers from 0 to 100; servers and players rely on it.",
		Hint:    "scale the values to 0 to 100",
		Bad:     "(<= (goal p 150) (true (cell 1 1)))",
		Good:    "(<= (goal p 100) (true (cell 1 1)))",
	}, {
		ID: "W017", Title: "fluent or move that no rule makes",
		Explain: "No `init` or `next` concludes a fluent (no `legal` a move) of this name, so the condition is always false.",
		Hint:    "check the spelling and the number of arguments",
		Bad:     "(<= (seen ?x) (true (cel ?x 1)))",
		Good:    "(<= (seen ?x) (true (cell ?x 1)))",
	}, {
		ID: "W018", Title: "role that is not declared",
		Explain: "The first argument of `legal`, `does`, `goal` and `input` is a role.",
		Hint:    "check the spelling, or declare the role",
		Bad:     "(<= (next (cell 1 1)) (does pp n))",
		Good:    "(<= (next (cell 1 1)) (does p n))",
	}, {
		ID: "W019", Title: "negation in a cycle that the arguments break",
		Explain: "The relation depends on its own negation by name, though not for the arguments that the rules give. It is " +
			"read as it is meant, by splitting the relation; engines that stratify by name reject it.",
		Hint: "define a relation for the condition and use it in both rules",
		Bad:  "(<= (goal p 100) (true (cell 1 1)))\n(<= (goal p 0) (not (goal p 100)))",
		Good: "(<= won (true (cell 1 1)))\n(<= (goal p 100) won)\n(<= (goal p 0) (not won))",
	}, {
		ID: "W020", Title: "recursion bound inside a function term only",
		Explain: "The argument of a recursive condition is no argument of a condition outside the cycle, as GDL demands, but " +
			"occurs inside one. The recursion ends all the same; strict checkers reject it.",
		Hint: "define a relation that has the argument, and use it here",
		Bad:  "(reach 1)\n(<= (reach ?y) (reach ?x) (true (cell ?x ?y)))",
		Good: "(<= (edge ?x ?y) (true (cell ?x ?y)))\n(reach 1)\n(<= (reach ?y) (reach ?x) (edge ?x ?y))",
	}, {
		ID: "W021", Title: "more warnings than are listed",
		Explain: "A thousand warnings are listed, those that were found first.",
		Hint:    "mend these, then check again",
		Bad:     strings.Repeat("(<= (next (cell 1 1)) (does pp n))\n", 1001),
		Good:    "(<= (next (cell 1 1)) (does p n))",
	},
}
