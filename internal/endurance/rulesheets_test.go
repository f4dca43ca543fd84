package endurance

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"stackmate/internal/corpus"
)

// TestEveryRulesheetIsPlayed starts a short match with every rulesheet of the
// corpus: each PLAY must be answered by a legal move in time.
func TestEveryRulesheetIsPlayed(t *testing.T) {
	begin(t)
	sheets := corpus.Rulesheets(t)
	slices.SortStableFunc(sheets, func(a, b corpus.Rulesheet) int { // the hardest first, most likely
		return len(corpus.Source(t, b.Name)) - len(corpus.Source(t, a.Name))
	})
	sheets = sheets[:min(len(sheets), repetitions(t, 2, len(sheets)))]
	const startClock = 3 * time.Second
	playClock, turns := either(3*time.Second, time.Second), either(2, 5)
	p := serve(t)
	var plays []time.Duration
	var notReady, illegal, late, skipped, matches int
	for k, sheet := range sheets {
		rules := string(corpus.Source(t, sheet.Name))
		budget := either(time.Minute, 2*time.Minute)
		judge, err := newReferee(t.Context(), rules, budget, uint64(k))
		if err != nil {
			skipped++
			t.Logf("%s: nobody can judge it within %v: %v", sheet.Name, budget, err)
			continue
		}
		if !p.alive() {
			t.Errorf("before %s: %s", sheet.Name, p.death())
			p = serve(t)
		}
		matches++
		c := &contest{
			player: p, referee: judge, id: fmt.Sprintf("sheet.%d", k), rules: rules,
			playClock: playClock, patience: either(leniency, time.Second), self: playerRole(judge, k),
		}
		if r := c.start(t, startClock); !r.ok() || r.text != "ready" || (full() && r.took > startClock) {
			notReady++
			t.Errorf("%s: START as %s: %v", sheet.Name, judge.roles[c.self], r)
		}
		for n := 0; n < turns && !judge.over(); n++ {
			turn := c.play(t)
			plays = append(plays, turn.took)
			if turn.late {
				late++
			}
			if !turn.legal {
				illegal++
			}
			if !turn.legal || (full() && turn.late) {
				t.Errorf("%s: PLAY %d as %s: %v", sheet.Name, n+1, judge.roles[c.self], turn)
			}
		}
		if r := c.end(); !r.ok() {
			t.Errorf("%s: the end: %v", sheet.Name, r)
		}
	}
	t.Logf("%d rulesheets (%d more without a judge): %d not ready, PLAY %s, %d without a legal move, %d late",
		matches, skipped, notReady, spread(plays), illegal, late)
}

// playerRole returns a role for the player, another one for another k: all take part but
// random.
func playerRole(r *referee, k int) int {
	var roles []int
	for role, name := range r.roles {
		if name != "random" {
			roles = append(roles, role)
		}
	}
	if len(roles) == 0 {
		return 0
	}
	return roles[k%len(roles)]
}
