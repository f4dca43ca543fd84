package web

import (
	"errors"
	"slices"

	"stackmate/reasoner/machine"
)

// takeback is what somebody wants to take back, until all people at the table agree.
type takeback struct {
	by     machine.Role
	agreed []bool // by role; nil while nobody asks
}

// sits tells whether a person has a role, and the key that shows it.
func (t *table) sits(r machine.Role, key string) bool {
	return t.seats[r].kind == person && t.seats[r].key == key
}

// undo takes a choice of this turn back, of which nobody knows yet. What was played, it takes back as far as the
// last choice of the role, as soon as all people at the table have asked for it.
func (t *table) undo(r machine.Role, a act) error {
	if t.goals == nil && t.choice[r] != "" && len(t.legal[r]) > 1 {
		t.choice[r] = ""
		return nil
	}
	if a.Turn != len(t.joints) {
		return errLate
	}
	if t.taking.agreed == nil {
		if t.before(r) < 0 {
			return errors.New("there is nothing to take back")
		}
		t.taking = takeback{r, make([]bool, len(t.seats))}
	}
	waiting := false
	for role, name := range t.machine.Names().Roles {
		t.taking.agreed[role] = t.taking.agreed[role] || machine.Role(role) == r || t.sits(machine.Role(role), a.Keys[name])
		waiting = waiting || t.seats[role].kind == person && !t.taking.agreed[role]
	}
	if waiting {
		return nil
	}
	back := t.before(t.taking.by)
	t.taking = takeback{}
	t.history.states = slices.Clip(t.history.states[:back+1])
	t.joints, t.why = slices.Clip(t.joints[:back]), slices.Clip(t.why[:back])
	t.legal, t.goals = nil, nil
	t.turn++
	t.stopClock()
	t.takeBack(back)
	return nil
}

// before is the number of joint moves before the last one in which a role had a choice, or -1.
func (t *table) before(r machine.Role) int {
	for back := len(t.joints) - 1; back >= 0; back-- {
		before := &history{game: t.history.game, states: t.history.states[:back+1]}
		if moves, _ := before.legal(); moves != nil && len(moves[r]) > 1 {
			return back
		}
	}
	return -1
}

// asking names the roles that have asked for what.
func (t *table) asking() map[string][]string {
	var names []string
	for role, agreed := range t.taking.agreed {
		if agreed && t.seats[role].kind == person {
			names = append(names, t.machine.Names().Roles[role])
		}
	}
	if names == nil {
		return nil
	}
	return map[string][]string{"undo": names}
}
