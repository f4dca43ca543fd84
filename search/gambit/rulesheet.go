package gambit

import (
	"fmt"
	"math/big"
	"strings"

	"stackmate/reasoner/machine"
)

// maxLots bounds the moves of chance at a node: chance draws evenly, so shares become numbers of equal lots.
const maxLots = 360

// sheet writes a tree as a rulesheet: facts of positions under five rules.
type sheet struct {
	facts strings.Builder
	roles []string
	goals [2]func(*big.Rat) string
	count int            // positions so far
	sets  map[string]int // nodes of each information set in the whole tree
}

// write returns the rulesheet of a tree.
func write(players []string, root *node) (string, error) {
	w := &sheet{roles: symbols(players, "player"), sets: map[string]int{}}
	leaves, plain, lots := [2][]*big.Rat{}, true, false
	root.each(func(n *node) {
		for i, v := range n.payoffs {
			leaves[i] = append(leaves[i], v)
			plain = plain && isGoal(v)
		}
		lots = lots || n.shares != nil
		w.sets[n.set]++
	})
	if lots {
		w.roles = append(w.roles, machine.RandomRole)
	}
	var head strings.Builder
	for i, list := range leaves {
		goal, comment, err := (*big.Rat).RatString, "the payoff", error(nil)
		if !plain {
			goal, comment, err = scale(list)
		}
		if err != nil {
			return "", fmt.Errorf("the payoffs of %s: %w", players[i], err)
		}
		w.goals[i] = goal
		fmt.Fprintf(&head, "; goal of %s: %s\n", w.roles[i], comment)
	}
	if err := w.position(root); err != nil {
		return "", err
	}
	w.rules(&head)
	return head.String() + w.facts.String(), nil
}

// each calls f for a node and all below it.
func (n *node) each(f func(*node)) {
	f(n)
	for _, k := range n.kids {
		k.each(f)
	}
}

// rules writes roles and rules.
func (w *sheet) rules(b *strings.Builder) {
	does, vars := "", ""
	for i, r := range w.roles {
		fmt.Fprintf(b, "(role %s)\n", r)
		does += fmt.Sprintf(" (does %s ?m%d)", r, i)
		vars += fmt.Sprintf(" ?m%d", i)
	}
	fmt.Fprintf(b, `(init (at 1))
(<= (legal ?r ?m) (true (at ?n)) (choice ?n ?r ?m))
(<= (next (at ?k)) (true (at ?n))%s (leads ?n%s ?k))
(<= terminal (true (at ?n)) (end ?n ?g ?h))
(<= (goal %s ?g) (true (at ?n)) (end ?n ?g ?h))
(<= (goal %s ?h) (true (at ?n)) (end ?n ?g ?h))
`, does, vars, w.roles[0], w.roles[1])
}

// position writes the facts of a node and all below it.
func (w *sheet) position(n *node) error {
	w.count++
	id := w.count
	if w.count > MaxNodes {
		return fmt.Errorf("%w: more than %d positions", ErrLarge, MaxNodes)
	}
	if n.payoffs != nil {
		fmt.Fprintf(&w.facts, "(end %d %s %s)\n", id, w.goals[0](n.payoffs[0]), w.goals[1](n.payoffs[1]))
		return nil
	}
	moves, kids := make([][]string, len(w.roles)), n.kids
	for r := range moves {
		moves[r] = []string{"noop"}
	}
	switch {
	case n.shares != nil:
		var err error
		if moves[2], kids, err = lots(n); err != nil {
			return err
		}
	case n.isJoint() && w.sets[n.kids[0].set] == len(n.kids) && w.sets[n.set] == 1:
		other := n.kids[0]
		moves[n.player-1], moves[other.player-1] = symbols(n.actions, "a"), symbols(other.actions, "a")
		kids = nil
		for i := range moves[0] {
			for j := range moves[1] {
				if n.player == 1 {
					kids = append(kids, n.kids[i].kids[j])
				} else {
					kids = append(kids, n.kids[j].kids[i])
				}
			}
		}
	case w.sets[n.set] > 1:
		return fmt.Errorf("line %d: expected information sets of one node, or of all replies to a move of the other player; found one of %d nodes: a player does not see the position",
			n.line, w.sets[n.set])
	default:
		moves[n.player-1] = symbols(n.actions, "a")
	}
	return w.joint(id, moves, kids)
}

// joint writes the moves of a position and the successor of each joint move: kids are ordered by the first role's
// moves, then the second's, then chance's.
func (w *sheet) joint(id int, moves [][]string, kids []*node) error {
	joints := []string{""}
	for r, list := range moves {
		var longer []string
		for _, m := range list {
			fmt.Fprintf(&w.facts, "(choice %d %s %s)\n", id, w.roles[r], m)
		}
		for _, j := range joints {
			for _, m := range list {
				longer = append(longer, j+" "+m)
			}
		}
		joints = longer
	}
	for k, j := range joints {
		fmt.Fprintf(&w.facts, "(leads %d%s %d)\n", id, j, w.count+1)
		if err := w.position(kids[k]); err != nil {
			return err
		}
	}
	return nil
}

// lots returns equally likely moves of chance in place of actions with shares, and the node after each.
func lots(n *node) (moves []string, kids []*node, err error) {
	common, sum := big.NewInt(1), new(big.Rat)
	for _, s := range n.shares {
		gcd := new(big.Int).GCD(nil, nil, common, s.Denom())
		common.Mul(common, new(big.Int).Div(s.Denom(), gcd))
		sum.Add(sum, s)
	}
	if sum.Cmp(big.NewRat(1, 1)) != 0 {
		return nil, nil, fmt.Errorf("line %d: expected probabilities that add up to 1, found %s", n.line, sum.RatString())
	}
	if common.BitLen() > 16 || common.Int64() > maxLots {
		return nil, nil, fmt.Errorf("line %d: expected probabilities with a common denominator of at most %d, found %s", n.line, maxLots, common)
	}
	for i, label := range n.actions {
		name := symbol(label, i, "a")
		count := new(big.Rat).Mul(n.shares[i], new(big.Rat).SetInt(common)).Num().Int64()
		for lot := range count {
			if count > 1 {
				moves = append(moves, fmt.Sprintf("%s_%d", name, lot+1))
			} else {
				moves = append(moves, name)
			}
			kids = append(kids, n.kids[i])
		}
	}
	return distinct(moves), kids, nil
}

// symbols returns labels as different symbols of GDL.
func symbols(labels []string, kind string) []string {
	list := make([]string, len(labels))
	for i, label := range labels {
		list[i] = symbol(label, i, kind)
	}
	return distinct(list)
}

// distinct returns names with a number after each name that is taken by an earlier name.
func distinct(names []string) []string {
	list, seen := make([]string, len(names)), map[string]bool{}
	for i, s := range names {
		for seen[s] {
			s = fmt.Sprintf("%s_%d", s, i+1)
		}
		list[i], seen[s] = s, true
	}
	return list
}

// symbol returns a label as a symbol of GDL: parentheses around it are dropped, other signs than
// letters, digits, - and _ become _, and an empty label is called by its number. The name of the role for chance gets
// a number, since a player may have it.
func symbol(label string, i int, kind string) string {
	s := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			return c
		}
		return '_'
	}, strings.Trim(label, " ()"))
	if strings.Trim(s, "_-") == "" {
		return fmt.Sprint(kind, i+1)
	}
	if strings.EqualFold(s, machine.RandomRole) {
		return fmt.Sprintf("%s_%d", s, i+1)
	}
	return s
}

// maxGoal is the largest goal of GDL.
const maxGoal = 100

// isGoal reports whether a payoff is a goal of GDL as it is.
func isGoal(v *big.Rat) bool {
	return v.IsInt() && v.Sign() >= 0 && v.Cmp(big.NewRat(maxGoal, 1)) <= 0
}

// scale returns a function from payoffs to goals, with a comment for people: the least payoff becomes 0, the common step 1.
// Payoffs with a constant sum have the same step for both players, so their goals have a constant sum. It returns an error for
// more than 101 steps.
func scale(payoffs []*big.Rat) (goal func(*big.Rat) string, comment string, err error) {
	least, most := payoffs[0], payoffs[0]
	for _, v := range payoffs {
		if v.Cmp(least) < 0 {
			least = v
		}
		if v.Cmp(most) > 0 {
			most = v
		}
	}
	step := new(big.Rat)
	for _, v := range payoffs {
		step = common(step, new(big.Rat).Sub(v, least))
	}
	if step.Sign() == 0 {
		step.SetInt64(1)
	}
	steps := new(big.Rat).Quo(new(big.Rat).Sub(most, least), step)
	if steps.Cmp(big.NewRat(maxGoal, 1)) > 0 {
		return nil, "", fmt.Errorf("expected payoffs that are goals from 0 to %d after shifting and scaling, found %s steps of %s from %s to %s",
			maxGoal, steps.RatString(), step.RatString(), least.RatString(), most.RatString())
	}
	return func(v *big.Rat) string {
		return new(big.Rat).Quo(new(big.Rat).Sub(v, least), step).RatString()
	}, fmt.Sprintf("(payoff - %s) / %s", least.RatString(), step.RatString()), nil
}

// common returns the greatest rational of which both numbers, which are not negative, are multiples.
func common(a, b *big.Rat) *big.Rat {
	for b.Sign() != 0 {
		q := new(big.Rat).Quo(a, b)
		whole := new(big.Rat).SetInt(new(big.Int).Div(q.Num(), q.Denom()))
		a, b = b, new(big.Rat).Sub(a, whole.Mul(whole, b))
	}
	return a
}
