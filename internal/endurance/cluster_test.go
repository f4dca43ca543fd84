package endurance

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"stackmate/internal/must"
	"stackmate/protocol/wiretest"
)

// serving is set in the environment of a child that is a server of a cluster, to its
// options.
const serving = "STACKMATE_ENDURANCE_SERVER"

// member are the options of a server.
type member struct {
	Name          string
	Client, Route int   // its ports
	Routes        []int // of all servers; nil for one that is alone
	Store         string
}

// serveQueue runs a server of a cluster until it is killed.
func serveQueue(options string) {
	var m member
	err := json.Unmarshal([]byte(options), &m)
	o := &server.Options{
		ServerName: m.Name, Host: "127.0.0.1", Port: m.Client, NoSigs: true, NoLog: true, JetStream: true, StoreDir: m.Store,
	}
	if len(m.Routes) > 0 {
		o.Cluster = server.ClusterOpts{Name: "stackmate", Host: "127.0.0.1", Port: m.Route}
	}
	for _, port := range m.Routes {
		if port != m.Route {
			o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: fmt.Sprint("127.0.0.1:", port)})
		}
	}
	var s *server.Server
	if err == nil {
		s, err = server.NewServer(o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s.Start()
	s.WaitForShutdown()
}

// startServer starts a server in a process of its own.
func startServer(t testing.TB, m member) *process {
	t.Helper()
	options := must.Get(json.Marshal(m))(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serving+"="+string(options))
	return launch(t, cmd)
}

// crew is the processes of a tournament on many machines: each member can be restarted.
type crew struct {
	begin   []func() *process
	members []*process
}

func (c *crew) add(begin func() *process) {
	c.begin, c.members = append(c.begin, begin), append(c.members, begin())
}

func (c *crew) restart(i int) {
	c.members[i].kill()
	c.members[i] = c.begin[i]()
}

// TestATournamentOfManyProcessesSurvivesThemAll holds a tournament on a cluster of three servers with six workers, all
// processes of their own. It kills workers, servers and the runner of the tournament at random, with -9: the outcome
// equals the outcome of an undisturbed tournament.
func TestATournamentOfManyProcessesSurvivesThemAll(t *testing.T) {
	begin(t)
	kills := repetitions(t, 3, 60)
	plan := []string{
		"tournament", "ticTacToe", "nim-3.4.5", "--players", "random,legal", "--rounds", either("30", "250"), // of four matches
		"--openings", "2", "--seed", "11", "--json",
	}
	undisturbed := outcomeOf(t, start(t, slices.Clone(plan)...))

	const servers, workers = 3, 6
	ports := wiretest.FreePorts(t, 2*servers)
	clients, routes := ports[:servers], ports[servers:]
	store := t.TempDir()
	var addresses []string
	var c crew
	for i := range servers {
		addresses = append(addresses, fmt.Sprint("nats://127.0.0.1:", clients[i]))
		name := fmt.Sprint("s", i)
		m := member{name, clients[i], routes[i], routes, filepath.Join(store, name)}
		c.add(func() *process { return startServer(t, m) })
	}
	cluster := strings.Join(addresses, ",")
	for range workers {
		c.add(func() *process { return start(t, "worker", "--nats", cluster, "--matches", "1") })
	}
	dir := filepath.Join(t.TempDir(), "records")
	resume := func() *process {
		if _, err := os.Stat(filepath.Join(dir, "queue", "tournament.json")); err != nil {
			return start(t, append(slices.Clone(plan), "--record", dir, "--nats", cluster, "--matches", "1")...)
		}
		return start(t, "tournament", "--resume", "--record", dir, "--nats", cluster, "--matches", "1", "--json")
	}
	c.add(resume)
	runner := len(c.members) - 1

	rng := rand.New(rand.NewPCG(1, 15))
	killed := 0
	for k := range kills {
		time.Sleep(time.Duration(rng.Int64N(int64(500 * time.Millisecond))))
		victim := runner
		switch k % 3 {
		case 0:
			victim = servers + rng.IntN(workers)
		case 1:
			victim = rng.IntN(servers)
		}
		if c.members[runner].alive() {
			killed++
			c.restart(victim)
		}
		c.revive(runner)
	}
	began := time.Now()
	for time.Since(began) < 5*time.Minute {
		select {
		case <-c.members[runner].ended:
		case <-time.After(100 * time.Millisecond):
			c.revive(runner)
			continue
		}
		if c.members[runner].cmd.ProcessState.Success() {
			break
		}
		c.restart(runner) // the cluster was away
	}
	got := outcomeOf(t, c.members[runner])
	sameOutcome(t, got, undisturbed, dir)
	t.Logf("%d matches, killed %d times", len(got.Results), killed)
}

// revive restarts the members that found no cluster, except the runner of the tournament.
func (c *crew) revive(runner int) {
	for i, p := range c.members {
		if i != runner && !p.alive() {
			c.members[i] = c.begin[i]()
		}
	}
}
