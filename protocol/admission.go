package protocol

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Whoever has not sent a whole request yet is a stranger. Strangers are bounded in
// number and in bytes, and the newest is served first: where a bound is reached,
// the connection that has been waiting longest is closed. So game servers, whose
// requests arrive at once, always find room, however many others hold theirs open.
const (
	// maxConnections bounds the open connections, and maxPerSource those of one
	// address that have not sent a whole request. One takes some 20 kB, and what it
	// has sent of a small message. The bounds are so high that a newcomer is not
	// driven out by the next ones before its request has been read.
	maxConnections = 2048
	maxPerSource   = 1024
	// maxLarge bounds the bytes of all large messages together, in messages of the
	// largest size: one can be read while one is parsed.
	maxLarge = 2
	// queueSpan is how long before another a connection may have been made for the
	// other's PLAY or STOP to wait for its request, and queueWait for how long.
	queueSpan = 250 * time.Millisecond
	queueWait = 100 * time.Millisecond
)

// admission knows the open connections and the bytes that they hold.
type admission struct {
	// closed is told of each connection that is closed to make room.
	closed func(source netip.Addr, reason string)

	mu      sync.Mutex
	open    map[net.Conn]*visitor
	waiting list.List                 // of visitors, the oldest first
	sources map[netip.Addr]*list.List // the same by source; none is empty
	bytes   int64                     // of large messages
}

// visitor is one connection.
type visitor struct {
	conn     net.Conn // nil where there is no network: in tests
	source   netip.Addr
	accepted time.Time
	bytes    int64         // reserved for its message
	inAll    *list.Element // while it has not sent a whole request
	inSource *list.Element
}

type visitorKey struct{}

// enter makes room for a connection. It is the ConnContext of an http.Server.
func (a *admission) enter(ctx context.Context, c net.Conn) context.Context {
	v := &visitor{conn: c, source: source(c.RemoteAddr().String()), accepted: time.Now()}
	a.mu.Lock()
	defer a.mu.Unlock()
	same := a.sources[v.source]
	switch {
	case same != nil && same.Len() >= maxPerSource:
		a.expel(same.Front().Value.(*visitor), "connections of one address")
	case len(a.open) < maxConnections:
	case a.waiting.Len() > 0:
		a.expel(a.waiting.Front().Value.(*visitor), "connections")
	default: // everybody else is being answered
		a.closed(v.source, "connections")
		_ = c.Close()
		return ctx
	}
	a.open[c] = v
	a.await(v)
	return context.WithValue(ctx, visitorKey{}, v)
}

// await puts a visitor at the end of those that have not sent a whole request.
func (a *admission) await(v *visitor) {
	same := a.sources[v.source]
	if same == nil {
		same = list.New()
		a.sources[v.source] = same
	}
	v.inAll, v.inSource = a.waiting.PushBack(v), same.PushBack(v)
}

// served takes a visitor away from those that have not sent a whole request.
func (a *admission) served(v *visitor) {
	if v.inAll == nil {
		return
	}
	a.waiting.Remove(v.inAll)
	same := a.sources[v.source]
	if same.Remove(v.inSource); same.Len() == 0 {
		delete(a.sources, v.source)
	}
	v.inAll, v.inSource = nil, nil
}

// changed is the ConnState of an http.Server.
func (a *admission) changed(c net.Conn, state http.ConnState) {
	if state != http.StateClosed && state != http.StateHijacked {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if v := a.open[c]; v != nil {
		a.forget(v)
	}
}

// forget takes a visitor and what it holds off the books.
func (a *admission) forget(v *visitor) {
	a.served(v)
	delete(a.open, v.conn)
	a.bytes -= v.bytes
	v.bytes = 0
}

// expel closes a connection to make room.
func (a *admission) expel(v *visitor, reason string) {
	a.closed(v.source, reason)
	a.forget(v)
	_ = v.conn.Close()
}

// visitorOf is whose request has this context.
func visitorOf(ctx context.Context) *visitor {
	if v, ok := ctx.Value(visitorKey{}).(*visitor); ok {
		return v
	}
	return &visitor{}
}

// maxAhead is how long after its connection a message may come to count as sent when
// the connection was made. Who connects earlier does so ahead of its messages.
const maxAhead = time.Second

// sent is when the visitor sent the message that is being read now: on a busy machine
// its bytes have waited for the threads that read them.
func (v *visitor) sent() time.Time {
	if now := time.Now(); now.Sub(v.accepted) > maxAhead {
		return now
	}
	return v.accepted
}

// reserve sets bytes aside for a large message, within limit for all of them. It
// takes them from those that are still sending, the oldest first.
func (a *admission) reserve(v *visitor, bytes, limit int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for at := a.waiting.Front(); at != nil && a.bytes+bytes > limit; {
		u := at.Value.(*visitor)
		at = at.Next()
		if u != v && u.bytes > 0 {
			a.expel(u, "bytes")
		}
	}
	if a.bytes+bytes > limit {
		return false
	}
	v.bytes += bytes
	a.bytes += bytes
	return true
}

// queue waits until those who came just before v have sent their requests, too, or
// until it is clear that they don't. After a pause of the process several requests
// wait for it at once, and the runtime begins with the newest of them; but joint
// moves have to be heard in the order in which they were sent.
func (a *admission) queue(v *visitor) {
	for limit := time.Now().Add(queueWait); a.isBehind(v) && time.Now().Before(limit); {
		time.Sleep(time.Millisecond)
	}
}

// isBehind tells whether somebody who came just before v has not sent a whole request.
func (a *admission) isBehind(v *visitor) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if v.inAll == nil || v.inAll.Prev() == nil {
		return false
	}
	return v.accepted.Sub(v.inAll.Prev().Value.(*visitor).accepted) < queueSpan
}

// arrived takes note of a whole request: from now on it is answered, not waited for.
func (a *admission) arrived(v *visitor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.served(v)
}

// done gives back what the visitor's message held.
func (a *admission) done(v *visitor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bytes -= v.bytes
	v.bytes = 0
}

// closeWaiting closes the connections of all that have not sent a whole request.
func (a *admission) closeWaiting() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.waiting.Len() > 0 {
		v := a.waiting.Front().Value.(*visitor)
		a.forget(v)
		_ = v.conn.Close()
	}
}

// connections counts the open connections: of strangers, and those being answered.
func (a *admission) connections() (waiting, answered int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.waiting.Len(), len(a.open) - a.waiting.Len()
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
