package datalog

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestDebug(t *testing.T) {
	name := os.Getenv("GAME")
	if name == "" {
		t.Skip()
	}
	g := load(t, filepath.Join(corpusDir(t), "rulesheets", name+".kif"))
	ctx, cancel := context.WithTimeout(context.Background(), 25*time.Second)
	defer cancel()
	start := time.Now()
	gr := newGrounder(ctx, g, Limits{})
	fmt.Println("theory", time.Since(start))
	err := gr.prepare()
	fmt.Println("prepare", time.Since(start), err)
	var in *instances
	if err == nil {
		in, err = gr.instantiate()
		fmt.Println("instantiate", time.Since(start), err)
	}
	rels := slices.Clone(gr.theory.relations)
	slices.SortFunc(rels, func(a, b *relation) int { return cmp.Compare(b.n, a.n) })
	for _, r := range rels[:min(12, len(rels))] {
		fmt.Printf("%8d %v dynamic %v, old %d\n", r.n, r.name, r.dynamic, r.old)
	}
	if in != nil {
		per := map[*relation]int{}
		for _, h := range in.head {
			r, _ := in.locate(h)
			per[r]++
		}
		slices.SortFunc(rels, func(a, b *relation) int { return cmp.Compare(per[b], per[a]) })
		for _, r := range rels[:min(8, len(rels))] {
			fmt.Printf("%8d instances %v\n", per[r], r.name)
		}
		for _, r := range gr.theory.rules {
			if per[r.head.rel] > 10000 {
				fmt.Println(showRule(gr.theory.terms, r))
			}
		}
	}
}

func showRule(t *termTable, r *rule) string {
	s := fmt.Sprint(r.head.rel.name.name, showArgs(t, r.head.args), " <-")
	for _, l := range r.body {
		if l.atom.rel != nil {
			s += fmt.Sprint(" ", []string{"", "~", "", ""}[l.op], l.atom.rel.name.name, showArgs(t, l.atom.args))
		} else {
			s += fmt.Sprint(" ", l.op, showArgs(t, []arg{l.left, l.right}))
		}
	}
	return s
}

func showArgs(t *termTable, args []arg) string {
	s := "("
	for _, a := range args {
		switch a.kind {
		case constant:
			s += t.name(a.id) + ","
		case variable:
			s += fmt.Sprintf("V%d,", a.id)
		default:
			s += t.names[a.id].name + showArgs(t, a.args)
		}
	}
	return s + ")"
}
