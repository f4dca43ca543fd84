package endurance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"stackmate/internal/must"
)

// process is the program under test at work.
type process struct {
	cmd   *exec.Cmd
	log   string        // path of its standard error
	out   string        // path of its standard output
	ended chan struct{} // closed when it has
}

// start runs the program. It is killed at the end of the test, and the end of its
// log is shown if the test has failed.
func start(t testing.TB, args ...string) *process {
	t.Helper()
	path := must.Get(program())(t)
	return launch(t, exec.Command(path, args...))
}

// launch starts a process, which is killed at the end of the test.
func launch(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	dir := t.TempDir()
	p := &process{
		cmd: cmd, ended: make(chan struct{}),
		log: filepath.Join(dir, "stderr"), out: filepath.Join(dir, "stdout"),
	}
	p.cmd.Stdout, p.cmd.Stderr = create(t, p.out), create(t, p.log)
	must.OK(t, p.cmd.Start())
	go func() {
		_ = p.cmd.Wait() // the state tells
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("%s: %v\n%s", strings.Join(cmd.Args, " "), p.cmd.ProcessState, tail(p.log))
		}
	})
	return p
}

func create(t testing.TB, path string) *os.File {
	t.Helper()
	f := must.Get(os.Create(path))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

// kill ends the process as kill -9 does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// death returns the exit state and the last output of the process.
func (p *process) death() string {
	return fmt.Sprintf("the process has ended: %v\n%s", p.cmd.ProcessState, tail(p.log))
}

// tail returns the end of a file.
func tail(path string) string {
	const most = 4000
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-most):])
}

// logged counts the messages of a log at the levels warn, error and above, and has
// for each message the first line with it.
func (p *process) logged(t testing.TB) (counts map[string]int, first map[string]string) {
	t.Helper()
	text := must.Get(os.ReadFile(p.log))(t)
	counts, first = make(map[string]int), make(map[string]string)
	for line := range strings.Lines(string(text)) {
		var entry struct {
			Level, Message string
			TakenFor       string `json:"taken_for"`
		}
		name := "(no JSON)"
		if json.Unmarshal([]byte(line), &entry) == nil {
			name = entry.Level + ": " + entry.Message
		}
		if entry.TakenFor != "" {
			name += ": " + entry.TakenFor
		}
		if entry.Level == "info" || entry.Level == "debug" || entry.Level == "trace" {
			continue
		}
		if counts[name]++; counts[name] == 1 {
			first[name] = strings.TrimSpace(line)
		}
	}
	return counts, first
}

// player is the program waiting for game servers.
type player struct {
	*process
	address string
}

var loopback = regexp.MustCompile(`127\.0\.0\.1:[0-9]+`)

// serve starts a player on a free port and waits until it listens.
func serve(t testing.TB, args ...string) *player {
	t.Helper()
	p := &player{process: start(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)}
	for began := time.Now(); p.alive() && time.Since(began) < time.Minute; time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(p.log)
		if p.address = string(loopback.Find(text)); p.address != "" && p.info().err == nil {
			return p
		}
	}
	t.Fatalf("the player does not listen:\n%s", tail(p.log))
	return nil
}

// resident reads a line of /proc/PID/status, such as VmRSS (memory that the process
// holds now) or VmHWM (the most it has held), in bytes.
func (p *process) resident(t testing.TB, line string) int64 {
	t.Helper()
	f, err := os.Open(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), "status"))
	if err != nil {
		if !p.alive() {
			t.Fatal(p.death())
		}
		t.Skipf("memory is measured with /proc only: %v", err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if value, ok := strings.CutPrefix(s.Text(), line+":"); ok {
			kib := must.Get(strconv.ParseInt(strings.Fields(value)[0], 10, 64))(t)
			return kib << 10
		}
	}
	t.Fatalf("no %s in the status of the process", line)
	return 0
}

// busyFor returns the processor time that the process takes within a second, or 0 where
// there is no /proc.
func (p *process) busyFor(t testing.TB) time.Duration {
	t.Helper()
	before := p.ticks()
	time.Sleep(time.Second)
	return time.Duration(p.ticks()-before) * 10 * time.Millisecond
}

// ticks returns the processor time of the process so far, in hundredths of a second.
func (p *process) ticks() int {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), "stat"))
	if err != nil {
		return 0
	}
	// The name of the program, in parentheses, may contain blanks.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	sum := 0
	for _, field := range fields[11:13] { // utime and stime
		n, _ := strconv.Atoi(field)
		sum += n
	}
	return sum
}

// output returns the standard output of the process so far.
func (p *process) output(t testing.TB) []byte {
	t.Helper()
	f := must.Get(os.Open(p.out))(t)
	defer f.Close()
	return must.Get(io.ReadAll(f))(t)
}
