package cli

import (
	"errors"
	"fmt"

	"stackmate/protocol/arena"
)

// tournamentCommand rates players.
type tournamentCommand struct {
	Games  []string  `arg:"" name:"game" help:"Games to play."`
	Rounds int       `default:"10" help:"How often every group of players meets in every game, in all rotations of the roles."`
	SPRT   []float64 `name:"sprt" placeholder:"ELO0,ELO1" help:"Stop as soon as it is decided (errors of 5 %) whether the first of two players is stronger by ELO0 or by ELO1."`
	matchFlags
}

// sprtRisk is the risk of each kind of error of a test.
const sprtRisk = 0.05

// Run implements the command.
func (c *tournamentCommand) Run(s *console) error {
	t := arena.Tournament{Rounds: c.Rounds}
	var err error
	if t.Setting, err = c.setting(s); err != nil {
		return err
	}
	if t.Players, err = s.players(c.Players, c.Knowledge); err != nil {
		return err
	}
	if len(c.SPRT) == 2 {
		t.Test = &arena.SPRT{Elo0: c.SPRT[0], Elo1: c.SPRT[1], Alpha: sprtRisk, Beta: sprtRisk}
	} else if len(c.SPRT) != 0 {
		return usageError{fmt.Errorf("--sprt: expected two numbers, found %v", c.SPRT)}
	}
	for _, game := range c.Games {
		manager, err := s.manager(game)
		if err != nil {
			return err
		}
		t.Games = append(t.Games, manager)
	}
	defer s.progress(doing("playing"))()
	ranking, err := t.Run(s.ctx, matchID("tournament"), nil)
	if ranking == nil {
		return usageError{err}
	}
	if err := errors.Join(err, show(s, c.JSON, ranking, writeRanking), s.ctx.Err()); err != nil {
		return err
	}
	return verdict(ranking.Results)
}
