package cli

import (
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"stackmate/games"
	"stackmate/protocol/arena"
	"stackmate/reasoner"
	"stackmate/search/experiment"
)

const about = "Stackmate plays and solves games that are given as rules, in GDL."

// command is one of the command line.
type command struct {
	group, name, help string
	flags             any // kong's target, which runs the command
}

// commands returns all commands, in the order of the help.
func commands() []command {
	return []command{
		{"play", "arena", "Play, watch and analyse games in the browser.", new(arenaCommand)},
		{"play", "match", "Play matches between players.", new(matchCommand)},
		{"play", "play", "Play against a solution at the terminal.", new(playCommand)},
		{"compete", "serve", "Play matches for game servers.", new(serveCommand)},
		{"compete", "tournament", "Rate players by many matches.", new(tournamentCommand)},
		{"compete", "worker", "Do the tasks of commands on other machines.", new(workerCommand)},
		{"compete", "rate", "Rate players by records of matches.", new(rateCommand)},
		{"compete", "show", "Step through a recorded match.", new(showCommand)},
		{"compete", "train", "Learn an evaluation of a game by self-play.", new(trainCommand)},
		{"compete", "check-player", "Check a player against the protocol.", new(checkPlayerCommand)},
		{"compete", "check-manager", "Check a game manager against the protocol.", new(checkManagerCommand)},
		{"solve", "solve", "Compute values and strategies.", new(solveCommand)},
		{"solve", "bridge", "Find the best plan for a bridge ending.", new(bridgeCommand)},
		{"rules", "validate", "Check rulesheets.", new(validateCommand)},
		{"rules", "fmt", "Format rulesheets.", new(fmtCommand)},
		{"rules", "inspect", "Show the compiler's analysis of a game.", new(inspectCommand)},
		{"rules", "export", "Print the rulesheet of a built-in game.", new(exportCommand)},
		{"develop", "bench", "Measure random playouts on one thread.", new(benchCommand)},
		{"develop", "tune", "Tune parameters of a player by self-play.", new(tuneCommand)},
		{"develop", "perft", "Count the joint moves to a given depth.", new(perftCommand)},
		{"develop", "signature", "Count the nodes of all searches on fixed games.", new(signatureCommand)},
		{"develop", "experiment", "Reproduce published experiments.", new(experimentCommand)},
		{"develop", "replay", "Compare an engine with a recorded trace.", new(replayCommand)},
		{"program", "version", "Print the version.", new(versionCommand)},
		{"program", "completion", "Print shell completions or the manual page.", new(completionCommand)},
	}
}

// groups are the groups of commands, in the order of the help. The commands of a group with a description share one line.
var groups = []kong.Group{
	{Key: "play", Title: "Play"},
	{Key: "compete", Title: "Compete"},
	{Key: "solve", Title: "Solve"},
	{Key: "rules", Title: "Rules"},
	{Key: "develop", Title: "Develop", Description: "for developers"},
	{Key: "program", Title: "Program", Description: "about the program itself"},
}

// meant returns the command line as kong reads it: "help" becomes "--help", and a negative number joins the flag
// before it.
func meant(args []string) []string {
	var joined []string
	for i, arg := range args {
		if i > 0 && negative.MatchString(arg) && strings.HasPrefix(args[i-1], "--") && len(args[i-1]) > 2 && !strings.Contains(args[i-1], "=") {
			joined[len(joined)-1] += "=" + arg
			continue
		}
		joined = append(joined, arg)
	}
	args = joined
	switch {
	case len(args) > 0 && args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case len(args) > 0 && args[0] == "--version":
		return append([]string{"version"}, args[1:]...)
	}
	return args
}

// negative matches the value of a flag that begins with a negative number.
var negative = regexp.MustCompile(`^-\.?[0-9]`)

// parser reads a command line into globals and the flags of its command; done is called when
// help has been printed. Of the commands there is only the one that the first argument names, if
// it does, since to build all of them takes longer than to solve a small game.
func (s *console) parser(args []string, globals *globals, done func()) (*kong.Kong, error) {
	all := commands()
	named := func(c command) bool { return len(args) > 0 && args[0] == c.name }
	if i := slices.IndexFunc(all, named); i >= 0 {
		all = all[i : i+1]
	}
	options := []kong.Option{
		kong.Name("stackmate"), kong.Description(about), kong.ExplicitGroups(groups),
		kong.Vars{
			"engines": strings.Join(reasoner.Engines, ","), "kernels": kernelNames(), "experiments": strings.Join(experiment.Names, ","),
			"parameters": parametersHelp(), "perturbation": fmt.Sprint(arena.DefaultPerturbation), "step": fmt.Sprint(arena.DefaultStep),
		},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}), kong.Help(printHelp),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(decodeTime)), kong.NamedMapper("time", kong.MapperFunc(decodeTime)),
		kong.NamedMapper("path", kong.MapperFunc(decodePath)),
		kong.Writers(s.out, s.err), kong.Exit(func(int) { done() }),
	}
	for _, c := range all {
		options = append(options, kong.DynamicCommand(c.name, c.help, c.group, c.flags))
	}
	parser, err := kong.New(globals, options...)
	if err == nil {
		addExamples(parser.Model)
	}
	return parser, err
}

// unparsed returns the fault of a command line, with a remedy.
func unparsed(model *kong.Application, args []string, err error) error {
	more := "stackmate --help"
	switch {
	case len(model.Leaves(false)) == 1: // the first argument's
		more = "stackmate " + args[0] + " --help"
	case !strings.Contains(err.Error(), "did you mean"):
		if _, _, unknown := games.Source(args[0]); unknown == nil {
			return fmt.Errorf("expected a command before the game, such as stackmate match %s; %s lists them", args[0], more)
		} else if strings.Contains(unknown.Error(), "did you mean") {
			return fmt.Errorf("unknown command %q, and %w", args[0], unknown)
		}
	}
	return fmt.Errorf("%w; %s tells more", err, more)
}

// release is the version, where make release has put it.
var release string

// version returns the version of the release, or of the module in the build information.
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// versionCommand prints the version.
type versionCommand struct{}

// Run implements the command.
func (*versionCommand) Run(s *console) error {
	_, err := fmt.Fprintf(s.out, "stackmate %s %s/%s, %s\n", version(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	return err
}
