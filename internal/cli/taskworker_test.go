package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
)

// TestExperimentsAndLearningUseTheQueue runs its own worker in addition to the workers of the commands.
func TestExperimentsAndLearningUseTheQueue(t *testing.T) {
	exhaustive.Only(t, "experiments and learns for twenty seconds")
	exhaustive.NotUnderRace(t, "learns for long; the tests of the queue look at its goroutines")
	nats, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, Authorization: "secret", NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	nats.Start()
	if !nats.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	address := fmt.Sprintf("nats://secret@%s", nats.Addr())
	url := file(t, "queue.nats", address+"\n")
	for _, command := range []string{"worker", "train nim-3 --knowledge " + t.TempDir(), "tournament nim-3 --players random,random"} {
		execute(t, append(strings.Fields(command), "--nats", address)...).expect(t, statusUsage, "list of processes", "put the address into a file")
	}
	execute(t, "worker", "--nats", "no/such/file").expect(t, statusUsage, "--nats: expected an address or a file")
	ctx, cancel := context.WithCancel(t.Context())
	var faults lockedBuffer
	ended := make(chan int)
	go func() { ended <- Run(ctx, []string{"worker", "--nats", url, "--matches", "2"}, &faults, &faults) }()
	t.Cleanup(func() {
		cancel()
		if status := <-ended; status != statusFine {
			t.Errorf("the worker ended with status %d: %s", status, faults.String())
		}
		nats.Shutdown()
		nats.WaitForShutdown()
	})

	here := execute(t, "experiment", "goofspiel", "--sizes", "3", "--json").objects(t)
	elsewhere := execute(t, "experiment", "goofspiel", "--sizes", "3", "--json", "--nats", url).objects(t)
	if len(here) != len(elsewhere) || len(here) == 0 {
		t.Fatalf("%d rows here, %d elsewhere", len(here), len(elsewhere))
	}
	for i, row := range here {
		for _, column := range []string{"table", "method", "size", "finished", "nodes", "lp_calls", "note"} {
			if row[column] != elsewhere[i][column] {
				t.Errorf("row %d: %s %v here, %v elsewhere", i, column, row[column], elsewhere[i][column])
			}
		}
	}

	folders := []string{filepath.Join(t.TempDir(), "here"), filepath.Join(t.TempDir(), "shared")}
	for i, more := range [][]string{nil, {"--nats", url}} {
		args := []string{"solve", "goofspiel-6", "--method", "layers", "--save", folders[i]}
		execute(t, append(args, more...)...).expect(t, statusFine, "value of red      50")
	}
	execute(t, "solve", "goofspiel-6", "--nats", url).expect(t, statusUsage, "--nats: expected --method layers and --save FOLDER")
	entries := must.Get(os.ReadDir(folders[0]))(t)
	for _, e := range entries {
		one, err1 := os.ReadFile(filepath.Join(folders[0], e.Name()))
		two, err2 := os.ReadFile(filepath.Join(folders[1], e.Name()))
		if err := errors.Join(err1, err2); err != nil || !bytes.Equal(one, two) {
			t.Errorf("%s of workers differs (%v)", e.Name(), err)
		}
	}

	knowledge := t.TempDir()
	for length := 3 * time.Second / 2; length < 2*patience; length *= 2 { // a worker first compiles the game and proves its facts
		learnt := execute(t, "train", "nim-3.4.5", "--time", length.String(), "--knowledge", knowledge, "--json", "--nats", url).objects(t)[0]
		if n, ok := learnt["elsewhere"].(float64); ok && n > 0 {
			return
		}
	}
	t.Error("no games were played elsewhere")
}
