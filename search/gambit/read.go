package gambit

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/scanner"
)

// node is a node of a tree in extensive form.
type node struct {
	player  int // 1 or 2; 0 for chance
	set     string
	actions []string
	shares  []*big.Rat // of chance, by action
	kids    []*node
	payoffs []*big.Rat // of a leaf, by player
	line    int
}

// IsFile reports whether a file of this name is read by Rules.
func IsFile(name string) bool {
	return strings.HasSuffix(name, ".nfg") || strings.HasSuffix(name, ".efg")
}

// Rules returns a rulesheet for a game of two players in one of the formats. Payoffs become goals: as they are if all
// payoffs of both players are whole numbers from 0 to 100, else shifted and scaled for each player, as a comment of the
// rulesheet says. A constant sum of payoffs becomes a constant sum of goals. Information sets of several nodes are read
// where they say that both players choose at once. The error names the line.
func Rules(src string) (rules string, err error) {
	p := &parser{}
	p.s.Init(strings.NewReader(src))
	p.s.Mode = scanner.ScanIdents
	p.s.IsIdentRune = func(c rune, _ int) bool { return c > ' ' && !strings.ContainsRune(`{},"`, c) }
	p.s.Error = func(_ *scanner.Scanner, text string) { p.fail("%s", text) }
	defer func() {
		switch f := recover().(type) {
		case nil:
		case fault:
			rules, err = "", f.error
		default:
			panic(f)
		}
	}()
	p.next()
	format := p.word()
	p.word()
	p.word()
	p.text()
	line, names := p.s.Pos().Line, p.texts()
	if len(names) != 2 {
		p.failAt(line, "expected two players, found %d", len(names))
	}
	var root *node
	switch format {
	case "NFG":
		root = p.matrix()
	case "EFG":
		if p.token == '"' {
			p.text()
		}
		root = p.tree()
	default:
		p.fail("expected a file that begins with NFG or EFG, found %s", format)
	}
	if p.token != scanner.EOF {
		p.fail("expected the end of the file, found %s", p.s.TokenText())
	}
	return write(names, root)
}

// fault is an error on its way out of the parser.
type fault struct{ error }

type parser struct {
	s        scanner.Scanner
	token    rune
	outcomes map[int][]*big.Rat
	sets     map[string]*node // first node of each information set
}

func (p *parser) next() { p.token = p.s.Scan() }

// fail ends the reading with an error in the line of the next token.
func (p *parser) fail(format string, args ...any) { p.failAt(p.s.Pos().Line, format, args...) }

func (p *parser) failAt(line int, format string, args ...any) {
	panic(fault{fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))})
}

// word returns a word or the text of a number.
func (p *parser) word() string {
	if p.token != scanner.Ident {
		p.fail("expected a word, found %q", p.s.TokenText())
	}
	defer p.next()
	return p.s.TokenText()
}

// text returns a text in quotes, which may have several lines. As in Gambit, \" is a quote inside the text, and any other
// backslash a sign like others.
func (p *parser) text() string {
	line := p.s.Pos().Line
	if p.token != '"' {
		p.fail("expected a text in quotes, found %q", p.s.TokenText())
	}
	var b strings.Builder
	for {
		c := p.s.Next()
		if c == '\\' && p.s.Peek() == '"' {
			c = p.s.Next()
		} else if c == '"' {
			break
		} else if c == scanner.EOF {
			p.failAt(line, "expected a quote at the end of the text, found none")
		}
		b.WriteRune(c)
	}
	p.next()
	return b.String()
}

// maxNumber bounds the text of a number, in bytes, maxCells the cells of a matrix, and maxIndex the number of an outcome
// or of an information set.
const (
	maxNumber = 64
	maxCells  = 1 << 16
	maxIndex  = math.MaxInt32
)

// decimal matches 3, -1, 0.25, 1e-3 or 1/3. A long exponent would make a short text a long number.
var decimal = regexp.MustCompile(`^([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d\d?)?)(?:/(\d+))?$`)

// number returns a number in base 10.
func (p *parser) number() *big.Rat {
	text := p.s.TokenText()
	parts := decimal.FindStringSubmatch(text)
	if len(text) > maxNumber || parts == nil {
		p.fail("expected a number such as 3, -1, 0.25 or 1/3, found %q", text)
	}
	v, _ := new(big.Rat).SetString(parts[1]) // with a denominator in the text, 010 would be octal
	if parts[2] != "" {
		denominator, _ := new(big.Rat).SetString(parts[2])
		if denominator.Sign() == 0 {
			p.fail("expected a denominator other than 0, found %q", text)
		}
		v.Quo(v, denominator)
	}
	p.next()
	return v
}

// probability returns a number that is not negative.
func (p *parser) probability() *big.Rat {
	line := p.s.Pos().Line
	v := p.number()
	if v.Sign() < 0 {
		p.failAt(line, "expected a probability from 0 to 1, found %s", v.RatString())
	}
	return v
}

// integer returns a whole number within bounds.
func (p *parser) integer(kind string, least, most int) int {
	n, err := strconv.Atoi(p.s.TokenText())
	if err != nil || n < least || n > most {
		p.fail("expected %s from %d to %d, found %q", kind, least, most, p.s.TokenText())
	}
	p.next()
	return n
}

// texts returns the texts in quotes between braces.
func (p *parser) texts() (list []string) {
	p.brace('{')
	p.items(func() { list = append(list, p.text()) })
	return list
}

// items calls item for each item up to a closing brace. Commas between them are optional.
func (p *parser) items(item func()) {
	for p.token != '}' && p.token != scanner.EOF {
		if p.token == ',' {
			p.next()
			continue
		}
		item()
	}
	p.brace('}')
}

func (p *parser) brace(want rune) {
	if p.token != want {
		p.fail("expected %c, found %q", want, p.s.TokenText())
	}
	p.next()
}

// payoffs returns the payoffs of both players, up to a closing brace.
func (p *parser) payoffs() (list []*big.Rat) {
	line := p.s.Pos().Line
	p.items(func() { list = append(list, p.number()) })
	if len(list) != 2 {
		p.failAt(line, "expected the payoffs of two players, found %d", len(list))
	}
	return list
}

// matrix reads the body of an .nfg file: the sizes or the names of the strategies, then payoffs or outcomes.
func (p *parser) matrix() *node {
	strategies, line := make([][]string, 2), p.s.Pos().Line
	p.brace('{')
	for i := range strategies {
		if p.token == '{' {
			strategies[i] = p.texts()
		} else {
			strategies[i] = make([]string, p.integer("a number of strategies", 1, maxCells))
		}
	}
	p.brace('}')
	if cells := len(strategies[0]) * len(strategies[1]); cells == 0 || cells > maxCells {
		p.failAt(line, "expected strategies of both players and at most %d cells, found %d × %d", maxCells, len(strategies[0]), len(strategies[1]))
	}
	if p.token == '"' {
		p.text()
	}
	outcomes := p.outcomeList()
	root := &node{player: 1, set: "row", actions: strategies[0]}
	for range strategies[0] {
		root.kids = append(root.kids, &node{player: 2, set: "column", actions: strategies[1], kids: make([]*node, len(strategies[1]))})
	}
	for j := range strategies[1] { // the strategy of the first player varies fastest
		for i := range strategies[0] {
			root.kids[i].kids[j] = &node{payoffs: p.cell(outcomes)}
		}
	}
	return root
}

// outcomeList returns the payoffs of the outcomes of an .nfg file, nil if it has none.
func (p *parser) outcomeList() (list [][]*big.Rat) {
	if p.token != '{' {
		return nil
	}
	p.next()
	for p.token == '{' {
		p.next()
		p.text()
		list = append(list, p.payoffs())
	}
	p.brace('}')
	return list
}

// cell returns the payoffs of the next cell of a matrix: two numbers, or an outcome by its number, of which 0 pays nothing.
func (p *parser) cell(outcomes [][]*big.Rat) []*big.Rat {
	if outcomes == nil {
		return []*big.Rat{p.number(), p.number()}
	}
	n := p.integer("an outcome", 0, len(outcomes))
	if n == 0 {
		return []*big.Rat{new(big.Rat), new(big.Rat)}
	}
	return outcomes[n-1]
}

// maxDepth bounds the depth of a tree that is read.
const maxDepth = 1000

// tree reads the nodes of an .efg in prefix order.
func (p *parser) tree() *node {
	p.outcomes, p.sets = make(map[int][]*big.Rat), make(map[string]*node)
	return p.node(0)
}

func (p *parser) node(depth int) *node {
	if depth > maxDepth {
		p.fail("expected at most %d nodes on a path, found more", maxDepth)
	}
	n := &node{line: p.s.Pos().Line}
	kind := p.word()
	p.text()
	switch kind {
	case "t":
		n.payoffs = p.outcome()
		if n.payoffs == nil {
			n.payoffs = []*big.Rat{new(big.Rat), new(big.Rat)}
		}
		return n
	case "p":
		n.player = p.integer("a player", 1, 2)
	case "c":
	default:
		p.fail("expected a node that begins with c, p or t, found %s", kind)
	}
	n.set = fmt.Sprint(n.player, "/", p.integer("an information set", 0, maxIndex))
	if p.token == '"' {
		p.text()
	}
	p.brace('{')
	for p.token == '"' {
		n.actions = append(n.actions, p.text())
		if kind == "c" {
			n.shares = append(n.shares, p.probability())
		}
	}
	p.brace('}')
	if len(n.actions) == 0 {
		p.fail("expected actions in quotes, found none")
	}
	p.compare(n)
	if p.outcome() != nil {
		p.failAt(n.line, "expected outcome 0 at a node that is no end, found payoffs: add them to the payoffs of the ends below")
	}
	for range n.actions {
		n.kids = append(n.kids, p.node(depth+1))
	}
	return n
}

// compare fails if the first node of n's information set has other actions, or chance has other probabilities there: a
// player who does not know the node chooses among the same actions.
func (p *parser) compare(n *node) {
	first := p.sets[n.set]
	if first == nil {
		p.sets[n.set] = n
		return
	}
	if !slices.Equal(n.actions, first.actions) {
		p.failAt(n.line, "expected the actions %q in this order, as in line %d for the same information set, found %q", first.actions, first.line, n.actions)
	}
	if !slices.EqualFunc(n.shares, first.shares, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 }) {
		p.failAt(n.line, "expected the probabilities of line %d for the same information set, found others: give this node a set of its own", first.line)
	}
}

// outcome returns the payoffs of an outcome, which are written where it is first used; nil for outcome 0.
func (p *parser) outcome() []*big.Rat {
	line, number := p.s.Pos().Line, p.integer("an outcome", 0, maxIndex)
	if p.token == '"' {
		p.text()
	}
	known := p.outcomes[number]
	if p.token == '{' {
		p.next()
		found := p.payoffs()
		if number == 0 || known != nil && (found[0].Cmp(known[0]) != 0 || found[1].Cmp(known[1]) != 0) {
			p.failAt(line, "expected equal payoffs at all uses of outcome %d, and none at outcome 0; found others: give them an outcome of their own", number)
		}
		known, p.outcomes[number] = found, found
	}
	if number != 0 && known == nil {
		p.failAt(line, "outcome %d has no payoffs: expected them where it is first used", number)
	}
	return known
}

// isJoint reports whether the other player chooses at a node without knowing its action: all kids are in one information set.
func (n *node) isJoint() bool {
	return n.player != 0 && len(n.kids) > 0 && n.kids[0].player == 3-n.player &&
		!slices.ContainsFunc(n.kids, func(k *node) bool { return k.kids == nil || k.set != n.kids[0].set })
}
