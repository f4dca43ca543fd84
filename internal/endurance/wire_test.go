package endurance

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"stackmate/internal/must"
)

// reply is the answer to a message.
type reply struct {
	text   string
	status int // of HTTP; 0 if there was no answer
	took   time.Duration
	err    error
}

func (r reply) String() string {
	if r.err != nil {
		return fmt.Sprintf("%v after %v", r.err, r.took.Round(time.Millisecond))
	}
	return fmt.Sprintf("%d %.80q after %v", r.status, r.text, r.took.Round(time.Millisecond))
}

func (r reply) ok() bool { return r.err == nil && r.status == http.StatusOK }

// head returns the header that game servers send before a message of n bytes.
func head(n int) string {
	return fmt.Sprintf("POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: localhost\r\nSender: GAMESERVER\r\n"+
		"Receiver: player\r\nContent-Type: text/acl\r\nContent-Length: %d\r\n\r\n", n)
}

// send posts a message on a connection of its own, as game servers do, and waits
// for the whole answer.
func (p *player) send(message string, wait time.Duration) reply {
	began := time.Now()
	c, err := p.dial(wait)
	if err != nil {
		return reply{took: time.Since(began), err: err}
	}
	defer c.Close()
	r := exchange(c, message)
	r.took = time.Since(began)
	return r
}

// begin sends a message and does not wait for the answer.
func (p *player) begin(message string, wait time.Duration) <-chan reply {
	answer := make(chan reply, 1)
	go func() { answer <- p.send(message, wait) }()
	return answer
}

func (p *player) dial(wait time.Duration) (net.Conn, error) {
	c, err := net.DialTimeout("tcp", p.address, wait)
	if err == nil {
		err = c.SetDeadline(time.Now().Add(wait))
	}
	return c, err
}

// exchange sends a message and reads the answer. A server may answer and close
// before it has read all.
func exchange(c net.Conn, message string) reply {
	_, errWrite := io.WriteString(c, head(len(message))+message)
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		if errWrite != nil {
			err = errWrite
		}
		return reply{err: err}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return reply{text: strings.TrimSpace(string(text)), status: response.StatusCode, err: err}
}

// serverPatience is how long game servers wait for the answers to INFO and ABORT.
const serverPatience = time.Second

// info asks for the player's name and status.
func (p *player) info() reply { return p.send("(INFO)", either(2*leniency, 5*serverPatience)) }

// available reports whether the player could begin a match.
func (p *player) available() bool {
	r := p.info()
	return r.ok() && strings.Contains(strings.ToLower(r.text), "available")
}

// metric reads a number of /metrics.
func (p *player) metric(t testing.TB, name string) float64 {
	t.Helper()
	response := must.Get(http.Get("http://" + p.address + "/metrics"))(t)
	defer response.Body.Close()
	for s := bufio.NewScanner(response.Body); s.Scan(); {
		if value, ok := strings.CutPrefix(s.Text(), name+" "); ok {
			return must.Get(strconv.ParseFloat(value, 64))(t)
		}
	}
	t.Fatalf("no %s in /metrics", name)
	return 0
}

// awaitAvailable waits until the player is available and tells how long it took.
func (p *player) awaitAvailable(limit time.Duration) (time.Duration, bool) {
	began := time.Now()
	for !p.available() {
		if time.Since(began) > limit {
			return limit, false
		}
		time.Sleep(5 * time.Millisecond)
	}
	return time.Since(began), true
}
