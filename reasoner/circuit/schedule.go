package circuit

import "slices"

// layout says where the signals of a network live: node i in row slot[i] of the
// signal array, stored complemented if flip[i]. Row 0 is the constant false.
// Inputs are stored as they are; for a gate the stored polarity is the one that
// leaves the fewest complemented operands.
type layout struct {
	net  *Network
	slot []int32
	flip []bool
	form []form // of the gates
	rows int
}

// form is how a gate is computed: combine pos operands as they are, then neg
// operands complemented, by op.
type form struct {
	op       kernelOp
	pos, neg int32
}

// at is the row of a literal and whether the row holds its complement.
func (l *layout) at(lit Lit) (row int32, complemented bool) {
	i := lit.Node()
	return l.slot[i], l.flip[i] != lit.Complemented()
}

// newLayout gives a row to every live node and chooses the polarity of gates.
func newLayout(net *Network, live []bool) *layout {
	n := net.Len()
	l := &layout{net: net, slot: make([]int32, n), flip: make([]bool, n), form: make([]form, n), rows: 1}
	for i := int32(1); i < int32(n); i++ {
		if !live[i] && net.op[i] != OpInput {
			continue
		}
		l.slot[i] = int32(l.rows)
		l.rows++
		if net.op[i] == OpAnd {
			l.choose(i)
		}
	}
	return l
}

// choose decides the form of a gate. A conjunction of mostly complemented rows
// is computed as a disjunction and stored complemented (De Morgan).
func (l *layout) choose(i int32) {
	var f form
	for _, o := range l.net.Operands(i) {
		if _, complemented := l.at(o); complemented {
			f.neg++
		} else {
			f.pos++
		}
	}
	if f.neg > f.pos {
		f.op, f.pos, f.neg = kernelOr, f.neg, f.pos
		l.flip[i] = true
	}
	l.form[i] = f
}

// appendOperands appends the rows of a gate's operands, plain ones first.
func (l *layout) appendOperands(dst []int32, i int32) []int32 {
	f := l.form[i]
	flipped := f.op == kernelOr
	for _, wanted := range []bool{false, true} {
		for _, o := range l.net.Operands(i) {
			if row, complemented := l.at(o); (complemented != flipped) == wanted {
				dst = append(dst, row)
			}
		}
	}
	return dst
}

// schedule orders the marked gates of a network into a program: straight runs of
// gates of one form each, and the loops between them.
//
// Gates are list-scheduled: of all gates whose operands are ready, those of the
// form with the most ready gates come next, in one run. Long runs keep the
// kernel's inner loops predictable.
func (l *layout) schedule(marked []bool) *program {
	s := newScheduler(l, marked)
	p := new(program)
	for stage := 0; stage <= s.last; stage += 2 {
		if run := s.straight(s.gates[stage]); len(run.code) > 0 {
			p.segments = append(p.segments, run)
		}
		for _, c := range s.loops[stage+1] {
			p.segments = append(p.segments, s.loop(c))
		}
	}
	return p
}

// scheduler holds the marked nodes by stage: even stages are straight code, odd
// stages hold the loops (strongly connected components) between them.
type scheduler struct {
	*layout
	marked  []bool
	stage   []int32
	last    int
	gates   map[int][]int32
	loops   map[int][][]int32
	waiting []int32   // by node: operands not yet computed, while scheduling
	users   [][]int32 // by node, filled for the nodes of one straight stage
}

func newScheduler(l *layout, marked []bool) *scheduler {
	s := &scheduler{
		layout:  l,
		marked:  marked,
		stage:   make([]int32, l.net.Len()),
		gates:   make(map[int][]int32),
		loops:   make(map[int][][]int32),
		waiting: make([]int32, l.net.Len()),
		users:   make([][]int32, l.net.Len()),
	}
	for _, c := range l.net.components(marked) {
		s.place(c)
	}
	return s
}

// place puts a component, all of whose operands are placed, into its stage.
func (s *scheduler) place(component []int32) {
	for _, i := range component {
		s.stage[i] = -1 // not yet known: an operand inside the component
	}
	first := component[0]
	recursive := len(component) > 1 || s.net.op[first] == OpLoop && s.net.def[first].Node() == first
	stage := int32(0)
	for _, i := range component {
		for _, o := range s.net.dependencies(i) {
			if j := o.Node(); s.marked[j] {
				stage = max(stage, s.stage[j])
			}
		}
	}
	if recursive != (stage&1 != 0) {
		stage++
	} else if recursive {
		stage += 2
	}
	for _, i := range component {
		s.stage[i] = stage
	}
	if recursive {
		s.loops[int(stage)] = append(s.loops[int(stage)], component)
		s.last = max(s.last, int(stage)+1)
		return
	}
	if s.net.op[first] >= OpLoop {
		s.gates[int(stage)] = append(s.gates[int(stage)], first)
		s.last = max(s.last, int(stage))
	}
}

// dependencies are the literals that the value of a node is computed from.
func (n *Network) dependencies(i int32) []Lit {
	if n.op[i] == OpLoop {
		return []Lit{n.def[i]}
	}
	return n.Operands(i)
}

// straight list-schedules acyclic gates. A variable that turned out not to be
// recursive is a copy of its definition.
func (s *scheduler) straight(gates []int32) segment {
	for _, i := range gates {
		s.waiting[i] = 0
	}
	inStage := func(i int32) bool { return s.marked[i] && s.net.op[i] >= OpLoop && s.stage[i] == s.stage[gates[0]] }
	for _, i := range gates {
		for _, o := range s.net.dependencies(i) {
			if j := o.Node(); inStage(j) {
				s.users[j] = append(s.users[j], i)
				s.waiting[i]++
			}
		}
	}
	ready := make(map[form][]int32)
	add := func(i int32) {
		f := s.formOf(i)
		ready[f] = append(ready[f], i)
	}
	for _, i := range gates {
		if s.waiting[i] == 0 {
			add(i)
		}
	}
	var seg segment
	for len(ready) > 0 {
		best := largest(ready)
		run := ready[best]
		delete(ready, best)
		seg.code = s.appendRun(seg.code, best, run)
		for _, i := range run {
			for _, u := range s.users[i] {
				if s.waiting[u]--; s.waiting[u] == 0 {
					add(u)
				}
			}
			s.users[i] = nil
		}
	}
	return seg
}

func (s *scheduler) formOf(i int32) form {
	if s.net.op[i] != OpLoop {
		return s.form[i]
	}
	if _, complemented := s.at(s.net.def[i]); complemented {
		return form{kernelAnd, 0, 1}
	}
	return form{kernelAnd, 1, 0}
}

// largest is the form with the most gates; ties go to the smaller form, so that
// the schedule is deterministic.
func largest(ready map[form][]int32) form {
	var best form
	most := -1
	for f, gates := range ready {
		if n := len(gates); n > most || n == most && f.less(best) {
			best, most = f, n
		}
	}
	return best
}

func (f form) less(g form) bool {
	if f.op != g.op {
		return f.op < g.op
	}
	if f.pos != g.pos {
		return f.pos < g.pos
	}
	return f.neg < g.neg
}

// appendRun appends gates of one form: the header, then for each gate its row
// and the rows of its operands.
func (s *scheduler) appendRun(code []int32, f form, gates []int32) []int32 {
	code = append(code, int32(f.op), f.pos, f.neg, int32(len(gates)))
	for _, i := range gates {
		code = append(code, s.slot[i])
		if s.net.op[i] == OpLoop {
			row, _ := s.at(s.net.def[i])
			code = append(code, row)
			continue
		}
		code = s.appendOperands(code, i)
	}
	return code
}

// loop compiles a strongly connected component. Variables start as false; a
// sweep computes the gates in order and copies a definition into its variable as
// soon as it is computed (Gauss-Seidel), which reaches the least fixpoint in
// fewer sweeps than copying at the end, since all gates are monotone.
func (s *scheduler) loop(component []int32) segment {
	slices.Sort(component)
	var seg segment
	defines := make(map[int32][]int32) // by node, the variables that it defines
	for _, i := range component {
		if s.net.op[i] == OpLoop {
			seg.vars = append(seg.vars, s.slot[i])
			d := s.net.def[i].Node()
			defines[d] = append(defines[d], i)
		}
	}
	for _, i := range component {
		if s.net.op[i] != OpLoop {
			seg.code = s.appendRun(seg.code, s.form[i], []int32{i})
		}
		for _, v := range defines[i] {
			seg.code = s.appendRun(seg.code, s.formOf(v), []int32{v})
		}
	}
	return seg
}

// components lists the strongly connected components of the marked nodes in
// topological order, operands first (Tarjan 1972). Without variables that is
// simply every node by number.
func (n *Network) components(marked []bool) [][]int32 {
	t := tarjan{net: n, marked: marked, index: make([]int32, n.Len()), low: make([]int32, n.Len())}
	for i := int32(1); i < int32(n.Len()); i++ {
		if marked[i] && t.index[i] == 0 {
			t.visit(i)
		}
	}
	return t.out
}

type tarjan struct {
	net    *Network
	marked []bool
	index  []int32 // order of discovery from 1; 0 = not seen
	low    []int32 // smallest index reachable; -1 once its component is out
	count  int32
	stack  []int32
	out    [][]int32
}

func (t *tarjan) visit(i int32) {
	t.count++
	t.index[i], t.low[i] = t.count, t.count
	t.stack = append(t.stack, i)
	for _, o := range t.net.dependencies(i) {
		j := o.Node()
		if !t.marked[j] {
			continue
		}
		if t.index[j] == 0 {
			t.visit(j)
		}
		if t.low[j] >= 0 {
			t.low[i] = min(t.low[i], t.low[j])
		}
	}
	if t.low[i] != t.index[i] {
		return
	}
	k := len(t.stack) - 1
	for t.stack[k] != i {
		k--
	}
	component := slices.Clone(t.stack[k:])
	t.stack = t.stack[:k]
	for _, j := range component {
		t.low[j] = -1
	}
	t.out = append(t.out, component)
}
