package cli

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math/big"
	"path/filepath"
	"slices"
	"strings"

	"stackmate/internal/atomicfile"
	"stackmate/reasoner/machine"
	"stackmate/search/gambit"
	"stackmate/search/solve"
)

// exports maps the extensions of files of solve --export to their writers.
var exports = map[string]func(io.Writer, problem, solve.Solution) error{
	".csv": func(w io.Writer, _ problem, s solve.Solution) error { return writeCSV(w, *s.Matrix) },
	".tex": func(w io.Writer, _ problem, s solve.Solution) error { return writeLaTeX(w, *s.Matrix) },
	".nfg": func(w io.Writer, p problem, s solve.Solution) error {
		names, cells := p.machine.Names(), s.Matrix.Payoffs
		moves := make([][]machine.Move, len(names.Roles))
		for i, role := range names.Players() {
			for _, text := range [][]string{s.Matrix.Rows, s.Matrix.Columns}[i] {
				m, _ := names.Move(role, text)
				moves[role] = append(moves[role], m)
			}
		}
		return gambit.WriteMatrix(w, s.Game, names, moves, func(i, j int) (string, string) { return cells[i][j][0], cells[i][j][1] })
	},
	".efg": func(w io.Writer, p problem, s solve.Solution) error {
		return gambit.WriteTree(w, s.Game, p.machine, p.machine.Initial())
	},
}

// checkExport returns an error if --export names a file of another kind.
func checkExport(path string) error {
	if path == "" || exports[filepath.Ext(path)] != nil {
		return nil
	}
	return usageError{fmt.Errorf("--export: expected a file that ends in .csv, .tex, .nfg or .efg, found %s", path)}
}

// checkPlayers returns an error if a game of this number of players has no matrix, or no file of Gambit.
func (c *solveCommand) checkPlayers(players int) error {
	hasMatrix := players == 1 || players == 2
	switch {
	case gambit.IsFile(c.Export) && players != 2:
		return usageError{fmt.Errorf("--export: expected two players, found %d", players)}
	case c.Export != "" && !hasMatrix:
		return usageError{fmt.Errorf("--export: expected one or two players, found %d", players)}
	case c.Matrix && !hasMatrix:
		return usageError{fmt.Errorf("--matrix: expected one or two players, found %d", players)}
	}
	return nil
}

// addMatrix adds the matrix of the first position to a solution, if it is printed or exported.
func (c *solveCommand) addMatrix(ctx context.Context, p problem, s *solve.Solution) (err error) {
	exported := c.Export != "" && filepath.Ext(c.Export) != ".efg"
	if !exported && !c.Matrix {
		return nil
	}
	if s.Matrix, err = p.solver.Matrix(ctx, p.machine, p.machine.Initial()); err != nil {
		return fmt.Errorf("--matrix, or a matrix for --export: %w", err)
	}
	return nil
}

// export writes the file of --export.
func (c *solveCommand) export(p problem, s solve.Solution) error {
	if c.Export == "" {
		return nil
	}
	err := atomicfile.WriteTo(c.Export, func(w io.Writer) error { return exports[filepath.Ext(c.Export)](w, p, s) })
	if err != nil {
		return fmt.Errorf("--export: %w", err)
	}
	return nil
}

// writeCSV writes a matrix with the moves of the column player in the first line; a cell has the payoff of each player.
func writeCSV(w io.Writer, m solve.Matrix) error {
	out := csv.NewWriter(w)
	lines := [][]string{append([]string{""}, m.Columns...)}
	for i, row := range m.Rows {
		line := []string{row}
		for _, cell := range m.Payoffs[i] {
			line = append(line, strings.Join(cell, " "))
		}
		lines = append(lines, line)
	}
	return out.WriteAll(lines)
}

// writeLaTeX writes a matrix as a tabular environment.
func writeLaTeX(w io.Writer, m solve.Matrix) error {
	escape := strings.NewReplacer("_", `\_`, "#", `\#`, "$", `\$`, "%", `\%`, "&", `\&`, "{", `\{`, "}", `\}`, "~", `\~{}`, "^", `\^{}`, `\`, `\textbackslash{}`)
	var b strings.Builder
	fmt.Fprintf(&b, "\\begin{tabular}{l%s}\n", strings.Repeat("c", len(m.Columns)))
	for _, c := range m.Columns {
		b.WriteString(" & " + escape.Replace(c))
	}
	b.WriteString(" \\\\\n\\hline\n")
	for i, row := range m.Rows {
		b.WriteString(escape.Replace(row))
		for _, cell := range m.Payoffs[i] {
			fmt.Fprintf(&b, " & $%s$", strings.Join(cell, ", "))
		}
		b.WriteString(" \\\\\n")
	}
	b.WriteString("\\end{tabular}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// writeExact writes an equilibrium in fractions, and the matrix where both players have a choice.
func writeExact(w io.Writer, names *machine.Names, e *solve.ExactSolution) {
	for _, role := range names.Players() {
		name := names.Roles[role]
		fmt.Fprintf(w, "payoff of %s\t%s\n", name, short(e.Payoff[name]))
	}
	for i, role := range names.Players() {
		title := "strategy of " + names.Roles[role]
		for _, move := range [][]string{e.Matrix.Rows, e.Matrix.Columns}[i] {
			if share := e.Strategy[names.Roles[role]][move]; share != "" {
				fmt.Fprintf(w, "%s\t%s  %s\n", title, short(share), move)
				title = ""
			}
		}
	}
	if len(e.Matrix.Rows) < 2 || len(e.Matrix.Columns) < 2 {
		return
	}
	count := ""
	if e.Equilibria > 0 {
		count = fmt.Sprintf(", %d with the vertices of mixed ones", e.Equilibria)
	}
	fmt.Fprintf(w, "equilibria\t%d in pure strategies%s\n", len(e.Pure), count)
	writeMatrix(w, e.Matrix)
}

// writeMatrix writes the rows and columns of a matrix that fit on a screen.
func writeMatrix(w io.Writer, m solve.Matrix) {
	const most = 12 // rows, and columns
	columns := m.Columns[:min(most, len(m.Columns))]
	fmt.Fprintf(w, "matrix\t\t%s\n", strings.Join(columns, "\t"))
	for i, row := range m.Rows[:min(most, len(m.Rows))] {
		cells := []string{row}
		for _, cell := range m.Payoffs[i][:len(columns)] {
			payoffs := make([]string, len(cell))
			for player, payoff := range cell {
				payoffs[player] = short(payoff)
			}
			cells = append(cells, strings.Join(payoffs, ", "))
		}
		fmt.Fprintf(w, "\t%s\n", strings.Join(cells, "\t"))
	}
	if len(m.Rows) > most || len(m.Columns) > most {
		fmt.Fprintf(w, "\t… %d×%d in all: --export FILE.csv\n", len(m.Rows), len(m.Columns))
	}
}

// short returns a fraction of the table. A fraction that is too long for a table is replaced by a decimal: --json has all digits.
func short(fraction string) string {
	const most = 24 // characters
	r, ok := new(big.Rat).SetString(fraction)
	if len(fraction) <= most || !ok {
		return fraction
	}
	v, _ := r.Float64()
	return fmt.Sprintf("≈ %.6g", v)
}

// exactMethods are the values of --method that --exact goes with.
var exactMethods = []string{solve.Auto, solve.Equilibrium}

// chooseExact sets the method that computes in fractions, if that is asked for.
func (c *solveCommand) chooseExact() error {
	if !c.Exact {
		return nil
	}
	if !slices.Contains(exactMethods, c.Method) {
		return usageError{fmt.Errorf("--exact: expected --method %s, found --method %s", solve.Equilibrium, c.Method)}
	}
	c.Method = solve.Equilibrium
	return nil
}
