package protocol

import (
	"context"
	"errors"
	"fmt"
	stdlog "log"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

const (
	// headerTimeout and maxHeader bound the time and the bytes of what comes before
	// the body of a request, the message of a GET included.
	headerTimeout = 5 * time.Second
	maxHeader     = 128 << 10
	// closeTimeout bounds the wait for replies under way at the end.
	closeTimeout = 5 * time.Second
)

// Listen opens the address (host:port) on which a player serves.
func Listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("cannot listen on %s: the port is in use by another program", address)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", address, err)
	}
	return l, nil
}

// Serve answers game servers on l until ctx is done. Then no match begins any more,
// moves that are being thought about are answered at once, replies under way are
// finished, all matches are aborted, and Serve returns nil.
func Serve(ctx context.Context, l net.Listener, e *Endpoint) error {
	server := &http.Server{
		Handler:           e,
		ReadHeaderTimeout: headerTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          stdlog.New(serverLog{e}, "", 0),
		ConnContext:       e.admission.enter,
		ConnState:         e.admission.changed,
	}
	e.log.Info().Str("address", l.Addr().String()).Str("name", e.name).Msg("waiting for game servers")
	if at, ok := l.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() && len(e.Allow) == 0 {
		e.log.Warn().Msg("whoever reaches this address is served")
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		e.Close()
		return fmt.Errorf("serving on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	e.finish()
	e.admission.closeWaiting()
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	err := server.Shutdown(closing)
	e.Close()
	if err != nil {
		err = server.Close()
	}
	written := make(chan struct{})
	go func() { e.written.Wait(); close(written) }()
	select {
	case <-written:
	case <-closing.Done(): // a disk that hangs
	}
	return err
}

// serverLog logs what net/http has to say.
type serverLog struct{ e *Endpoint }

func (s serverLog) Write(line []byte) (int, error) {
	s.e.strangers.Warn().Msg(Printable(strings.TrimSpace(string(line)), maxFinding))
	return len(line), nil
}
