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
	// maxPayload is the largest message in bytes: a record of thousands of turns, packed.
	maxPayload = 8 << 20
	// maxStore bounds the store of an embedded server in bytes: more than its streams may have.
	maxStore = 4 << 30
	// maxConnections bounds the workers of an embedded server.
	maxConnections = 1024
	// lockFile keeps two processes from one store. Who only looks whether it is taken holds it
	// for a moment, so others try for lockTime.
	lockFile = "lock"
	lockTime = time.Second
	// startTime bounds the start of an embedded server, which reads its store again.
	startTime = time.Minute
)

// Embed runs a server in this process. Its store is in a folder, where another one may
// have left it. If listen is not empty, workers of other processes reach the server at
// that address (host:port) by TLS, with what Invitation says; they may do nothing but work.
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
	// Nobody can be at work for a server that has just begun: what was given out is free.
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
		return nil, errors.New("it does not start")
	}
	return s, nil
}

// lockStore makes the folder of a store and keeps other processes from it until the file
// is closed, or the process has ended.
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
		return nil, errors.New("another process uses it")
	}
	return lock, nil
}

// InUse tells whether another process has the store in a folder open.
func InUse(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, lockFile)); err != nil {
		return false
	}
	lock := flock.New(filepath.Join(dir, lockFile))
	free, err := lock.TryRLock()
	_ = lock.Close()
	return err == nil && !free
}

// Dial reaches a server or a cluster: one URL, or several with commas between them, such
// as nats://token@host:4222; or the address of an Invitation.
func Dial(ctx context.Context, url string, log zerolog.Logger) (*Queue, error) {
	plain, options := pinned(url)
	q, err := open(ctx, plain, options, log)
	if err != nil {
		return nil, fmt.Errorf("the queue at %s: %w", withoutToken(url), err)
	}
	return q, nil
}

// connecting are the options of all connections: they are made again for ever.
func connecting(log zerolog.Logger) []nats.Option {
	return []nats.Option{
		nats.Name("stackmate"), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn().Err(err).Msg("the connection to the queue is lost")
			}
		}),
		nats.ReconnectHandler(func(c *nats.Conn) {
			log.Info().Str("server", c.ConnectedServerName()).Msg("connected to the queue again")
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if !errors.Is(err, nats.ErrSlowConsumer) { // watching may lose something
				log.Debug().Err(err).Msg("queue")
			}
		}),
	}
}
