package oracle

import (
	"cmp"
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
	roles := firsts(r.fixed.arguments(&r.terms, "role/1"))
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
	visit(firsts(r.fixed.arguments(&r.terms, "init/1")), 0)
	for i := 0; i < len(states); i++ {
		if i >= limit {
			return nil, ErrTooLarge
		}
		p := &g.Positions[i]
		now, moves := r.look(p, states[i], roles)
		for _, joint := range p.Joint {
			then := newFacts(now)
			for role, m := range joint {
				then.add(&r.terms, r.intern("does", roles[role], moves[role][m]))
			}
			next := visit(firsts(r.evaluate(2, then).arguments(&r.terms, "next/1")), g.Positions[i].Depth+1)
			g.Positions[i].Next = append(g.Positions[i].Next, next)
		}
	}
	g.sort(0, make([]int, len(states)))
	return g, nil
}

func firsts(list [][]ground) (first []ground) {
	for _, args := range list {
		first = append(first, args[0])
	}
	return first
}

// look evaluates the rules in a position and fills p in. It returns all facts, and the legal moves by role.
func (r *rules) look(p *Position, state, roles []ground) (now *facts, moves [][]ground) {
	now = newFacts(r.fixed)
	for _, fluent := range state {
		p.Facts = append(p.Facts, r.nodes[fluent].text)
		now.add(&r.terms, r.intern("true", fluent))
	}
	slices.Sort(p.Facts)
	r.evaluate(1, now)
	p.Terminal = len(now.arguments(&r.terms, "terminal/0")) > 0
	of := func(key string, role ground) (list []ground) {
		for _, args := range now.arguments(&r.terms, key) {
			if args[0] == role {
				list = append(list, args[1])
			}
		}
		slices.SortFunc(list, func(a, b ground) int { return cmp.Compare(r.nodes[a].text, r.nodes[b].text) })
		return list
	}
	p.Joint = [][]int{nil}
	for i, role := range roles {
		goal, goals := NoGoal, of("goal/2", role)
		if len(goals) == 1 {
			if v, err := strconv.ParseUint(r.nodes[goals[0]].text, 10, 32); err == nil && v <= 100 {
				goal = int(v)
			}
		}
		p.Goals, moves, p.Moves = append(p.Goals, goal), append(moves, of("legal/2", role)), append(p.Moves, nil)
		var longer [][]int
		for _, joint := range p.Joint {
			for m := range moves[i] {
				longer = append(longer, append(joint[:i:i], m))
			}
		}
		for _, m := range moves[i] {
			p.Moves[i] = append(p.Moves[i], r.nodes[m].text)
		}
		if p.Joint = longer; p.Terminal {
			p.Joint = nil
		}
	}
	return now, moves
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
