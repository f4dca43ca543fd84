package queue

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"stackmate/internal/atomicfile"
)

// keyFile holds the secret key of an embedded server. Its certificate and password derive from the key, so that
// workers can reconnect after a restart.
const keyFile = "server.key"

// identity is the identity of a listening embedded server: its certificate, identified by its key, and the password
// of the workers.
type identity struct {
	certificate tls.Certificate
	key         string // SHA-256 of the public key, in hexadecimal digits
	password    string
}

// newIdentity returns the identity of the server with its store in a folder, and creates a missing key.
func newIdentity(dir string) (*identity, error) {
	file := filepath.Join(dir, keyFile)
	seed, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		seed = []byte(rand.Text() + rand.Text())[:ed25519.SeedSize]
		err = atomicfile.WriteSecret(file, seed)
	}
	if err == nil && len(seed) != ed25519.SeedSize {
		err = fmt.Errorf("%s: expected a key of %d bytes; remove the file to create a new key", file, ed25519.SeedSize)
	}
	if err != nil {
		return nil, err
	}
	key := ed25519.NewKeyFromSeed(seed)
	now := time.Now()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.AddDate(0, 0, -1), NotAfter: now.AddDate(10, 0, 0)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParseCertificate(certificate)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, seed)
	mac.Write([]byte(workerName))
	return &identity{tls.Certificate{Certificate: [][]byte{certificate}, PrivateKey: key}, fingerprint(parsed), hex.EncodeToString(mac.Sum(nil))}, nil
}

// User names for an embedded server. The runner is in its process.
const (
	runnerName  = "runner"
	workerName  = "worker"
	runnerInbox = "_RUNNER" // prefix of the subjects of replies to the runner, which workers cannot read
)

// require configures a server to require passwords and TLS.
func (i *identity) require(o *server.Options, runner string) {
	o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{i.certificate}, MinVersion: tls.VersionTLS13}
	o.Users = []*server.User{
		{Username: runnerName, Password: runner},
		{Username: workerName, Password: i.password, Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Allow: workerPublishes}, Subscribe: &server.SubjectPermission{Allow: []string{nats.InboxPrefix + ">"}},
		}},
	}
}

// workerPublishes lists the subjects that workers may use: they inspect the streams, fetch tasks, send progress and
// results, and read and write texts. They cannot submit, purge or delete.
var workerPublishes = []string{
	"$JS.API.STREAM.INFO." + taskStream, "$JS.API.STREAM.INFO." + resultStream, "$JS.API.STREAM.INFO.OBJ_" + textBucket,
	"$JS.API.CONSUMER.INFO." + taskStream + "." + workers, "$JS.API.CONSUMER.MSG.NEXT." + taskStream + "." + workers,
	"$JS.ACK." + taskStream + "." + workers + ".>",
	"$JS.API.DIRECT.GET." + resultStream + ".>", "$JS.API.DIRECT.GET.OBJ_" + textBucket + ".>",
	"$JS.API.CONSUMER.CREATE.OBJ_" + textBucket + ".>", "$JS.API.CONSUMER.DELETE.OBJ_" + textBucket + ".>", "$JS.FC.OBJ_" + textBucket + ".>",
	"$O." + textBucket + ".>", resultSubject + ">", reportSubject + ">",
}

// fingerprint returns the SHA-256 of a certificate's public key.
func fingerprint(c *x509.Certificate) string {
	sum := sha256.Sum256(c.RawSubjectPublicKeyInfo)
	return hex.EncodeToString(sum[:])
}

// invitation returns the address for workers, with password and fingerprint.
func (i *identity) invitation(host string) string {
	return (&url.URL{Scheme: "tls", User: url.UserPassword(workerName, i.password), Host: host, Fragment: i.key}).String()
}

// pinned removes the fingerprint from an address, and returns the option that accepts only a certificate with that
// key.
func pinned(address string) (plain string, options []nats.Option) {
	plain, want, found := strings.Cut(address, "#")
	if !found {
		return address, nil
	}
	return plain, []nats.Option{nats.Secure(&tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true, //nolint:gosec // the key is compared instead
		VerifyConnection: func(s tls.ConnectionState) error {
			if subtle.ConstantTimeCompare([]byte(fingerprint(s.PeerCertificates[0])), []byte(want)) != 1 {
				return errors.New("server key does not match the invitation")
			}
			return nil
		},
	})}
}
