package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/internal/recent"
	"stackmate/protocol/arena"
	"stackmate/protocol/arena/board"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/machine/play"
	"stackmate/reasoner/prover"
	"stackmate/reasoner/wellformed"
)

// library has the games of Config, of uploads and of records, by name.
// Rules are read when somebody asks for the game, and compiled when somebody plays it.
type library struct {
	Config
	ctx       context.Context // ends the work in progress
	games     recent.Cache[string, *game]
	mu        sync.Mutex
	uploads   []*game // in order of arrival
	reading   *room
	compiling *room
}

// keptGames is how many games stay compiled.
const keptGames = 24

// game is a game of the library.
type game struct {
	name string
	file string
	text []byte

	rules    *gdl.Game
	findings []finding
	err      error // why there are no rules
	page     board.Page
	layout   *board.Layout // without boards if there are none, or no rules
	initial  []string      // facts of the first position; nil if it takes too long to find

	compiling chan struct{} // held by the request that compiles
	machine   machine.Machine
	failure   error // why there can be no machine
}

// finding is a finding of the validator.
type finding struct {
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Code   string `json:"code"`
	Grave  bool   `json:"grave"` // the rules are not valid; they may be played all the same
	Text   string `json:"text"`
	Hint   string `json:"hint,omitempty"`
}

func newLibrary(ctx context.Context, c Config) *library {
	return &library{
		Config: c, ctx: ctx, games: recent.Cache[string, *game]{Size: keptGames},
		reading: newRoom("rulesheets", maxReading, 8*maxQueued), compiling: newRoom("compilations", maxCompiling, maxQueued),
	}
}

// Times within which rules are read and looked at: safeguards, since boards must not depend on the speed of the machine.
const (
	readingTime = 10 * time.Second
	lookingTime = 10 * time.Second
	// Boards are found by the first position and examples, each reached from the one before by one of someMoves legal
	// moves. With 24 examples, 253 of 266 known rulesheets have the layouts of whole matches, with 6 examples 244.
	// The examples take half a second in chess on a busy machine.
	examples  = 24
	someMoves = 4
)

// get finds a game and reads its rules.
func (l *library) get(name string) (*game, error) {
	if g := l.uploaded(name); g != nil {
		return g, nil
	}
	return l.games.Get(name, func() (*game, error) {
		file, text, err := l.read(name)
		if err != nil {
			return nil, &fault{http.StatusNotFound, err}
		}
		return l.load(l.ctx, name, file, text)
	})
}

// compiled returns a game with its machine.
func (l *library) compiled(ctx context.Context, name string) (*game, error) {
	g, err := l.get(name)
	if err == nil {
		err = l.compile(ctx, g, nil)
	}
	return g, err
}

// uploaded returns an uploaded game, or nil.
func (l *library) uploaded(name string) *game {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range l.uploads {
		if g.name == name {
			return g
		}
	}
	return nil
}

// upload reads rules that somebody sends and keeps them.
func (l *library) upload(ctx context.Context, text []byte) (*game, error) {
	name := uploaded + arena.HashRules(string(text))[:uploadedDigits]
	if g := l.uploaded(name); g != nil {
		return g, nil
	}
	g, err := l.load(ctx, name, "rules.kif", text)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.uploads = append(slices.DeleteFunc(l.uploads, func(same *game) bool { return same.name == name }), g)
	l.uploads = l.uploads[max(0, len(l.uploads)-maxUploads):]
	return g, nil
}

// read finds the text of rules.
func (l *library) read(name string) (file string, text []byte, err error) {
	if hash, ok := strings.CutPrefix(name, recorded); ok {
		text, err := l.Archive.Rulesheet(hash)
		return hash + ".kif", []byte(text), err
	}
	if prefix, ok := strings.CutPrefix(name, uploaded); ok && len(prefix) == uploadedDigits {
		hash, err := l.Archive.FindRules(prefix)
		if err != nil {
			return "", nil, fmt.Errorf("the uploaded rules are gone, upload them again: %w", err)
		}
		text, err := l.Archive.Rulesheet(hash)
		return "rules.kif", []byte(text), err
	}
	return l.Config.Rules(name)
}

// recorded comes before the hash of rules that a record names, uploaded before the first digits of the hash of uploaded
// rules. The archive has these rules if there was a table for them.
const (
	recorded       = "record:"
	uploaded       = "upload:"
	uploadedDigits = 12
)

// load reads rules and finds their boards.
func (l *library) load(ctx context.Context, name, file string, text []byte) (*game, error) {
	leave, err := l.reading.enter(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer leave()
	g := &game{name: name, file: file, text: text, compiling: make(chan struct{}, 1), findings: []finding{}, layout: &board.Layout{}}
	reading, cancel := context.WithTimeout(ctx, readingTime)
	defer cancel()
	var findings gdl.Diagnostics
	g.rules, findings, g.err = gdl.LoadToPlay(reading, file, text)
	if g.err != nil && reading.Err() != nil {
		return nil, fmt.Errorf("reading %s: %w", name, reading.Err())
	}
	for _, d := range findings {
		if d.Meaning != "" {
			d.Message += "; played all the same: " + d.Meaning
		}
		g.findings = append(g.findings, finding{
			Line: d.Pos.Line, Column: d.Pos.Column, Code: d.Code, Grave: strings.HasPrefix(d.Code, "E"), Text: d.Message, Hint: d.Hint,
		})
	}
	if g.err == nil {
		g.rules, _ = wellformed.FirstGoals(ctx, g.rules)
		if err := guard.Do(func() error { g.look(ctx); return nil }); err != nil {
			return nil, fmt.Errorf("%s cannot be drawn: %w", name, err)
		}
		if err := l.applyPage(g); err != nil {
			return nil, fmt.Errorf("the page of %s: %w", name, err)
		}
	}
	return g, nil
}

// applyPage gives a game the page that its author wrote.
func (l *library) applyPage(g *game) error {
	if l.Page == nil {
		return nil
	}
	text, err := l.Page(g.name)
	if err != nil || text == nil {
		return err
	}
	g.page, err = board.ReadPage(text)
	if err == nil {
		g.layout = g.layout.WithPage(g.page)
	}
	return err
}

// look finds the boards of a game, by its first position and examples.
func (g *game) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookingTime)
	defer cancel()
	positions := firstPositions(ctx, g.rules)
	if len(positions) > 0 {
		g.initial = positions[0]
	}
	g.layout = board.Find(ctx, g.rules, positions...)
}

// firstPositions returns the first position of a game, and the examples after it.
func firstPositions(ctx context.Context, rules *gdl.Game) [][]string {
	at, err := prover.Begin(ctx, rules)
	if err != nil {
		return nil
	}
	positions := [][]string{at.Facts}
	for rng := machine.NewRand(1); len(positions) <= examples && wander(ctx, at, rng); {
		positions = append(positions, at.Facts)
	}
	return positions
}

// wander makes one of the first legal moves of each role, where there are any.
func wander(ctx context.Context, at *prover.Position, rng *machine.Rand) bool {
	if over, err := at.IsOver(ctx); over || err != nil {
		return false
	}
	joint := make([]string, len(at.Roles))
	for r := range joint {
		legal, err := at.Legal(ctx, r, someMoves)
		if err != nil || len(legal) == 0 {
			return false
		}
		joint[r] = legal[rng.Intn(len(legal))]
	}
	return at.Advance(ctx, joint) == nil
}

// compile makes the machine of a game for as long as the request lasts. Requests for one game wait for the first
// of them; games wait in a queue, whose progress is passed to queued. A game that did not compile in
// time is compiled again for the next request.
func (l *library) compile(ctx context.Context, g *game, queued func(place int)) error {
	if g.err != nil {
		return faulty(http.StatusUnprocessableEntity, g.err.Error())
	}
	select {
	case g.compiling <- struct{}{}:
		defer func() { <-g.compiling }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if g.machine != nil {
		return nil
	}
	err := g.failure
	if err == nil {
		leave, full := l.compiling.enter(ctx, queued)
		if full != nil {
			return full
		}
		defer leave()
		ctx, cancel := context.WithCancel(ctx)
		defer context.AfterFunc(l.ctx, cancel)()
		defer cancel()
		err = guard.Do(func() (err error) {
			g.machine, err = l.Compile(ctx, g.rules)
			return err
		})
	}
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled):
		g.failure = err
	}
	g.machine = nil
	return fmt.Errorf("%s cannot be compiled: %w", g.name, err)
}

// at follows joint moves from the first position of a compiled game.
func (g *game) at(joints [][]string) (*play.History, error) {
	if len(joints) > maxMoves {
		return nil, fmt.Errorf("expected at most %d moves, found %d", maxMoves, len(joints))
	}
	return play.Follow(g.machine, joints)
}

// goals returns the goals of all roles if the game has ended or nobody can go on, else nil.
func goals(at *play.History) (goals []int) {
	if !at.IsOver() && at.Fault() == nil {
		return nil
	}
	for _, goal := range at.Goals() {
		goals = append(goals, max(0, int(goal)))
	}
	return goals
}

// Position is a position as the page shows it.
type Position struct {
	Roles []string `json:"roles,omitempty"` // none in a stream, which has named them
	Turn  int      `json:"turn"`
	// SVG is the drawing, or Lines are the lines in which it differs from the drawing before it in a stream.
	SVG      string          `json:"svg"`
	Lines    map[int]string  `json:"lines,omitzero"`
	Counters []board.Counter `json:"counters,omitempty"`
	Hands    []board.Hand    `json:"hands,omitempty"`
	Facts    []string        `json:"facts,omitempty"`
	Legal    [][]board.Move  `json:"legal,omitempty"` // by role; none if the game is over
	Goals    []int           `json:"goals,omitempty"` // by role, if the game is over
}

// picture draws facts. The positions before them say who left trails.
func picture(layout *board.Layout, roles, facts []string, turn int, before ...[]string) Position {
	p := layout.Draw(facts, before...)
	return Position{Roles: roles, Turn: turn, SVG: p.SVG(), Counters: p.Counters, Hands: p.Hands, Facts: p.Facts}
}

// after returns the position for the readers of a stream, which have the drawing of the position before.
func (p Position) after(drawn string) *Position {
	p.Roles = nil
	before, now := strings.Split(drawn, "\n"), strings.Split(p.SVG, "\n")
	if drawn == "" || len(before) != len(now) {
		return &p
	}
	p.SVG, p.Lines = "", make(map[int]string)
	for i, line := range now {
		if line != before[i] {
			p.Lines[i] = line
		}
	}
	return &p
}

// show draws a position.
func (g *game) show(at *play.History) Position {
	shown := picture(g.layout, at.Names.Roles, at.Facts(), len(at.States)-1, g.before(at)...)
	if shown.Goals = goals(at); shown.Goals != nil {
		return shown
	}
	for r := range at.Names.Roles {
		shown.Legal = append(shown.Legal, g.legal(at, machine.Role(r)))
	}
	return shown
}

// before returns the positions before the present one, if they say how it is drawn.
func (g *game) before(at *play.History) (positions [][]string) {
	if !g.layout.HasTrails() {
		return nil
	}
	for _, s := range at.States[:len(at.States)-1] {
		positions = append(positions, at.Names.AppendFluents(nil, s))
	}
	return positions
}

// maxAimed bounds the moves whose successors are computed to find the cells that they lead to.
const maxAimed = 16

// legal reads the legal moves of a role. If no move names a cell, as with directions, the cells of a move are the cells that it
// changes.
func (g *game) legal(at *play.History, r machine.Role) []board.Move {
	texts := slices.SortedFunc(slices.Values(at.Legal(r)), board.Natural)
	moves := g.read(at.Names.Roles[r], texts)
	namesCells := slices.ContainsFunc(moves, func(m board.Move) bool { return m.Spots != nil })
	if len(moves) < 2 || len(moves) > maxAimed || namesCells || !g.layout.HasBoard() {
		return moves
	}
	before, turn := at.Facts(), len(at.States)-1
	var after [][]string
	for _, text := range texts {
		joint := make([]string, len(at.Names.Roles))
		for other := range joint {
			legal := at.Legal(machine.Role(other))
			if len(legal) == 0 {
				return moves
			}
			joint[other] = legal[0]
		}
		joint[r] = text
		if at.Advance(joint) != nil {
			return moves
		}
		after = append(after, at.Facts())
		at.Back(turn)
	}
	return g.layout.Aim(moves, before, after)
}

// read reads moves of a role, "" if it does not matter which, for people.
func (g *game) read(role string, moves []string) []board.Move {
	list := []board.Move{}
	for _, move := range moves {
		list = append(list, g.layout.ReadFor(role, move))
	}
	return list
}

// rulesOf returns the library's name for the rules of a record.
func rulesOf(r *arena.Record) string { return recorded + r.Rules }
