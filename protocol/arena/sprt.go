package arena

import (
	"fmt"
	"math"
)

// SPRT is a sequential test of whether a player is stronger than another by
// Elo1 rather than by Elo0: Wald's sequential probability ratio test in the
// generalised form for scores of unknown variance (Van den Bergh, A Practical
// Introduction to the GSPRT, 2017).
type SPRT struct {
	// The hypotheses, Elo0 < Elo1, and the risks of accepting Elo1, or Elo0, wrongly.
	Elo0, Elo1, Alpha, Beta float64
}

// Verdict is what a test says so far.
type Verdict string

// The verdicts of a test.
const (
	Undecided Verdict = ""
	AcceptH0  Verdict = "elo0" // no stronger than Elo0
	AcceptH1  Verdict = "elo1" // as strong as Elo1
)

// Check says what is wrong with the parameters of the test, if anything is.
func (t SPRT) Check() error {
	if !(t.Elo0 < t.Elo1) || !(t.Alpha > 0 && t.Alpha < 0.5) || !(t.Beta > 0 && t.Beta < 0.5) {
		return fmt.Errorf("expected elo0 < elo1 and risks between 0 and 0.5, found elo0 %g, elo1 %g, risks %g and %g",
			t.Elo0, t.Elo1, t.Alpha, t.Beta)
	}
	return nil
}

// Sample sums up scores: independent, from 0 to 1 each. For games with unequal
// chances of the roles a score is the mean over matches with all seatings.
type Sample struct {
	n, sum, squares float64
}

// Add counts a score.
func (s *Sample) Add(score float64) {
	s.n++
	s.sum += score
	s.squares += score * score
}

// regular is the sample with a score of 0 and one of 1 added, so that it has a
// variance from the beginning.
func (s Sample) regular() (n, mean, variance float64) {
	s.Add(0)
	s.Add(1)
	mean = s.sum / s.n
	return s.n, mean, s.squares/s.n - mean*mean
}

// LLR is the logarithm of the likelihood ratio of Elo1 to Elo0.
func (t SPRT) LLR(s Sample) float64 {
	n, mean, variance := s.regular()
	s0, s1 := expectedScore(t.Elo0), expectedScore(t.Elo1)
	return n * (s1 - s0) * (2*mean - s0 - s1) / (2 * variance)
}

// Bounds are Wald's bounds of the likelihood ratio, as logarithms: at most low accepts
// Elo0, at least high accepts Elo1.
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
