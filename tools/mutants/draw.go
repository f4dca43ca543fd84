package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// draw returns n faults of each package that matches the patterns of go list, or of the listed files. The draw of a
// package depends on the seed and its folder alone.
func draw(root string, patterns []string, n int, seed uint64) (drawn []fault, err error) {
	cmd := exec.Command("go", append([]string{"list", "-f", "{{.Dir}}{{range .GoFiles}}\t{{.}}{{end}}"}, patterns...)...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	listed, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmd, err)
	}
	if root, err = filepath.Abs(root); err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(listed)) {
		files := strings.Split(strings.TrimSpace(line), "\t")
		folder, err := filepath.Rel(root, files[0])
		if err != nil {
			return nil, err
		}
		var all []fault
		for _, file := range files[1:] {
			text, err := os.ReadFile(filepath.Join(root, folder, file))
			if err != nil {
				return nil, err
			}
			faults, err := mutants(filepath.Join(folder, file), text)
			if err != nil {
				return nil, err
			}
			all = append(all, faults...)
		}
		hash := fnv.New64a()
		hash.Write([]byte(folder))
		rand.New(rand.NewPCG(seed, hash.Sum64())).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		drawn = append(drawn, all[:min(n, len(all))]...)
	}
	return drawn, nil
}

// mutants returns all faults of a file that change one operator, constant or condition, or drop one statement.
// Generated files have none.
func mutants(name string, text []byte) ([]fault, error) {
	m := mutator{name: name, text: text, files: token.NewFileSet()}
	file, err := parser.ParseFile(m.files, name, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if !ast.IsGenerated(file) {
		ast.Inspect(file, m.visit)
	}
	return m.faults, nil
}

// mutator collects the faults of a file.
type mutator struct {
	name   string
	text   []byte
	files  *token.FileSet
	faults []fault
}

// swaps gives each operator another one of the same type.
var swaps = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.ADD, token.QUO: token.MUL,
	token.AND: token.OR, token.OR: token.AND, token.SHL: token.SHR, token.SHR: token.SHL,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.MUL_ASSIGN: token.ADD_ASSIGN,
	token.AND_ASSIGN: token.OR_ASSIGN, token.OR_ASSIGN: token.AND_ASSIGN, token.INC: token.DEC, token.DEC: token.INC,
}

// visit adds the faults of a node.
func (m *mutator) visit(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.BinaryExpr:
		m.swap(n.OpPos, n.Op)
	case *ast.IncDecStmt:
		m.swap(n.TokPos, n.Tok)
	case *ast.AssignStmt:
		m.swap(n.TokPos, n.Tok)
	case *ast.IfStmt:
		if b, ok := n.Cond.(*ast.BinaryExpr); !ok || b.Op != token.EQL && b.Op != token.NEQ { // swapped already
			m.add(n.Cond.Pos(), n.Cond.End(), "!("+string(m.text[m.offset(n.Cond.Pos()):m.offset(n.Cond.End())])+")")
		}
	case *ast.Ident:
		if other, ok := map[string]string{"true": "false", "false": "true"}[n.Name]; ok {
			m.add(n.Pos(), n.End(), other)
		}
	case *ast.BasicLit:
		m.constant(n)
	case *ast.BlockStmt:
		m.drop(n.List)
	case *ast.CaseClause:
		m.drop(n.Body)
	case *ast.CommClause:
		m.drop(n.Body)
	}
	return true
}

// swap exchanges an operator.
func (m *mutator) swap(at token.Pos, op token.Token) {
	if other, ok := swaps[op]; ok {
		m.add(at, at+token.Pos(len(op.String())), other.String())
	}
}

// constant changes an integer by one, and doubles a fraction.
func (m *mutator) constant(n *ast.BasicLit) {
	switch n.Kind {
	case token.INT:
		m.add(n.Pos(), n.End(), "("+n.Value+" + 1)")
		if v, err := strconv.ParseInt(n.Value, 0, 64); err != nil || v > 0 {
			m.add(n.Pos(), n.End(), "("+n.Value+" - 1)")
		}
	case token.FLOAT:
		m.add(n.Pos(), n.End(), "(2 * "+n.Value+")")
	}
}

// drop leaves out each call and each assignment.
func (m *mutator) drop(list []ast.Stmt) {
	for _, s := range list {
		assigned, ok := s.(*ast.AssignStmt)
		_, called := s.(*ast.ExprStmt)
		if called || ok && assigned.Tok != token.DEFINE {
			m.add(s.Pos(), s.End(), "")
		}
	}
}

// add adds the fault that replaces the text of [from, to). Its hunk is whole lines, as many as make it unique.
func (m *mutator) add(from, to token.Pos, text string) {
	start, end := m.offset(from), m.offset(to)
	first, last := m.lineStart(start), m.lineEnd(end)
	for bytes.Count(m.text, m.text[first:last]) > 1 {
		first, last = m.lineStart(max(first-1, 0)), m.lineEnd(min(last+1, len(m.text)))
	}
	lines := func(parts ...[]byte) []string { return strings.Split(string(slices.Concat(parts...)), "\n") }
	was := strings.Join(strings.Fields(string(m.text[start:end])), " ")
	m.faults = append(m.faults, fault{
		file:  m.name,
		name:  fmt.Sprintf("line %d: %q for %q", m.files.Position(from).Line, text, was),
		tests: []string{"./" + filepath.Dir(m.name)},
		hunks: []hunk{{lines(m.text[first:last]), lines(m.text[first:start], []byte(text), m.text[end:last])}},
	})
}

func (m *mutator) offset(p token.Pos) int { return m.files.Position(p).Offset }

func (m *mutator) lineStart(at int) int { return bytes.LastIndexByte(m.text[:at], '\n') + 1 }

func (m *mutator) lineEnd(at int) int {
	if n := bytes.IndexByte(m.text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(m.text)
}
