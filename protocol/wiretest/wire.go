package wiretest

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// Wire is a listener in memory, for servers and clients in a bubble of synctest: their clocks do not depend on the
// speed of the machine.
type Wire struct {
	accept chan net.Conn
	closed chan struct{}
	close  sync.Once
}

// NewWire returns an open wire.
func NewWire() *Wire {
	return &Wire{accept: make(chan net.Conn), closed: make(chan struct{})}
}

// Dial connects to the server of the wire.
func (w *Wire) Dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case w.accept <- server:
		return wired{client}, nil
	case <-w.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// wired is an end of a wire that takes deadlines when the other end is closed, as sockets do.
type wired struct{ net.Conn }

// SetDeadline implements net.Conn.
func (c wired) SetDeadline(t time.Time) error {
	if err := c.Conn.SetDeadline(t); !errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	return nil
}

// Accept implements net.Listener.
func (w *Wire) Accept() (net.Conn, error) {
	select {
	case c := <-w.accept:
		return c, nil
	case <-w.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (w *Wire) Close() error {
	w.close.Do(func() { close(w.closed) })
	return nil
}

// Addr implements net.Listener.
func (w *Wire) Addr() net.Addr { return wireAddr{} }

type wireAddr struct{}

func (wireAddr) Network() string { return "wire" }
func (wireAddr) String() string  { return "wire:80" }
