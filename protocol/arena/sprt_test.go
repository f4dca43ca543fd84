package arena

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"stackmate/internal/exhaustive"
	"stackmate/reasoner/machine"
)

// sampleOf counts the five scores of pairs of matches that are won, drawn or lost.
func sampleOf(pairs ...int) Sample {
	var s Sample
	for i, n := range pairs {
		for range n {
			s.Add(float64(i) / 4)
		}
	}
	return s
}

// TestLLROfPublishedPairs compares with the two pentanomial figures of logistic Elo that
// fastchess publishes in its own tests (app/tests/sprt_test.cpp), to their two digits.
func TestLLROfPublishedPairs(t *testing.T) {
	for _, c := range []struct {
		elo0, elo1, want float64
		pairs            []int
	}{
		{0.5, 2.5, -3.07, []int{223, 9863, 20279 + 1000, 10037, 246}},
		{0, 2, -4.98, []int{871, 26175, 55003 + 980, 26678, 821}},
	} {
		test := SPRT{c.elo0, c.elo1, 0.05, 0.05}
		if got := test.LLR(sampleOf(c.pairs...)); math.Abs(got-c.want) > 0.005 {
			t.Errorf("%v: %.4f, published %v", c.pairs, got, c.want)
		}
	}
}

// TestLLROfTwoScoresByHand has pairs that are all won or all lost: a hypothesis of mean s then
// gives them the probabilities s and 1-s.
func TestLLROfTwoScoresByHand(t *testing.T) {
	test := SPRT{0, 400 * math.Log10(3), 0.05, 0.05} // mean scores 1/2 and 3/4
	want := 30*math.Log(0.75/0.5) + 10*math.Log(0.25/0.5)
	if got := test.LLR(sampleOf(10, 0, 0, 0, 30)); math.Abs(got-want) > 0.01 {
		t.Errorf("%v, want %v but for what unseen scores count", got, want)
	}
	if got := test.LLR(nil); got != 0 {
		t.Errorf("%v without pairs", got)
	}
}

// likeliest returns the largest likelihood of a sample, as logarithm, under a mean score: found by
// moving probability between three scores at a time so that sum and mean stay, along a line
// that is searched by thirds, until nothing changes. Slow, and without the tilt of Sample.
func likeliest(s Sample, mean float64) float64 {
	n := len(s)
	p := make([]float64, n)
	// A feasible start: a mixture of the lowest score, the highest and all alike.
	middle := 0.0
	for i := range p {
		p[i] = 0.1 / float64(n)
		middle += p[i] * s[i].Score
	}
	p[n-1] += mean - middle
	p[0] += 0.9 - (mean - middle)
	likelihood := func() (sum float64) {
		for i, c := range s {
			sum += c.weight() * math.Log(p[i])
		}
		return sum
	}
	for last := math.Inf(-1); ; {
		for i := range n {
			for j := range i {
				for k := range j {
					d := [3]float64{s[j].Score - s[k].Score, s[k].Score - s[i].Score, s[i].Score - s[j].Score}
					at := [3]int{i, j, k}
					low, high := math.Inf(-1), math.Inf(1)
					for x, v := range d {
						if bound := -p[at[x]] / v; v > 0 {
							low = max(low, bound)
						} else {
							high = min(high, bound)
						}
					}
					value := func(step float64) (sum float64) {
						for x, v := range d {
							sum += s[at[x]].weight() * math.Log(p[at[x]]+step*v)
						}
						return sum
					}
					for range 100 {
						a, b := low+(high-low)/3, high-(high-low)/3
						if value(a) < value(b) {
							low = a
						} else {
							high = b
						}
					}
					for x, v := range d {
						p[at[x]] += (low + high) / 2 * v
					}
				}
			}
		}
		now := likelihood()
		if now-last < 1e-10 {
			return now
		}
		last = now
	}
}

func TestLLRIsThatOfTheLikeliestDistributions(t *testing.T) {
	exhaustive.NotUnderRace(t, "computes on one goroutine")
	rapid.Check(t, func(t *rapid.T) {
		s := sampleOf(rapid.SliceOfN(rapid.IntRange(1, 40), 5, 5).Draw(t, "pairs")...)
		for _, odd := range rapid.SliceOfN(rapid.IntRange(0, 400), 0, 2).Draw(t, "other goals") {
			s.Add(float64(odd) / 400)
		}
		elo := rapid.Float64Range(-100, 100).Draw(t, "elo0")
		test := SPRT{elo, elo + rapid.Float64Range(1, 100).Draw(t, "width"), 0.05, 0.05}
		want := likeliest(s, expectedScore(test.Elo1)) - likeliest(s, expectedScore(test.Elo0))
		if got := test.LLR(s); math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
			t.Fatalf("%v of %v, slowly %v", got, s, want)
		}
	})
}

// TestSPRTKeepsItsRisks draws dependent pairs of matches, like pairs from one opening: each opening favours one seat.
func TestSPRTKeepsItsRisks(t *testing.T) {
	exhaustive.NotUnderRace(t, "draws thousands of tests on one goroutine")
	test := SPRT{Elo0: 0, Elo1: 40, Alpha: 0.05, Beta: 0.05}
	rng := machine.NewRand(11)
	for elo, wrong := range map[float64]Verdict{0: AcceptH1, 40: AcceptH0} {
		for _, bias := range []float64{0, 0.2} { // of the opening, in score
			const draws = 0.3
			runs := exhaustive.Choose(500, 2000)
			mistakes, pairs := 0, 0
			for range runs {
				var s Sample
				verdict := Undecided
				for verdict == Undecided {
					favour, sum := bias*float64(2*rng.Intn(2)-1), 0.0
					for range 2 {
						switch x := rng.Float64(); {
						case x < expectedScore(elo)+favour-draws/2:
							sum++
						case x < expectedScore(elo)+favour+draws/2:
							sum += 0.5
						}
						favour = -favour
					}
					s.Add(sum / 2)
					pairs++
					verdict = test.Verdict(s)
				}
				if verdict == wrong {
					mistakes++
				}
			}
			share := float64(mistakes) / float64(runs)
			t.Logf("at %v Elo, bias %v, %.1f %% of the tests say %s, after %.0f pairs on average", elo, bias, 100*share, wrong, float64(pairs)/float64(runs))
			// 5 % are allowed, and three standard deviations more.
			if share > 0.05+3*math.Sqrt(0.05*0.95/float64(runs)) {
				t.Errorf("at %v Elo, bias %v, %.1f %% of the tests say %s", elo, bias, 100*share, wrong)
			}
		}
	}
}

func TestSPRTNeedsHypothesesAndRisksThatMakeSense(t *testing.T) {
	for _, s := range []SPRT{
		{}, {0, 0, 0.05, 0.05}, {5, 0, 0.05, 0.05}, {0, 5, 0, 0.05}, {0, 5, 0.05, 0.5}, {0, math.NaN(), 0.05, 0.05},
	} {
		if s.Check() == nil {
			t.Errorf("%v passed", s)
		}
	}
	if err := (SPRT{0, 5, 0.05, 0.05}).Check(); err != nil {
		t.Error(err)
	}
}

func TestTheBoundsAreWaldsForEachRisk(t *testing.T) {
	low, high := SPRT{Elo1: 5, Alpha: 0.05, Beta: 0.1}.Bounds()
	if math.Abs(low-math.Log(0.1/0.95)) > 1e-12 || math.Abs(high-math.Log(0.9/0.05)) > 1e-12 {
		t.Errorf("bounds %v and %v, want the logarithms of 0.1/0.95 and 0.9/0.05", low, high)
	}
}
