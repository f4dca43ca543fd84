package arena

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// SPRT tests whether a player is stronger than another by Elo1 rather than Elo0. It is Wald's sequential probability
// ratio test with the generalised likelihood ratio of a multinomial distribution, on the scores of pairs of matches
// with seats swapped, and with logistic Elo. If matches are won, drawn or lost, a pair has one of five scores: the
// pentanomial model of fastchess and fishtest. Source: Van den Bergh, "Comparing the approximations for the
// generalized log likelihood ratio of a multinomial distribution" (cantate.be/Fishtest/comparing_approximations.pdf),
// section 2.
type SPRT struct {
	// The hypotheses, Elo0 < Elo1, and the risks of accepting Elo1, or Elo0, wrongly.
	Elo0  float64 `json:"elo0"`
	Elo1  float64 `json:"elo1"`
	Alpha float64 `json:"alpha"`
	Beta  float64 `json:"beta"`
}

// Verdict is the state of a test.
type Verdict string

// The verdicts of a test.
const (
	Undecided Verdict = ""
	AcceptH0  Verdict = "elo0" // no stronger than Elo0
	AcceptH1  Verdict = "elo1" // as strong as Elo1
)

// Check returns an error if the parameters of the test are invalid.
func (t SPRT) Check() error {
	if !(t.Elo0 < t.Elo1) || !(t.Alpha > 0 && t.Alpha < 0.5) || !(t.Beta > 0 && t.Beta < 0.5) {
		return fmt.Errorf("expected elo0 < elo1 and risks between 0 and 0.5, found elo0 %g, elo1 %g, risks %g and %g",
			t.Elo0, t.Elo1, t.Alpha, t.Beta)
	}
	return nil
}

// PairCount is the number of pairs of matches with seats swapped in which a player had a mean score, from 0 to 1.
type PairCount struct {
	Score float64 `json:"score"`
	Pairs int     `json:"pairs"`
}

// Sample counts pairs by their score, ascending. After the first pair it has the five scores of won, drawn and lost
// matches in any case.
type Sample []PairCount

// Add counts a pair.
func (s *Sample) Add(score float64) {
	if *s == nil {
		*s = Sample{{Score: 0}, {Score: 0.25}, {Score: 0.5}, {Score: 0.75}, {Score: 1}}
	}
	i, known := slices.BinarySearchFunc(*s, score, func(c PairCount, score float64) int { return cmp.Compare(c.Score, score) })
	if !known {
		*s = slices.Insert(*s, i, PairCount{Score: score})
	}
	(*s)[i].Pairs++
}

// unseen is the pseudo-count of a score without pairs, so that no hypothesis is impossible: the value of fastchess
// and fishtest.
const unseen = 1e-3

// weight returns the number of pairs, at least unseen.
func (c PairCount) weight() float64 { return max(float64(c.Pairs), unseen) }

// LLR returns the log likelihood ratio of Elo1 to Elo0.
func (t SPRT) LLR(s Sample) float64 {
	s0, s1 := expectedScore(t.Elo0), expectedScore(t.Elo1)
	tilt0, tilt1 := s.tilt(s0), s.tilt(s1)
	llr := 0.0
	for _, c := range s {
		llr += c.weight() * math.Log((1+tilt0*(c.Score-s0))/(1+tilt1*(c.Score-s1)))
	}
	return llr
}

// tilt returns the parameter of the most likely distribution with a given mean score: pairs of score x have a
// probability in proportion to their weight / (1 + tilt·(x - mean)).
func (s Sample) tilt(mean float64) float64 {
	low, high := -1/(1-mean), 1/mean // between them all probabilities are positive
	for range 64 {
		middle, sum := (low+high)/2, 0.0
		for _, c := range s {
			sum += c.weight() * (c.Score - mean) / (1 + middle*(c.Score-mean))
		}
		if sum > 0 { // it falls as the tilt grows
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// Bounds returns Wald's bounds of the log likelihood ratio: at most low accepts Elo0, at least high accepts Elo1.
func (t SPRT) Bounds() (low, high float64) {
	return math.Log(t.Beta / (1 - t.Alpha)), math.Log((1 - t.Beta) / t.Alpha)
}

// Verdict compares the likelihood ratio with the bounds.
func (t SPRT) Verdict(s Sample) Verdict {
	low, high := t.Bounds()
	switch llr := t.LLR(s); {
	case llr >= high:
		return AcceptH1
	case llr <= low:
		return AcceptH0
	}
	return Undecided
}
