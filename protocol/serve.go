package protocol

import (
	"context"
	"errors"
	"fmt"
	stdlog "log"
	"net"
	"net/http"
	"syscall"
	"time"
)

const (
	// headerTimeout and requestTimeout bound how long a client may take to send
	// its request.
	headerTimeout  = 10 * time.Second
	requestTimeout = time.Minute
	// closeTimeout bounds the wait for replies under way at the end.
	closeTimeout = 2 * time.Second
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

// Serve answers game servers on l until ctx is done. Then the running match is
// aborted, replies under way are finished, and Serve returns nil.
func Serve(ctx context.Context, l net.Listener, e *Endpoint) error {
	server := &http.Server{
		Handler:           e,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       requestTimeout,
		ErrorLog:          stdlog.New(e.log, "", 0),
	}
	e.log.Info().Str("address", l.Addr().String()).Str("name", e.name).Msg("waiting for game servers")
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	e.Close()
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if err := server.Shutdown(patience); err != nil {
		return server.Close()
	}
	return nil
}
