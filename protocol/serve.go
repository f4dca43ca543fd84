package protocol

import (
	"context"
	"errors"
	"fmt"
	stdlog "log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

const (
	// headerTimeout and maxHeader limit the time and the bytes of the header of a request, including the message of a
	// GET.
	headerTimeout = 5 * time.Second
	maxHeader     = 128 << 10
	// closeTimeout limits the wait for pending replies at shutdown.
	closeTimeout = 5 * time.Second
)

// CheckURL returns an error unless address is the URL of a player: http, a host with an optional port, and no path.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || address != "http://"+u.Host && address != "http://"+u.Host+"/" {
		return fmt.Errorf("expected a player's address such as http://localhost:9147, found %q", address)
	}
	return nil
}

// Listen opens the address (host:port) of a player's endpoint.
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

// Serve answers game servers on l until ctx is done. Then it refuses new matches, answers pending moves immediately,
// finishes pending replies, aborts all matches and returns nil.
func Serve(ctx context.Context, l net.Listener, e *Endpoint) error {
	server := &http.Server{
		Handler:           e,
		ReadHeaderTimeout: headerTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          stdlog.New(serverLog{e}, "", 0),
		ConnContext:       e.admission.enter,
		ConnState:         e.admission.changed,
		// The endpoint closes the connection after OPTIONS *, as after each request.
		DisableGeneralOptionsHandler: true,
	}
	e.log.Info().Str("address", l.Addr().String()).Str("name", e.name).Msg("waiting for game servers")
	if at, ok := l.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() && len(e.Allow) == 0 {
		e.log.Warn().Msg("no --allow: any host that reaches this address can start matches")
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
	case <-closing.Done(): // the disk does not respond
	}
	return err
}

// serverLog passes the errors of net/http to the log.
type serverLog struct{ e *Endpoint }

func (s serverLog) Write(line []byte) (int, error) {
	s.e.strangers.Warn().Msg(Printable(strings.TrimSpace(string(line)), maxFinding))
	return len(line), nil
}
