package cli

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"stackmate/player"
	"stackmate/protocol"
	"stackmate/protocol/arena"
)

// defaultName is the name of the player for game servers.
const defaultName = "Stackmate"

// serveCommand is the player on the network.
type serveCommand struct {
	kernelFlag
	Listen     string        `default:"127.0.0.1:9147" help:"Address to listen on; :9147 listens on all interfaces."`
	Allow      []string      `placeholder:"ADDRESS" help:"Allowed addresses and networks (192.0.2.0/24) of game servers, besides this machine; all by default."`
	Origins    []string      `name:"allow-origin" placeholder:"ORIGIN" help:"Websites (https://example.org) of browser-based game managers; * allows every website; none by default."`
	Name       string        `default:"Stackmate" help:"Name of the player for game servers."`
	Matches    int           `default:"1" help:"Concurrent matches; they share threads and memory."`
	Threads    int           `placeholder:"N" help:"Threads of all searches; by default one for each processor."`
	Ponder     bool          `default:"true" negatable:"" help:"Ponder: learn or search while the opponents think."`
	Explain    bool          `help:"Print an explanation of each move, on standard error."`
	Knowledge  string        `type:"path" placeholder:"DIR" help:"Folder of weights from train or earlier matches."`
	Record     string        `type:"path" placeholder:"DIR" help:"Folder for records of the matches."`
	MarginMin  time.Duration `placeholder:"150ms" help:"Minimum margin at the end of a play clock; it adapts to the delays of server and machine."`
	MarginMax  time.Duration `placeholder:"3s" help:"Maximum margin at the end of a play clock."`
	MaxMessage int64         `default:"16" help:"Maximum size of a message, in MiB."`
	Pprof      string        `placeholder:"ADDRESS" help:"Serve profiles (net/http/pprof) on a local address, such as localhost:6060."`
}

// Run implements the command.
func (c *serveCommand) Run(s *console) error {
	allowed, err := c.check(s)
	if err != nil {
		return err
	}
	s.seed.Store(uint64(time.Now().UnixNano()))
	if c.Explain {
		s.explainMoves()
	}
	threads := keepClocks()
	if c.Threads > 0 {
		threads = c.Threads
	}
	p, err := s.newRoster(player.Options{
		Ponder:    c.Ponder,
		Threads:   max(1, threads/c.Matches),
		Memory:    s.memory.share(c.Matches),
		Knowledge: c.Knowledge,
		Kernel:    c.Kernel,
		MinMargin: c.MarginMin, MaxMargin: c.MarginMax,
	}).player("stackmate", s.nextSeed)
	if err != nil {
		return err
	}
	if c.Pprof != "" {
		if err := s.servePprof(c.Pprof); err != nil {
			return err
		}
	}
	l, err := listen("--listen", c.Listen)
	if err != nil {
		return err
	}
	e := protocol.NewEndpoint(c.Name, p.New, s.log)
	e.Matches, e.Allow, e.Origins, e.MaxMessage, e.Version = c.Matches, allowed, c.Origins, c.MaxMessage<<20, version()
	if c.Record != "" {
		e.Record = arena.ReadArchive(c.Record).Witness // check has made the folder
	}
	return protocol.Serve(s.ctx, l, e)
}

// check validates the flags before any work.
func (c *serveCommand) check(s *console) ([]netip.Prefix, error) {
	const maxMiB = 1 << 10
	switch {
	case c.Matches < 1:
		return nil, usageError{fmt.Errorf("--matches: expected at least 1, found %d", c.Matches)}
	case c.Threads < 0 || c.Threads > player.MaxThreads:
		return nil, usageError{fmt.Errorf("--threads: expected 1 to %d, found %d", player.MaxThreads, c.Threads)}
	case c.MarginMin < 0 || c.MarginMax < 0:
		return nil, usageError{errors.New("--margin-min, --margin-max: expected times above 0")}
	case c.MarginMax > 0 && c.MarginMin > c.MarginMax:
		return nil, usageError{fmt.Errorf("--margin-min: expected at most --margin-max, %v, found %v", c.MarginMax, c.MarginMin)}
	case c.MaxMessage < 1 || c.MaxMessage > maxMiB:
		return nil, usageError{fmt.Errorf("--max-message: expected 1 to %d MiB, found %d", maxMiB, c.MaxMessage)}
	}
	for _, origin := range c.Origins {
		if u, err := url.Parse(origin); origin != "*" && (err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host) {
			return nil, usageError{fmt.Errorf("--allow-origin: expected a website such as https://example.org, without a path, found %q", origin)}
		}
	}
	allowed, err := networks(c.Allow)
	if err != nil {
		return nil, usageError{fmt.Errorf("--allow: %w", err)}
	}
	if err := checkFolder("--record", c.Record); err != nil {
		return nil, err
	}
	return allowed, s.checkKnowledge(c.Knowledge)
}

// listen opens the address of a flag.
func listen(flag, address string) (net.Listener, error) {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, usageError{fmt.Errorf("%s: expected an address with a port, such as 127.0.0.1:9147, or :9147 for all interfaces, found %q", flag, address)}
	}
	l, err := protocol.Listen(address)
	if err != nil {
		err = fmt.Errorf("%w; %s chooses another, such as 127.0.0.1:0 for any that is free", err, flag)
	}
	return l, err
}

// networks reads addresses and networks in CIDR notation.
func networks(texts []string) ([]netip.Prefix, error) {
	var list []netip.Prefix
	var faults []error
	for _, text := range texts {
		if !strings.Contains(text, "/") {
			a, err := netip.ParseAddr(text)
			if err == nil {
				list = append(list, netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()))
				continue
			}
		}
		p, err := netip.ParsePrefix(text)
		if err != nil {
			faults = append(faults, fmt.Errorf("expected an address or a network such as 192.0.2.0/24, found %q", text))
			continue
		}
		list = append(list, p)
	}
	return list, errors.Join(faults...)
}
