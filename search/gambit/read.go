package gambit

import (
	"fmt"
	"math/big"
	"slices"
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

// Rules returns a rulesheet for a game of two players in one of the formats. Payoffs become goals: as they are if
// all are whole numbers from 0 to 100, else shifted and scaled for each player, as a comment of the rulesheet says. Information sets of several
// nodes are read where they say that both players choose at once. The error names the line.
func Rules(src string) (rules string, err error) {
	p := &parser{}
	p.s.Init(strings.NewReader(src))
	p.s.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanFloats | scanner.ScanStrings
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
	names := p.list(p.text)
	if len(names) != 2 {
		p.fail("expected two players, found %d", len(names))
	}
	var root *node
	switch format {
	case "NFG":
		root = p.matrix()
	case "EFG":
		if p.token == scanner.String {
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
	outcomes map[string][]*big.Rat
	sets     map[string]*node // first node of each information set
}

func (p *parser) next() { p.token = p.s.Scan() }

// fail ends the reading with an error in the line of the next token.
func (p *parser) fail(format string, args ...any) { p.failAt(p.s.Pos().Line, format, args...) }

func (p *parser) failAt(line int, format string, args ...any) {
	panic(fault{fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))})
}

// word returns an identifier or a number.
func (p *parser) word() string {
	if p.token != scanner.Ident && p.token != scanner.Int {
		p.fail("expected a word, found %q", p.s.TokenText())
	}
	defer p.next()
	return p.s.TokenText()
}

// text returns a text in quotes.
func (p *parser) text() string {
	if p.token != scanner.String {
		p.fail("expected a text in quotes, found %q", p.s.TokenText())
	}
	defer p.next()
	return strings.Trim(p.s.TokenText(), `"`)
}

// maxNumber bounds the text of a number, in bytes, and maxCells the cells of a matrix that is read.
const (
	maxNumber = 64
	maxCells  = 1 << 16
)

// number returns a number: 3, -1, 0.25 or 1/3.
func (p *parser) number() *big.Rat {
	text := ""
	for p.token == '-' || p.token == '+' {
		text += string(p.token)
		p.next()
	}
	text += p.s.TokenText()
	p.next()
	if p.token == '/' {
		p.next()
		text += "/" + p.s.TokenText()
		p.next()
	}
	v, ok := new(big.Rat), false
	if len(text) <= maxNumber && !strings.ContainsAny(text, "eEpPxX_") { // an exponent would make a short text a long number
		v, ok = v.SetString(text)
	}
	if !ok {
		p.fail("expected a number, found %q", text)
	}
	return v
}

// list returns the items between braces, with or without commas.
func (p *parser) list(item func() string) (items []string) {
	p.brace('{')
	for p.token != '}' && p.token != scanner.EOF {
		if p.token == ',' {
			p.next()
			continue
		}
		items = append(items, item())
	}
	p.brace('}')
	return items
}

func (p *parser) brace(want rune) {
	if p.token != want {
		p.fail("expected %c, found %q", want, p.s.TokenText())
	}
	p.next()
}

// payoffs returns the numbers between braces.
func (p *parser) payoffs() (list []*big.Rat) {
	p.list(func() string { list = append(list, p.number()); return "" })
	if len(list) != 2 {
		p.fail("expected the payoffs of two players, found %d", len(list))
	}
	return list
}

// matrix reads the body of an .nfg file: the sizes or the names of the strategies, then payoffs or outcomes.
func (p *parser) matrix() *node {
	strategies := make([][]string, 2)
	p.brace('{')
	for i := range strategies {
		if p.token == '{' {
			strategies[i] = p.list(p.text)
			continue
		}
		count := p.number()
		if !count.IsInt() || count.Num().BitLen() > 12 || count.Sign() <= 0 {
			p.fail("expected the number of strategies, found %s", count.RatString())
		}
		strategies[i] = make([]string, count.Num().Int64())
	}
	p.brace('}')
	if cells := len(strategies[0]) * len(strategies[1]); cells > maxCells {
		p.fail("expected at most %d cells, found %d", maxCells, cells)
	}
	if p.token == scanner.String {
		p.text()
	}
	var outcomes [][]*big.Rat
	if p.token == '{' {
		p.brace('{')
		for p.token == '{' {
			p.brace('{')
			p.text()
			var pair []*big.Rat
			for p.token != '}' && p.token != scanner.EOF {
				if p.token == ',' {
					p.next()
					continue
				}
				pair = append(pair, p.number())
			}
			p.brace('}')
			outcomes = append(outcomes, pair)
		}
		p.brace('}')
	}
	root := &node{player: 1, set: "row", actions: strategies[0]}
	for range strategies[0] {
		root.kids = append(root.kids, &node{player: 2, set: "column", actions: strategies[1], kids: make([]*node, len(strategies[1]))})
	}
	for j := range strategies[1] { // the strategy of the first player varies fastest
		for i := range strategies[0] {
			leaf := &node{payoffs: p.cell(outcomes)}
			if len(leaf.payoffs) != 2 {
				p.fail("expected the payoffs of two players, found %d", len(leaf.payoffs))
			}
			root.kids[i].kids[j] = leaf
		}
	}
	return root
}

// cell returns the payoffs of the next cell of a matrix: two numbers, or an outcome by its number, of which 0 pays nothing.
func (p *parser) cell(outcomes [][]*big.Rat) []*big.Rat {
	first := p.number()
	if outcomes == nil {
		return []*big.Rat{first, p.number()}
	}
	n := first.Num().Int64()
	if n == 0 {
		return []*big.Rat{new(big.Rat), new(big.Rat)}
	}
	if !first.IsInt() || n < 1 || n > int64(len(outcomes)) {
		p.fail("expected an outcome from 0 to %d, found %s", len(outcomes), first.RatString())
	}
	return outcomes[n-1]
}

// maxDepth bounds the depth of a tree that is read.
const maxDepth = 1000

// tree reads the nodes of an .efg in prefix order.
func (p *parser) tree() *node {
	p.outcomes, p.sets = make(map[string][]*big.Rat), make(map[string]*node)
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
		n.player = int(p.number().Num().Int64())
		if n.player != 1 && n.player != 2 {
			p.fail("expected player 1 or 2, found %d", n.player)
		}
	case "c":
	default:
		p.fail("expected a node that begins with c, p or t, found %s", kind)
	}
	n.set = fmt.Sprint(n.player, "/", p.word())
	if p.token == scanner.String {
		p.text()
	}
	p.brace('{')
	for p.token == scanner.String {
		n.actions = append(n.actions, p.text())
		if kind == "c" {
			n.shares = append(n.shares, p.number())
		}
	}
	p.brace('}')
	if len(n.actions) == 0 {
		p.fail("expected actions in quotes, found none")
	}
	p.compare(n)
	if p.outcome() != nil {
		p.fail("payoffs at a node that is no end are not supported")
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
	number := p.word()
	if p.token == scanner.String {
		p.text()
	}
	if p.token == '{' {
		p.outcomes[number] = p.payoffs()
	}
	if number != "0" && p.outcomes[number] == nil {
		p.fail("outcome %s has no payoffs", number)
	}
	return p.outcomes[number]
}

// isJoint reports whether the other player chooses at a node without knowing its action: all kids are in one information set.
func (n *node) isJoint() bool {
	return n.player != 0 && len(n.kids) > 0 && n.kids[0].player == 3-n.player &&
		!slices.ContainsFunc(n.kids, func(k *node) bool { return k.kids == nil || k.set != n.kids[0].set })
}
