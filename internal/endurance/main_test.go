package endurance

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"stackmate/internal/exhaustive"
)

// full reports whether tests run in full. It reads the variable at each call: go test caches results by the variables that a
// test reads; reads before the test begins do not count.
func full() bool { return os.Getenv("STACKMATE_ENDURANCE") == "full" }

// either returns the first value for small forms, the second in full.
func either[T any](small, inFull T) T {
	if full() {
		return inFull
	}
	return small
}

// leniency is added to every clock in small forms: they share the machine with all other tests, so their times prove nothing.
const leniency = 10 * time.Second

// repetitions returns how often a test does its work.
func repetitions(t testing.TB, small, inFull int) int {
	t.Helper()
	text := os.Getenv("STACKMATE_ENDURANCE_COUNT")
	if text == "" {
		return either(small, inFull)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("STACKMATE_ENDURANCE_COUNT: expected a number above 0, found %q", text)
	}
	return n
}

// lasting returns how long a test goes on that may go on for any time.
func lasting(t testing.TB, small, inFull time.Duration) time.Duration {
	t.Helper()
	text := os.Getenv("STACKMATE_ENDURANCE_TIME")
	if text == "" {
		return either(small, inFull)
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		t.Fatalf("STACKMATE_ENDURANCE_TIME: expected a time such as 1h, found %q", text)
	}
	return d
}

// begin is called first by every test. Small forms mostly wait, so they run in parallel; full forms measure and run alone.
func begin(t *testing.T) {
	t.Helper()
	exhaustive.Only(t, "plays against the built program for seconds")
	if !full() {
		t.Parallel()
	}
}

// spinning is set in the environment of a child that does nothing but be busy.
const spinning = "STACKMATE_ENDURANCE_SPIN"

var workplace string // a folder for the built program

func TestMain(m *testing.M) {
	if os.Getenv(spinning) != "" {
		spin()
		return
	}
	if options := os.Getenv(serving); options != "" {
		serveQueue(options)
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if workplace, err = os.MkdirTemp("", "endurance"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(workplace)
	return m.Run()
}

// program builds the program, once.
var program = sync.OnceValues(func() (string, error) {
	path := filepath.Join(workplace, "stackmate")
	out, err := exec.Command("go", "build", "-o", path, "stackmate").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building the program: %w\n%s", err, out)
	}
	return path, nil
})

// spin keeps a processor busy until the parent process ends.
func spin() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	for x := uint64(1); x != 0; {
		x = x*6364136223846793005 | 1
	}
}

// keepBusy starts n other processes that want a core each, until the test ends.
func keepBusy(t testing.TB, n int) {
	t.Helper()
	for range n {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), spinning+"=1", "GOMAXPROCS=2")
		in, err := child.StdinPipe()
		if err == nil {
			err = child.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			in.Close()
			_ = child.Process.Kill()
			_ = child.Wait()
		})
	}
}
