package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"stackmate/gdl"
	"stackmate/protocol"
	"stackmate/protocol/arena/board"
)

// humanPlayer is the name of a player who is a person at this terminal.
const humanPlayer = "human"

// people are the persons at this terminal. They are asked one at a time.
type people struct {
	asked sync.Mutex
	lines chan string // closed when there are no more

	saying sync.Mutex // guards out
	out    io.Writer
}

// newPeople reads lines until there are no more.
func newPeople(in io.Reader, out io.Writer) *people {
	p := &people{out: out, lines: make(chan string)}
	go func() {
		defer close(p.lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			p.lines <- strings.TrimSpace(s.Text())
		}
	}()
	return p
}

// say prints, while another person may be asked.
func (p *people) say(format string, args ...any) {
	p.saying.Lock()
	defer p.saying.Unlock()
	fmt.Fprintf(p.out, format, args...)
}

// human is one of them in a match.
type human struct {
	*people
	follower
	layout *board.Layout
}

var _ protocol.Agent = (*human)(nil)

// Start implements protocol.Agent.
func (h *human) Start(_ context.Context, m protocol.Match) error {
	if err := h.begin(m); err != nil {
		return err
	}
	h.layout = board.Find(m.Game, h.names.AppendFluents(nil, m.Machine.Initial()))
	return nil
}

// Play implements protocol.Agent.
func (h *human) Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	legal, err := h.follow(told, h.sayPlayed)
	if err != nil {
		return gdl.Term{}, err
	}
	texts := make([]string, len(legal))
	for i, m := range legal {
		texts[i] = h.names.MoveText(h.role, m)
	}
	slices.SortFunc(texts, func(a, b string) int { return board.Natural(strings.Trim(a, "()"), strings.Trim(b, "()")) })
	if len(texts) == 1 {
		return gdl.ParseTerm(texts[0])
	}
	h.asked.Lock()
	defer h.asked.Unlock()
	h.show()
	for i, text := range texts {
		h.say("%4d: %s\n", i+1, text)
	}
	for {
		h.say("%s> ", h.names.Roles[h.role])
		select {
		case line, ok := <-h.lines:
			if !ok {
				return gdl.Term{}, errors.New("the person has left")
			}
			if text, ok := chosen(line, texts); ok {
				return gdl.ParseTerm(text)
			}
			h.say("Expected a number from 1 to %d or a move such as %s, found %q.\n", len(texts), texts[0], line)
		case <-ctx.Done():
			h.say("The time is over.\n")
			return gdl.Term{}, ctx.Err()
		}
	}
}

// chosen is the move that a line means: its number, or its text, for which the outer
// parentheses are not needed.
func chosen(line string, moves []string) (string, bool) {
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(moves) {
		return moves[n-1], true
	}
	text := strings.Join(strings.Fields(line), " ")
	for _, m := range moves {
		if strings.EqualFold(m, text) || strings.EqualFold(m, "("+text+")") {
			return m, true
		}
	}
	return "", false
}

// sayPlayed shows a joint move.
func (h *human) sayPlayed(joint []gdl.Term) {
	var played []string
	for r, t := range joint {
		played = append(played, h.names.Roles[r]+" "+t.String())
	}
	h.say("Played: %s\n", strings.Join(played, ", "))
}

// show draws the position.
func (h *human) show() {
	facts := slices.SortedFunc(slices.Values(h.names.AppendFluents(nil, h.state())), board.Natural)
	h.say("\n%s\n", h.layout.Draw(facts).Text(columns))
}

// Stop implements protocol.Agent.
func (h *human) Stop(told [][]gdl.Term) {
	_, _ = h.follow(told, h.sayPlayed)
	h.show()
}

// Abort implements protocol.Agent.
func (*human) Abort() {}
