package circuit

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"stackmate/reasoner/circuit/internal/choice"
	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/machine"
)

// Encoding of optimised games: names, the initial position, and the networks with their outputs, both of the game and
// of the game before passes that share. Inputs have the order of newGame. Numbers are varints, operands differences to
// the node or to the next operand, so a gate of k operands takes about 2k bytes.
//
// Decode trusts no data: its result has the invariants of a Game, except that it may contain equal gates. The kernel verifies the
// programs as for any other game (kernel/verify.go). Only a checksum can show that the game equals the encoded game.

// AppendTo appends the encoding of an optimised game.
func (g *Optimised) AppendTo(dst []byte) []byte {
	e := encoder{dst}
	e.texts(g.Names.Roles)
	for r, table := range g.Names.Moves {
		same := r > 0 && slices.Equal(table, g.Names.Moves[r-1])
		e.bool(same)
		if !same {
			e.texts(table)
		}
	}
	e.texts(g.Names.Fluents)
	e.out = g.Initial.AppendBytes(e.out)
	e.circuit(g.Game)
	e.bool(g.Unshared != g.Game)
	if g.Unshared != g.Game {
		e.circuit(g.Unshared)
	}
	return e.out
}

// Decode returns the game that AppendTo has encoded.
func Decode(data []byte) (g *Optimised, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case malformed:
			err = fmt.Errorf("not a circuit: %w", p.error)
		default:
			panic(p)
		}
	}()
	d := decoder{data}
	names := &machine.Names{Roles: d.texts()}
	for r := range names.Roles {
		if d.bool() {
			d.check(r > 0, "the first role refers to the moves of a previous role")
			names.Moves = append(names.Moves, names.Moves[r-1])
		} else {
			names.Moves = append(names.Moves, d.texts())
		}
	}
	names.Fluents = d.texts()
	initial := names.NewState()
	d.check(8*len(initial) <= len(d.in), "the data ends in the initial position")
	for i := range initial {
		initial[i] = binary.LittleEndian.Uint64(d.in[8*i:])
	}
	d.in = d.in[8*len(initial):]
	beyond := uint(len(names.Fluents) - 64*(len(initial)-1))
	d.check(beyond >= 64 || initial[len(initial)-1]>>beyond == 0, "the initial position has fluents without a name")
	game := d.circuit(names, initial)
	g = &Optimised{game, game}
	if d.bool() {
		g.Unshared = d.circuit(names, initial)
	}
	d.check(len(d.in) == 0, "the data continues after the game")
	d.check(!g.Unshared.isSplit(), "the game before passes that share has split moves")
	return g, nil
}

type encoder struct{ out []byte }

func (e *encoder) number(n int) { e.out = binary.AppendUvarint(e.out, uint64(n)) }

func (e *encoder) lit(l logic.Lit) { e.number(int(l)) }

func (e *encoder) bool(b bool) {
	n := 0
	if b {
		n = 1
	}
	e.number(n)
}

func (e *encoder) texts(list []string) {
	e.number(len(list))
	for _, s := range list {
		e.number(len(s))
		e.out = append(e.out, s...)
	}
}

// circuit appends the network of a game and its outputs.
func (e *encoder) circuit(g *Game) {
	for _, p := range g.Parts {
		e.bool(p != nil)
		if p != nil {
			e.parts(p)
		}
	}
	net, inputs := g.Net, len(g.inputs())
	e.number(net.Len() - 1 - inputs)
	for i := int32(1 + inputs); i < int32(net.Len()); i++ {
		operands := net.Operands(i)
		e.number(len(operands))
		above := logic.Lit(i) << 1
		for _, l := range slices.Backward(operands) {
			e.lit(above - l)
			above = l
		}
	}
	for i := range int32(net.Len()) {
		if net.Op(i) == logic.OpLoop {
			e.lit(net.Definition(i))
		}
	}
	e.number(len(g.Goals))
	for _, goal := range g.Goals {
		e.number(int(goal.Role))
		e.out = binary.AppendVarint(e.out, int64(goal.Value))
	}
	g.forEachOutput(func(l *logic.Lit) { e.lit(*l) })
}

func (e *encoder) parts(p *choice.Parts) {
	e.number(len(p.First))
	e.number(len(p.Second))
	for _, parts := range p.Pair {
		e.number(int(parts[0]))
		e.number(int(parts[1]))
	}
	for _, text := range p.Texts {
		e.number(len(text))
		for _, word := range text {
			e.number(int(word))
		}
	}
}

// malformed is the panic value of a decoder.
type malformed struct{ error }

type decoder struct{ in []byte }

// check ends decoding with a message unless a condition holds.
func (d *decoder) check(holds bool, message string) {
	if !holds {
		panic(malformed{errors.New(message)})
	}
}

// number decodes a number below limit.
func (d *decoder) number(limit int) int {
	n, size := binary.Uvarint(d.in)
	d.check(size > 0, "the data ends in a number")
	d.check(n < uint64(limit), "a number is too large")
	d.in = d.in[size:]
	return int(n)
}

// count decodes the number of following items, each of which takes at least a byte.
func (d *decoder) count() int { return d.number(len(d.in) + 1) }

func (d *decoder) bool() bool { return d.number(2) == 1 }

func (d *decoder) texts() []string {
	list := make([]string, d.count())
	for i := range list {
		n := d.count()
		d.check(n <= len(d.in), "the data ends in a text")
		list[i] = string(d.in[:n])
		d.in = d.in[n:]
	}
	return list
}

// circuit decodes a game.
func (d *decoder) circuit(names *machine.Names, initial machine.State) *Game {
	parts := make([]*choice.Parts, len(names.Moves))
	for r, table := range names.Moves {
		if d.bool() {
			parts[r] = d.parts(len(table))
		}
	}
	g := newGame(names, initial, parts)
	d.network(g.Net)
	g.Goals = make([]Goal, d.count())
	for i := range g.Goals {
		g.Goals[i].Role = machine.Role(d.number(len(names.Roles)))
		value, size := binary.Varint(d.in)
		d.check(size > 0 && int64(int32(value)) == value, "a goal is not a 32-bit number")
		g.Goals[i].Value, d.in = int32(value), d.in[size:]
	}
	g.Next = make([]logic.Lit, len(g.Fluents))
	for r, table := range names.Moves {
		var legal []logic.Lit
		if p := g.Parts[r]; p != nil {
			p.Head, p.Tail = make([]logic.Lit, len(p.First)), make([]logic.Lit, len(table))
		} else {
			legal = make([]logic.Lit, len(table))
		}
		g.Legal = append(g.Legal, legal)
	}
	g.forEachOutput(func(l *logic.Lit) { *l = logic.Lit(d.number(2 * g.Net.Len())) })
	if err := errors.Join(g.verifyOutputs(), g.verifyLoops()); err != nil {
		panic(malformed{err})
	}
	return g
}

func (d *decoder) parts(moves int) *choice.Parts {
	count, pairs := [2]int{d.count(), d.count()}, make([][2]int32, moves)
	d.check(count[0] > 0 && count[1] > 0, "a move table has no parts")
	seen := make(map[[2]int32]bool, moves)
	for m := range pairs {
		pairs[m] = [2]int32{int32(d.number(count[0])), int32(d.number(count[1]))}
		d.check(!seen[pairs[m]], "two moves have both parts in common")
		seen[pairs[m]] = true
	}
	texts := make([][]int32, count[0])
	for i := range texts {
		texts[i] = make([]int32, d.count())
		for k := range texts[i] {
			texts[i][k] = int32(d.number(1 << 31))
		}
	}
	return choice.NewParts(pairs, count, texts)
}

// network decodes the nodes after the inputs. It keeps equal gates.
func (d *decoder) network(n *logic.Network) {
	count := d.count()
	n.Reserve(count, 0)
	var loops, operands []logic.Lit
	for range count {
		above, size := logic.Lit(n.Len())<<1, d.count()
		if size == 0 {
			loops = append(loops, n.LoopVar())
			continue
		}
		d.check(size > 1, "a gate has one operand")
		operands = slices.Grow(operands[:0], size)[:size]
		for k := size - 1; k >= 0; k-- {
			l := above - logic.Lit(d.number(int(above)))
			d.check(l > logic.True && l != above && (k == size-1 || l.Node() != above.Node()), "a gate has itself, a constant or one node twice among its operands")
			operands[k], above = l, l
		}
		n.Append(operands...)
	}
	for _, v := range loops {
		n.Define(v, logic.Lit(d.number(2*n.Len())))
	}
}
