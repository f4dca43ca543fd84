package protocol

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// Whoever has not sent a whole request yet is a stranger. Strangers are bounded in
// number and in bytes, and the newest is served first: where a bound is reached,
// the connection that has been waiting longest is closed. So game servers, whose
// requests arrive at once, always find room, however many others hold theirs open.
const (
	// maxConnections bounds the open connections, and maxPerSource those of one
	// address that have not sent a whole request.
	maxConnections = 1024
	maxPerSource   = 128
	// maxLarge bounds the bytes of all large messages together, in messages of the
	// largest size: one can be read while one is parsed.
	maxLarge = 2
)

// admission knows the open connections and the bytes that they hold.
type admission struct {
	// closed is told of each connection that is closed to make room.
	closed func(source netip.Addr, reason string)

	mu    sync.Mutex
	open  map[*visitor]bool
	count uint64 // of visitors so far
	bytes int64  // of large messages
}

// visitor is one connection.
type visitor struct {
	conn    net.Conn // nil where there is no network: in tests
	source  netip.Addr
	number  uint64 // in order of arrival
	bytes   int64  // reserved for its message
	waiting bool   // it has not sent a whole request
}

type visitorKey struct{}

// enter makes room for a connection. It is the ConnContext of an http.Server.
func (a *admission) enter(ctx context.Context, c net.Conn) context.Context {
	v := &visitor{conn: c, source: source(c.RemoteAddr().String()), waiting: true}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count++
	v.number = a.count
	same := func(u *visitor) bool { return u.waiting && u.source == v.source }
	n := 0
	for u := range a.open {
		if same(u) {
			n++
		}
	}
	switch {
	case n >= maxPerSource:
		a.closeOldest(same, "connections of one address")
	case len(a.open) >= maxConnections:
		if !a.closeOldest(func(u *visitor) bool { return u.waiting }, "connections") {
			a.closed(v.source, "connections")
			_ = c.Close() // everybody else is being answered
		}
	}
	a.open[v] = true
	return context.WithValue(ctx, visitorKey{}, v)
}

// changed is the ConnState of an http.Server.
func (a *admission) changed(c net.Conn, state http.ConnState) {
	if state != http.StateClosed && state != http.StateHijacked {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for v := range a.open {
		if v.conn == c {
			delete(a.open, v)
		}
	}
}

// visitorOf is whose request has this context.
func visitorOf(ctx context.Context) *visitor {
	if v, ok := ctx.Value(visitorKey{}).(*visitor); ok {
		return v
	}
	return &visitor{}
}

// reserve sets bytes aside for a large message, within limit for all of them. It
// takes them from those that are still sending, the oldest first.
func (a *admission) reserve(v *visitor, bytes, limit int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.bytes+bytes > limit {
		if !a.closeOldest(func(u *visitor) bool { return u != v && u.waiting && u.bytes > 0 }, "bytes") {
			return false
		}
	}
	v.bytes += bytes
	a.bytes += bytes
	return true
}

// arrived takes note of a whole request: from now on it is answered, not waited for.
func (a *admission) arrived(v *visitor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	v.waiting = false
}

// done gives back what the visitor's message held.
func (a *admission) done(v *visitor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bytes -= v.bytes
	v.bytes = 0
}

// closeOldest closes the connection that came first of those that match, if any.
func (a *admission) closeOldest(match func(*visitor) bool, reason string) bool {
	var oldest *visitor
	for u := range a.open {
		if match(u) && (oldest == nil || u.number < oldest.number) {
			oldest = u
		}
	}
	if oldest == nil {
		return false
	}
	a.closed(oldest.source, reason)
	a.close(oldest)
	return true
}

// closeWaiting closes the connections of all that have not sent a whole request.
func (a *admission) closeWaiting() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for u := range a.open {
		if u.waiting {
			a.close(u)
		}
	}
}

func (a *admission) close(v *visitor) {
	delete(a.open, v)
	a.bytes -= v.bytes
	v.bytes = 0
	_ = v.conn.Close()
}

// connections counts the open connections: of strangers, and those being answered.
func (a *admission) connections() (waiting, answered int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for v := range a.open {
		if v.waiting {
			waiting++
		} else {
			answered++
		}
	}
	return waiting, answered
}

// sourceBits is how much of an address of IPv6 tells one sender from another: whoever
// has one such address has all of the network's.
const sourceBits = 64

// source is what connections are counted by: the address, or the network of IPv6.
func source(remote string) netip.Addr {
	a := address(remote)
	if a.Is6() {
		p, _ := a.Prefix(sourceBits)
		return p.Addr()
	}
	return a
}

// address is that of a host:port, without its zone; the zero Addr if it is none.
func address(remote string) netip.Addr {
	p, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}
	}
	return p.Addr().Unmap().WithZone("")
}
