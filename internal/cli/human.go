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
	"stackmate/reasoner/machine"
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
	names  *machine.Names
	batch  machine.Batch
	words  int
	layout *board.Layout
	role   machine.Role
	told   int // joint moves that the batch has made
}

var _ protocol.Agent = (*human)(nil)

// Start implements protocol.Agent.
func (h *human) Start(_ context.Context, m protocol.Match) error {
	if m.Machine == nil {
		return errors.New("people play with the names of the rules: without --scramble")
	}
	h.names, h.batch, h.words, h.told = m.Machine.Names(), m.Machine.NewBatch(), m.Machine.Words(), 0
	h.batch.Evaluate(1)
	role, ok := h.names.Role(m.Role)
	if !ok {
		return fmt.Errorf("the game has no role %s", m.Role)
	}
	h.role = role
	h.layout = board.Find(m.Game, h.names.AppendFluents(nil, m.Machine.Initial()))
	return nil
}

// Play implements protocol.Agent.
func (h *human) Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	h.follow(told)
	if h.batch.Terminal()[0]&1 != 0 {
		return gdl.Term{}, protocol.ErrOver
	}
	legal := h.batch.AppendLegal(nil, 0, h.role)
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

// follow makes the joint moves that were told, and shows them.
func (h *human) follow(told [][]gdl.Term) {
	for ; h.told < len(told); h.told++ {
		joint := told[h.told]
		if joint == nil {
			continue
		}
		var played []string
		for r, t := range joint {
			text := t.String()
			if move, ok := h.names.Move(machine.Role(r), text); ok {
				h.batch.Choose(0, machine.Role(r), move)
			}
			played = append(played, h.names.Roles[r]+" "+text)
		}
		h.batch.Advance(1)
		h.batch.Evaluate(1)
		h.say("Played: %s\n", strings.Join(played, ", "))
	}
}

// show draws the position.
func (h *human) show() {
	state := make(machine.State, h.words)
	h.batch.Store(state, 1)
	facts := slices.SortedFunc(slices.Values(h.names.AppendFluents(nil, state)), board.Natural)
	h.say("\n%s\n", h.layout.Draw(facts).Text(columns))
}

// Stop implements protocol.Agent.
func (h *human) Stop(told [][]gdl.Term) {
	h.follow(told)
	h.show()
}

// Abort implements protocol.Agent.
func (*human) Abort() {}
