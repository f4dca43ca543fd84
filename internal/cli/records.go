package cli

import (
	"fmt"
	"path/filepath"
	"slices"

	"stackmate/gdl"
	"stackmate/protocol"
	"stackmate/protocol/arena"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/reasoner/prover"
)

// recordReader reads records and compares them with their rules, where these are at hand: in the folder of the
// record, by their hash or as GAME.kif, or by the name of its game.
type recordReader struct {
	*console
	known map[string]*recordedGame // by folder and hash of the rules, or by name
}

// recordedGame is the game of records.
type recordedGame struct {
	rules   *gdl.Game
	hashes  []string // of its text as a manager and as a file have it
	initial []string // the first position, sorted
	machine machine.Machine
	failure error // why there is no machine
}

// newRecordReader makes a reader of records.
func (s *console) newRecordReader() *recordReader {
	return &recordReader{console: s, known: make(map[string]*recordedGame)}
}

// hashes returns the names under which records know rules of this text.
func hashes(rules *gdl.Game, text []byte) []string {
	return []string{arena.HashRules(arena.RulesText(rules)), arena.HashRules(string(text))}
}

// gameOf finds the game of a record from a folder; nil if it is not at hand.
func (l *recordReader) gameOf(folder string, r *arena.Record) *recordedGame {
	find := func(key string, source func() (string, []byte, error)) *recordedGame {
		g, known := l.known[key]
		if known {
			return g
		}
		l.known[key] = nil
		file, text, err := source()
		if err != nil {
			return nil
		}
		rules, err := l.check(file, text, gdl.LoadToPlay)
		if err != nil {
			return nil
		}
		rules = l.firstGoals(rules)
		g = &recordedGame{rules: rules, hashes: hashes(rules, text)}
		if at, err := prover.Begin(l.ctx, rules); err == nil {
			g.initial = slices.Sorted(slices.Values(at.Facts))
		}
		l.known[key] = g
		return g
	}
	if r.Rules != "" {
		if g := find(filepath.Join(folder, r.Rules), func() (string, []byte, error) {
			text, err := arena.ReadArchive(folder).Rulesheet(r.Rules)
			return r.Game, []byte(text), err
		}); g != nil {
			return g
		}
	}
	// A file beside the record, or a name.
	for _, game := range []string{filepath.Join(folder, filepath.Base(r.Game)+".kif"), r.Game} {
		if game == standardInput {
			continue
		}
		if g := find(game, func() (string, []byte, error) { return l.rulesheet(game) }); g != nil {
			return g
		}
	}
	return nil
}

// name names the roles of a record from a folder and returns its game, nil if its rules are not at hand.
func (l *recordReader) name(folder string, r *arena.Record) *recordedGame {
	g := l.gameOf(folder, r)
	if g == nil || r.Name(protocol.Texts(g.rules.Roles)) != nil {
		return nil
	}
	return g
}

// compare returns an error if a record contradicts itself or the rules of its match. g are the rules found by
// name; the same name may mean other rules, so g counts only if its matches begin in the same position.
func (l *recordReader) compare(g *recordedGame, r *arena.Record) error {
	if g == nil || !slices.Contains(g.hashes, r.Rules) &&
		(len(r.Opening) > 0 || len(r.States) == 0 || !slices.Equal(slices.Sorted(slices.Values(r.States[0])), g.initial)) {
		return r.Consistent()
	}
	if g.machine == nil && g.failure == nil {
		if g.machine, _, g.failure = l.machine(r.Game, g.rules, reasoner.Options{}); g.failure != nil {
			l.log.Warn().Err(g.failure).Msg("its records are not compared with the rules")
		}
	}
	if g.failure != nil {
		return r.Consistent()
	}
	return r.Replay(g.machine)
}

// contradiction wraps the error of an inconsistent record.
func contradiction(path string, r *arena.Record, err error) error {
	return fmt.Errorf("%s: match %s: %w", path, r.Match, err)
}
