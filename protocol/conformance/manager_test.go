package conformance

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/protocol"
	"stackmate/protocol/wiretest"
)

// dealer is a game manager that holds matches of the kit's own game, in which the kit plays Left. Its functions break rules; nil functions keep
// them.
type dealer struct {
	ctx    context.Context
	client *http.Client

	request  func(r *http.Request)                   // before it is sent
	start    func(message string) string             // changes START
	told     func(turn int, joint []string) []string // changes the joint move in PLAY and STOP
	patience time.Duration                           // with PLAY; 0 means the play clock and a grace
	beside   func(d *dealer, id string, turn int, message string)
	strict   bool // aborts the match at the first failure of the player
	length   int  // turns after which STOP is sent; 0 means at the end
	endless  bool // sends PLAY at the end
}

// dealerClock is the play clock of its matches, dealerGrace the extra time that it waits.
const (
	dealerClock = time.Second
	dealerGrace = 2 * time.Second
)

// send posts a message and returns the reply.
func (d *dealer) send(message string, patience time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(d.ctx, patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://wire", strings.NewReader(message))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "text/acl")
	if d.request != nil {
		d.request(r)
	}
	response, err := d.client.Do(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxReply))
	return strings.Join(strings.Fields(string(text)), " "), err
}

// hold plays a match; it returns false if that cannot begin.
func (d *dealer) hold(id string) bool {
	at, err := newPosition(d.ctx, walkRules)
	if err != nil {
		return false // the check has ended
	}
	message := fmt.Sprintf("( START %s Left (%s\n) 1 1 )", id, walkRules)
	if d.start != nil {
		message = d.start(message)
	}
	d.aside(id, 0, message)
	if reply, err := d.send(message, time.Minute); err != nil || reply != "ready" {
		return false
	}
	var joint []string
	for turn := 1; ; turn++ {
		told := slices.Clone(joint)
		if d.told != nil {
			told = d.told(turn, told)
		}
		text := "NIL"
		if told != nil {
			text = "(" + strings.Join(told, " ") + ")"
		}
		end, _ := at.IsOver(d.ctx)
		if (end && !d.endless) || turn == d.length {
			_, _ = d.send(fmt.Sprintf("( STOP %s %s )", id, text), dealerClock)
			return true
		}
		message := fmt.Sprintf("( PLAY %s %s )", id, text)
		d.aside(id, turn, message)
		patience := dealerClock + dealerGrace
		if d.patience > 0 {
			patience = d.patience
		}
		own, _ := d.send(message, patience)
		own, _, _ = strings.Cut(own, " (explanation")
		if end {
			return true
		}
		left, _ := at.Legal(d.ctx, 0, 0)
		right, _ := at.Legal(d.ctx, 1, 0)
		if d.ctx.Err() != nil {
			return false
		}
		if !slices.Contains(left, own) {
			if d.strict {
				_, _ = d.send("( ABORT "+id+" )", dealerClock)
				return true
			}
			own = left[0]
		}
		joint = []string{own, right[0]}
		if at.Advance(d.ctx, joint) != nil {
			return false
		}
	}
}

func (d *dealer) aside(id string, turn int, message string) {
	if d.beside != nil {
		d.beside(d, id, turn, message)
	}
}

// checkManager checks a dealer over as many matches as the kit wants, but few.
func checkManager(t *testing.T, d *dealer) *Report {
	t.Helper()
	l := wiretest.NewWire()
	ctx, cancel := context.WithCancel(t.Context())
	d.ctx, d.client = ctx, clientOf(l)
	dealt := make(chan struct{})
	defer func() { cancel(); <-dealt }()
	go func() {
		defer close(dealt)
		defer cancel()
		for n := range len(manners) + 2 {
			if !d.hold(fmt.Sprintf("Dealt.%d", n)) {
				return
			}
		}
	}()
	report, err := Manager{Listener: l, Wait: time.Minute, Level: Robust}.Check(ctx)
	if report == nil {
		t.Fatal(err)
	}
	return report
}

// clientOf returns a client that sends all messages over a wire, one a connection.
func clientOf(l *wiretest.Wire) *http.Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return l.Dial(ctx) }
	return &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
}

func TestAManagerThatKeepsTheRulesPassesEveryCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		report := checkManager(t, &dealer{})
		for _, r := range report.Checks {
			if r.Verdict != Pass {
				t.Errorf("%+v", r)
			}
		}
		if report.Passed != len(managerChecks) || report.Subject != "the manager of Dealt.0" {
			t.Errorf("%+v", report)
		}
	})
}

func TestEveryCheckOfManagersFailsWhereItsRuleIsBroken(t *testing.T) {
	replacing := func(from, to string) func(string) string {
		return func(message string) string { return strings.Replace(message, from, to, 1) }
	}
	later := func(d *dealer, message string) {
		go func() {
			protocol.Sleep(d.ctx, 100*time.Millisecond)
			_, _ = d.send(message, dealerClock)
		}()
	}
	var impatient []string
	for _, m := range manners {
		if !m.stands {
			impatient = append(impatient, "move: "+m.name)
		}
	}
	able := make(map[string]bool)
	for name, c := range map[string]struct {
		dealer dealer
		fails  []string
	}{
		"another method": {dealer{request: func(r *http.Request) { r.Method = http.MethodPut }}, []string{"request"}},
		"small talk": {dealer{beside: func(d *dealer, _ string, turn int, _ string) {
			if turn == 1 {
				_, _ = d.send("( HELLO )", dealerClock)
			}
		}}, []string{"message"}},
		"a role of nobody": {dealer{start: replacing("Left", "Nobody")}, []string{"start"}},
		"the role random":  {dealer{start: replacing("Left", "random")}, []string{"role"}},
		"half a second":    {dealer{start: replacing(" 1 1 )", " 1.5 1 )")}, []string{"clocks"}},
		"another id": {dealer{beside: func(d *dealer, _ string, turn int, message string) {
			if turn == 1 {
				_, _ = d.send(strings.Replace(message, "Dealt", "Other", 1), dealerClock)
			}
		}}, []string{"match id"}},
		"no waiting for ready": {dealer{beside: func(d *dealer, id string, turn int, _ string) {
			if turn == 0 {
				later(d, "( PLAY "+id+" NIL )")
			}
		}}, []string{"ready first"}},
		"a joint move at first": {dealer{told: func(turn int, joint []string) []string {
			if turn == 1 {
				return []string{"(Go Ada Bee)", "(Go Bee Ada)"}
			}
			return joint
		}}, []string{"first PLAY"}},
		"PLAY twice": {dealer{beside: func(d *dealer, _ string, turn int, message string) {
			if turn == 2 { // which is answered slowly
				later(d, message)
			}
		}}, []string{"one PLAY a turn"}},
		"roles the other way round": {dealer{told: func(_ int, joint []string) []string {
			slices.Reverse(joint)
			return joint
		}}, []string{"joint move"}},
		"STOP too early":  {dealer{length: 3}, []string{"end"}},
		"PLAY at the end": {dealer{endless: true}, []string{"end"}},
		"other moves": {dealer{told: func(_ int, joint []string) []string {
			if joint != nil {
				joint[0] = other[joint[0]]
			}
			return joint
		}}, []string{"move: at once"}},
		"impatience":     {dealer{patience: dealerClock / 4}, []string{"waiting"}},
		"no forgiveness": {dealer{strict: true}, impatient},
		// After the answers that are slow and spread out.
		"another move after a slow one":  {dealer{told: otherAt(3)}, []string{"move: slow"}},
		"another move after blanks":      {dealer{told: otherAt(4)}, []string{"move: spread out"}},
		"another move after a taunt":     {dealer{told: otherAt(5)}, []string{"move: explained"}},
		"another move after a short one": {dealer{told: otherAt(6)}, []string{"move: cut short"}},
	} {
		for _, check := range c.fails {
			able[check] = true
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, r := range checkManager(t, &c.dealer).Checks {
					if slices.Contains(c.fails, r.Check) && (r.Verdict != Fail || r.Expected == "" || r.Got == "") {
						t.Errorf("%+v", r)
					}
				}
			})
		})
	}
	for _, c := range managerChecks {
		if !able[c.name] {
			t.Errorf("nothing shows that %q can fail", c.name)
		}
	}
}

// otherAt tells another move of the kit at one turn.
func otherAt(n int) func(int, []string) []string {
	return func(turn int, joint []string) []string {
		if turn == n {
			joint[0] = other[joint[0]]
		}
		return joint
	}
}

// other is the other move from the same node.
var other = map[string]string{
	"(Go Ada Bee)": "(Go Ada Cee)", "(Go Ada Cee)": "(Go Ada Bee)",
	"(Go Bee Ada)": "(Go Bee Cee)", "(Go Bee Cee)": "(Go Bee Ada)",
	"(Go Cee Ada)": "(Go Cee Bee)", "(Go Cee Bee)": "(Go Cee Ada)",
}

func TestAManagerThatDoesNotComeCannotBeChecked(t *testing.T) {
	report, err := Manager{Listener: wiretest.NewWire(), Wait: 10 * time.Millisecond}.Check(t.Context())
	if report != nil || err == nil || err.Error() != "no START was received within 10ms" {
		t.Errorf("%v, %v", report, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Manager{Listener: wiretest.NewWire(), Wait: time.Minute, Level: Robust}).Check(ctx); err != context.Canceled {
		t.Error(err)
	}
}

func TestTheKitHasOneSeat(t *testing.T) {
	l := wiretest.NewWire()
	d := &dealer{ctx: t.Context(), client: clientOf(l)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan *Report)
	go func() {
		report, _ := Manager{Listener: l, Wait: time.Minute, Level: Robust}.Check(ctx)
		done <- report
	}()
	for _, c := range [][2]string{
		{"( INFO )", "((name check) (status available))"},
		{"( PREVIEW (" + walkRules + ") 1 )", "done"},
		{"( START a Left (" + walkRules + ") 1 1 )", "ready"},
		{"( START b Left (" + walkRules + ") 1 1 )", "busy"},
		{"( PING )", "((name check) (status busy))"},
		{"( PLAY b NIL )", "busy"},
		{"( PLAY A NIL )", "(Go Ada Cee)"},
		{"( ABORT a )", "aborted"},
		{"( INFO )", "((name check) (status available))"},
	} {
		if reply, err := d.send(c[0], time.Minute); err != nil || reply != c[1] {
			t.Errorf("%.20s: %q, %v; want %q", c[0], reply, err, c[1])
		}
	}
	cancel()
	if report := <-done; report == nil || report.Failed == 0 {
		t.Errorf("an aborted match: %+v", report)
	}
}
