package oracle

import (
	"errors"
	"slices"
	"strconv"

	"stackmate/gdl"
)

// NoGoal is the goal of a role that has no goal value, several, or one that is no number from 0 to 100.
const NoGoal = -1

// ErrTooLarge is the error of games with more positions than wanted.
var ErrTooLarge = errors.New("the game has too many positions")

// Game is a game with all positions that can be reached, the initial one first, nearer ones before farther ones.
type Game struct {
	Roles     []string
	Players   []int // the roles but chance
	Chance    int   // the role random, or −1
	Positions []Position
}

// Position is what the rules say of a position.
type Position struct {
	Facts    []string   // the fluents that are true, in order of their texts
	Terminal bool       //
	Goals    []int      // by role: 0 to 100, or NoGoal
	Moves    [][]string // by role: the legal moves, in order of their texts
	// Next holds the successors by joint move, a number with a digit for each role, the first role the slowest. It is
	// nil where the game is over or a role has no legal move.
	Next []int
	// Depth is the least number of joint moves to the position, From the position before and Joint the number of the
	// joint move there.
	Depth, From, Joint int
}

// New enumerates the positions of a rulesheet that is valid, up to a limit.
func New(text string, limit int) (*Game, error) {
	tree, err := gdl.Parse("", []byte(text))
	if err != nil {
		return nil, err
	}
	return enumerate(read(tree), limit)
}

func enumerate(r *rules, limit int) (*Game, error) {
	g := &Game{Chance: -1}
	roles := r.fixed.arguments(&r.terms, "role/1")
	for i, role := range roles {
		g.Roles = append(g.Roles, r.nodes[role[0]].text)
		if g.Roles[i] == "random" {
			g.Chance = i
		} else {
			g.Players = append(g.Players, i)
		}
	}
	known := make(map[string]int)
	var states [][]ground
	visit := func(state []ground, depth, from, joint int) int {
		slices.Sort(state)
		state = slices.Compact(state)
		key := ""
		for _, fluent := range state {
			key += strconv.Itoa(int(fluent)) + " "
		}
		if _, ok := known[key]; !ok {
			known[key] = len(states)
			states = append(states, state)
			g.Positions = append(g.Positions, Position{Depth: depth, From: from, Joint: joint})
		}
		return known[key]
	}
	visit(firsts(r.fixed.arguments(&r.terms, "init/1")), 0, -1, 0)
	for i := 0; i < len(states); i++ {
		if i >= limit {
			return nil, ErrTooLarge
		}
		now, moves := r.look(g, &g.Positions[i], states[i], roles)
		if g.Positions[i].Terminal {
			continue
		}
		for joint := range g.Positions[i].Joints() {
			then := newFacts(now)
			for role, choice := range g.Positions[i].Digits(joint) {
				then.add(&r.terms, r.intern("does", []ground{roles[role][0], moves[role][choice]}))
			}
			next := visit(firsts(r.evaluate(2, then).arguments(&r.terms, "next/1")), g.Positions[i].Depth+1, i, joint)
			g.Positions[i].Next = append(g.Positions[i].Next, next)
		}
	}
	return g, nil
}

func firsts(list [][]ground) (first []ground) {
	for _, args := range list {
		first = append(first, args[0])
	}
	return first
}

// look evaluates the rules in a position and fills p in. It returns all facts, and the legal moves by role.
func (r *rules) look(g *Game, p *Position, state []ground, roles [][]ground) (*facts, [][]ground) {
	now := newFacts(r.fixed)
	for _, fluent := range state {
		p.Facts = append(p.Facts, r.nodes[fluent].text)
		now.add(&r.terms, r.intern("true", []ground{fluent}))
	}
	slices.Sort(p.Facts)
	r.evaluate(1, now)
	p.Terminal = len(now.arguments(&r.terms, "terminal/0")) > 0
	moves := make([][]ground, len(roles))
	p.Moves, p.Goals = make([][]string, len(roles)), make([]int, len(roles))
	for i, role := range roles {
		for _, legal := range now.arguments(&r.terms, "legal/2") {
			if legal[0] == role[0] {
				moves[i] = append(moves[i], legal[1])
			}
		}
		slices.SortFunc(moves[i], func(a, b ground) int { return cmpText(r.nodes[a].text, r.nodes[b].text) })
		for _, m := range moves[i] {
			p.Moves[i] = append(p.Moves[i], r.nodes[m].text)
		}
		var goals []string
		for _, goal := range now.arguments(&r.terms, "goal/2") {
			if goal[0] == role[0] {
				goals = append(goals, r.nodes[goal[1]].text)
			}
		}
		p.Goals[i] = goalOf(goals)
	}
	return now, moves
}

func cmpText(a, b string) int {
	if a < b {
		return -1
	}
	return 1
}

// goalOf returns the only goal of a role.
func goalOf(goals []string) int {
	if len(goals) != 1 {
		return NoGoal
	}
	v, err := strconv.Atoi(goals[0])
	if err != nil || v < 0 || v > 100 || goals[0][0] == '+' || goals[0][0] == '-' {
		return NoGoal
	}
	return v
}

// Joints returns the number of joint moves: 0 where a role has no legal move or the game is over.
func (p *Position) Joints() int {
	if p.Terminal {
		return 0
	}
	n := 1
	for _, moves := range p.Moves {
		n *= len(moves)
	}
	return n
}

// Digits returns the move of each role, as an index into its moves, of a joint move.
func (p *Position) Digits(joint int) []int {
	digits := make([]int, len(p.Moves))
	for role := len(digits) - 1; role >= 0; role-- {
		digits[role] = joint % len(p.Moves[role])
		joint /= len(p.Moves[role])
	}
	return digits
}

// Choosers returns the players that have more than one legal move.
func (g *Game) Choosers(p *Position) (list []int) {
	for _, role := range g.Players {
		if !p.Terminal && len(p.Moves[role]) > 1 {
			list = append(list, role)
		}
	}
	return list
}

// IsStuck reports whether a role has no legal move though the game is not over.
func (p *Position) IsStuck() bool { return !p.Terminal && p.Joints() == 0 }

// Perft returns the number of sequences of so many joint moves from the initial position, and of those that end in a
// terminal position.
func (g *Game) Perft(depth int) (joints, terminals int64) {
	count := map[int]int64{0: 1}
	for range depth {
		next := make(map[int]int64)
		for p, n := range count {
			for _, child := range g.Positions[p].Next {
				next[child] += n
			}
		}
		count = next
	}
	for p, n := range count {
		joints += n
		if g.Positions[p].Terminal {
			terminals += n
		}
	}
	return joints, terminals
}

// IsAcyclic reports whether no position can be reached from itself.
func (g *Game) IsAcyclic() bool {
	before := make([]int, len(g.Positions)) // number of joint moves that lead to a position
	for i := range g.Positions {
		for _, next := range g.Positions[i].Next {
			before[next]++
		}
	}
	ready := []int{}
	if before[0] == 0 {
		ready = append(ready, 0)
	}
	done := 0
	for ; done < len(ready); done++ {
		for _, next := range g.Positions[ready[done]].Next {
			if before[next]--; before[next] == 0 {
				ready = append(ready, next)
			}
		}
	}
	return done == len(g.Positions)
}
