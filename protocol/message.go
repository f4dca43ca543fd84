package protocol

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"stackmate/gdl"
)

// Command is the head of a message, in upper case.
type Command string

// The messages of the GGP protocol.
const (
	Info    Command = "INFO"
	Ping    Command = "PING" // sent by older servers instead of INFO
	Preview Command = "PREVIEW"
	Start   Command = "START"
	Play    Command = "PLAY"
	Stop    Command = "STOP"
	Abort   Command = "ABORT"
)

var commands = []Command{Info, Ping, Preview, Start, Play, Stop, Abort}

// Limits of a message: no part costs more than its own bytes. Real messages stay far below.
const (
	maxID      = 256  // bytes of a match id
	maxSymbol  = 4096 // bytes of any symbol
	maxNesting = 1024 // open parentheses; the limit of gdl for rules is lower
	maxArgs    = 16   // further arguments are ignored
)

// MaxClock is the longest clock, a week. Larger numbers are errors.
const MaxClock = 7 * 24 * time.Hour

// Message is a request of a game server. Names and moves are spelled as the server sent them.
type Message struct {
	Command    Command
	ID         string        // START, PLAY, STOP, ABORT
	Role       string        // START
	Rules      string        // START, PREVIEW: a rulesheet without the parentheses around it
	StartClock time.Duration // START; PREVIEW: the preview clock
	PlayClock  time.Duration // START
	// Joint is the previous joint move, or nil before the first move.
	Joint []gdl.Term // PLAY, STOP
	// Seen is the GDL-II form of the message, (id turn move percepts): the role's previous move, and its percepts
	// since. It is nil in the usual form.
	Seen *Seen // PLAY, STOP
}

// Seen is the observation of one role, which GDL-II messages hold instead of a joint move.
type Seen struct {
	Turn     int
	Move     gdl.Term // without a name before the first move
	Percepts []gdl.Term
}

// ParseMessage parses a request: the command in any case, any white space, extra arguments ignored. The error is one
// line and names the expected form; the message then has its command and its id, as far as they were read.
func ParseMessage(text string) (Message, error) {
	var m Message
	fields, err := split(strings.TrimPrefix(text, "\ufeff"), 2)
	if err != nil {
		return m, err
	}
	if len(fields) == 2 && isInfix(fields) {
		return m, fmt.Errorf("found a message in infix form, %s(...), which is not supported; expected (%[1]s ...)", clip(fields[0]))
	}
	if len(fields) != 1 || !isList(fields[0]) {
		return m, errors.New("expected one message in parentheses, such as (INFO)")
	}
	if fields, err = split(inside(fields[0]), 1+maxArgs); err != nil {
		return m, err
	}
	if len(fields) == 0 {
		return m, errors.New("expected a command, found an empty message")
	}
	m.Command = Command(strings.ToUpper(fields[0]))
	if err := m.parse(fields[1:]); err != nil {
		return m, fmt.Errorf("%s: %w", clip(string(m.Command)), err)
	}
	return m, nil
}

// isInfix reports whether the forms are a message in the dialect of some courses, start(id,role,[rules],10,10).
func isInfix(forms []string) bool {
	return slices.Contains(commands, Command(strings.ToUpper(forms[0]))) && isList(forms[1])
}

func (m *Message) parse(args []string) error {
	switch m.Command {
	case Info, Ping:
		return nil
	case Preview:
		if len(args) < 1 || !isList(args[0]) {
			return errors.New("expected (PREVIEW (rules) clock)")
		}
		m.Rules = inside(args[0])
		if len(args) == 1 {
			return nil
		}
		return parseClock(&m.StartClock, args[1])
	case Start:
		return m.parseStart(args)
	case Play, Stop:
		return m.parseJoint(args)
	case Abort:
		return m.parseID(args)
	}
	return errors.New("unknown command; expected INFO, START, PLAY, STOP or ABORT")
}

func (m *Message) parseStart(args []string) error {
	if len(args) < 5 {
		return fmt.Errorf("expected (START id role (rules) startclock playclock), found %d arguments", len(args))
	}
	if err := m.parseID(args); err != nil {
		return err
	}
	role, err := gdl.ParseTerm(args[1])
	if err != nil {
		return fmt.Errorf("the role: %w", err)
	}
	if !isList(args[2]) {
		return fmt.Errorf("expected the rules in parentheses, found %s", clip(args[2]))
	}
	m.Role, m.Rules = role.String(), inside(args[2])
	if err := parseClock(&m.StartClock, args[3]); err != nil {
		return err
	}
	return parseClock(&m.PlayClock, args[4])
}

func (m *Message) parseID(args []string) error {
	if len(args) == 0 || isList(args[0]) {
		return errors.New("expected the match id")
	}
	if len(args[0]) > maxID {
		return fmt.Errorf("expected a match id of at most %d bytes, found %s", maxID, clip(args[0]))
	}
	m.ID = args[0]
	return nil
}

// parseJoint parses the arguments (id joint) or (id turn move percepts).
func (m *Message) parseJoint(args []string) error {
	if err := m.parseID(args); err != nil {
		return err
	}
	if len(args) < 2 {
		return errors.New("expected the joint move, or NIL")
	}
	if turn, err := strconv.Atoi(args[1]); err == nil && len(args) > 2 {
		return m.parseSeen(turn, args[2:])
	}
	var err error
	m.Joint, err = parseTerms(args[1], ParseMove)
	return err
}

// parseSeen parses the arguments (move percepts) of a GDL-II message.
func (m *Message) parseSeen(turn int, args []string) error {
	if strings.EqualFold(args[0], "nil") {
		m.Seen = &Seen{Turn: turn}
		return nil
	}
	if len(args) < 2 || !isList(args[1]) && !strings.EqualFold(args[1], "nil") {
		return errors.New("expected the percepts behind the move, as in (id turn move (percepts)), found none")
	}
	move, err := ParseMove(args[0])
	if err != nil {
		return err
	}
	percepts, err := parseTerms(args[1], gdl.ParsePercept)
	if err != nil {
		return err
	}
	m.Seen = &Seen{turn, move, percepts}
	return nil
}

// parseTerms parses the terms of a list. An atom counts as an absent list.
func parseTerms(text string, parse func(string) (gdl.Term, error)) (terms []gdl.Term, err error) {
	if !isList(text) {
		return nil, nil
	}
	texts, err := split(inside(text), math.MaxInt)
	if err != nil {
		return nil, err
	}
	for _, text := range texts {
		term, err := parse(text)
		if err != nil {
			return nil, err
		}
		terms = append(terms, term)
	}
	return terms, nil
}

// maxMove limits the text of a move, in bytes.
const maxMove = 64 << 10

// ParseMove parses one move of a message.
func ParseMove(text string) (gdl.Term, error) {
	if len(text) > maxMove {
		return gdl.Term{}, fmt.Errorf("expected a move of at most %d bytes, found %s", maxMove, clip(text))
	}
	t, err := gdl.ParseTerm(text)
	if err != nil {
		return gdl.Term{}, fmt.Errorf("the move %s: %w", clip(text), err)
	}
	return t, nil
}

// parseClock parses a clock in seconds; fractions are allowed.
func parseClock(clock *time.Duration, text string) error {
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || !(seconds >= 0 && seconds <= MaxClock.Seconds()) {
		return fmt.Errorf("expected a clock from 0 to %.0f seconds, found %s", MaxClock.Seconds(), clip(text))
	}
	*clock = time.Duration(math.Round(seconds * float64(time.Second)))
	return nil
}

// String returns the message as a game server would send it.
func (m Message) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "( %s", m.Command)
	switch m.Command {
	case Preview:
		fmt.Fprintf(&b, " (%s\n) %s", m.Rules, seconds(m.StartClock))
	case Start:
		fmt.Fprintf(&b, " %s %s (%s\n) %s %s", m.ID, m.Role, m.Rules, seconds(m.StartClock), seconds(m.PlayClock))
	case Play, Stop:
		if m.Seen != nil {
			fmt.Fprintf(&b, " %s %d %s %s", m.ID, m.Seen.Turn, cmp.Or(m.Seen.Move.String(), "NIL"), jointText(m.Seen.Percepts))
			break
		}
		joint := "NIL"
		if m.Joint != nil {
			joint = jointText(m.Joint)
		}
		fmt.Fprintf(&b, " %s %s", m.ID, joint)
	case Abort:
		fmt.Fprintf(&b, " %s", m.ID)
	}
	b.WriteString(" )")
	return b.String()
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// jointText returns a joint move as on the wire: one term per role.
func jointText(joint []gdl.Term) string {
	return "(" + strings.Join(Texts(joint), " ") + ")"
}

// Texts returns the text of each term; of a joint move, its moves by role.
func Texts(terms []gdl.Term) (texts []string) {
	for _, t := range terms {
		texts = append(texts, t.String())
	}
	return texts
}

// SafeID replaces the characters of a match id that cannot occur in a symbol or a file name.
func SafeID(id string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune("._-", c):
			return c
		}
		return '_'
	}, id)
}
