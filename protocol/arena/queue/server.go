package queue

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/rs/zerolog"
)

const (
	// maxPayload is the largest message in bytes: a compressed record of thousands of turns.
	maxPayload = 8 << 20
	// maxStore limits the store of an embedded server in bytes; its streams have lower limits.
	maxStore = 4 << 30
	// maxConnections limits the workers of an embedded server.
	maxConnections = 1024
	// lockFile gives one process exclusive access to a store. InUse holds the lock briefly, so other processes retry
	// for lockTime.
	lockFile = "lock"
	lockTime = time.Second
	// startTime limits the start of an embedded server, which reads its store.
	startTime = time.Minute
)

// Embed runs a server in this process, with a new or existing store in a folder. If listen is not empty, workers in
// other processes reach the server at this address (host:port) by TLS, with the Invitation; they can only work on
// tasks.
func Embed(ctx context.Context, dir, listen string, log zerolog.Logger) (*Queue, error) {
	o := &server.Options{
		ServerName: "stackmate", DontListen: listen == "", NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: dir, JetStreamMaxStore: maxStore, MaxPayload: maxPayload, MaxConn: maxConnections,
	}
	if listen != "" {
		host, port, err := net.SplitHostPort(listen)
		if err == nil {
			o.Host = host
			o.Port, err = strconv.Atoi(port)
		}
		if err != nil {
			return nil, fmt.Errorf("expected an address such as 127.0.0.1:4222, found %q", listen)
		}
		if o.Port == 0 {
			o.Port = server.RANDOM_PORT
		}
	}
	lock, err := lockStore(dir)
	if err != nil {
		return nil, fmt.Errorf("the queue in %s: %w", dir, err)
	}
	var options []nats.Option
	var self *identity
	if listen != "" {
		if self, err = newIdentity(dir); err == nil {
			password := rand.Text()
			self.require(o, password)
			options = append(options, nats.UserInfo(runnerName, password), nats.CustomInboxPrefix(runnerInbox))
		}
	}
	var s *server.Server
	if err == nil {
		s, err = serve(o)
	}
	if err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("the queue in %s: %w", dir, err)
	}
	options = append(options, nats.InProcessServer(s))
	q, err := open(ctx, "", options, log)
	if err != nil {
		s.Shutdown()
		_ = lock.Close()
		return nil, err
	}
	q.server, q.lock, q.self = s, lock, self
	// A new server has no workers: redeliver all pending tasks.
	if err = q.tasks.DeleteConsumer(ctx, workers); err == nil {
		err = q.makeConsumer(ctx)
	}
	if err != nil {
		q.Close()
		return nil, err
	}
	return q, nil
}

// serve starts a server.
func serve(o *server.Options) (*server.Server, error) {
	s, err := server.NewServer(o)
	if err != nil {
		return nil, err
	}
	go s.Start()
	if !s.ReadyForConnections(startTime) {
		s.Shutdown()
		return nil, errors.New("the server did not start in time")
	}
	return s, nil
}

// lockStore creates the folder of a store and locks it until the file is closed or the process ends.
func lockStore(dir string) (io.Closer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, lockFile))
	ctx, cancel := context.WithTimeout(context.Background(), lockTime)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, lockTime/20); err != nil && ctx.Err() == nil {
		return nil, err
	} else if err != nil {
		return nil, errors.New("another process uses the store")
	}
	return lock, nil
}

// InUse reports whether another process has the store in a folder open.
func InUse(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, lockFile)); err != nil {
		return false
	}
	lock := flock.New(filepath.Join(dir, lockFile))
	free, err := lock.TryRLock()
	_ = lock.Close()
	return err == nil && !free
}

// Dial connects to a server or a cluster: one URL or several, separated by commas, such as nats://token@host:4222; or
// the address of an Invitation.
func Dial(ctx context.Context, url string, log zerolog.Logger) (*Queue, error) {
	plain, options := pinned(url)
	q, err := open(ctx, plain, options, log)
	if err != nil {
		return nil, fmt.Errorf("the queue at %s: %w", withoutToken(url), err)
	}
	return q, nil
}

// connecting returns the options of all connections, which reconnect without limit.
func connecting(log zerolog.Logger) []nats.Option {
	return []nats.Option{
		nats.Name("stackmate"), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn().Err(err).Msg("lost the connection to the queue")
			}
		}),
		nats.ReconnectHandler(func(c *nats.Conn) {
			log.Info().Str("server", c.ConnectedServerName()).Msg("reconnected to the queue")
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if !errors.Is(err, nats.ErrSlowConsumer) { // a slow subscriber may lose reports
				log.Debug().Err(err).Msg("queue")
			}
		}),
	}
}
