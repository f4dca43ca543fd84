package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"stackmate/player"
	"stackmate/protocol/arena"
	"stackmate/protocol/arena/distributed"
	"stackmate/protocol/arena/queue"
	"stackmate/protocol/arena/tasks"
)

// workFlags say how many matches are held at a time.
type workFlags struct {
	Matches int `placeholder:"N" help:"Concurrent matches; the default is the number of processors divided by the threads of the players."`
	Threads int `default:"1" help:"Default threads per player."`
}

// workerCommand does the tasks of a queue: matches of tournaments, games of experiments,
// games to learn from, and parts of layers.
type workerCommand struct {
	NATS      string `name:"nats" required:"" env:"STACKMATE_NATS" placeholder:"FILE" help:"File with the address of the queue, as written by tournament --listen; or the address, if it contains no password."`
	Knowledge string `type:"path" placeholder:"DIR" help:"Folder of weights from train or earlier matches, for Stackmate players."`
	workFlags
}

// Run implements the command.
func (c *workerCommand) Run(s *console) error {
	const seats = 2 // in most games
	w, err := c.newTaskWorker(s, seats, c.Knowledge)
	if err != nil {
		return err
	}
	q, err := s.dial(c.NATS)
	if err != nil {
		return err
	}
	defer q.Close()
	fmt.Fprintf(s.err, "waiting for tasks, %d at a time\n", w.AtOnce)
	_ = w.Work(s.ctx, q) // the error is the end of the context
	return nil
}

// maxAddress bounds a file with the address of a queue, in bytes.
const maxAddress = 64 << 10

// dial connects to the queue at an address, or at the address in a file: the list of processes would show a password
// in an argument.
func (s *console) dial(address string) (*queue.Queue, error) {
	if !strings.Contains(address, "://") {
		text, err := readUpTo(address, maxAddress)
		if err != nil {
			return nil, usageError{fmt.Errorf("--nats: expected an address or a file that has one: %w", err)}
		}
		address = strings.TrimSpace(string(text))
	} else if strings.Contains(address, "@") && slices.ContainsFunc(s.args, func(a string) bool { return strings.Contains(a, address) }) {
		return nil, usageError{errors.New("--nats: the address contains a secret, which the list of processes shows; put the address into a file and give its name")}
	}
	return queue.Dial(s.ctx, address, s.log)
}

// newTaskWorker returns a worker for tasks of at most so many players.
func (c *workFlags) newTaskWorker(s *console, players int, knowledge string) (*tasks.Worker, error) {
	if c.Matches < 0 || c.Threads < 1 || c.Threads > player.MaxThreads {
		return nil, usageError{fmt.Errorf("expected --matches of 0 or more and --threads of 1 to %d, found %d and %d", player.MaxThreads, c.Matches, c.Threads)}
	}
	if err := s.checkKnowledge(knowledge); err != nil {
		return nil, err
	}
	threads := keepClocks()
	if c.Matches == 0 {
		c.Matches = max(1, threads/(c.Threads*players))
	}
	return s.newTaskWorker(c.Matches, players, player.Options{Threads: c.Threads, Knowledge: knowledge}), nil
}

// newTaskWorker returns a worker for so many tasks at a time, each of at most so many players. A task takes its share of the memory.
func (s *console) newTaskWorker(atOnce, players int, o player.Options) *tasks.Worker {
	o.Memory = s.memory.share(atOnce * (players + 1))
	roster := s.newRoster(o)
	return &tasks.Worker{
		Matches: &distributed.Worker{
			Player: func(spec string, seed uint64) (arena.Player, error) {
				return roster.player(spec, func() uint64 { return seed })
			},
			Memory: o.Memory, Cache: s.cache, Log: s.log,
		},
		Lab: s.newLab(o.Memory), AtOnce: atOnce, Memory: o.Memory, Layering: s.memory.share(2), Cache: s.cache, Log: s.log,
	}
}

// joinQueue connects to a queue. The worker does tasks of the queue beside other workers, so many at a time.
func (s *console) joinQueue(url string, atOnce int) (*tasks.Worker, *queue.Queue, error) {
	q, err := s.dial(url)
	return s.newTaskWorker(atOnce, 2, player.Options{Threads: 1}), q, err
}
