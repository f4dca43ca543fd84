package arena

import (
	"context"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"stackmate/protocol/conformance"
	"stackmate/protocol/wiretest"
)

func TestOurManagerKeepsTheRulesOfTheProtocol(t *testing.T) {
	transport := client.Transport.(*http.Transport)
	dial := transport.DialContext
	defer func() { transport.DialContext = dial }()
	synctest.Test(t, func(t *testing.T) {
		wire := wiretest.NewWire()
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) { return wire.Dial(ctx) }
		m := builtIn(t, "connectFour")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			var last error
			for _, err := range m.Series(ctx, "s", []Player{at("kit", "http://wire"), {Name: "drifter", New: drifters(t, m.machine)}}, 100, quick) {
				last = err
			}
			ended <- last
		}()
		report, err := conformance.Manager{Listener: wire, Wait: time.Hour, Level: conformance.Robust}.Check(ctx)
		cancel()
		<-ended
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range report.Checks {
			if c.Verdict != conformance.Pass {
				t.Errorf("%+v", c)
			}
		}
	})
}
