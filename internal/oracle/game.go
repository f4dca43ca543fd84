package oracle

import (
	"errors"
	"fmt"
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
	Acyclic   bool  // no position can be reached from itself
	order     []int // the positions, successors first where there are no cycles
}

// Position is the content of the rules about a position.
type Position struct {
	Facts    []string // the fluents that are true, in order of their texts
	Terminal bool
	Goals    []int      // by role: 0 to 100, or NoGoal
	Moves    [][]string // by role: the legal moves, in order of their texts
	Joint    [][]int    // the joint moves, by role an index of Moves; none at an end or where a role has no move
	Next     []int      // the successors by joint move
	Depth    int        // the least number of joint moves to the position
}

// New enumerates the positions of a valid rulesheet, up to a limit.
func New(text string, limit int) (*Game, error) {
	tree, err := gdl.Parse("", []byte(text))
	if err != nil {
		return nil, err
	}
	r, g := read(tree), &Game{Chance: -1, Acyclic: true}
	roles := r.last(r.fixed, "role")
	for i, role := range roles {
		if g.Roles = append(g.Roles, r.nodes[role].text); g.Roles[i] == "random" {
			g.Chance = i
		} else {
			g.Players = append(g.Players, i)
		}
	}
	known, states := make(map[string]int), [][]ground(nil)
	visit := func(state []ground, depth int) int {
		slices.Sort(state)
		state = slices.Compact(state)
		key := fmt.Sprint(state)
		if _, ok := known[key]; !ok {
			known[key], states = len(states), append(states, state)
			g.Positions = append(g.Positions, Position{Depth: depth})
		}
		return known[key]
	}
	visit(r.last(r.fixed, "init"), 0)
	for i := 0; i < len(states); i++ {
		if i >= limit {
			return nil, ErrTooLarge
		}
		p := &g.Positions[i]
		now := r.look(p, states[i], roles)
		for _, joint := range p.Joint {
			then := newFacts(now)
			for role, m := range joint {
				r.add(then, r.intern("does", roles[role], r.number[p.Moves[role][m]]))
			}
			next := visit(r.last(r.evaluate(2, then), "next"), g.Positions[i].Depth+1)
			g.Positions[i].Next = append(g.Positions[i].Next, next)
		}
	}
	g.sort(0, make([]int, len(states)))
	return g, nil
}

// look evaluates the rules in a position, fills p in and returns all facts.
func (r *rules) look(p *Position, state, roles []ground) (now *facts) {
	now = newFacts(r.fixed)
	for _, fluent := range state {
		r.add(now, r.intern("true", fluent))
	}
	r.evaluate(1, now)
	p.Facts, p.Terminal, p.Joint = r.texts(state), now.holds(r.intern("terminal")), [][]int{nil}
	for i, role := range roles {
		goal, goals := NoGoal, r.texts(r.last(now, "goal", role))
		if len(goals) == 1 {
			if v, err := strconv.ParseUint(goals[0], 10, 32); err == nil && v <= 100 {
				goal = int(v)
			}
		}
		p.Goals, p.Moves = append(p.Goals, goal), append(p.Moves, r.texts(r.last(now, "legal", role)))
		var longer [][]int
		for _, joint := range p.Joint {
			for m := range p.Moves[i] {
				longer = append(longer, append(joint[:i:i], m))
			}
		}
		p.Joint = longer
	}
	if p.Terminal {
		p.Joint = nil
	}
	return now
}

// sort appends a position to the order, behind the successors that it has not met; state is 1 on the way to it, then 2.
func (g *Game) sort(at int, state []int) {
	state[at] = 1
	for _, next := range g.Positions[at].Next {
		g.Acyclic = g.Acyclic && state[next] != 1
		if state[next] == 0 {
			g.sort(next, state)
		}
	}
	state[at], g.order = 2, append(g.order, at)
}

// First returns the first position, which is one of the nearest, for which a statement holds, or −1.
func (g *Game) First(holds func(p *Position) bool) int {
	return slices.IndexFunc(g.Positions, func(p Position) bool { return holds(&p) })
}

// IsStuck reports whether a role has no legal move though the game is not over.
func (p *Position) IsStuck() bool { return !p.Terminal && len(p.Joint) == 0 }
