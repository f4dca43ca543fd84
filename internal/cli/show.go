package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"stackmate/protocol/arena"
	"stackmate/protocol/arena/board"
)

// showCommand shows a recorded match turn by turn.
type showCommand struct {
	Record string `arg:"" type:"path" help:"Match record, or a file of several."`
	Turn   *int   `placeholder:"N" help:"Show the position after N turns only."`
	All    bool   `help:"Show all turns without pause; on a terminal the default is to step through them."`
	JSON   bool   `name:"json" help:"Print the record as one JSON object."`
}

// Run implements the command.
func (c *showCommand) Run(s *console) error {
	if err := checkReadable(c.Record); err != nil {
		return err
	}
	if c.Turn != nil && c.JSON {
		return usageError{errors.New("--turn: --json prints the whole record")}
	}
	records, err := await(s.ctx, func() ([]*arena.Record, error) { return arena.ReadRecords(c.Record) })
	if err != nil {
		return usageError{err}
	}
	reader := s.newRecordReader()
	var faults []error
	for i, r := range records {
		if i > 0 && !c.JSON {
			fmt.Fprintln(s.out)
		}
		g := reader.name(filepath.Dir(c.Record), r)
		if err := c.show(s, r, g); err != nil {
			return err
		}
		if fault := reader.compare(g, r); fault != nil {
			faults = append(faults, contradiction(c.Record, r, fault))
		}
	}
	return errors.Join(faults...)
}

// show shows a match, with boards if its game is not nil.
func (c *showCommand) show(s *console, r *arena.Record, g *recordedGame) error {
	if c.JSON {
		return json.NewEncoder(s.out).Encode(r)
	}
	if c.Turn != nil && (*c.Turn < 0 || *c.Turn >= len(r.States)) {
		return usageError{fmt.Errorf("--turn: expected 0 to %d, found %d", len(r.States)-1, *c.Turn)}
	}
	v := viewer{console: s, record: r}
	if g != nil && len(r.States) > 0 {
		v.layout = board.Find(s.ctx, g.rules, r.States...)
	}
	switch {
	case c.Turn != nil:
		v.show(*c.Turn)
	case !c.All && s.out.terminal && term.IsTerminal(int(os.Stdin.Fd())):
		return v.step(s.ctx)
	default:
		v.head()
		for turn := range r.States {
			v.show(turn)
		}
		v.end()
	}
	return nil
}

// viewer shows the turns of a record.
type viewer struct {
	*console
	record *arena.Record
	layout *board.Layout // nil: facts only
}

// columns is the width of pictures: a small terminal.
const columns = 78

func (v *viewer) head() {
	r := v.record
	fmt.Fprintf(v.out, "%s, %s, %s\n", r.Match, r.Game, r.StartTime.Format("2006-01-02 15:04:05"))
	for i, role := range r.Roles {
		fmt.Fprintf(v.out, "  %s: %s\n", role, r.Players[i])
	}
	for _, joint := range r.Opening {
		fmt.Fprintf(v.out, "  opening: %s\n", strings.Join(joint, " "))
	}
}

// show shows how a turn was played and the position that it led to.
func (v *viewer) show(turn int) {
	r := v.record
	fmt.Fprintf(v.out, "\nTurn %d of %d\n", turn, len(r.States)-1)
	for i, role := range r.Roles {
		if turn == 0 || turn > len(r.Moves) {
			break
		}
		fmt.Fprintf(v.out, "  %s: %s", role, r.Moves[turn-1][i])
		if turn <= len(r.ReplyTimes) {
			fmt.Fprintf(v.out, "  %.3f s", r.ReplyTimes[turn-1][i])
		}
		if turn <= len(r.Errors) && r.Errors[turn-1][i] != "" {
			fmt.Fprintf(v.out, "  error %s", r.Errors[turn-1][i])
		}
		fmt.Fprintln(v.out)
		if turn <= len(r.Explanations) && r.Explanations[turn-1] != nil && r.Explanations[turn-1][i] != nil {
			var text bytes.Buffer
			_ = writeExplanation(&text, role, r.Explanations[turn-1][i])
			_, why, _ := strings.Cut(text.String(), "\n") // the move has been shown
			fmt.Fprint(v.out, why)
		}
	}
	facts := slices.SortedFunc(slices.Values(r.States[turn]), board.Natural)
	if v.layout == nil {
		fmt.Fprintln(v.out, strings.Join(facts, "\n"))
		return
	}
	fmt.Fprintln(v.out, v.layout.Draw(facts).Text(columns))
}

func (v *viewer) end() {
	r := v.record
	switch {
	case r.Completed:
		for i, role := range r.Roles {
			fmt.Fprintf(v.out, "%s: %s has %d points\n", role, r.Players[i], r.Goals[i])
		}
		if r.Reason != "" {
			fmt.Fprintln(v.out, r.Reason)
		}
	case r.Aborted:
		fmt.Fprintf(v.out, "aborted: %s\n", r.Reason)
	default:
		fmt.Fprintln(v.out, "The match goes on, or its manager was killed.")
	}
}

// step lets a person walk through the record.
func (v *viewer) step(ctx context.Context) error {
	v.head()
	in := bufio.NewReaderSize(os.Stdin, maxTyped)
	for turn := 0; ; {
		v.show(turn)
		if turn == len(v.record.States)-1 {
			v.end()
		}
		fmt.Fprint(v.out, "Enter: next turn, b: back, a number: that turn, q: quit> ")
		text, err := await(ctx, func() (string, error) { return readLine(in) })
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		switch text {
		case "":
			turn++
		case "b":
			turn--
		case "q":
			return nil
		default:
			n, err := strconv.Atoi(text)
			if err != nil {
				fmt.Fprintf(v.out, "Expected Enter, b, a number or q, found %q.\n", text)
				continue
			}
			turn = n
		}
		turn = max(0, min(turn, len(v.record.States)-1))
	}
}
