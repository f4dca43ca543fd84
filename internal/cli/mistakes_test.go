// Places that cannot be written are as Unix has them.

//go:build !windows

package cli

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stackmate/internal/exhaustive"
	"stackmate/internal/must"
)

// Each mistake of a newcomer is reported in one line, with the fault and the remedy.
func TestMistakesOfNewcomersAreToldInOneLine(t *testing.T) {
	exhaustive.NotUnderRace(t, "reads rules on one goroutine")
	const gdl = "expected rules in GDL, as stackmate export ticTacToe prints them, found "
	taken := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	port := taken.Addr().String()
	folder := t.TempDir()
	occupied := filepath.Join(file(t, "file", ""), "matches")
	sheet := file(t, "coin.kif", coin)
	records := filepath.Join(t.TempDir(), "records")
	execute(t, "tournament", "ticTacToe", "--players", "legal,random", "--rounds", "1", "--record", records).expect(t, statusFine)
	book := filepath.Join(t.TempDir(), "three.solution")
	execute(t, "solve", "goofspiel-3", "--save", book).expect(t, statusFine)
	text := must.Get(os.ReadFile(book))(t)
	text[len(text)/2] ^= 0x55
	corrupt := file(t, "corrupt.solution", string(text))

	for name, test := range map[string]struct {
		args []string
		want string
	}{
		// typing errors
		"command":                     {[]string{"sovle", "ticTacToe"}, `did you mean "solve"?`},
		"no command":                  {[]string{"frobnicate"}, "stackmate --help"},
		"game in place of a command":  {[]string{"connectFour"}, "stackmate match connectFour"},
		"misspelt game for a command": {[]string{"conectFour"}, "did you mean connectFour?"},
		"flag":                        {[]string{"solve", "ticTacToe", "--certifi"}, `did you mean "--certify"?`},
		"game":                        {[]string{"solve", "conectFour"}, "did you mean connectFour?"},
		"game as others write it":     {[]string{"solve", "tic-tac-toe"}, "did you mean ticTacToe?"},
		"size of a game":              {[]string{"match", "connectFour-7"}, "expected connectFour-WxH"},
		"no game":                     {[]string{"match", "--players", "mcts,mcts"}, `expected "<game>"; stackmate match --help`},
		"two games":                   {[]string{"solve", "ticTacToe", "hex"}, "stackmate solve --help"},
		"help of nothing":             {[]string{"help", "slove"}, `"solve"`},
		"missing flag":                {[]string{"train", "ticTacToe"}, "missing flags: --knowledge=DIR"},
		"number in place of a name":   {[]string{"perft", "3", "9"}, `unknown game "3"; stackmate help games lists`},
		"unknown game":                {[]string{"solve", "nonsense"}, `stackmate: unknown game "nonsense"; stackmate help games lists the built-in games`},
		"board that is too small":     {[]string{"solve", "connectFour-3x3"}, `W (columns) must be a number from 4 to 20, found "3"`},
		"prizes that there are not":   {[]string{"solve", "goofspiel-5-9.9"}, `game "goofspiel-5-9.9": PRIZES: expected each number from 1 to 5 once, found 9.9`},
		"negative threads":            {[]string{"solve", "ticTacToe", "--threads", "-1"}, "--threads: expected 0 to 1024, found -1"},
		"unfinished move":             {[]string{"solve", "ticTacToe", "--moves", "(mark 1"}, `--moves: expected 1 closing parenthesis for this form before the end, found none, in "(mark 1"`},
		"too few moves":               {[]string{"solve", "prisonersDilemma", "--moves", "defect"}, "expected a move of column too"},
		"no record to resume":         {[]string{"tournament", "--resume"}, "--resume: expected --record DIR"},
		"name in place of a number":   {[]string{"perft", "9", "ticTacToe"}, "<depth>: expected"},
		"unit that there is not":      {[]string{"match", "ticTacToe", "--play-clock", "1 minute"}, "expected a time such as 2, 0.5s or 1m30s"},
		"engine":                      {[]string{"bench", "ticTacToe", "--engine", "fast"}, "auto"},
		"method":                      {[]string{"solve", "ticTacToe", "--method", "minimax"}, "expected one of auto, bab"},
		"negative tolerance":          {[]string{"solve", "ticTacToe", "--epsilon", "-1"}, "--epsilon: expected 0 to 100 goal points, found -1; "},
		"order without an effect":     {[]string{"solve", "goofspiel-3", "--move-order", "legal"}, "--move-order legal: expected --order l or lex, found --order best"},
		"risk without a test":         {[]string{"tournament", "ticTacToe", "--players", "legal,random", "--alpha", "0.1"}, "--alpha: expected --sprt ELO0,ELO1, too"},
		"no iteration":                {[]string{"tune", "ticTacToe", "--iterations", "0", "--parameters", "exploration"}, "--iterations, --pairs: expected 1 or more, found 0 and 4"},
		"start out of bounds":         {[]string{"tune", "ticTacToe", "--players", "mcts:exploration=30", "--parameters", "exploration=5:20"}, "--parameters: expected low < high and the start of exploration between them, found 5, 20 and 30"},
		// addresses
		"port in use":             {[]string{"serve", "--listen", port}, "the port is in use by another program; --listen chooses another"},
		"port of the page in use": {[]string{"arena", "--listen", port, "--player", "-"}, "--listen chooses another"},
		"port alone":              {[]string{"serve", "--listen", "9147"}, "such as 127.0.0.1:9147"},
		"address without http":    {[]string{"check-player", "localhost:9147"}, "such as http://localhost:9147"},
		"nobody there":            {[]string{"check-player", "http://127.0.0.1:1"}, "cannot be checked"},
		// files
		"deal on standard input":     {[]string{"bridge", "-"}, "-:1"},
		"record on standard input":   {[]string{"show", "-"}, "expected the path of a file to read, found -"},
		"records on standard input":  {[]string{"rate", "-"}, "expected the path of a file to read, found -"},
		"solution on the output":     {[]string{"solve", "goofspiel-3", "--save", "-"}, "expected the path of a file to write, found -"},
		"name where a file is meant": {[]string{"arena", "ticTacToe"}, "the name of a built-in game: the page has them all"},
		"no such file":               {[]string{"solve", "game.kif"}, "cannot read the rulesheet: open game.kif"},
		"folder for a file":          {[]string{"solve", folder}, "is a directory"},
		"folder without rules":       {[]string{"validate", folder}, "expected rulesheets (.kif, .gdl, .hrf, .nfg, .efg)"},
		"folder for a record":        {[]string{"show", folder}, "is a directory"},
		"folder without records":     {[]string{"rate", folder}, "expected records of matches"},
		"rules for a record":         {[]string{"show", sheet}, "not a match record"},
		"file for a folder":          {[]string{"match", "ticTacToe", "--record", sheet}, "--record: "},
		"folder in a file":           {[]string{"match", "ticTacToe", "--record", occupied}, "cannot write " + occupied},
		"folder to write to":         {[]string{"solve", "ticTacToe", "--save", folder}, "cannot write " + folder},
		"no such folder":             {[]string{"solve", "ticTacToe", "--save", "no/such/folder"}, "cannot create a file in"},
		"disk full":                  {[]string{"tournament", "ticTacToe", "--players", "random,random", "--rounds", "1", "--csv", "/dev/full"}, "cannot write /dev/full"},
		// rulesheets
		"empty file":         {[]string{"solve", file(t, "g.kif", " \n")}, gdl + "nothing: the file is empty"},
		"comments only":      {[]string{"solve", file(t, "g.kif", "; my first try\n")}, gdl + "text without the rules of a game"},
		"Regular Boardgames": {[]string{"solve", file(t, "g.rbg", "#players = white(100), black(100)\n#rules = ->white {w}\n")}, gdl + "rules of Regular Boardgames"},
		"Ludii":              {[]string{"solve", file(t, "g.lud", `(game "Tic-Tac-Toe" (players 2) (rules (play (move Add (to (sites Empty))))))`)}, gdl + "rules of Ludii"},
		"Zillions":           {[]string{"solve", file(t, "g.zrf", "(game\n (title \"Tic-Tac-Toe\")\n (players X O))")}, gdl + "rules of Zillions of Games"},
		"JSON":               {[]string{"solve", file(t, "g.kif", `{"roles": ["a"]}`)}, gdl + "JSON"},
		"web page":           {[]string{"solve", file(t, "g.kif", "<!DOCTYPE html>\n<html><body>404</body></html>")}, gdl + "a web page"},
		"binary file":        {[]string{"solve", file(t, "g.kif", "\x7fELF\x02\x00\x00role")}, gdl + "no text"},
		"text":               {[]string{"solve", file(t, "g.kif", "# Read me\n\nHow to (play) it.\n")}, gdl + "text without the rules of a game"},
		// players
		"unknown player":            {[]string{"match", "ticTacToe", "--players", "stackmate,alphazero"}, "expected one of stackmate, mcts"},
		"player of a match alone":   {[]string{"tournament", "ticTacToe", "--players", "solution:g5,random"}, `unknown player "solution": expected one of stackmate, mcts, mcts-plain, greedy, random, legal, an address such as http://localhost:9147 or, in match, human or solution:PATH`},
		"no threads":                {[]string{"match", "ticTacToe", "--players", "mcts:threads=0,random"}, "threads: expected a number from 1 to 1024, found \"0\"\n"},
		"option given twice":        {[]string{"match", "ticTacToe", "--players", "mcts:threads=1,threads=2,random"}, "expected each option once, found threads twice"},
		"number for players":        {[]string{"match", "ticTacToe", "--players", "2"}, "expected one of stackmate, mcts"},
		"too many players":          {[]string{"match", "ticTacToe", "--players", "mcts,mcts,mcts"}, "--players: expected 2, one for each of x, o, found 3"},
		"too few players":           {[]string{"tournament", "ticTacToe", "--players", "random"}, "needs 2 players"},
		"unknown role":              {[]string{"play", "ticTacToe", "--role", "white"}, "expected one of x, o"},
		"no such number of matches": {[]string{"match", "ticTacToe", "--count", "0"}, "--count: expected 1 or more"},
		// saved files
		"tournament resumed anew":      {[]string{"tournament", "ticTacToe", "--record", records, "--resume", "--players", "mcts,random"}, "the tournament has"},
		"tournament begun twice":       {[]string{"tournament", "ticTacToe", "--record", records, "--players", "mcts,random"}, "--resume continues it"},
		"tournament that there is not": {[]string{"tournament", "--resume", "--record", folder}, "--resume: expected --record with the folder of a tournament"},
		"folder that there is not":     {[]string{"tournament", "--resume", "--record", filepath.Join(folder, "typo")}, "--resume: expected --record with the folder of a tournament, found none in " + filepath.Join(folder, "typo")},
		"solution that there is not":   {[]string{"play", "goofspiel-3", "--from", "/nonexist"}, "cannot read the solution: stat /nonexist"},
		"player that there is not":     {[]string{"match", "goofspiel-3", "--players", "solution:/nonexist,legal"}, "cannot read the solution: stat /nonexist"},
		"solution of another game":     {[]string{"play", "goofspiel-4", "--from", book}, "found one of goofspiel-3"},
		"solution that is none":        {[]string{"play", "goofspiel-3", "--from", sheet}, sheet},
		"damaged solution":             {[]string{"play", "goofspiel-3", "--from", corrupt}, "expected a solution saved by stackmate"},
		"too little memory":            {[]string{"solve", "ticTacToe", "--memory", "16"}, "--memory: expected 64 to"},
		"memory with a unit":           {[]string{"solve", "ticTacToe", "--memory", "1GB"}, "--memory: expected"},
	} {
		t.Run(name, func(t *testing.T) {
			o := execute(t, test.args...)
			if o.status == statusFine || !strings.HasPrefix(o.err, "stackmate: ") || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, test.want) {
				t.Errorf("status %d, want one line with %q, got\n%s%s", o.status, test.want, o.out, o.err)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(folder, "typo")); err == nil {
		t.Error("the folder of a tournament that there is not was created")
	}
}
