package arena

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"stackmate/reasoner/machine"
)

// Parameter is a numeric parameter in the description of a player, as in stackmate:exploration=20.
type Parameter struct {
	Name    string  `json:"name"`
	About   string  `json:"about,omitempty"`
	Unit    string  `json:"unit,omitempty"`
	Start   float64 `json:"start"` // initial value of the tuning: by default the player's default
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Integer bool    `json:"integer,omitempty"`
}

// Within returns the parameter with narrower bounds and another start. Nil arguments keep the present value; the
// start is clamped to the bounds.
func (p Parameter) Within(low, high, start *float64) (Parameter, error) {
	usual := p
	for at, value := range map[*float64]*float64{&p.Low: low, &p.High: high, &p.Start: start} {
		if value != nil {
			*at = *value
		}
	}
	if start == nil {
		p.Start = min(max(p.Start, p.Low), p.High)
	}
	if !(usual.Low <= p.Low && p.High <= usual.High) {
		return p, fmt.Errorf("expected bounds of %s from %g to %g, found %g to %g", p.Name, usual.Low, usual.High, p.Low, p.High)
	}
	return p, p.check()
}

// check returns an error unless Low < High, their difference is finite, and Start lies between them.
func (p Parameter) check() error {
	if !(p.Low < p.High && p.Start >= p.Low && p.Start <= p.High) || math.IsInf(p.High-p.Low, 0) {
		return fmt.Errorf("expected low < high and the start of %s between them, found %g, %g and %g", p.Name, p.Low, p.High, p.Start)
	}
	return nil
}

// Tuning is the plan for tuning a player's parameters by simultaneous perturbation stochastic approximation (Spall,
// "Multivariate stochastic approximation using a simultaneous perturbation gradient approximation", 1992). In every
// iteration all parameters are perturbed up or down at random. The perturbed player plays the player with the
// opposite perturbation, in Pairs rounds of the tournament, and the parameters move towards the winner. Parameters
// are measured in fractions of their ranges.
type Tuning struct {
	Parameters []Parameter `json:"parameters"`
	Pairs      int         `json:"pairs"` // pairs of matches of each game in an iteration
	// Perturbation is the perturbation of the first iteration, Step the change of the parameters in the first
	// iteration if one side wins everything.
	Perturbation float64 `json:"perturbation"`
	Step         float64 `json:"step"`
}

// The gains of iteration k = 0, 1, …, by Spall, "Implementation of the simultaneous perturbation algorithm for
// stochastic optimization" (1998), section III: a/(A+k+1)^α for the step and c/(k+1)^γ for the perturbation, with A a
// tenth of the iterations.
const (
	stepDecay         = 0.602 // α
	perturbationDecay = 0.101 // γ
	stability         = 0.1   // A in iterations
)

// The default gains.
const (
	DefaultPerturbation = 0.1
	DefaultStep         = 0.1
)

// check returns an error if the tuning is not possible in this number of rounds.
func (t *Tuning) check(rounds int) error {
	switch {
	case len(t.Parameters) == 0:
		return fmt.Errorf("expected at least one parameter to tune, found none")
	case t.Pairs < 1 || rounds%t.Pairs != 0:
		return fmt.Errorf("expected a pair of matches or more in each iteration, found %d in %d rounds", t.Pairs, rounds)
	case !(t.Perturbation > 0 && t.Perturbation <= 0.5) || !(t.Step > 0 && t.Step <= 1):
		return fmt.Errorf("expected a perturbation of up to 0.5 and a step of up to 1, found %g and %g", t.Perturbation, t.Step)
	}
	for i, p := range t.Parameters {
		if err := p.check(); err != nil {
			return err
		}
		if slices.ContainsFunc(t.Parameters[:i], func(q Parameter) bool { return q.Name == p.Name }) {
			return fmt.Errorf("the parameter %s is given twice", p.Name)
		}
	}
	return nil
}

// Course is the progress of a tuning.
type Course struct {
	Parameters []Parameter `json:"parameters"`
	Iterations int         `json:"iterations"` // planned
	Pairs      int         `json:"pairs"`
	// Course holds the values of the parameters at the start and after each iteration; Scores the mean score, from 0
	// to 1, of the first side in each iteration.
	Course [][]float64 `json:"course"`
	Scores []float64   `json:"scores"`
	Player string      `json:"player"` // the description with the present values

	tuning *Tuning
	seed   uint64
	base   string    // the description without tuned values
	batch  int       // pairs of an iteration, of all games
	at     []float64 // the values, as fractions of the ranges
	sum    float64   // of the scores in the current iteration
	scored int       // number of its pairs with a score
}

// newCourse returns the initial course of a tuning, or nil for other tournaments.
func newCourse(t *Tournament) *Course {
	if t.Tuning == nil {
		return nil
	}
	c := &Course{
		Parameters: t.Tuning.Parameters, Iterations: t.Rounds / t.Tuning.Pairs, Pairs: t.Tuning.Pairs, Scores: []float64{},
		tuning: t.Tuning, seed: t.Seed, base: t.Players[0], batch: t.Tuning.Pairs * len(t.Games),
	}
	for _, p := range c.Parameters {
		c.at = append(c.at, (p.Start-p.Low)/(p.High-p.Low))
	}
	c.note()
	return c
}

// note appends the values of the parameters to Course.
func (c *Course) note() {
	values := c.values(c.at)
	c.Course, c.Player = append(c.Course, values), c.describe(values)
}

func (c *Course) clone() *Course {
	out := *c
	out.Course, out.Scores = slices.Clone(c.Course), slices.Clone(c.Scores)
	return &out
}

// directions returns +1 or -1 for each parameter in the current iteration.
func (c *Course) directions() []float64 {
	rng := machine.NewRand(c.seed + uint64(len(c.Scores))<<32)
	var out []float64
	for range c.Parameters {
		out = append(out, float64(2*rng.Intn(2)-1))
	}
	return out
}

// perturbation returns the perturbation of the current iteration.
func (c *Course) perturbation() float64 {
	return c.tuning.Perturbation / math.Pow(float64(len(c.Scores)+1), perturbationDecay)
}

// varied returns the descriptions of both sides in the current iteration.
func (c *Course) varied() (sides [2]string) {
	delta := c.directions()
	for side, sign := range [2]float64{1, -1} {
		at := slices.Clone(c.at)
		for i := range at {
			at[i] += sign * c.perturbation() * delta[i]
		}
		sides[side] = c.describe(c.values(at))
	}
	return sides
}

// count counts a pair of matches, the last of `pairs`, and its score if ok. The last pair of an iteration moves the
// parameters.
func (c *Course) count(score float64, ok bool, pairs int) {
	if ok {
		c.sum, c.scored = c.sum+score, c.scored+1
	}
	if pairs%c.batch != 0 {
		return
	}
	mean := 0.5
	if c.scored > 0 {
		mean = c.sum / float64(c.scored)
	}
	// The sides play each other: 2·mean - 1 estimates the difference of their strengths.
	k, offset := float64(len(c.Scores)), stability*float64(c.Iterations)
	gain := 2 * c.tuning.Perturbation * c.tuning.Step * math.Pow((offset+1)/(offset+k+1), stepDecay)
	for i, d := range c.directions() {
		c.at[i] = min(max(c.at[i]+gain*(2*mean-1)/(2*c.perturbation()*d), 0), 1)
	}
	c.Scores, c.sum, c.scored = append(c.Scores, mean), 0, 0
	c.note()
}

// values returns the values of parameters at fractions of their ranges, clamped.
func (c *Course) values(at []float64) []float64 {
	var out []float64
	for i, p := range c.Parameters {
		out = append(out, p.Low+min(max(at[i], 0), 1)*(p.High-p.Low))
	}
	return out
}

// describe returns the description of the player with values of its parameters.
func (c *Course) describe(values []float64) string {
	text, separator := c.base, ":"
	if strings.Contains(text, separator) {
		separator = ","
	}
	for i, p := range c.Parameters {
		value := strconv.FormatFloat(values[i], 'g', 4, 64)
		if p.Integer {
			value = strconv.Itoa(int(math.Round(values[i])))
		}
		text += separator + p.Name + "=" + value
		separator = ","
	}
	return text
}
