package arena

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"stackmate/gdl"
	"stackmate/internal/must"

	"github.com/google/go-cmp/cmp"
)

func TestPlayersOfASeriesTakeAllRolesInTurn(t *testing.T) {
	m := manager(t, choosing)
	agreeing := saying(gdl.Term{Name: "pass"})
	var roles []string
	var results []Result
	for r, err := range m.Series(t.Context(), "s", []Player{in("p", agreeing), in("p", agreeing)}, 4, quick) {
		if err != nil {
			t.Fatal(err)
		}
		roles, results = append(roles, r.Match+" "+strings.Join(r.Players, " ")), append(results, r.Result())
	}
	if diff := cmp.Diff([]string{"s.0 p p-2", "s.1 p-2 p", "s.2 p p-2", "s.3 p-2 p"}, roles); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := []Standing{
		{Player: "p", Matches: 4, Points: 200, Wins: 2, Losses: 2},
		{Player: "p-2", Matches: 4, Points: 200, Wins: 2, Losses: 2},
	}
	if diff := cmp.Diff(want, Rank(results).Standings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestResultsHaveTheFieldsThatProgramsRead(t *testing.T) {
	r := playMatch(t, manager(t, choosing), quick, in("a", saying(gdl.Term{Name: "pass"})), in("b", saying(gdl.Term{Name: "no"})))
	r.ReplyTimes = [][]float64{{0.25, 0.5}, {0.125, 1}}
	text := must.Get(json.Marshal(r.Result()))(t)
	want := fmt.Sprintf(`{"match":"m.1","game":"test","players":["a","b"],"goals":[%d,%d],"turns":2,`+
		`"errors":[0,2],"late":[0,0],"illegal":[0,2],"failed":[0,0],"slowest":[0.25,1]}`, r.Goals[0], r.Goals[1])
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}
