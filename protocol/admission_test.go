package protocol

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/gdl"
	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
	"stackmate/protocol/wiretest"

	"github.com/rs/zerolog"
)

// serveEndpoint runs an endpoint on a free port and returns its address.
func serveEndpoint(t *testing.T, e *Endpoint) string {
	t.Helper()
	l := must.Get(Listen("127.0.0.1:0"))(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, l, e) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// strangers opens connections that send nothing, half a head or half a body.
func strangers(t *testing.T, address string, number int) {
	t.Helper()
	for i := range number {
		c := must.Get(net.DialTimeout("tcp", address, 10*time.Second))(t)
		t.Cleanup(func() { c.Close() })
		half := []string{
			"", "POST / HTTP/1.0\r\nContent-Le",
			"POST / HTTP/1.0\r\nContent-Length: 16000000\r\n\r\n( START m robot (",
			"POST / HTTP/1.0\r\nContent-Length: 100\r\n\r\n( PLAY m.1 ",
		}[i%4]
		_, _ = io.WriteString(c, half) // it may be closed already
	}
}

func TestAMatchAndInfoDoNotWaitForStrangers(t *testing.T) {
	e := NewEndpoint("Tester", always(&fake{}), zlog)
	address := serveEndpoint(t, e)
	said := func(message, want string) {
		t.Helper()
		if got := body(t, raw(t, address, post(message))); got != want {
			t.Errorf("%s: %q", clip(message), got)
		}
	}
	raw(t, address, post(startText("Left")))
	number := 1000
	if !exhaustive.On() {
		number = 200
	}
	strangers(t, address, number)
	for range 3 {
		said("(INFO)", "((name Tester) (status busy))")
		said("(PLAY m.1 NIL)", "pass")
	}
	said("(STOP m.1 NIL)", "done")
	said(startText("Left"), "ready")
}

// inMemory runs an endpoint in a bubble and has it used.
func inMemory(t *testing.T, a *fake, use func(t *testing.T, network *wiretest.Wire)) {
	synctest.Test(t, func(t *testing.T) {
		e := NewEndpoint("Tester", always(a), zlog)
		network := wiretest.NewWire()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- Serve(ctx, network, e) }()
		use(t, network)
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// drip sends a request piece by piece, a pause after each, until the connection is
// closed, and returns the reply and the time it took.
func drip(t *testing.T, network *wiretest.Wire, pause time.Duration, pieces ...string) (reply string, took time.Duration) {
	began := time.Now()
	c := must.Get(network.Dial(t.Context()))(t)
	var sender sync.WaitGroup
	defer sender.Wait()
	defer c.Close()
	sender.Go(func() {
		for _, p := range pieces {
			if _, err := io.WriteString(c, p); err != nil {
				return
			}
			time.Sleep(pause)
		}
	})
	all, _ := io.ReadAll(c)
	return string(all), time.Since(began)
}

func TestSlowSendersAreTurnedAwaySoon(t *testing.T) {
	head := "POST / HTTP/1.0\r\nContent-Length: 1000\r\n\r\n"
	for name, c := range map[string]struct {
		pieces []string
		status string
		within time.Duration
	}{
		"silent":          {nil, "", headerTimeout},
		"half a head":     {[]string{"POST / HTTP/1.0\r\nConte"}, "", headerTimeout},
		"a head in drops": {strings.Split("POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(INFO)", ""), "", headerTimeout},
		"no body":         {[]string{head}, "HTTP/1.0 408 ", bodyGrace},
		"half a body":     {[]string{head, "(INFO"}, "HTTP/1.0 408 ", bodyGrace},
		"a body in drops": {append([]string{head}, strings.Split(strings.Repeat(" ", 1000), "")...), "HTTP/1.0 408 ", bodyGrace},
	} {
		t.Run(name, func(t *testing.T) {
			inMemory(t, &fake{}, func(t *testing.T, network *wiretest.Wire) {
				reply, took := drip(t, network, time.Second, c.pieces...)
				if !strings.HasPrefix(reply, c.status) || took > c.within+2*time.Second {
					t.Errorf("%q after %v; want %q within %v", reply, took, c.status, c.within)
				}
			})
		})
	}
}

func TestRequestsThatWaitTogetherAreHeardInOrderOfTheirConnections(t *testing.T) {
	var told string
	agent := &fake{OnPlay: func(_ context.Context, history [][]gdl.Term) (gdl.Term, error) {
		told = toldText(history)
		return pass, nil
	}}
	inMemory(t, agent, func(t *testing.T, network *wiretest.Wire) {
		drip(t, network, 0, post(startText("Left")))
		var all sync.WaitGroup
		first, second := must.Get(network.Dial(t.Context()))(t), must.Get(network.Dial(t.Context()))(t)
		say := func(c net.Conn, message string) {
			all.Go(func() {
				defer c.Close()
				_, _ = io.WriteString(c, post(message))
				_, _ = io.ReadAll(c)
			})
			synctest.Wait()
		}
		say(second, "(PLAY m.1 (pass pass))")
		say(first, "(PLAY m.1 NIL)")
		all.Wait()
		if told != "() (pass pass)" {
			t.Errorf("told %s, expected NIL before the joint move", told)
		}
		drip(t, network, 0, post("(ABORT m.1)"))
	})
}

func TestAPlayDoesNotWaitForASilentNeighbour(t *testing.T) {
	inMemory(t, &fake{}, func(t *testing.T, network *wiretest.Wire) {
		drip(t, network, 0, post(startText("Left")))
		silent := must.Get(network.Dial(t.Context()))(t)
		defer silent.Close()
		reply, took := drip(t, network, 0, post("(PLAY m.1 NIL)"))
		if body(t, reply) != "pass" || took > 2*queueWait {
			t.Errorf("%q after %v", reply, took)
		}
		drip(t, network, 0, post("(ABORT m.1)"))
	})
}

func TestALargeMessageHasTimeAsLongAsItArrives(t *testing.T) {
	inMemory(t, &fake{}, func(t *testing.T, network *wiretest.Wire) {
		const pieces = 30 // of twice the least rate, for half a minute
		text := "(START m.1 Left (" + choosing + strings.Repeat(strings.Repeat(" ", 100)+"\n", 2*minRate*pieces/101) + ") 100 10)"
		parts := []string{fmt.Sprintf("POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n", len(text))}
		for len(text) > 0 {
			n := min(2*minRate, len(text))
			parts, text = append(parts, text[:n]), text[n:]
		}
		reply, took := drip(t, network, time.Second, parts...)
		if !strings.HasPrefix(reply, "HTTP/1.0 200") || !strings.HasSuffix(reply, "ready") || took < (pieces-1)*time.Second {
			t.Errorf("%q after %v", reply, took)
		}
	})
}

func TestClocksCountFromTheConnectionUnlessItWasMadeAhead(t *testing.T) {
	for pause, want := range map[time.Duration]time.Duration{0: 0, maxAhead / 2: 0, 3 * maxAhead: 3 * maxAhead} {
		var start time.Time
		agent := &fake{OnStart: func(_ context.Context, m Match) error { start = m.Start; return nil }}
		inMemory(t, agent, func(t *testing.T, network *wiretest.Wire) {
			began := time.Now()
			request := post(startText("Left"))
			if reply, _ := drip(t, network, pause, "", request); !strings.HasSuffix(reply, "ready") {
				t.Errorf("%q", reply)
			}
			if got := start.Sub(began); got != want {
				t.Errorf("sent after %v: the clock counts from %v, want %v", pause, got, want)
			}
		})
	}
}

// enter makes a visitor as a server does.
func enter(a *admission, from string) (*visitor, net.Conn) {
	ours, theirs := net.Pipe()
	c := &connFrom{theirs, from}
	return visitorOf(a.enter(context.Background(), c)), ours
}

// connFrom is a connection from an address.
type connFrom struct {
	net.Conn
	from string
}

func (c *connFrom) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.from))
}

func isClosed(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	return err == io.EOF
}

func TestRoomForLargeMessagesIsTakenFromTheOldestSender(t *testing.T) {
	a := &NewEndpoint("Tester", always(&fake{}), zlog).admission
	first, firstConn := enter(a, "192.0.2.1:1")
	second, secondConn := enter(a, "192.0.2.2:1")
	third, _ := enter(a, "192.0.2.3:1")
	for _, v := range []*visitor{first, second, third} {
		if !a.reserve(v, 10, 20) {
			t.Fatal("no room")
		}
	}
	if !isClosed(firstConn) || isClosed(secondConn) {
		t.Error("the oldest connection should be closed, the second not")
	}
	a.arrived(second)
	a.arrived(third)
	fourth, _ := enter(a, "192.0.2.4:1")
	if a.reserve(fourth, 10, 20) {
		t.Error("room was taken from messages that are being answered")
	}
	a.done(second)
	if !a.reserve(fourth, 10, 20) {
		t.Error("room that was given back is not there")
	}
	a.done(first) // it was closed: it has nothing to give back
	if a.bytes != 20 {
		t.Errorf("%d bytes are held, want 20", a.bytes)
	}
}

func TestConnectionsAreBoundedAndTheNewestIsAdmitted(t *testing.T) {
	a := &NewEndpoint("Tester", always(&fake{}), zlog).admission
	answered, answeredConn := enter(a, "192.0.2.1:1")
	a.arrived(answered)
	_, oldest := enter(a, "192.0.2.1:2")
	for i := range maxPerSource {
		enter(a, fmt.Sprintf("192.0.2.1:%d", 3+i%1000))
	}
	if waiting, _ := a.connections(); waiting != maxPerSource || !isClosed(oldest) {
		t.Errorf("%d connections of one address, the oldest closed: %v", waiting, isClosed(oldest))
	}
	var newest net.Conn
	for i := range maxConnections {
		_, newest = enter(a, fmt.Sprintf("[2001:db8:0:%x::1]:1", i))
	}
	if waiting, answered := a.connections(); waiting+answered > maxConnections || isClosed(newest) || isClosed(answeredConn) {
		t.Errorf("%d connections; closed: the newest %v, the one being answered %v", waiting+answered, isClosed(newest), isClosed(answeredConn))
	}
	for range maxPerSource/2 + 1 { // all from the network of one sender
		enter(a, "[2001:db8:1::1]:1")
		enter(a, "[2001:db8:1::2]:1")
	}
	if n := a.sources[netip.MustParseAddr("2001:db8:1::")].Len(); n != maxPerSource {
		t.Errorf("%d connections of one network, want %d", n, maxPerSource)
	}
}

func TestALargeStartOfABusyPlayerIsAnsweredWithoutKeepingIt(t *testing.T) {
	e := NewEndpoint("Tester", always(&fake{}), zlog)
	address := serveEndpoint(t, e)
	raw(t, address, post(startText("Left")))
	large := post("( START m.2 Left (" + choosing + strings.Repeat(" ", 8<<20) + ") 10 5 )")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if got := body(t, raw(t, address, large)); got != "busy" {
		t.Errorf("%q", got)
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 12<<20 { // the sender's 8 MiB are among them
		t.Errorf("a message of 8 MiB took %d bytes", taken)
	}
	raw(t, address, post("(ABORT m.1)"))
	if got := body(t, raw(t, address, large)); got != "ready" {
		t.Errorf("%q", got)
	}
}

func TestOnlyAddressesThatAreAllowedAreServed(t *testing.T) {
	e := NewEndpoint("Tester", always(&fake{}), zlog)
	e.Allow = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::1/128")}
	for from, want := range map[string]int{
		"127.0.0.1:1": 200, "[::1]:1": 200, "[::ffff:127.0.0.1]:1": 200,
		"192.0.2.7:1": 200, "[::ffff:192.0.2.7]:1": 200, "[2001:db8::1%eth0]:1": 200,
		"192.0.3.7:1": 403, "[2001:db8::2]:1": 403, "nonsense": 403,
	} {
		for _, path := range []string{"/(INFO)", "/metrics", "/healthz"} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.RemoteAddr = from
			w := httptest.NewRecorder()
			e.ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%s from %s: status %d, want %d", path, from, w.Code, want)
			}
		}
	}
}

func TestLongMatchIDsAreRefusedAndNeverLoggedWhole(t *testing.T) {
	var log bytes.Buffer
	e := NewEndpoint("Tester", always(&fake{}), zerolog.New(&log))
	id := strings.Repeat("m", 50_000)
	for _, message := range []string{"(ABORT " + id + ")", "(START " + id + " r ((role r)) 1 1)", "(PLAY " + id + " NIL)", "(" + id + ")"} {
		if status, text := ask(t, e, message); status != http.StatusBadRequest || len(text) > 2*maxReason {
			t.Errorf("%d %q", status, text)
		}
	}
	if log.Len() == 0 || log.Len() > 4000 {
		t.Errorf("%d bytes of log", log.Len())
	}
}
