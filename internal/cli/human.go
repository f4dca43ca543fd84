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
	"stackmate/player/analysis"
	"stackmate/protocol"
	"stackmate/protocol/arena/board"
)

// humanPlayer is the name of the player at this terminal.
const humanPlayer = "human"

// people are the persons at this terminal. They are asked one at a time.
type people struct {
	asked   sync.Mutex
	lines   chan string       // closed when there are no more
	leave   func()            // ends the matches
	adviser *analysis.Adviser // of the solution that they play against, or nil

	saying sync.Mutex // guards out
	out    io.Writer
}

// errLeft is the cause for which matches end when a person has left.
var errLeft = errors.New("the person has left")

// newPeople reads lines until there are no more. When a person leaves, the context of the command ends.
func (s *console) newPeople(in io.Reader, out io.Writer) *people {
	p := &people{out: out, lines: make(chan string)}
	ctx, cancel := context.WithCancelCause(s.ctx)
	s.ctx, p.leave = ctx, func() { cancel(errLeft) }
	go func() {
		defer close(p.lines)
		typed := bufio.NewReaderSize(in, maxTyped)
		for line, err := readLine(typed); err == nil; line, err = readLine(typed) {
			select {
			case p.lines <- line:
			case <-ctx.Done():
				return
			}
		}
	}()
	return p
}

// maxTyped bounds a line that a person types, in bytes.
const maxTyped = 4 << 10

// readLine returns the next line that a person types, without surrounding space. Of a line that does not fit into the
// buffer it returns the beginning and "…", which is no move.
func readLine(in *bufio.Reader) (string, error) {
	part, isLong, err := in.ReadLine()
	line := strings.TrimSpace(string(part))
	if isLong {
		line = fmt.Sprintf("%.40s…", line)
	}
	for isLong {
		_, isLong, _ = in.ReadLine() // the next line has the error, too
	}
	return line, err
}

// endError returns the error of a command whose context has ended: nil if a human player has left.
func (s *console) endError() error {
	if errors.Is(context.Cause(s.ctx), errLeft) {
		return nil
	}
	return s.ctx.Err()
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
	seated
	layout *board.Layout
}

var _ protocol.Agent = (*human)(nil)

// Start implements protocol.Agent.
func (h *human) Start(ctx context.Context, m protocol.Match) error {
	if err := h.sit(m); err != nil {
		return err
	}
	h.layout = board.Find(ctx, m.Game, h.at.Facts())
	return nil
}

// Play implements protocol.Agent.
func (h *human) Play(ctx context.Context, told [][]gdl.Term) (gdl.Term, error) {
	h.showMoves(told)
	legal := h.at.Legal(h.role)
	slices.SortFunc(legal, func(a, b string) int { return board.Natural(strings.Trim(a, "()"), strings.Trim(b, "()")) })
	if len(legal) == 1 {
		return gdl.ParseTerm(legal[0])
	}
	h.asked.Lock()
	defer h.asked.Unlock()
	if len(told) == 1 {
		h.greet()
	}
	h.show()
	var found analysis.Advice
	if h.adviser != nil {
		var err error
		if found, err = h.adviser.Advise(ctx, h.at.State()); err != nil {
			return gdl.Term{}, err
		}
		h.say("%s\n", found.Value)
	}
	for i, text := range legal {
		h.say("%4d: %s\n", i+1, text)
	}
	for {
		h.say("%s> ", h.at.Names.Roles[h.role])
		select {
		case line, ok := <-h.lines:
			if lower := strings.ToLower(line); !ok || lower == "quit" || lower == "exit" {
				h.say("\nThe match ends here.\n")
				h.leave()
				return gdl.Term{}, errLeft
			} else if lower == "?" && h.adviser != nil {
				h.hint(found)
				continue
			}
			if move, ok := h.parseMove(line, legal); ok {
				return gdl.ParseTerm(move)
			}
			h.say("Expected a number from 1 to %d or a legal move such as %s, found %q.\n", len(legal), legal[0], line)
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				h.say("\nThe time is over.\n")
			} else {
				h.say("\nThe match is interrupted.\n")
			}
			return gdl.Term{}, ctx.Err()
		}
	}
}

// greet explains the commands.
func (h *human) greet() {
	hint := ""
	if h.adviser != nil {
		hint = "? shows what the solution would play, "
	}
	h.say("You are %s. Type a move or its number; %squit ends.\n", h.at.Names.Roles[h.role], hint)
}

// hint shows the strategy of the solution.
func (h *human) hint(found analysis.Advice) {
	strategy := found.Strategy(h.role)
	for _, w := range strategy {
		h.say("  %s with %.4f\n", h.at.Names.MoveText(h.role, w.Move), w.Probability)
	}
	if len(strategy) == 0 {
		h.say("  the solution has no strategy for you here\n")
	}
}

// parseMove returns the move of an input line: its number, or its text, with or without the outer parentheses.
func (h *human) parseMove(line string, legal []string) (string, bool) {
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(legal) {
		return legal[n-1], true
	}
	text := strings.Join(strings.Fields(line), " ")
	for _, spelled := range []string{text, "(" + text + ")"} {
		if move, ok := h.at.Find(h.role, spelled); ok {
			return h.at.Names.MoveText(h.role, move), true
		}
	}
	return "", false
}

// showMoves shows the moves of the last messages.
func (h *human) showMoves(told [][]gdl.Term) {
	news, _ := h.follow(told) // the manager tells legal moves
	for _, joint := range news {
		var played []string
		for r, text := range joint {
			played = append(played, h.at.Names.Roles[r]+" "+text)
		}
		h.say("Played: %s\n", strings.Join(played, ", "))
	}
}

// show draws the position.
func (h *human) show() {
	facts := slices.SortedFunc(slices.Values(h.at.Facts()), board.Natural)
	h.say("\nTurn %d\n%s\n", len(h.at.States), strings.TrimRight(h.layout.Draw(facts).Text(columns), "\n"))
}

// Stop implements protocol.Agent.
func (h *human) Stop(told [][]gdl.Term) {
	h.showMoves(told)
	h.show()
	text := "The end."
	for _, r := range h.at.Names.Players() {
		text += fmt.Sprintf(" %s: %d.", h.at.Names.Roles[r], h.at.Goals()[r])
	}
	h.say("%s\n", text)
}

// Abort implements protocol.Agent.
func (*human) Abort() {}
