package web

import (
	"bytes"
	"net/http"

	"stackmate/protocol/arena"
	"stackmate/protocol/arena/board"
	"stackmate/reasoner/machine"
)

// The stream of a table has the parts of the record under way, as the stream of a match that is watched, and the seats.

// compactAfter is the number of events after which a stream is compacted.
const compactAfter = 32

// tell adds the changes to the stream: the joint moves since the last event, or the whole record if another match
// has begun, and the seats.
func (t *table) tell() {
	var news [][]byte
	from := t.told[1]
	if t.told[0] != t.matches {
		from, t.drawn = 0, ""
		t.events += compactAfter
	}
	if now := [2]int{t.matches, len(t.joints)}; t.told != now {
		t.told = now
		news = append(news, t.part(from))
	}
	if seats := event("seats", t.view()); !bytes.Equal(seats, t.shown) {
		t.shown = seats
		news = append(news, seats)
	}
	t.story.Add(news...)
	if t.events += len(news); t.events >= compactAfter {
		drawn := t.drawn
		t.drawn = ""
		t.story.Compact(t.part(0), t.shown)
		t.drawn, t.events = drawn, 0
	}
}

// part returns the event of the joint moves from a turn on. From the first turn on, it begins the stream anew.
func (t *table) part(from int) []byte {
	p := part{Record: arena.Record{Moves: t.joints[from:], Explanations: t.why[from:]}}
	if from == 0 {
		p.Match, p.Game, p.Roles, p.StartTime = t.match(), t.game.name, t.at.Names.Roles, t.started
	}
	now := picture(t.game.layout, nil, t.at.Facts(), len(t.joints), t.game.before(t.at)...)
	p.Position, t.drawn = now.after(t.drawn), now.SVG
	return event("part", p)
}

// seatsView is the small event of a table: its players, and the state of the match without its moves. Lists are by role.
type seatsView struct {
	Table   string       `json:"table"`
	Turn    int          `json:"turn"`              // number of joint moves before
	Seats   []string     `json:"seats"`             // kinds of players, person, open, chance
	Chosen  []bool       `json:"chosen"`            // whether there is a choice for this turn
	Choices []int        `json:"choices,omitempty"` // numbers of legal moves; none where nobody moves
	Goals   []int        `json:"goals,omitempty"`
	Over    bool         `json:"over,omitempty"`
	Note    string       `json:"note,omitempty"`
	Clocks  []*clockView `json:"clocks,omitempty"`
	Score   []float64    `json:"score,omitempty"` // over several games
	// Asked names, by act, the roles that have asked for it and wait for the consent of the other people.
	Asked    map[string][]string `json:"asked,omitempty"`
	Resigned string              `json:"resigned,omitempty"`
	Next     string              `json:"next,omitempty"` // table of the rematch
}

// view returns the table as everybody may see it.
func (t *table) view() *seatsView {
	v := &seatsView{
		Table: t.id, Turn: len(t.joints), Note: t.note, Resigned: t.resigned, Next: t.next, Clocks: t.clockViews(),
		Over: t.over, Goals: t.goals,
	}
	if !t.over {
		v.Goals = goals(t.at)
	}
	if t.score != nil {
		v.Score = t.standing()
	}
	for r, s := range t.seats {
		v.Seats = append(v.Seats, s.kind)
		v.Chosen = append(v.Chosen, t.legal != nil && s.chosen)
		if t.legal != nil && v.Goals == nil {
			v.Choices = append(v.Choices, len(t.legal[r]))
		}
	}
	for what, agreed := range t.asked {
		for r, yes := range agreed {
			if yes && t.seats[r].kind == person {
				if v.Asked == nil {
					v.Asked = make(map[string][]string)
				}
				v.Asked[what] = append(v.Asked[what], t.at.Names.Roles[r])
			}
		}
	}
	return v
}

// legalMoves returns the legal moves of a table by role, for the turn that it names.
func (s *Server) legalMoves(r *http.Request) (any, error) {
	t, err := s.table(r)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	turn, moves := len(t.joints), make([][]board.Move, len(t.legal))
	for r := range t.legal {
		moves[r] = t.game.legal(t.at, machine.Role(r))
	}
	return map[string]any{"turn": turn, "legal": moves}, nil
}
