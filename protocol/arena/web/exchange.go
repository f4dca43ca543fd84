package web

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"stackmate/protocol"
	"stackmate/protocol/arena"
	"stackmate/reasoner/machine"
)

// saveRecord writes a record as a file: in our lines, or in the format of the GGP archives.
func (s *Server) saveRecord(w http.ResponseWriter, r *http.Request) {
	record, err := s.record(r.PathValue("id"))
	var text []byte
	ending := ".jsonl"
	if err == nil && r.URL.Query().Get("as") == "ggp" {
		ending = ".json"
		var before [][]string
		if before, err = s.beforeOpening(r.Context(), record); err == nil {
			text, err = record.GGP(before, func(player string) bool { return player == person })
		}
	} else if err == nil {
		text, err = json.Marshal(record)
	}
	if err != nil {
		s.writeJSON(w, nil, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", protocol.SafeID(record.Match)+ending))
	_, _ = w.Write(append(text, '\n')) // the browser is gone if it fails
}

// beforeOpening replays the opening of a record and returns the positions before each of its moves.
func (s *Server) beforeOpening(ctx context.Context, record *arena.Record) ([][]string, error) {
	if len(record.Opening) == 0 {
		return nil, nil
	}
	g, err := s.gameOf("", record)
	if err == nil {
		err = s.library.compile(ctx, g, nil)
	}
	if err != nil {
		return nil, err
	}
	at, err := g.at(record.Opening)
	if err != nil {
		return nil, fmt.Errorf("by the rules of %s: %w", g.name, err)
	}
	return positions(at.Names, at.States[:len(record.Opening)]), nil
}

// positions returns the true fluents in each state.
func positions(names *machine.Names, states []machine.State) (list [][]string) {
	for _, q := range states {
		list = append(list, names.AppendFluents([]string{}, q))
	}
	return list
}

// Records that people have put in have names that begin with opened; there are at most maxPutIn in a folder.
const (
	putIn    = "opened."
	maxPutIn = 1000
)

// openRecord stores an uploaded record and returns its id. It replays the moves by the rules of the game in the library, and stores only
// the result, besides the goals of a forfeit.
func (s *Server) openRecord(r *http.Request) (map[string]string, error) {
	if there, err := filepath.Glob(filepath.Join(s.Archive.Dir(), putIn+"*")); err != nil || len(there) >= maxPutIn {
		return nil, faulty(http.StatusInsufficientStorage,
			fmt.Sprintf("there are %d records that were put in, as many as are kept: remove some from the folder of records (%s*)", len(there), putIn))
	}
	text, err := rulesOfBody(r)
	if err != nil {
		return nil, err
	}
	record, err := arena.DecodeRecord(bytes.NewReader(text), "record")
	if err != nil {
		return nil, err
	}
	g, err := s.gameOf(r.URL.Query().Get("game"), record)
	if err != nil {
		return nil, err
	}
	if err := s.library.compile(r.Context(), g, nil); err != nil {
		return nil, err
	}
	at, err := g.at(slices.Concat(record.Opening, record.Moves))
	if err != nil {
		return nil, fmt.Errorf("by the rules of %s: %w", g.name, err)
	}
	names := g.machine.Names()
	if record.Unnamed {
		_ = record.Name(names.Roles) // an error shows below: the numbers of players differ
	}
	if len(record.Players) != len(names.Roles) {
		return nil, fmt.Errorf("%s has %d roles, the record %d players", g.name, len(names.Roles), len(record.Players))
	}
	id := protocol.SafeID(record.Match)
	record.Match = putIn + id[:min(60, len(id))] + "." + rand.Text()[:6]
	if !strings.HasPrefix(g.name, recorded) {
		record.Game = g.name
	}
	record.Roles, record.Rulesheet, record.Rules = names.Roles, string(g.text), arena.HashRules(string(g.text))
	if record.StartErrors == nil {
		record.StartErrors = make([]string, len(names.Roles))
	}
	record.States = positions(names, at.States[len(record.Opening):])
	switch goals := goals(at); {
	case goals != nil:
		record.Goals, record.Completed, record.Aborted, record.Forfeit = goals, true, false, false
	case !record.Completed || !record.Forfeit || len(record.Goals) != len(names.Roles): // rules do not give the goals of a forfeit
		record.Goals, record.Completed, record.Aborted = nil, false, true
		record.Reason = cmp.Or(record.Reason, "the record ends before the game does")
	}
	record.Summary = new(record.Result())
	if err := record.Consistent(); err != nil {
		return nil, err
	}
	return map[string]string{"match": record.Match}, s.Archive.Keep(record)
}

// gameOf finds the game of a record: the wanted game if its name is not empty, else the game of its rules, or
// of its name, as it is spelled here or elsewhere.
func (s *Server) gameOf(wanted string, record *arena.Record) (*game, error) {
	if wanted == "" && record.Rules != "" {
		if g, err := s.library.get(rulesOf(record)); err == nil {
			return g, nil
		}
	}
	g, err := s.library.get(cmp.Or(wanted, record.Game))
	if err == nil || wanted != "" {
		return g, err
	}
	for _, known := range s.Games {
		if strings.EqualFold(known.Name, record.Game) {
			return s.library.get(known.Name)
		}
	}
	return nil, faulty(http.StatusNotFound, fmt.Sprintf("the record is of %q, which is no game here: choose which one it is", record.Game))
}
