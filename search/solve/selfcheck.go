package solve

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/search"
)

// Contradiction is the error for a solution that an independent machine of the same rules refutes. It is a fault of
// this program.
type Contradiction struct {
	What     string     // the claim and the contrary finding
	Line     [][]string // joint moves to the position of the finding
	Position []string   // fluents of this position
}

// Error implements error.
func (c *Contradiction) Error() string {
	return fmt.Sprintf("the solution contradicts the rules: %s, after the joint moves %v", c.What, c.Line)
}

const (
	// checkLines bounds the lines of a self-check, and checkPlies the joint moves of each line.
	checkLines = 256
	checkPlies = 1000
	// checkTolerance is the rounding error of values, in goal points, that is no contradiction.
	checkTolerance = 1e-6
)

// SelfCheck plays lines of a solution on a second machine of the same rules, until ctx ends: the principal variation,
// and lines in which one role follows its strategy while the others make random moves. It compares legal moves, ends
// and goals. Along a line of pure strategies without chance it checks that the claimed guarantee of the role never
// falls. An error of type *Contradiction refutes the solution. No error proves nothing.
func (s *Solver) SelfCheck(ctx context.Context, m, second machine.Machine, solution Solution) error {
	if !solution.Solved {
		return nil
	}
	c := &checker{ctx: ctx, first: m, second: second, solution: solution, rng: machine.NewRand(1)}
	if err := c.principal(); err != nil {
		return err
	}
	parts, err := s.Answers(m, solution)
	if err != nil || ctx.Err() != nil {
		return nil //nolint:nilerr // values without strategies
	}
	players := m.Names().Players()
	for line := range checkLines {
		role := players[line%len(players)]
		part := parts[0]
		if len(parts) > 1 {
			part = parts[line%len(parts)]
		}
		var wrong *Contradiction
		if err := c.line(part, role); errors.As(err, &wrong) {
			return wrong
		}
		if ctx.Err() != nil {
			return nil
		}
	}
	return nil
}

// checker plays a line on both machines.
type checker struct {
	ctx           context.Context
	first, second machine.Machine
	solution      Solution
	rng           *machine.Rand

	fast, slow *play.History
	made       [][]string
}

// begin returns to the initial position.
func (c *checker) begin() error {
	c.made = nil
	c.fast, c.slow = play.NewHistory(c.first, c.first.Initial()), play.NewHistory(c.second, c.second.Initial())
	return c.compare()
}

// contradiction returns the error for a false claim in the current position.
func (c *checker) contradiction(format string, args ...any) error {
	return &Contradiction{What: fmt.Sprintf(format, args...), Line: c.made, Position: c.slow.Facts()}
}

// compare compares the answers of both machines in the current position.
func (c *checker) compare() error {
	if c.fast.IsOver() != c.slow.IsOver() {
		return c.contradiction("the search has a terminal position: %t, the rules: %t", c.fast.IsOver(), c.slow.IsOver())
	}
	if c.slow.IsOver() {
		if fast, slow := c.fast.Goals(), c.slow.Goals(); !slices.Equal(fast, slow) {
			return c.contradiction("the search has the goals %v, the rules %v", fast, slow)
		}
		return nil
	}
	for r, name := range c.slow.Names.Roles {
		fast, slow := c.fast.Legal(machine.Role(r)), c.slow.Legal(machine.Role(r))
		slices.Sort(fast)
		slices.Sort(slow)
		if !slices.Equal(fast, slow) {
			return c.contradiction("the search has the legal moves %v of %s, the rules %v", fast, name, slow)
		}
	}
	return nil
}

// advance makes a joint move on both machines.
func (c *checker) advance(joint []string) error {
	if err := errors.Join(c.fast.Advance(joint), c.slow.Advance(joint)); err != nil {
		return c.contradiction("the joint move %v cannot be made: %v", joint, err)
	}
	c.made = append(c.made, joint)
	return c.compare()
}

// choosers returns the number of roles that have a choice.
func (c *checker) choosers() (n int) {
	for r := range c.slow.Names.Roles {
		if len(c.slow.Legal(machine.Role(r))) > 1 {
			n++
		}
	}
	return n
}

// principal plays the principal variation. At the end of a sequential game without chance it compares the goals with
// the values. Guarantees of several roles have several such lines and are not compared.
func (c *checker) principal() error {
	if err := c.begin(); err != nil {
		return err
	}
	pure := slices.Contains([]search.Concept{search.Value, search.BestEnd, search.Equilibrium}, c.solution.Concept)
	for _, joint := range c.solution.Line {
		if c.ctx.Err() != nil {
			return nil
		}
		pure = pure && c.choosers() <= 1
		if err := c.advance(joint); err != nil {
			return err
		}
	}
	names := c.slow.Names
	if !pure || !c.slow.IsOver() || names.Chance() != machine.NoRole || len(c.solution.Line) == 0 {
		return nil
	}
	goals := c.slow.Goals()
	for _, r := range names.Players() {
		if v := c.solution.Value[names.Roles[r]]; float64(goals[r]) < v[0]-checkTolerance || float64(goals[r]) > v[1]+checkTolerance {
			return c.contradiction("the principal line is claimed to give %s %v points, and gives %d", names.Roles[r], v, goals[r])
		}
	}
	return nil
}

// line plays a line in which role follows its strategy. An error other than *Contradiction is the reason for an early
// end.
func (c *checker) line(part Part, role machine.Role) error {
	if err := c.begin(); err != nil {
		return err
	}
	sure := 0.0 // the guarantee of role, claimed before its last pure move
	for len(c.made) < checkPlies && c.ctx.Err() == nil {
		if c.slow.IsOver() {
			if goal := c.slow.Goals()[role]; float64(goal) < sure-checkTolerance {
				return c.contradiction("%s is claimed to guarantee %v points, and gets %d", c.slow.Names.Roles[role], sure, goal)
			}
			return nil
		}
		if c.isStuck() {
			if sure > checkTolerance {
				return c.contradiction("%s is claimed to guarantee %v points, and the match stops as a role has no legal move", c.slow.Names.Roles[role], sure)
			}
			return nil
		}
		var strategy []search.Weighted
		if c.playersChoose() {
			claim, err := part.Solution.At(c.ctx, c.fast.State())
			if err != nil {
				return err
			}
			if claim.Slack > checkTolerance { // the search has not solved this position
				return nil
			}
			now := c.guaranteed(claim, role)
			if now < sure-checkTolerance {
				return c.contradiction("%s is claimed to guarantee %v points before, and %v here", c.slow.Names.Roles[role], sure, now)
			}
			if sure = now; int(role) < len(claim.Strategies) {
				strategy = claim.Strategies[role]
			}
		}
		if len(strategy) > 1 || c.hasChance() {
			sure = 0 // a guarantee of the mean does not hold for a single line
		}
		if err := c.advance(c.joint(role, strategy)); err != nil {
			return err
		}
	}
	return nil
}

// isStuck reports whether a role has no legal move.
func (c *checker) isStuck() bool {
	for r := range c.slow.Names.Roles {
		if len(c.slow.Legal(machine.Role(r))) == 0 {
			return true
		}
	}
	return false
}

// hasChance reports whether chance has a choice.
func (c *checker) hasChance() bool {
	chance := c.slow.Names.Chance()
	return chance != machine.NoRole && len(c.slow.Legal(chance)) > 1
}

// playersChoose reports whether a role other than chance has a choice.
func (c *checker) playersChoose() bool {
	return slices.ContainsFunc(c.slow.Names.Players(), func(r machine.Role) bool { return len(c.slow.Legal(r)) > 1 })
}

// guaranteed returns the goal points of role that a claim guarantees.
func (c *checker) guaranteed(claim search.Claim, role machine.Role) float64 {
	players := c.slow.Names.Players()
	if role == players[0] {
		return claim.Value
	}
	sum := float64(machine.MaxGoal) // for the zero-sum game of one role
	if c.solution.Goals.Constant {
		sum = float64(c.solution.Goals.Sum)
	} else if c.solution.Concept == search.Value {
		sum = c.solution.Result.Values[players[0]].Lower + c.solution.Result.Values[players[1]].Lower
	}
	return sum - claim.Value - claim.Slack
}

// joint returns a joint move: role follows its strategy, if it has one, and the others move at random.
func (c *checker) joint(role machine.Role, strategy []search.Weighted) []string {
	var joint []string
	for r := range c.slow.Names.Roles {
		legal := c.slow.Legal(machine.Role(r))
		move := legal[c.rng.Intn(len(legal))]
		if machine.Role(r) == role && len(strategy) > 0 {
			move = c.first.Names().MoveText(role, c.draw(strategy))
		}
		joint = append(joint, move)
	}
	return joint
}

// draw returns a random move of a strategy.
func (c *checker) draw(strategy []search.Weighted) machine.Move {
	point := c.rng.Float64()
	for _, w := range strategy {
		if point -= w.Probability; point < 0 {
			return w.Move
		}
	}
	return strategy[len(strategy)-1].Move
}
