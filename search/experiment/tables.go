package experiment

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"stackmate/search/simultaneous"
	"stackmate/search/solve"
)

// The tables of the literature, and the figures in them.
//
// Saffidine, Finnsson and Buro, "Alpha-Beta Pruning for Games with Simultaneous
// Moves", AAAI 2012: Tables 2, 3 and 4; a laptop of 2009 with 2.2 GHz, OCaml,
// GLPK 4.43.
//
// Bošanský, Lisý, Lanctot, Čermák and Winands, "Algorithms for computing
// strategies in two-player simultaneous move games", Artificial Intelligence 237,
// 2016: Java, CPLEX, no transposition table.
const (
	smabPaper   = "Saffidine et al. 2012"
	oraclePaper = "Bošanský et al. 2016"
)

// The methods under their names in the second paper.
const (
	induction        = string(simultaneous.BackwardInduction)
	boundedInduction = string(simultaneous.BoundedInduction)
	doubleOracle     = string(simultaneous.DoubleOracle)
	smab             = string(simultaneous.SMAB)
	sequenceForm     = string(simultaneous.SequenceForm)
)

// Names lists the experiments.
var Names = []string{"goofspiel", "oshizumo", "bidding", "tron", "pursuit", "bab", turnsName}

// runsOf returns the lines of an experiment, by table and growing size. The table of growth extends to the
// largest requested size that the game has.
func runsOf(name string, asked Range) ([]run, error) {
	switch name {
	case "goofspiel":
		return slices.Concat(table2(), table3(), table4(), randomOrders(),
			growth("goofspiel, by cards", asked.extend(13, 4, 5, 6, 7, 8, 9, 10), goofspiel)), nil
	case "oshizumo":
		return slices.Concat(oshiZumo(), growth("oshi-zumo K=3, by coins", asked.extend(100, 10, 20, 30, 40, 50), oshiZumo3)), nil
	case "bidding":
		return slices.Concat(bidding(), growth("bidding tic-tac-toe, by coins", asked.extend(60, biddingCoins...), biddingTicTacToe)), nil
	case "tron":
		return slices.Concat(tron(), growth("tron on N×N cells, by N", asked.extend(20, tronSizes...), tronSquare)), nil
	case "pursuit":
		return slices.Concat(pursuit(), growth("pursuit on 5×5 cells, by rounds", asked.extend(50, pursuitRounds...), pursuitFor)), nil
	case "bab":
		return babRuns(), nil
	case turnsName:
		return turns(turnGames), nil
	}
	return nil, fmt.Errorf("expected an experiment of %s, found %q", strings.Join(Names, ", "), name)
}

// extend continues the default sizes of a table, of which there are at least two, with the same step up to
// r.Max or the largest size of the game.
func (r Range) extend(largest int, usual ...int) []int {
	sizes := slices.Clone(usual)
	last := len(usual) - 1
	step := usual[last] - usual[last-1]
	for next := usual[last] + step; next <= min(r.Max, largest); next += step {
		sizes = append(sizes, next)
	}
	return sizes
}

// growth returns runs of the default method, one game of each size.
func growth(of string, sizes []int, game func(size int) string) []run {
	var runs []run
	for _, size := range sizes {
		r := variant{solve.Auto, true, ""}.run("Time and memory of "+of, size, []string{game(size)}, nil)
		r.method = solve.Auto
		runs = append(runs, r)
	}
	return runs
}

// variant is a method with or without a transposition table, with a cell order if it is not the default.
type variant struct {
	method string
	table  bool
	order  simultaneous.Order
}

// name returns the method and the order.
func (v variant) name() string { return strings.TrimSpace(v.method + " " + string(v.order)) }

// variants are the methods compared by the second paper, SMAB in the order of the first paper, and SMAB in
// the default order, which needs a table. The papers use no tables.
var variants = []variant{
	{induction, false, ""},
	{induction, true, ""},
	{smab, false, simultaneous.OrderL},
	{smab, true, simultaneous.OrderL},
	{boundedInduction, false, ""},
	{boundedInduction, true, ""},
	{doubleOracle, false, ""},
	{doubleOracle, true, ""},
	{smab, true, ""},
}

// tabled are the variants for games that are too large without a table.
var tabled = []variant{
	{induction, true, ""}, {smab, true, simultaneous.OrderL}, {boundedInduction, true, ""}, {doubleOracle, true, ""}, {smab, true, ""},
}

// of returns the figures of the second paper for the variant at a size.
func (v variant) of(published map[string]*Published, size int) *Published {
	if v.table {
		return nil
	}
	p := published[fmt.Sprintf("%s %d", v.method, size)]
	if p != nil {
		p.Source = oraclePaper
	}
	return p
}

// run returns a line of a table of the variant.
func (v variant) run(caption string, size int, games []string, paper *Published) run {
	r := run{
		table: caption, method: v.name(), size: size, games: games, paper: paper,
		options: solve.Options{Method: v.method, Order: string(v.order), Table: solve.Off, Symmetries: solve.On},
	}
	if v.table {
		r.method, r.options.Table = v.name()+" + table", solve.On
	}
	return r
}

// fromSMAB returns figures of the first paper.
func fromSMAB(nodes, lps int64, seconds float64) *Published {
	return &Published{Source: smabPaper, Nodes: nodes, LPCalls: lps, Seconds: seconds}
}

func table2() []run {
	var runs []run
	for i, paper := range []*Published{
		fromSMAB(109, 109, 0.008), fromSMAB(1926, 1926, 0.188),
		fromSMAB(58173, 58173, 5.588), fromSMAB(2578710, 2578710, 247.159),
	} {
		runs = append(runs, variant{induction, false, ""}.run("Table 2: backward induction", 4+i, []string{goofspiel(4 + i)}, paper))
	}
	return runs
}

func table3() []run {
	var runs []run
	for i, paper := range []*Published{
		{Source: smabPaper, Note: "8 MB, < 1 s"},
		{Source: smabPaper, Seconds: 152, Note: "43 MB"},
		{Source: smabPaper, Note: "> 2 GB, > 177 s"},
	} {
		runs = append(runs, variant{sequenceForm, false, ""}.run("Table 3: sequence form", 4+i, []string{goofspiel(4 + i)}, paper))
	}
	return runs
}

func table4() []run {
	figures := [][]*Published{ // by size, from 4, and s, from 0
		{fromSMAB(55, 265, 0.020), fromSMAB(59, 171, 0.012), fromSMAB(70, 147, 0.012)},
		{fromSMAB(516, 2794, 0.216), fromSMAB(630, 1897, 0.168), fromSMAB(1003, 1919, 0.184)},
		{fromSMAB(13560, 74700, 5.900), fromSMAB(18212, 55462, 4.980), fromSMAB(30575, 57335, 5.536)},
		{
			fromSMAB(757699, 4074729, 324.352), fromSMAB(949521, 2857133, 259.716),
			fromSMAB(1380564, 2498366, 241.735), fromSMAB(1734798, 2452624, 237.903), fromSMAB(1881065, 2583307, 253.476),
		},
	}
	var runs []run
	for i, bySkip := range figures {
		for skip, paper := range bySkip {
			r := variant{smab, false, simultaneous.OrderL}.run("Table 4: SMAB, L-shaped order, early bound skipping s", 4+i, []string{goofspiel(4 + i)}, paper)
			r.method, r.options.Skip = fmt.Sprintf("smab s=%d", skip), skip
			runs = append(runs, r)
		}
	}
	return runs
}

func goofspiel(n int) string { return fmt.Sprintf("goofspiel-%d", n) }

// orders is the number of random prize orders, as in the paper; orderSeed seeds ours.
const (
	orders    = 10
	orderSeed = 2016
)

// randomOrders returns the goofspiel experiments of the second paper with random prize orders: win, tie and
// loss (its Fig. 8), and points.
func randomOrders() []run {
	var runs []run
	for _, kind := range []struct {
		family, caption string
		published       map[string]*Published // by method and size
	}{
		{"goofspiel", "10 random orders of the prizes: win, tie, loss", map[string]*Published{
			"bi 5": {Seconds: 6}, "biab 5": {Seconds: 0.64}, "do 5": {Seconds: 0.69},
			"bi 6": {Seconds: 181}, "biab 6": {Seconds: 6.7}, "do 6": {Seconds: 6.3},
			"bi 7": {Seconds: 8740, Nodes: 32_000_000}, "biab 7": {Seconds: 222, Nodes: 198_986}, "do 7": {Seconds: 166, Nodes: 79_105},
		}},
		{"goofspielPoints", "10 random orders of the prizes: points", map[string]*Published{
			"bi 7": {Seconds: 8900}, "biab 7": {Seconds: 1910}, "do 7": {Seconds: 756},
			"biab 8": {Seconds: 83300}, "do 8": {Seconds: 36000},
		}},
	} {
		for size := 3; size <= 8; size++ {
			games := drawOrders(kind.family, size)
			for _, v := range variants {
				runs = append(runs, v.run(kind.caption, size, games, v.of(kind.published, size)))
			}
		}
	}
	return runs
}

// drawOrders returns the names of the games of one size, always the same ones.
func drawOrders(family string, size int) []string {
	rng := rand.New(rand.NewPCG(orderSeed, uint64(size)))
	games := make([]string, orders)
	for i := range games {
		prizes := make([]string, size)
		for j, p := range rng.Perm(size) {
			prizes[j] = fmt.Sprint(p + 1)
		}
		games[i] = fmt.Sprintf("%s-%d-%s", family, size, strings.Join(prizes, "."))
	}
	return games
}

// compare returns runs of several methods over sizes, one game of each size.
func compare(caption string, sizes []int, game func(size int) string, variants []variant, published map[string]*Published) []run {
	var runs []run
	for _, size := range sizes {
		for _, v := range variants {
			runs = append(runs, v.run(caption, size, []string{game(size)}, v.of(published, size)))
		}
	}
	return runs
}

func oshiZumo3(coins int) string { return fmt.Sprintf("oshiZumo-%d-3", coins) }

func oshiZumo() []run {
	return slices.Concat(
		compare("Oshi-zumo K=4, by coins: win, tie, loss", []int{8, 13, 18},
			func(n int) string { return fmt.Sprintf("oshiZumo-%d-4", n) }, variants,
			map[string]*Published{
				"bi 13": {Seconds: 6360}, "biab 13": {Seconds: 1.7}, "do 13": {Seconds: 1.7},
				"biab 18": {Seconds: 3020}, "do 18": {Seconds: 2530},
			}),
		compare("Oshi-zumo K=3, by coins: win, tie, loss", []int{10, 20, 30, 40, 50}, oshiZumo3, tabled, nil))
}

var biddingCoins = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}

func biddingTicTacToe(coins int) string { return fmt.Sprintf("biddingTicTacToe-%d", coins) }

func bidding() []run {
	return compare("Bidding tic-tac-toe, by coins", biddingCoins, biddingTicTacToe, tabled, nil)
}

var tronSizes = []int{3, 4, 5, 6, 7, 8, 9}

func tronSquare(n int) string { return fmt.Sprintf("tron-%dx%d", n, n) }

func tron() []run {
	return compare("Tron on N×N cells, by N", tronSizes, tronSquare, variants,
		map[string]*Published{
			"bi 6": {Seconds: 1840}, "biab 6": {Seconds: 0.63}, "do 6": {Seconds: 0.66},
			"biab 9": {Seconds: 168000}, "do 9": {Seconds: 168000},
		})
}

var pursuitRounds = []int{2, 3, 4, 5, 6, 7}

func pursuitFor(rounds int) string { return fmt.Sprintf("pursuit-5x5-%d", rounds) }

func pursuit() []run {
	return compare("Pursuit on 5×5 cells, by rounds", pursuitRounds, pursuitFor, variants,
		map[string]*Published{
			"bi 6": {Seconds: 48500}, "biab 6": {Seconds: 584}, "do 6": {Seconds: 154, Nodes: 6692},
			"biab 7": {Seconds: 20700}, "do 7": {Seconds: 1320},
		})
}
