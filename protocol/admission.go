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

// A connection is pending until its whole request has arrived. Pending connections are limited in number and bytes;
// at the limit the oldest is closed. So the requests of game servers, which arrive right after the connection, are
// always admitted.
const (
	// maxConnections limits the open connections, maxPerSource the pending connections of one address. A connection
	// takes about 20 kB plus the received part of a small message. The limits are high: a new connection is not
	// closed before its request is read.
	maxConnections = 2048
	maxPerSource   = 1024
	// maxLarge limits the total bytes of large messages, in multiples of the largest message: one is read while
	// another is parsed.
	maxLarge = 2
	// queueSpan and queueWait: a PLAY or STOP waits up to queueWait for the request of a connection that was accepted
	// less than queueSpan earlier.
	queueSpan = 250 * time.Millisecond
	queueWait = 100 * time.Millisecond
)

// admission limits the open connections and the bytes of their messages.
type admission struct {
	// closed is called for each connection that is closed at a limit.
	closed func(source netip.Addr, reason string)

	mu      sync.Mutex
	open    map[net.Conn]*visitor
	waiting list.List                 // pending visitors, oldest first
	sources map[netip.Addr]*list.List // pending visitors by source; no list is empty
	bytes   int64                     // of large messages
}

// visitor is a connection.
type visitor struct {
	conn     net.Conn // nil in tests without a network
	source   netip.Addr
	accepted time.Time
	bytes    int64         // reserved for its message
	inAll    *list.Element // in admission.waiting while pending, else nil
	inSource *list.Element
}

type visitorKey struct{}

// enter admits a connection and closes the oldest pending connection at a limit. It is the ConnContext of an
// http.Server.
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
	default: // every connection is being answered
		a.closed(v.source, "connections")
		_ = c.Close()
		return ctx
	}
	a.open[c] = v
	a.await(v)
	return context.WithValue(ctx, visitorKey{}, v)
}

// await adds a visitor to the pending connections.
func (a *admission) await(v *visitor) {
	same := a.sources[v.source]
	if same == nil {
		same = list.New()
		a.sources[v.source] = same
	}
	v.inAll, v.inSource = a.waiting.PushBack(v), same.PushBack(v)
}

// served removes a visitor from the pending connections.
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

// changed implements the ConnState callback of http.Server.
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

// forget removes a visitor and releases its bytes.
func (a *admission) forget(v *visitor) {
	a.served(v)
	delete(a.open, v.conn)
	a.bytes -= v.bytes
	v.bytes = 0
}

// expel closes a pending connection at a limit.
func (a *admission) expel(v *visitor, reason string) {
	a.closed(v.source, reason)
	a.forget(v)
	_ = v.conn.Close()
}

// visitorOf returns the visitor of a request's context, or an empty visitor without a network.
func visitorOf(ctx context.Context) *visitor {
	if v, ok := ctx.Value(visitorKey{}).(*visitor); ok {
		return v
	}
	return &visitor{}
}

// maxAhead bounds the time from accepting a connection to reading a message that counts as sent with it. Connections
// older than that were opened ahead of their messages.
const maxAhead = time.Second

// sent returns the time at which the current message was sent: on a busy machine a message waits for the thread that
// reads it.
func (v *visitor) sent() time.Time {
	if now := time.Now(); now.Sub(v.accepted) > maxAhead {
		return now
	}
	return v.accepted
}

// reserve reserves bytes for a large message, within limit for all messages, and reports whether they were available.
// It closes the oldest pending connections that hold bytes.
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

// queue keeps PLAY and STOP messages in order of connection: it waits up to queueWait for requests on connections
// accepted just before v. After a pause of the process the runtime starts with the newest request, but joint moves
// must be heard in the order sent.
func (a *admission) queue(v *visitor) {
	for limit := time.Now().Add(queueWait); a.isBehind(v) && time.Now().Before(limit); {
		time.Sleep(time.Millisecond)
	}
}

// isBehind reports whether the connection accepted before v is pending and less than queueSpan older.
func (a *admission) isBehind(v *visitor) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if v.inAll == nil || v.inAll.Prev() == nil {
		return false
	}
	return v.accepted.Sub(v.inAll.Prev().Value.(*visitor).accepted) < queueSpan
}

// arrived marks the whole request as received: the connection is no longer pending.
func (a *admission) arrived(v *visitor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.served(v)
}

// done releases the bytes of the visitor's message.
func (a *admission) done(v *visitor) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bytes -= v.bytes
	v.bytes = 0
}

// closeWaiting closes all pending connections.
func (a *admission) closeWaiting() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.waiting.Len() > 0 {
		v := a.waiting.Front().Value.(*visitor)
		a.forget(v)
		_ = v.conn.Close()
	}
}

// connections counts the pending connections and the connections being answered.
func (a *admission) connections() (waiting, answered int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.waiting.Len(), len(a.open) - a.waiting.Len()
}

// sourceBits is the length of the IPv6 prefix that identifies a sender: a sender usually has the whole network.
const sourceBits = 64

// source returns the address by which connections are counted; of IPv6 addresses, their network.
func source(remote string) netip.Addr {
	a := address(remote)
	if a.Is6() {
		p, _ := a.Prefix(sourceBits)
		return p.Addr()
	}
	return a
}

// address returns the address of host:port without its zone, or the zero Addr.
func address(remote string) netip.Addr {
	p, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}
	}
	return p.Addr().Unmap().WithZone("")
}
