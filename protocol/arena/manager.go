package arena

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/protocol"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"

	"github.com/rs/zerolog"
)

// Setting holds the parameters of a match.
type Setting struct {
	StartClock, PlayClock time.Duration // 0 means no limit
	// Grace is the wait past a clock, for network delays. Most servers wait for none, one for a second.
	Grace time.Duration
	// Seed seeds the moves of the role random, the replacements of missing and illegal moves, and the scrambled
	// names.
	Seed     uint64
	Scramble bool // replace the symbols of the game by new names
	MaxTurns int  // longer matches are aborted; 0 means DefaultMaxTurns
	// The match begins after the joint moves of After or, if empty, after Opening random joint moves seeded by
	// OpeningSeed.
	After       [][]string `json:",omitempty"`
	Opening     int
	OpeningSeed uint64
	// Forfeit: if players are unreachable or fail at START, all other players win; otherwise the match is aborted. A
	// player that is busy with another match has the start clock to finish it.
	Forfeit bool
	// Tell, if not nil, receives each part of the record immediately; it must not change the parts. The match waits
	// for it, and is aborted by its error. See Archive.Recorder.
	Tell func(part *Record) error `json:"-"`
}

// DefaultMaxTurns is the maximal length of a match. The longest known games have step counters of a few hundred.
const DefaultMaxTurns = 2000

// Manager runs matches of one game. It is safe for concurrent use.
type Manager struct {
	name    string
	game    *gdl.Game
	machine machine.Machine
	roles   []string
	log     zerolog.Logger
	rules   func() (text, hash string)
}

// NewManager returns a manager of a game, with its name in records. The machine must be compiled from the same game.
func NewManager(name string, g *gdl.Game, m machine.Machine, log zerolog.Logger) *Manager {
	rules := sync.OnceValues(func() (text, hash string) {
		text = RulesText(g)
		return text, HashRules(text)
	})
	return &Manager{name: name, game: g, machine: m, roles: m.Names().Roles, log: log, rules: rules}
}

// PlayerRoles returns the roles of players: all roles except random, in order.
func (g *Manager) PlayerRoles() []string {
	var roles []string
	for _, r := range g.machine.Names().Players() {
		roles = append(roles, g.roles[r])
	}
	return roles
}

// Chance is the name of the player of the role random.
const Chance = "(chance)"

// Match plays a match and returns its record; it always ends. The players take the roles of PlayerRoles in order.
// Characters of the id that cannot occur in a symbol or a file name become underscores. It returns an error if the
// match cannot be played: a wrong number of players or an invalid address. Later failures, and the end of ctx, are in
// the record. With an error of Setting.Tell it also returns the record.
func (g *Manager) Match(ctx context.Context, id string, players []Player, s Setting) (*Record, error) {
	if err := g.check(players); err != nil {
		return nil, err
	}
	if s.MaxTurns == 0 {
		s.MaxTurns = DefaultMaxTurns
	}
	if s.Opening > 0 && len(s.After) == 0 {
		s.After = g.opening(s.Opening, s.OpeningSeed)
	}
	at, err := play.Follow(g.machine, s.After)
	if err != nil {
		return nil, fmt.Errorf("%s: the opening: %w", g.name, err)
	}
	rng := machine.NewRand(s.Seed)
	c := &contest{
		Manager:  g,
		narrator: &narrator{record: &Record{}, listen: s.Tell},
		setting:  s,
		ctx:      ctx,
		rules:    g.game,
		rng:      rng,
		at:       at,
		players:  make([]Player, len(g.roles)),
		seats:    make([]opponent, len(g.roles)),
		log:      g.log.With().Str("match", id).Logger(),

		startErrors: make([]string, len(g.roles)),
	}
	for _, r := range g.machine.Names().Players() {
		c.players[r], players = players[0], players[1:]
	}
	c.next = &Record{StartErrors: c.startErrors}
	if s.Scramble {
		if c.names, c.rules, err = scramble(ctx, g.game, rng); err != nil {
			return nil, err
		}
	}
	if err := c.tell(c.head(protocol.SafeID(id))); err != nil {
		return c.record, err
	}
	if err := guard.Do(c.hold); err != nil {
		c.abort(err)
	}
	return c.record, c.untold
}

// head returns the first part of the record.
func (c *contest) head(id string) *Record {
	text, hash := c.Manager.rules()
	head := &Record{
		Match: id, Game: c.name, Rules: hash, Rulesheet: text, StartTime: time.Now().Round(0), Roles: c.roles,
		Opening: c.setting.After, StartClock: c.setting.StartClock.Seconds(), PlayClock: c.setting.PlayClock.Seconds(),
	}
	for r, p := range c.players {
		if machine.Role(r) == c.machine.Names().Chance() {
			p.Name = Chance
		}
		head.Players = append(head.Players, p.Name)
	}
	return head
}

// check returns an error if the players cannot play the game.
func (g *Manager) check(players []Player) error {
	if roles := g.PlayerRoles(); len(players) != len(roles) {
		return fmt.Errorf("%s has %d roles for players (%s), found %d players",
			g.name, len(roles), strings.Join(roles, ", "), len(players))
	}
	for _, p := range players {
		if p.New == nil {
			if err := protocol.CheckURL(p.URL); err != nil {
				return err
			}
		}
	}
	return nil
}
