package cli

import (
	"fmt"

	"stackmate/player"
	"stackmate/protocol/arena/queue"
)

// workFlags say how many matches are held at a time.
type workFlags struct {
	Matches int `placeholder:"N" help:"Matches at a time; by default as many as there are processors for the threads of their players."`
	Threads int `default:"1" help:"Threads of each player that is not told otherwise."`
}

// workerCommand does the tasks of a queue: matches of tournaments, games of experiments,
// and games to learn from.
type workerCommand struct {
	NATS      string `name:"nats" required:"" placeholder:"URL,…" help:"NATS server or cluster with the queue, such as nats://TOKEN@host:4222."`
	Knowledge string `type:"path" placeholder:"DIR" help:"Folder of weights that were learnt by train or in matches, for the players of this program."`
	workFlags
}

// Run implements the command.
func (c *workerCommand) Run(s *console) error {
	const seats = 2 // in most games
	l, err := c.newTaskWorker(s, seats, c.Knowledge)
	if err != nil {
		return err
	}
	q, err := queue.Dial(s.ctx, c.NATS, s.log)
	if err != nil {
		return err
	}
	defer q.Close()
	fmt.Fprintf(s.err, "waiting for tasks, %d at a time\n", l.tasks)
	_ = l.work(s.ctx, q) // being stopped is how it ends
	return nil
}

// newTaskWorker makes what holds matches, of so many players each at most.
func (c *workFlags) newTaskWorker(s *console, players int, knowledge string) (*taskWorker, error) {
	if c.Matches < 0 || c.Threads < 1 || c.Threads > player.MaxThreads {
		return nil, usageError{fmt.Errorf("expected --matches of 0 or more and --threads of 1 to %d, found %d and %d", player.MaxThreads, c.Matches, c.Threads)}
	}
	if err := checkFolder("--knowledge", knowledge); err != nil {
		return nil, err
	}
	threads := keepClocks()
	if c.Matches == 0 {
		c.Matches = max(1, threads/(c.Threads*players))
	}
	return s.newTaskWorker(c.Matches, players, player.Options{Threads: c.Threads, Knowledge: knowledge}), nil
}
