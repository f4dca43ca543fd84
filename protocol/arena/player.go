package arena

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"stackmate/gdl"
	"stackmate/protocol"
)

// Player is a participant of matches: an agent in this process, or an endpoint at a URL.
type Player struct {
	Name string
	New  protocol.NewAgent // nil if the player is at URL
	URL  string            // http://host:port
	// Untimed: a player in this process keeps its own time; the match waits for its moves without limit.
	Untimed bool
}

// opponent is a player in one match. Contexts limit the waiting; an error is protocol.ErrLate or a failure of
// connection or player.
type opponent interface {
	start(ctx context.Context, m protocol.Match) error
	// play and stop receive all joint moves so far, after nil for the first PLAY. Why is the player's explanation, or
	// nil.
	play(ctx context.Context, told [][]gdl.Term) (reply string, why *protocol.Explanation, err error)
	stop(ctx context.Context, told [][]gdl.Term)
	abort(ctx context.Context)
}

// errBusy is returned by a player that plays another match.
var errBusy = errors.New("the player is busy with another match")

// local is an agent in this process.
type local struct {
	seat      *protocol.Seat
	playClock time.Duration
	match     context.Context // ends with the match
	end       context.CancelFunc
}

func newLocal(newAgent protocol.NewAgent) (*local, error) {
	seat, err := protocol.NewSeat(newAgent)
	if err != nil {
		return nil, err
	}
	o := &local{seat: seat}
	o.match, o.end = context.WithCancel(context.Background())
	return o, nil
}

func (o *local) start(ctx context.Context, m protocol.Match) error {
	o.playClock = m.PlayClock
	return o.seat.Start(ctx, o.match, m)
}

func (o *local) play(ctx context.Context, told [][]gdl.Term) (string, *protocol.Explanation, error) {
	clock, cancel := protocol.WithClock(ctx, time.Now(), o.playClock)
	defer cancel()
	move, why, err := o.seat.Play(ctx, clock, func() [][]gdl.Term { return told })
	return move.String(), why, err
}

func (o *local) stop(ctx context.Context, told [][]gdl.Term) {
	o.end()
	// The match is over: the result ignores failures.
	_ = o.seat.Stop(ctx, func() [][]gdl.Term { return told })
}

func (o *local) abort(context.Context) {
	o.end()
	o.seat.Abort()
}

// remote is a player behind an endpoint.
type remote struct {
	name, url string
	id        string // of the match
	asked     bool   // PLAY has been sent; earlier joint moves belong to the opening
}

// connectTimeout limits the time to connect to a player.
const connectTimeout = 3 * time.Second

// maxReply limits a player's reply, in bytes.
const maxReply = 1 << 20

// client sends messages as game servers do: one message per connection, without proxies, redirects and compression.
var client = &http.Client{
	Transport: &http.Transport{
		DialContext:        (&net.Dialer{Timeout: connectTimeout}).DialContext,
		DisableKeepAlives:  true,
		DisableCompression: true,
		// Headers of known players have less than a kilobyte.
		MaxResponseHeaderBytes: 64 << 10,
	},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// send posts a message and returns the trimmed reply.
func (o *remote) send(ctx context.Context, m protocol.Message) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url, strings.NewReader(m.String()))
	if err != nil {
		return "", err
	}
	r.Header.Set("Accept", "text/delim")
	r.Header.Set("Sender", "GAMESERVER")
	r.Header.Set("Receiver", o.name)
	r.Header.Set("Content-Type", "text/acl")
	response, err := client.Do(r)
	if err != nil {
		return "", o.failure(ctx, err)
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(response.Body, maxReply))
	text := strings.TrimSpace(string(reply))
	if err != nil && !isCutShort(response, reply) {
		return "", o.failure(ctx, err)
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("expected HTTP status 200, found %d", response.StatusCode)
	}
	return text, nil
}

// maxMissing is the largest excess of a Content-Length over the reply, as found in known players.
const maxMissing = 64

// isCutShort reports whether a reply lacks at most maxMissing bytes of its Content-Length.
func isCutShort(response *http.Response, reply []byte) bool {
	missing := response.ContentLength - int64(len(reply))
	move, _ := splitReply(strings.TrimSpace(string(reply)))
	_, err := protocol.ParseMove(move)
	return missing > 0 && missing <= maxMissing && err == nil
}

// remark matches a list with a comment on a move: (explanation "…"), (taunt "…").
var remark = regexp.MustCompile(`(?is)\(\s*([a-z_-]+)\s+"((?:[^"\\]|\\.)*)"\s*\)|\(\s*(explanation|taunt)\s+([^()"]*)\)`)

// splitReply splits a reply to PLAY into a move and its remarks, which may share a list with the move.
func splitReply(reply string) (move string, remarks []string) {
	first := remark.FindStringIndex(reply)
	if first == nil {
		return reply, nil
	}
	if _, err := protocol.ParseMove(reply); err == nil && !strings.Contains(reply, `"`) { // such as (say (taunt loudly))
		return reply, nil
	}
	move = strings.TrimSpace(reply[:first[0]])
	rest := strings.TrimSpace(remark.ReplaceAllString(reply[first[0]:], ""))
	if inner, ok := strings.CutPrefix(move, "("); ok && rest == ")" {
		move, rest = strings.TrimSpace(inner), ""
	}
	if rest != "" || move == "" {
		return reply, nil
	}
	for _, m := range remark.FindAllStringSubmatch(reply[first[0]:], -1) {
		remarks = append(remarks, strings.ToLower(m[1]+m[3])+": "+strings.TrimSpace(m[2]+m[4]))
	}
	return move, remarks
}

// nameInInfo matches the name in a reply to INFO: ((name X) (status available)).
var nameInInfo = regexp.MustCompile(`(?i)\(\s*name\s+([^()]+?)\s*\)`)

// AskName returns the name in a player's reply to INFO, or "".
func AskName(ctx context.Context, url string) string {
	o := &remote{url: url}
	reply, _ := o.send(ctx, protocol.Message{Command: protocol.Info}) // players need not answer INFO
	if m := nameInInfo.FindStringSubmatch(reply); m != nil {
		return protocol.Printable(m[1], maxExcerpt)
	}
	return ""
}

// failure returns ErrLate for a late reply, else a connection error without the address.
func (o *remote) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return protocol.ErrLate
	}
	if at, ok := errors.AsType[*url.Error](err); ok { // its text repeats the address
		err = at.Err
	}
	// The error may repeat the player's reply.
	return errors.New(protocol.Printable(err.Error(), maxReason))
}

func (o *remote) start(ctx context.Context, m protocol.Match) error {
	reply, err := o.send(ctx, protocol.Message{
		Command: protocol.Start, ID: o.id, Role: m.Role, Rules: RulesText(m.Game),
		StartClock: m.StartClock, PlayClock: m.PlayClock,
	})
	if err == nil && strings.EqualFold(reply, "busy") {
		return errBusy
	}
	return err
}

func (o *remote) play(ctx context.Context, told [][]gdl.Term) (string, *protocol.Explanation, error) {
	asked := time.Now()
	reply, err := o.send(ctx, o.message(protocol.Play, told))
	reply, remarks := splitReply(reply)
	if len(remarks) == 0 {
		return reply, nil, err
	}
	return reply, &protocol.Explanation{
		Move: protocol.Printable(reply, maxExcerpt), By: "its own explanation", Why: protocol.Printable(strings.Join(remarks, "; "), maxReason),
		Seconds: time.Since(asked).Seconds(),
	}, err
}

func (o *remote) stop(ctx context.Context, told [][]gdl.Term) {
	// The match is over: the reply does not matter.
	_, _ = o.send(ctx, o.message(protocol.Stop, told))
}

// message returns a message with the last joint move, if it belongs to the match.
func (o *remote) message(c protocol.Command, told [][]gdl.Term) protocol.Message {
	m := protocol.Message{Command: c, ID: o.id}
	if o.asked {
		m.Joint = told[len(told)-1]
	}
	o.asked = true
	return m
}

func (o *remote) abort(ctx context.Context) {
	_, _ = o.send(ctx, protocol.Message{Command: protocol.Abort, ID: o.id})
}
