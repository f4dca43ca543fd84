package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"stackmate/games"
	"stackmate/gdl"
	"stackmate/player"
	"stackmate/player/analysis"
	"stackmate/protocol"
	"stackmate/protocol/arena"
	"stackmate/protocol/arena/board"
	"stackmate/protocol/arena/distributed"
	"stackmate/protocol/arena/web"
	"stackmate/reasoner"
	"stackmate/reasoner/machine"
	"stackmate/search/solve"
)

// arenaCommand serves the page.
type arenaCommand struct {
	Games   []string `arg:"" optional:"" type:"path" help:"Rulesheets, or folders of them, to offer besides the built-in games."`
	Listen  string   `default:"127.0.0.1:9180" help:"Address to listen on. From other machines a token is required; it is printed at start."`
	Player  string   `default:"127.0.0.1:9147" help:"Address to listen on for game servers; - disables it."`
	Allow   []string `name:"allow-players" placeholder:"URL" help:"URLs of players that may be seated, such as http://localhost:9148. None by default: the arena sends requests to them."`
	Saved   []string `name:"solutions" type:"path" placeholder:"PATH" help:"Solutions saved by solve --save: offered as opponents and used by the analysis board."`
	Browser bool     `default:"true" negatable:"" help:"Open the page in the browser, if the output is a terminal."`
	Records string   `type:"path" placeholder:"DIR" help:"Folder of match records; matches and tables of the page are saved there and survive a restart. Not saved by default."`
}

// pagePlayers are how many players and searches of the page share threads and memory: at tables, as many think at a time.
const pagePlayers = 4

// pageBudget is how long compiling a game may take for the page.
const pageBudget = 30 * time.Second

// Run implements the command.
func (c *arenaCommand) Run(s *console) error {
	sheets, sources, err := c.rulesheets()
	if err != nil {
		return usageError{err}
	}
	dir := c.Records
	if dir == "" {
		if dir, err = os.MkdirTemp("", "stackmate-arena-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	archive, err := arena.OpenArchive(dir)
	if err != nil {
		return usageError{fmt.Errorf("--records: %w", err)}
	}
	s.seed.Store(uint64(time.Now().UnixNano()))
	threads := keepClocks()
	players := s.newRoster(player.Options{Threads: max(1, threads/2), MostThreads: threads, Memory: s.memory.share(2 * pagePlayers)})
	players.solutions = func(path string) bool { return slices.Contains(c.Saved, path) }
	var kinds, tunable []string
	for _, k := range player.Kinds() {
		kinds = append(kinds, k.Name)
		if k.Tunable {
			tunable = append(tunable, k.Name)
		}
	}
	for _, path := range c.Saved {
		kinds = append(kinds, solutionPlayer+":"+path)
	}
	worker := s.newTaskWorker(max(1, threads/4), 2, player.Options{Threads: 1, MostThreads: threads}) // half of the threads, with two players
	ctx, cancel := context.WithCancel(s.ctx)
	analyst := &analysis.Analyst{Solutions: s.savedSolutions(c.Saved...), Threads: max(1, threads/2), Bytes: s.memory.share(pagePlayers), Log: s.log}
	tournaments := distributed.NewTournaments(ctx, archive, worker.Work, s.log)
	defer func() { cancel(); tournaments.Wait() }()
	config := web.Config{
		Games: sources, Players: kinds, Archive: archive, Log: s.log,
		Rules: func(name string) (string, []byte, error) {
			if path, ok := sheets[name]; ok {
				text, err := s.readRules(path)
				return filepath.Base(path), text, err
			}
			return games.Source(name)
		},
		Tournaments: tournaments, Parameters: parameters(), Tunable: tunable,
		Page: func(name string) ([]byte, error) {
			if path, ok := sheets[name]; ok {
				return pageBeside(path)
			}
			return games.Page(name), nil
		},
		Compile: func(ctx context.Context, g *gdl.Game) (machine.Machine, error) {
			return reasoner.New(ctx, g, reasoner.Options{Budget: pageBudget, Memory: s.memory.share(pagePlayers), Cache: s.cache})
		},
		Analyse: func(ctx context.Context, g *gdl.Game, m machine.Machine, q machine.State, report func(any)) error {
			return analyst.Analyse(ctx, g, m, q, func(a *analysis.Analysis) { report(a) })
		},
		Prove: func(ctx context.Context, g *gdl.Game, budget time.Duration) (any, error) {
			return proofs(ctx, s, g, budget)
		},
		Class: func(ctx context.Context, m machine.Machine) string { return observed(solve.Classify(ctx, m, 1)) },
		Player: func(spec string) (arena.Player, error) {
			if strings.Contains(spec, "://") && !slices.Contains(c.Allow, strings.TrimRight(spec, "/")) {
				return arena.Player{}, fmt.Errorf("the address %s may not be given a seat: the arena was begun without --allow-players %s", spec, spec)
			}
			return players.player(spec, s.nextSeed)
		},
	}
	l, err := listen("--listen", c.Listen)
	if err != nil {
		return err
	}
	address := "http://" + reachable(l.Addr()) + "/"
	if !isLoopback(l.Addr()) {
		config.Token = rand.Text()
		address += "?token=" + config.Token
	}
	page, err := web.New(s.ctx, config)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "The arena is open at %s\n", address)
	stop := c.servePlayer(s, threads)
	defer stop()
	if c.Browser && s.out.terminal {
		openBrowser(address)
	}
	return page.Serve(l)
}

// servePlayer lets game servers reach the player beside the page. Where its address is taken, the
// page does without.
func (c *arenaCommand) servePlayer(s *console, threads int) (stop func()) {
	if c.Player == "-" {
		return func() {}
	}
	l, err := listen("--player", c.Player)
	if err != nil {
		fmt.Fprintf(s.err, "stackmate: game servers cannot reach a player: %v\n", err)
		return func() {}
	}
	p, err := s.newRoster(player.Options{
		Ponder: true, Threads: max(1, threads/2), Memory: s.memory.share(2 * pagePlayers),
	}).player("stackmate", s.nextSeed)
	if err != nil {
		panic(err) // the program's own URL
	}
	fmt.Fprintf(s.out, "Game servers reach the player at %s\n", reachable(l.Addr()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		e := protocol.NewEndpoint(defaultName, p.New, s.log)
		e.Version = version()
		if err := protocol.Serve(s.ctx, l, e); err != nil {
			s.log.Error().Err(err).Msg("the player for game servers")
		}
	}()
	return func() { <-done }
}

// reachable returns an address for browsers: this machine's name replaces "all interfaces".
func reachable(a net.Addr) string {
	address, err := netip.ParseAddrPort(a.String())
	if err != nil || !address.Addr().IsUnspecified() {
		return a.String()
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return net.JoinHostPort(host, strconv.Itoa(int(address.Port())))
}

// openBrowser opens a page in the browser of the desktop, if there is one.
func openBrowser(address string) {
	command := exec.Command("xdg-open", address)
	switch runtime.GOOS {
	case "darwin":
		command = exec.Command("open", address)
	case "windows":
		command = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	}
	if command.Start() == nil {
		go func() { _ = command.Wait() }()
	}
}

// maxPage bounds a page, in bytes.
const maxPage = 1 << 20

// pageBeside reads the page that lies beside a rulesheet, game.page.json beside game.kif. It is nil if there is none.
func pageBeside(sheet string) ([]byte, error) {
	text, err := readUpTo(strings.TrimSuffix(sheet, filepath.Ext(sheet))+".page.json", maxPage)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

func isLoopback(a net.Addr) bool {
	address, err := netip.ParseAddrPort(a.String())
	return err == nil && address.Addr().IsLoopback()
}

// maxSheets bounds the rulesheets of folders.
const maxSheets = 5000

// rulesheets finds the games of the page: files by name, and all games to choose from.
func (c *arenaCommand) rulesheets() (sheets map[string]string, sources []web.Source, err error) {
	for i, g := range games.Groups() {
		for _, f := range g.Families {
			page, err := board.ReadPage(games.Page(f.Name()))
			if err != nil {
				panic(err) // the tests read all
			}
			s := web.Source{Name: f.Name(), Title: page.Title, Summary: page.Rules, From: "built-in", Group: g.Name, First: i == 0}
			if len(f.Parameters) > 0 {
				s.Pattern = f.Pattern
			}
			for _, p := range f.Parameters {
				s.Parameters = append(s.Parameters, web.Parameter{Name: p.Name, About: p.About, Min: p.Min, Max: p.Max, Default: p.Default, List: p.List})
			}
			sources = append(sources, s)
		}
	}
	sheets = make(map[string]string)
	var own []web.Source // rulesheets that are named by themselves come first
	for _, path := range c.Games {
		if _, err := os.Stat(path); err != nil {
			if name := filepath.Base(path); isBuiltIn(name) {
				return nil, nil, fmt.Errorf("expected rulesheets or folders of them, found %s, the name of a built-in game: the page has them all", name)
			}
			return nil, nil, fmt.Errorf("expected rulesheets or folders of them: %w", err)
		}
		files, err := rulesheetsIn([]string{path}, gameFiles)
		if err != nil {
			return nil, nil, err
		}
		for _, file := range files {
			name, from := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), filepath.Dir(file)
			if _, taken := sheets[name]; taken || isBuiltIn(name) {
				name = filepath.Base(from) + "/" + name
			}
			base := name
			for n := 2; sheets[name] != ""; n++ {
				name = fmt.Sprintf("%s-%d", base, n)
			}
			sheets[name] = file
			s := web.Source{Name: name, From: filepath.Base(from), Group: "From " + filepath.Base(from)}
			if text, err := pageBeside(file); err == nil && text != nil {
				if page, err := board.ReadPage(text); err == nil { // the page of the game shows the error
					s.Title, s.Summary = page.Title, page.Rules
				}
			}
			if file == path {
				s.First = true
				own = append(own, s)
			} else {
				sources = append(sources, s)
			}
		}
		if len(sheets) > maxSheets {
			return nil, nil, errors.New("expected at most 5000 rulesheets, found more in " + path)
		}
	}
	return sheets, append(own, sources...), nil
}

func isBuiltIn(name string) bool {
	_, _, err := games.Source(name)
	return err == nil
}
