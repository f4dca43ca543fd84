package circuit

import (
	"slices"

	"stackmate/internal/scc"
	"stackmate/reasoner/circuit/logic"
)

// A schedule orders the gates of a program depth-first from the outputs, so that most values are used soon after they
// are computed. Kernels optimise it further (kernel/fuse.go, kernel/registers_amd64.go).

// stage is a part of a schedule: straight-line code or, if it has vars, a loop.
type stage struct {
	nodes []int32 // gates; in a loop also variables, as copies of their definitions
	vars  []int32
	// storedIn is, by gate of a loop, the variable whose row stores the gate.
	storedIn map[int32]int32
}

func (s stage) isLoop() bool { return len(s.vars) > 0 }

// schedule returns the stages of the marked nodes below the roots.
func (l *layout) schedule(roots []logic.Lit, marked []bool) []stage {
	if len(l.net.Definitions()) == 0 {
		if gates := gatesInOrder(l.net, roots, marked); len(gates) > 0 {
			return []stage{{nodes: gates}}
		}
		return nil
	}
	s := &scheduler{
		layout: l,
		marked: marked,
		stage:  make([]int32, l.net.Len()),
		gates:  make(map[int32][]int32),
		loops:  make(map[int32][][]int32),
	}
	for _, c := range components(l.net, roots, marked) {
		s.assignStage(c)
	}
	var out []stage
	for i := int32(0); i <= s.last; i += 2 {
		if gates := s.gates[i]; len(gates) > 0 {
			out = append(out, stage{nodes: gates})
		}
		for _, c := range s.loops[i+1] {
			out = append(out, s.loopStage(c))
		}
	}
	return out
}

// scheduler assigns marked nodes to stages. Even stages are straight-line code, odd stages hold the loops (strongly
// connected components) between them.
type scheduler struct {
	*layout
	marked []bool
	stage  []int32
	last   int32
	gates  map[int32][]int32
	loops  map[int32][][]int32
}

// assignStage assigns a component to its stage. The stages of its operands must be known.
func (s *scheduler) assignStage(component []int32) {
	for _, i := range component {
		s.stage[i] = -1 // unknown for operands inside the component
	}
	first := component[0]
	recursive := len(component) > 1 || s.net.Op(first) == logic.OpLoop && s.net.Definition(first).Node() == first
	stage := int32(0)
	for _, i := range component {
		for _, o := range s.net.Dependencies(i) {
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
		s.loops[stage] = append(s.loops[stage], component)
		s.last = max(s.last, stage+1)
		return
	}
	if s.net.Op(first) >= logic.OpLoop {
		s.gates[stage] = append(s.gates[stage], first)
		s.last = max(s.last, stage)
	}
}

// loopStage returns the stage of a strongly connected component. Variables start as false. A sweep computes the gates
// in order; a definition is stored in the row of its variable, or copied there immediately (Gauss-Seidel). All gates
// are monotone, so this reaches the least fixpoint in fewer sweeps than copies at the end.
func (s *scheduler) loopStage(component []int32) stage {
	slices.Sort(component)
	st := stage{storedIn: make(map[int32]int32)}
	defines := make(map[int32][]int32) // by node: the variables with this definition
	for _, i := range component {
		if s.net.Op(i) == logic.OpLoop {
			st.vars = append(st.vars, i)
			d := s.net.Definition(i).Node()
			defines[d] = append(defines[d], i)
		}
	}
	for _, i := range component {
		if s.net.Op(i) != logic.OpLoop {
			st.nodes = append(st.nodes, i)
		}
		for _, v := range defines[i] {
			if _, stored := st.storedIn[i]; !stored && s.net.Op(i) == logic.OpAnd && !s.complemented(s.net.Definition(v)) {
				st.storedIn[i] = v
			} else {
				st.nodes = append(st.nodes, v)
			}
		}
	}
	return st
}

// gatesInOrder returns the marked gates below the roots of a network without loops, in the order of components.
func gatesInOrder(n *logic.Network, roots []logic.Lit, marked []bool) (gates []int32) {
	type step struct {
		gate int32
		left int // number of operands that are not visited; the last is visited first
	}
	var path []step
	done := make([]bool, n.Len())
	enter := func(l logic.Lit) {
		if i := l.Node(); marked[i] && !done[i] && n.Op(i) == logic.OpAnd {
			done[i] = true
			path = append(path, step{i, len(n.Operands(i))})
		}
	}
	for _, root := range roots {
		enter(root)
		for len(path) > 0 {
			top := &path[len(path)-1]
			if top.left--; top.left >= 0 {
				enter(n.Operands(top.gate)[top.left])
				continue
			}
			gates = append(gates, top.gate)
			path = path[:len(path)-1]
		}
	}
	return gates
}

// components returns the strongly connected components of the marked nodes below the roots, operands first, in the
// order of the outputs. It visits the last operand of a gate first: in a chain this is the longer part, and no value
// waits in a register meanwhile.
func components(n *logic.Network, roots []logic.Lit, marked []bool) [][]int32 {
	var nodes []int32
	for _, l := range roots {
		if marked[l.Node()] {
			nodes = append(nodes, l.Node())
		}
	}
	return scc.Below(n.Len(), nodes, func(node int32, edge int) (int32, bool) {
		operands := n.Dependencies(node)
		if edge == len(operands) {
			return 0, false
		}
		if o := operands[len(operands)-1-edge].Node(); marked[o] {
			return o, true
		}
		return node, true // an edge to the node itself has no effect
	})
}
