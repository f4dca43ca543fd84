package web

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"stackmate/gdl"
	"stackmate/internal/guard"
	"stackmate/protocol/arena/board"
	"stackmate/reasoner/prover"
)

// proofTime bounds the search for proofs.
const proofTime = 10 * time.Second

// inWords has the clauses that the page explains in words, and the roles that look from the other side of the board.
type inWords struct {
	Clauses string   `json:"clauses"` // in prefix syntax, one to a line
	Turned  []bool   `json:"turned,omitempty"`
	Colors  []string `json:"colors,omitempty"` // of the roles
	Title   string   `json:"title,omitempty"`
	Summary string   `json:"summary,omitempty"` // of the rules, for people
}

func (s *Server) tellRules(r *http.Request) (*inWords, error) {
	g, err := s.library.get(r.URL.Query().Get("game"))
	if err != nil {
		return nil, err
	}
	return g.told(), nil
}

func (g *game) told() *inWords {
	tree, err := gdl.Parse(g.file, g.text)
	if err != nil {
		return &inWords{}
	}
	t := &inWords{Clauses: gdl.Print(tree), Title: g.page.Title, Summary: g.page.Rules, Colors: g.layout.RoleColors()}
	if g.initial != nil {
		t.Turned = g.layout.Turned(g.initial)
	}
	return t
}

// checked is a rulesheet that somebody is writing.
type checked struct {
	*gameView
	*inWords
}

// checkRules returns the findings of a rulesheet and its first position. It keeps nothing.
func (s *Server) checkRules(r *http.Request) (*checked, error) {
	text, err := rulesOfBody(r)
	if err != nil {
		return nil, err
	}
	g, err := s.library.load(r.Context(), "rules", "rules.kif", text)
	if err != nil {
		return nil, err
	}
	c := &checked{g.view(true), g.told()}
	if c.Position != nil {
		err = guard.Do(func() error { g.begin(r.Context(), c.Position); return nil })
	}
	return c, err
}

// rulesOfBody reads a rulesheet that somebody sends.
func rulesOfBody(r *http.Request) ([]byte, error) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, faulty(http.StatusRequestEntityTooLarge, fmt.Sprintf("expected at most %d MiB of rules", maxUpload>>20))
	}
	return text, nil
}

// begin adds the legal moves to the first position, as far as the rules tell them soon.
func (g *game) begin(ctx context.Context, p *Position) {
	ctx, cancel := context.WithTimeout(ctx, lookingTime)
	defer cancel()
	at, err := prover.Begin(ctx, g.rules)
	for r := range g.rules.Roles {
		var legal []string
		if err == nil {
			legal, err = at.Legal(ctx, r, 0)
		}
		p.Legal = append(p.Legal, g.read(g.rules.Roles[r].String(), legal))
	}
	if err != nil {
		p.Legal = nil
	}
}

func (s *Server) proveRules(r *http.Request) (found any, err error) {
	g, err := s.library.get(r.URL.Query().Get("game"))
	if err != nil {
		return nil, err
	}
	if g.err != nil || s.Prove == nil {
		return nil, faulty(http.StatusUnprocessableEntity, "nothing can be proved of these rules")
	}
	leave, err := s.searches.enter(r.Context(), nil)
	if err != nil {
		return nil, err
	}
	defer leave()
	err = guard.Do(func() (err error) {
		found, err = s.Prove(r.Context(), g.rules, proofTime)
		return err
	})
	return found, err
}

// readMoves reads moves of a game for people.
func (s *Server) readMoves(r *http.Request) ([]board.Move, error) {
	var q struct {
		Game  string   `json:"game"`
		Moves []string `json:"moves"`
	}
	if err := readJSON(r, &q); err != nil {
		return nil, err
	}
	g, err := s.library.get(q.Game)
	if err != nil {
		return nil, err
	}
	return g.read("", q.Moves), nil
}

// Bounds of the search for deciding cells.
const (
	decidingTime = time.Second
	maxDeciding  = 16 // cells; where more decide, as in a count of all discs, none is worth a mark
)

// showDeciding tells on which cells a match was decided.
func (s *Server) showDeciding(r *http.Request) ([]board.Spot, error) {
	g, at, err := s.named(r)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), decidingTime)
	defer cancel()
	spots := []board.Spot{}
	goals := goals(at)
	for role, goal := range goals {
		if goal == slices.Max(goals) && goal > slices.Min(goals) {
			spots = g.deciding(ctx, at.Names.Roles[role], at.Facts())
			break
		}
	}
	return spots, nil
}

// deciding finds the cells without which a role would have another goal: a fact decides if the goal
// changes when it is not true.
func (g *game) deciding(ctx context.Context, role string, facts []string) []board.Spot {
	prover := prover.New(g.rules)
	whole, err := prover.Goal(ctx, facts, role)
	spots := []board.Spot{}
	for i, fact := range facts {
		spot, ok := g.layout.CellOf(fact)
		if !ok || err != nil || ctx.Err() != nil {
			continue
		}
		without, err := prover.Goal(ctx, slices.Delete(slices.Clone(facts), i, i+1), role)
		if ctx.Err() == nil && (err != nil || without != whole) && !slices.Contains(spots, spot) {
			spots = append(spots, spot)
		}
	}
	if len(spots) > maxDeciding || ctx.Err() != nil {
		return []board.Spot{}
	}
	return spots
}
