package player

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rs/zerolog"

	"stackmate/gdl"
	"stackmate/reasoner/machine"
)

// match is the state of one match. It follows the joint moves that the player
// is told, never its own replies: a server may have replaced them.
type match struct {
	role string
	log  zerolog.Logger

	machine machine.Machine
	batch   machine.Batch
	self    machine.Role
	state   machine.State
	last    []string   // the joint move made last, as told
	told    int        // messages heard
	history [][]string // all joint moves told
	heard   int        // of history: how many the state has gone through
}

// hear takes note of the joint moves that are new; nil is none.
func (m *match) hear(told [][]gdl.Term) {
	for ; m.told < len(told); m.told++ {
		if told[m.told] == nil {
			continue
		}
		var texts []string
		for _, t := range told[m.told] {
			texts = append(texts, t.String())
		}
		m.history = append(m.history, texts)
	}
	if m.machine != nil {
		m.catchUp()
	}
}

// adopt goes on with machine to, which stands for the same game: the joint moves
// told so far are made on it again.
func (m *match) adopt(to machine.Machine) error {
	if m.machine == to {
		return nil
	}
	self, ok := to.Names().Role(m.role)
	if !ok {
		return fmt.Errorf("the game has no role %s; its roles are %s", m.role, to.Names().Roles)
	}
	info := to.Info()
	m.log.Info().Str("engine", info.Engine).Str("reason", info.Reason).Int("gates", info.Gates).Msg("machine")
	m.machine, m.batch, m.self = to, to.NewBatch(), self
	m.state = slices.Clone(to.Initial())
	m.heard, m.last = 0, nil
	m.catchUp()
	return nil
}

// catchUp makes the joint moves that the state has not gone through yet.
func (m *match) catchUp() {
	for ; m.heard < len(m.history); m.heard++ {
		m.advance(m.history[m.heard])
	}
}

// advance makes one joint move. One that is not legal is most likely the last
// one told again: then nothing happens. Otherwise moves that are not legal are
// replaced by the first legal move of their role, which is as good as any guess
// at what the server means.
func (m *match) advance(texts []string) {
	m.batch.Load(m.state, 1)
	m.batch.Evaluate(1)
	joint, faults := m.read(texts)
	switch {
	case m.batch.Terminal()[0]&1 != 0 || m.batch.Stuck()[0]&1 != 0:
		m.log.Warn().Strs("joint", texts).Msg("a joint move after the end of the game is ignored")
		return
	case faults > 0 && slices.Equal(texts, m.last):
		m.log.Warn().Strs("joint", texts).Msg("a repeated joint move is ignored")
		return
	case faults > 0:
		m.log.Warn().Strs("joint", texts).Str("instead", m.machine.Names().JointString(joint)).
			Msg("a joint move that is not legal is replaced")
	}
	for r, move := range joint {
		m.batch.Choose(0, machine.Role(r), move)
	}
	m.batch.Advance(1)
	m.batch.Store(m.state, 1)
	m.last = texts
}

// read translates a joint move made in the position of lane 0. Moves that are
// missing or not legal there are replaced and counted.
func (m *match) read(texts []string) (joint []machine.Move, faults int) {
	names := m.machine.Names()
	for r := range names.Roles {
		role := machine.Role(r)
		legal := m.batch.AppendLegal(nil, 0, role)
		move, ok := machine.NoMove, false
		if r < len(texts) {
			move, ok = names.Move(role, texts[r])
		}
		if !ok || !slices.Contains(legal, move) {
			faults++
			move = machine.NoMove
			if len(legal) > 0 {
				move = legal[0]
			}
		}
		joint = append(joint, move)
	}
	return joint, faults
}

// position is where the player has to move.
func (m *match) position() (position, error) {
	m.batch.Load(m.state, 1)
	m.batch.Evaluate(1)
	if m.batch.Terminal()[0]&1 != 0 {
		return position{}, errors.New("the game is over")
	}
	legal := m.batch.AppendLegal(nil, 0, m.self)
	if len(legal) == 0 {
		return position{}, fmt.Errorf("the rules give %s no legal move here", m.role)
	}
	return position{machine: m.machine, state: slices.Clone(m.state), role: m.self, legal: legal}, nil
}
