package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"stackmate/protocol"
)

// servePprof serves profiles of the program until the command ends, on a listener of its own, which game
// servers do not reach.
func (s *console) servePprof(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return usageError{fmt.Errorf("--pprof: expected an address such as localhost:6060, found %q", address)}
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := protocol.Listen(net.JoinHostPort(host, port))
	if err != nil {
		return fmt.Errorf("--pprof: %w", err)
	}
	if at, ok := l.Addr().(*net.TCPAddr); !ok || !at.IP.IsLoopback() {
		_ = l.Close()
		return usageError{fmt.Errorf("--pprof: expected an address of this machine alone, such as localhost:6060, found %q", address)}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	const idle = 5 * time.Second
	server := &http.Server{Handler: mux, ReadHeaderTimeout: idle, IdleTimeout: idle}
	context.AfterFunc(s.ctx, func() { _ = server.Close() })
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error().Err(err).Msg("profiles are no longer served")
		}
	}()
	s.log.Info().Str("address", "http://"+l.Addr().String()+"/debug/pprof/").Msg("profiles of the program")
	return nil
}
