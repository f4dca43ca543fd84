package equilibrium

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"stackmate/internal/must"
	"stackmate/reasoner/machine"
)

// published is a matrix of the literature.
type published struct {
	name, source string
	cells        string // payoffs of the row and of the column player, a row up to each semicolon
	pure         int    // number of equilibria in pure strategies
	extreme      int    // number of extreme equilibria; 0: the known equilibria need not be extreme
	known        string // equilibria, "rows | columns", separated by semicolons
}

// literature lists matrices of textbooks and experiments. Rows and columns of a known equilibrium are its probabilities.
var literature = []published{
	{"prisoners' dilemma", "Axelrod 1984", "3,3 0,5; 5,0 1,1", 1, 1, "0 1 | 0 1"},
	{"first prisoners' dilemma", "Flood 1952", "-2,4 1,2; 0,1 2,-2", 1, 1, "0 1 | 1 0"},
	{"battle of the sexes", "Luce and Raiffa 1957", "2,1 0,0; 0,0 1,2", 2, 3, "1 0 | 1 0; 0 1 | 0 1; 2/3 1/3 | 1/3 2/3"},
	{"chicken", "Aumann 1974", "6,6 2,7; 7,2 0,0", 2, 3, "1 0 | 0 1; 0 1 | 1 0; 2/3 1/3 | 2/3 1/3"},
	{"stag hunt", "Skyrms 2004", "4,4 0,3; 3,0 3,3", 2, 3, "1 0 | 1 0; 0 1 | 0 1; 3/4 1/4 | 3/4 1/4"},
	{"stag hunt without trust", "Aumann 1990", "9,9 0,8; 8,0 7,7", 2, 3, "1 0 | 1 0; 0 1 | 0 1; 7/8 1/8 | 7/8 1/8"},
	{"matching pennies", "von Neumann 1928", "1,-1 -1,1; -1,1 1,-1", 0, 1, "1/2 1/2 | 1/2 1/2"},
	{"symmetric pennies", "Goeree and Holt 2001", "80,40 40,80; 40,80 80,40", 0, 1, "1/2 1/2 | 1/2 1/2"},
	{"asymmetric pennies", "Goeree and Holt 2001", "320,40 40,80; 40,80 80,40", 0, 1, "1/2 1/2 | 1/8 7/8"},
	{"reversed pennies", "Goeree and Holt 2001", "44,40 40,80; 40,80 80,40", 0, 1, "1/2 1/2 | 10/11 1/11"},
	{"nine to one", "Ochs 1995", "9,0 0,1; 0,1 1,0", 0, 1, "1/2 1/2 | 1/10 9/10"},
	{"four to one", "Ochs 1995", "4,0 0,1; 0,1 1,0", 0, 1, "1/2 1/2 | 1/5 4/5"},
	{"Kreps's game", "Goeree and Holt 2001", "200,50 0,45 10,30 20,-250; 0,-250 10,-100 30,30 50,40", 2, 3, "1 0 | 1 0 0 0; 0 1 | 0 0 0 1; 30/31 1/31 | 1/21 20/21 0 0"},
	{"coordination with a secure option", "Goeree and Holt 2001", "90,90 0,0 0,40; 0,0 180,180 0,40", 2, 3, "1 0 | 1 0 0; 0 1 | 0 1 0; 2/3 1/3 | 2/3 1/3 0"},
	{"first example", "Nash 1951", "5,-3 -4,4; -5,5 3,-4", 0, 1, "9/16 7/16 | 7/17 10/17"},
	{"second example", "Nash 1951", "1,1 -10,10; 10,-10 -1,-1", 1, 1, "0 1 | 0 1"},
	{"third example", "Nash 1951", "1,1 -10,-10; -10,-10 1,1", 2, 3, "1 0 | 1 0; 0 1 | 0 1; 1/2 1/2 | 1/2 1/2"},
	{"fourth example", "Nash 1951", "1,1 0,1; 1,0 0,0", 4, 4, "1 0 | 1 0; 1 0 | 0 1; 0 1 | 1 0; 0 1 | 0 1"},
	{"fifth example", "Nash 1951", "1,2 -1,-4; -4,-1 2,1", 2, 3, "1 0 | 1 0; 0 1 | 0 1; 1/4 3/4 | 3/8 5/8"},
	{"sixth example", "Nash 1951", "1,1 0,0; 0,0 0,0", 2, 2, "1 0 | 1 0; 0 1 | 0 1"},
	{"proper equilibrium", "Myerson 1978", "1,1 0,0 -9,-9; 0,0 0,0 -7,-7; -9,-9 -7,-7 -7,-7", 3, 0, "1 0 0 | 1 0 0; 0 1 0 | 0 1 0; 0 0 1 | 0 0 1"},
	{"rationalizable choices", "Bernheim 1984", "0,7 2,5 7,0 0,1; 5,2 3,3 5,2 0,1; 7,0 2,5 0,7 0,1; 0,0 0,-2 0,0 10,-1", 1, 1, "0 1 0 0 | 0 1 0 0"},
	{"iterated dominance", "Fudenberg and Tirole 1991", "4,3 5,1 6,2; 2,1 8,4 3,6; 3,0 9,6 2,8", 1, 1, "1 0 0 | 1 0 0"},
	{"iterated elimination", "Gibbons 1992", "1,0 1,2 0,1; 0,3 0,1 2,0", 1, 1, "1 0 | 0 1 0"},
	{"nothing to eliminate", "Gibbons 1992", "0,4 4,0 5,3; 4,0 0,4 5,3; 3,5 3,5 6,6", 1, 1, "0 0 1 | 0 0 1"},
	{"chain store", "Selten 1978", "2,2 0,0; 1,5 1,5", 2, 3, "1 0 | 1 0; 0 1 | 0 1; 0 1 | 1/2 1/2"},
	{"hawk and dove", "Maynard Smith and Price 1973", "-1,-1 2,0; 0,2 1,1", 2, 3, "1 0 | 0 1; 0 1 | 1 0; 1/2 1/2 | 1/2 1/2"},
	{"volunteers' dilemma", "Diekmann 1985", "2,2 2,3; 3,2 0,0", 2, 3, "1 0 | 0 1; 0 1 | 1 0; 2/3 1/3 | 2/3 1/3"},
	{"deadlock", "Rapoport and Guyer 1966", "1,1 0,3; 3,0 2,2", 1, 1, "0 1 | 0 1"},
	{"hi-lo", "Bacharach 2006", "2,2 0,0; 0,0 1,1", 2, 3, "1 0 | 1 0; 0 1 | 0 1; 1/3 2/3 | 1/3 2/3"},
	{"travellers' dilemma, claims 2 to 5", "Basu 1994", "2,2 4,0 4,0 4,0; 0,4 3,3 5,1 5,1; 0,4 1,5 4,4 6,2; 0,4 1,5 2,6 5,5", 1, 1, "1 0 0 0 | 1 0 0 0"},
	{"Cournot's duopoly, quantities 3, 4, 6", "Cournot 1838", "18,18 15,20 9,18; 20,15 16,16 8,12; 18,9 12,8 0,0", 1, 1, "0 1 0 | 0 1 0"},
	{"minimum effort, 1 to 3", "Van Huyck, Battalio and Beil 1990", "70,70 70,60 70,50; 60,70 80,80 80,70; 50,70 70,80 90,90", 3, 0, "1 0 0 | 1 0 0; 0 1 0 | 0 1 0; 0 0 1 | 0 0 1"},
	{"inspection", "Dresher 1962", "0,0 -10,10; -1,0 -6,-90", 0, 1, "9/10 1/10 | 4/5 1/5"},
	{"three by two", "von Stengel 2002", "3,3 3,2; 2,2 5,6; 0,3 6,1", 1, 3, "1 0 0 | 1 0; 4/5 1/5 0 | 2/3 1/3; 0 1/3 2/3 | 1/3 2/3"},
	{"Shapley's cycle", "Shapley 1964", "0,0 1,0 0,1; 0,1 0,0 1,0; 1,0 0,1 0,0", 0, 1, "1/3 1/3 1/3 | 1/3 1/3 1/3"},
	{"coordination of three", "Quint and Shubik 1997", identity(3), 3, 7, "1/3 1/3 1/3 | 1/3 1/3 1/3"},
	{"coordination of four", "Quint and Shubik 1997", identity(4), 4, 15, "0 1/2 1/2 0 | 0 1/2 1/2 0"},
	{"coordination of five", "Quint and Shubik 1997", identity(5), 5, 31, "1/5 1/5 1/5 1/5 1/5 | 1/5 1/5 1/5 1/5 1/5"},
	{"rock, paper, scissors", "von Neumann 1928", zeroSum("0 -1 1; 1 0 -1; -1 1 0"), 0, 1, "1/3 1/3 1/3 | 1/3 1/3 1/3"},
	{"rock, paper, scissors, lost for two", "Hofbauer and Sigmund 1998", "0,0 -2,1 1,-2; 1,-2 0,0 -2,1; -2,1 1,-2 0,0", 0, 1, "1/3 1/3 1/3 | 1/3 1/3 1/3"},
	{"rock, paper, scissors, lizard, Spock", "Kass 1998", zeroSum("0 -1 1 1 -1; 1 0 -1 -1 1; -1 1 0 1 -1; -1 1 -1 0 1; 1 -1 1 -1 0"), 0, 1, "1/5 1/5 1/5 1/5 1/5 | 1/5 1/5 1/5 1/5 1/5"},
	{"attractor beside a mixed strategy", "Zeeman 1980", "0,0 6,-3 -4,-1; -3,6 0,0 5,3; -1,-4 3,5 0,0", 1, 0, "1 0 0 | 1 0 0; 1/3 1/3 1/3 | 1/3 1/3 1/3"},
	{"Morra with two fingers", "Dresher 1961", zeroSum("0 2 -3 0; -2 0 0 3; 3 0 0 -4; 0 -3 4 0"), 0, 4, "0 3/5 2/5 0 | 0 3/5 2/5 0; 0 4/7 3/7 0 | 0 3/5 2/5 0; 0 3/5 2/5 0 | 0 4/7 3/7 0; 0 4/7 3/7 0 | 0 4/7 3/7 0"},
	{"Colonel Blotto, four regiments against three", "Karlin 1959", zeroSum("4 0 2 1; 0 4 1 2; 1 -1 3 0; -1 1 0 3; -2 -2 2 2"), 0, 0, "4/9 4/9 0 0 1/9 | 1/18 1/18 4/9 4/9"},
	{"battle of the Bismarck Sea", "Haywood 1954", zeroSum("2 2; 1 3"), 1, 2, "1 0 | 1 0; 1 0 | 1/2 1/2"},
	{"penalty kicks", "Palacios-Huerta 2003", zeroSum("5830 9497; 9291 6992"), 0, 1, "121/314 193/314 | 2505/5966 3461/5966"},
	{"three cards and a joker", "O'Neill 1987", zeroSum("1 0 0 0; 0 0 1 1; 0 1 0 1; 0 1 1 0"), 0, 1, "2/5 1/5 1/5 1/5 | 2/5 1/5 1/5 1/5"},
	{"five letters", "Rapoport and Boebel 1992", zeroSum("1 0 0 0 0; 0 0 1 1 1; 0 1 0 0 1; 0 1 0 1 0; 0 1 1 0 0"), 0, 1, "3/8 1/4 1/8 1/8 1/8 | 3/8 1/4 1/8 1/8 1/8"},
	{"undercut, 1 to 5", "Mendelsohn 1946", zeroSum("0 2 -1 -1 -1; -2 0 2 -1 -1; 1 -2 0 2 -1; 1 1 -2 0 2; 1 1 1 -2 0"), 0, 1, "1/16 5/16 1/4 5/16 1/16 | 1/16 5/16 1/4 5/16 1/16"},
	{"money request, 11 to 20", "Arad and Rubinstein 2012", moneyRequest(), 0, 0, "0 0 0 0 1/4 1/4 1/5 3/20 1/10 1/20 | 0 0 0 0 1/4 1/4 1/5 3/20 1/10 1/20"},
	{"one row", "a choice of the column player alone", "4,1 9,3 2,3", 2, 2, "1 | 0 1 0; 1 | 0 0 1"},
	{"all alike", "every pair is an equilibrium", "1,1 1,1; 1,1 1,1", 4, 4, "1 0 | 1 0; 0 1 | 0 1"},
}

// zeroSum returns the cells of a matrix of payoffs to the row player.
func zeroSum(rows string) string {
	fields := strings.Fields(strings.ReplaceAll(rows, ";", " ;"))
	for i, f := range fields {
		if n, isNumber := new(big.Rat).SetString(f); isNumber {
			fields[i] = f + "," + new(big.Rat).Neg(n).RatString()
		}
	}
	return strings.Join(fields, " ")
}

// identity returns the cells of the game of n choices in which both get 1 if they choose alike.
func identity(n int) string {
	var b strings.Builder
	for i := range n * n {
		if i > 0 && i%n == 0 {
			b.WriteString("; ")
		}
		b.WriteString(map[bool]string{true: "1,1 ", false: "0,0 "}[i/n == i%n])
	}
	return b.String()
}

// moneyRequest returns the cells of the game in which both get the 11 to 20 that they ask for, and 20 more for asking for exactly one less
// than the other.
func moneyRequest() string {
	var b strings.Builder
	for i := 11; i <= 20; i++ {
		for j := 11; j <= 20; j++ {
			a, c := i, j
			if i == j-1 {
				a += 20
			}
			if j == i-1 {
				c += 20
			}
			fmt.Fprintf(&b, "%d,%d ", a, c)
		}
		if i < 20 {
			b.WriteString("; ")
		}
	}
	return b.String()
}

// rational returns a number of a table of this package.
func rational(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(text)
	}
	return r
}

// parseMatrix returns the game of a table's cells.
func parseMatrix(cells string) Bimatrix {
	var g Bimatrix
	for row := range strings.SplitSeq(cells, ";") {
		var a, b []*big.Rat
		for _, cell := range strings.Fields(row) {
			first, second, _ := strings.Cut(cell, ",")
			a, b = append(a, rational(first)), append(b, rational(second))
		}
		g.Row, g.Column = append(g.Row, a), append(g.Column, b)
	}
	return g
}

// text returns a profile as the table writes it.
func text(p Profile) string {
	var parts []string
	for _, side := range [][]*big.Rat{p.X, p.Y} {
		var numbers []string
		for _, n := range side {
			numbers = append(numbers, n.RatString())
		}
		parts = append(parts, strings.Join(numbers, " "))
	}
	return strings.Join(parts, " | ")
}

// dot returns the product of two vectors.
func dot(a, b []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for i := range a {
		sum.Add(sum, new(big.Rat).Mul(a[i], b[i]))
	}
	return sum
}

// best returns the greatest payoff of the pure strategies in rows against a mixed strategy, and the strategies that have it.
func best(rows [][]*big.Rat, against []*big.Rat) (most *big.Rat, who []int) {
	for i, row := range rows {
		payoff := dot(row, against)
		if most == nil || payoff.Cmp(most) > 0 {
			most, who = payoff, nil
		}
		if payoff.Cmp(most) == 0 {
			who = append(who, i)
		}
	}
	return most, who
}

// played returns the pure strategies that a mixed one plays.
func played(x []*big.Rat) (list []int) {
	for i, p := range x {
		if p.Sign() > 0 {
			list = append(list, i)
		}
	}
	return list
}

// isEquilibrium decides by the definition alone, without code of the product, whether all pure strategies that are played are best
// responses. It also reports whether a strategy has more best responses than it plays strategies, as in degenerate games.
func isEquilibrium(g Bimatrix, p Profile) (ok, degenerate bool) {
	ok = true
	columns := transposed(g.Column)
	for _, side := range []struct {
		rows     [][]*big.Rat
		own, opp []*big.Rat
	}{{g.Row, p.X, p.Y}, {columns, p.Y, p.X}} {
		sum := new(big.Rat)
		for _, n := range side.own {
			ok = ok && n.Sign() >= 0
			sum.Add(sum, n)
		}
		_, replies := best(side.rows, side.opp)
		for _, i := range played(side.own) {
			ok = ok && slices.Contains(replies, i)
		}
		ok = ok && sum.Cmp(big.NewRat(1, 1)) == 0
		degenerate = degenerate || len(replies) > len(played(side.opp))
	}
	return ok, degenerate
}

// subsets lists the subsets of n elements that have k.
func subsets(n, k int) (list [][]int) {
	for set := range uint(1) << n {
		var members []int
		for i := range n {
			if set>>i&1 == 1 {
				members = append(members, i)
			}
		}
		if len(members) == k {
			list = append(list, members)
		}
	}
	return list
}

// indifferent returns the distribution over the columns of support `on` against which all rows of `rows` pay alike, by Gaussian
// elimination; nil if there is none or no single one.
func indifferent(a [][]*big.Rat, rows, on []int, n int) []*big.Rat {
	k := len(on) // unknowns: k probabilities and the payoff
	var system [][]*big.Rat
	for _, i := range rows {
		var equation []*big.Rat
		for _, j := range on {
			equation = append(equation, new(big.Rat).Set(a[i][j]))
		}
		system = append(system, append(equation, big.NewRat(-1, 1), new(big.Rat)))
	}
	var sum []*big.Rat
	for range k {
		sum = append(sum, big.NewRat(1, 1))
	}
	system = append(system, append(sum, new(big.Rat), big.NewRat(1, 1)))
	for c := range k + 1 {
		pivot := c
		for pivot < len(system) && system[pivot][c].Sign() == 0 {
			pivot++
		}
		if pivot == len(system) {
			return nil
		}
		system[c], system[pivot] = system[pivot], system[c]
		for r := range system {
			if r == c || system[r][c].Sign() == 0 {
				continue
			}
			factor := new(big.Rat).Quo(system[r][c], system[c][c])
			for x := range system[r] {
				system[r][x] = new(big.Rat).Sub(system[r][x], new(big.Rat).Mul(factor, system[c][x]))
			}
		}
	}
	y := make([]*big.Rat, n)
	for j := range y {
		y[j] = new(big.Rat)
	}
	for r, j := range on {
		y[j].Quo(system[r][k+1], system[r][r])
	}
	return y
}

// enumerate returns the equilibria with supports of equal size that the indifference of both players determines: all of them, if the
// game is not degenerate.
func enumerate(g Bimatrix) (list []string) {
	m, n := len(g.Row), len(g.Row[0])
	columns := transposed(g.Column)
	for k := 1; k <= min(m, n); k++ {
		for _, rows := range subsets(m, k) {
			for _, on := range subsets(n, k) {
				p := Profile{indifferent(columns, on, rows, m), indifferent(g.Row, rows, on, n)}
				if p.X == nil || p.Y == nil {
					continue
				}
				if ok, _ := isEquilibrium(g, p); ok && !slices.Contains(list, text(p)) {
					list = append(list, text(p))
				}
			}
		}
	}
	return list
}

func TestGamesOfTheLiteratureHaveTheirEquilibria(t *testing.T) {
	if len(literature) < 50 {
		t.Errorf("%d games", len(literature))
	}
	for _, c := range literature {
		t.Run(c.name, func(t *testing.T) {
			g := parseMatrix(c.cells)
			if got := len(g.Pure()); got != c.pure {
				t.Errorf("%d pure equilibria, want %d", got, c.pure)
			}
			p := must.Get(g.Mixed(t.Context()))(t)
			if ok, _ := isEquilibrium(g, p); !ok {
				t.Errorf("%s is no equilibrium", text(p))
			}
			if p, isPure := g.BestPure(); isPure != (c.pure > 0) {
				t.Errorf("a pure equilibrium: %t, want %d", isPure, c.pure)
			} else if isPure {
				if ok, _ := isEquilibrium(g, p); !ok {
					t.Errorf("%s is no equilibrium", text(p))
				}
				checkBest(t, g, p)
			}
			known := strings.Split(c.known, "; ")
			for _, k := range known {
				checkKnown(t, g, k)
			}
			if len(g.Row)+len(g.Row[0]) > 12 { // as Extreme says
				return
			}
			all := checkExtreme(t, g)
			if c.extreme == 0 {
				return
			}
			if len(all) != c.extreme {
				t.Errorf("%d extreme equilibria, want %d: %q", len(all), c.extreme, all)
			}
			for _, k := range known {
				if !slices.Contains(all, k) {
					t.Errorf("%s is not among %q", k, all)
				}
			}
		})
	}
}

// checkBest checks that no pure equilibrium has a larger sum of payoffs.
func checkBest(t *testing.T, g Bimatrix, best Profile) {
	t.Helper()
	row, column := g.Payoffs(best)
	most := row.Add(row, column)
	for _, c := range g.Pure() {
		if sum := new(big.Rat).Add(g.Row[c[0]][c[1]], g.Column[c[0]][c[1]]); sum.Cmp(most) > 0 {
			t.Errorf("%s pays %s, another pure equilibrium %s", text(best), most, sum)
		}
	}
}

// checkKnown checks a published equilibrium by the definition and by Verify.
func checkKnown(t *testing.T, g Bimatrix, known string) {
	t.Helper()
	rows, columns, _ := strings.Cut(known, " | ")
	var p Profile
	for _, n := range strings.Fields(rows) {
		p.X = append(p.X, rational(n))
	}
	for _, n := range strings.Fields(columns) {
		p.Y = append(p.Y, rational(n))
	}
	if ok, _ := isEquilibrium(g, p); !ok {
		t.Errorf("the table is wrong: %s is no equilibrium", known)
	}
	if err := g.Verify(p); err != nil {
		t.Error(err)
	}
}

// checkExtreme compares the extreme equilibria with the definition and with enumerate, and returns them as the table writes them.
func checkExtreme(t *testing.T, g Bimatrix) (all []string) {
	t.Helper()
	profiles := must.Get(g.Extreme())(t)
	anyDegenerate := false
	for _, p := range profiles {
		ok, degenerate := isEquilibrium(g, p)
		if anyDegenerate = anyDegenerate || degenerate; !ok {
			t.Errorf("%s is no equilibrium", text(p))
		}
		all = append(all, text(p))
	}
	own := enumerate(g)
	for _, p := range own {
		if !slices.Contains(all, p) {
			t.Errorf("%s is missing in %q", p, all)
		}
	}
	if !anyDegenerate && (len(own) != len(all) || len(all)%2 != 1) {
		t.Errorf("%d extreme equilibria of a game that is not degenerate, %d by enumeration", len(all), len(own))
	}
	return all
}

func TestRandomMatricesHaveTheEquilibriaOfAnEnumeration(t *testing.T) {
	rng := machine.NewRand(3)
	for n := range 60 {
		checkExtreme(t, random(rng, 1+rng.Intn(4), 1+rng.Intn(4), []int{2, 5, 1000}[n%3]))
	}
}
