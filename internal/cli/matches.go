package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"stackmate/protocol"
	"stackmate/protocol/arena"
)

// matchFlags say how matches are played.
type matchFlags struct {
	Players    []string      `help:"Players in order of the roles, separated by commas, such as stackmate, mcts:threads=1 or http://host:port; stackmate help players lists all kinds and options."`
	StartClock float64       `type:"time" default:"10" help:"Time to prepare, in seconds, or such as 1m; 0 means no limit."`
	PlayClock  *float64      `type:"time" placeholder:"2" help:"Time for each move, in seconds, or such as 100ms; 0 means no limit. By default a human has none."`
	Grace      time.Duration `default:"1s" help:"How long past its clock a reply still counts."`
	Seed       uint64        `default:"1" help:"Seed of chance and of the players in this program."`
	Scramble   bool          `help:"Give the symbols of the rules new names."`
	Knowledge  string        `type:"path" placeholder:"DIR" help:"Folder of weights that were learnt by train or in matches, for the players of this program."`
	Record     string        `type:"path" placeholder:"DIR" help:"Folder for match records."`
	Explain    bool          `help:"Show why the players of this program make their moves, on standard error."`
	JSON       bool          `name:"json" help:"Print JSON."`
}

// defaultPlayClock is in seconds.
const defaultPlayClock = 2.0

func (c *matchFlags) setting(s *console) (arena.Setting, error) {
	c.Players = joinOptions(c.Players)
	playClock := defaultPlayClock
	if c.PlayClock != nil {
		playClock = *c.PlayClock
	}
	if longest := protocol.MaxClock.Seconds(); !(min(c.StartClock, playClock) >= 0 && max(c.StartClock, playClock) <= longest) {
		return arena.Setting{}, usageError{fmt.Errorf("expected clocks of 0 to %.0f seconds, found %v and %v", longest, c.StartClock, playClock)}
	}
	if c.Grace < 0 {
		return arena.Setting{}, usageError{fmt.Errorf("expected a grace of 0 or more, found %v", c.Grace)}
	}
	var tell func(*arena.Record) error
	if c.Record != "" {
		archive, err := arena.OpenArchive(c.Record)
		if err != nil {
			return arena.Setting{}, usageError{fmt.Errorf("--record: %w", err)}
		}
		tell = archive.Recorder()
	}
	s.seed.Store(c.Seed)
	if c.Explain {
		s.explainMoves()
	}
	return arena.Setting{
		StartClock: time.Duration(c.StartClock * float64(time.Second)),
		PlayClock:  time.Duration(playClock * float64(time.Second)),
		Grace:      c.Grace,
		Seed:       c.Seed,
		Scramble:   c.Scramble,
		Tell:       tell,
	}, nil
}

// infoTime bounds the time to ask players for their names.
const infoTime = time.Second

// named returns the names of players for tables: a player at an address has the name that it tells, with the
// address in brackets, if it answers.
func (s *console) named(specs []string) []string {
	ctx, cancel := context.WithTimeout(s.ctx, infoTime)
	defer cancel()
	names := slices.Clone(specs)
	var all sync.WaitGroup
	for i, spec := range specs {
		if !strings.Contains(spec, "://") || protocol.CheckURL(spec) != nil {
			continue
		}
		all.Go(func() {
			if name := arena.AskName(ctx, spec); name != "" {
				names[i] = name + " [" + spec + "]"
			}
		})
	}
	all.Wait()
	return names
}

// verdict returns errTold if a player failed in a match.
func verdict(results []arena.Result) error {
	for _, r := range results {
		if r.Aborted || slices.Max(r.Errors) > 0 {
			return errTold
		}
	}
	return nil
}

// matchID begins the ids of the matches that begin now.
func matchID(game string) string {
	return fmt.Sprintf("%s.%d", strings.TrimSuffix(filepath.Base(game), filepath.Ext(game)), time.Now().UnixMilli())
}
