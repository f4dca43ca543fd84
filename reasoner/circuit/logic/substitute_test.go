package logic_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"stackmate/reasoner/circuit/logic"
	"stackmate/reasoner/circuit/logic/logictest"
)

// randomNetwork draws a network, and returns its inputs and all its literals.
func randomNetwork(t *rapid.T) (n *logic.Network, inputs, all []logic.Lit) {
	n = logic.NewNetwork()
	for range rapid.IntRange(1, 6).Draw(t, "inputs") {
		inputs = append(inputs, n.Input())
	}
	return n, inputs, logictest.Grow(t, n, append([]logic.Lit{logic.False, logic.True}, inputs...), 30)
}

// assignment draws values of inputs, by node.
func assignment(t *rapid.T, inputs []logic.Lit) map[int32]bool {
	values := make(map[int32]bool)
	for _, l := range inputs {
		values[l.Node()] = rapid.Bool().Draw(t, "value")
	}
	return values
}

// checkSubstituted evaluates `to` under values and `from` under the resulting values of the images of its inputs. It
// compares each root with its image.
func checkSubstituted(t *rapid.T, from, to *logic.Network, inputs, images []logic.Lit, s *logic.Substitution, roots []logic.Lit, values map[int32]bool) {
	t.Helper()
	after := logictest.Evaluate(to, values)
	at := func(value []bool, l logic.Lit) bool { return value[l.Node()] != l.Complemented() }
	before := make(map[int32]bool)
	for i, l := range inputs {
		before[l.Node()] = at(after, images[i])
	}
	whole := logictest.Evaluate(from, before)
	for _, l := range roots {
		if want, got := at(whole, l), at(after, s.Lookup(l)); want != got {
			t.Fatalf("literal %d is %v, and its image %v", l, want, got)
		}
	}
}

// drawLits draws one to eight literals.
func drawLits(t *rapid.T, lits []logic.Lit, label string) []logic.Lit {
	return rapid.SliceOfN(rapid.SampledFrom(lits), 1, 8).Draw(t, label)
}

// drawImages draws an image for each input from literals and their complements.
func drawImages(t *rapid.T, inputs, from []logic.Lit) []logic.Lit {
	images := make([]logic.Lit, len(inputs))
	for i := range images {
		images[i] = rapid.SampledFrom(from).Draw(t, "image") ^ logic.Lit(rapid.IntRange(0, 1).Draw(t, "complement"))
	}
	return images
}

func TestSweepAndImageAgreeWithEvaluationOfTheImages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, inputs, all := randomNetwork(t)
		to, outside, there := randomNetwork(t)
		if rapid.Bool().Draw(t, "within one network") {
			to, outside, there = from, inputs, all
		}
		roots := drawLits(t, all, "roots")
		images := drawImages(t, inputs, there)
		swept, asked := logic.NewSubstitution(from, to), logic.NewSubstitution(from, to)
		swept.SetAll(inputs, images)
		asked.SetAll(inputs, images)
		if !swept.Build(roots...) {
			t.Fatal("the substitution stopped without a Gate")
		}
		for _, l := range roots {
			if image, ok := asked.Image(l); !ok || image != swept.Lookup(l) {
				t.Fatalf("literal %d has image %d on demand and %d in a sweep", l, image, swept.Lookup(l))
			}
		}
		values := assignment(t, outside)
		checkSubstituted(t, from, to, inputs, images, swept, roots, values)
	})
}

func imagesOf(s *logic.Substitution, lits []logic.Lit) (images []logic.Lit) {
	for _, l := range lits {
		images = append(images, s.Lookup(l))
	}
	return images
}

func TestChangeAgreesWithANewSweepAndIsReverted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, inputs, all := randomNetwork(t)
		to, outside, there := randomNetwork(t)
		images := drawImages(t, inputs, there)
		s := logic.NewSubstitution(from, to)
		s.SetAll(inputs, images)
		s.Build(all...)
		s.Commit()
		base := imagesOf(s, all)
		for range rapid.IntRange(1, 3).Draw(t, "cases") {
			now := slices.Clone(images)
			for range rapid.IntRange(1, 2).Draw(t, "changes in turn") {
				k := rapid.IntRange(0, len(inputs)-1).Draw(t, "input")
				now[k] = drawImages(t, inputs[:1], there)[0]
				if !s.Change(inputs[k:k+1], now[k:k+1]) {
					t.Fatal("the substitution stopped without a Gate")
				}
			}
			anew := logic.NewSubstitution(from, to)
			anew.SetAll(inputs, now)
			anew.Build(all...)
			for _, l := range all {
				if s.Lookup(l) != anew.Lookup(l) {
					t.Fatalf("literal %d has image %d after changes, and %d in a new sweep", l, s.Lookup(l), anew.Lookup(l))
				}
			}
			var changed []int32
			for node := range s.Changed {
				changed = append(changed, node)
			}
			for i, l := range all {
				if base[i] != s.Lookup(l) && !slices.Contains(changed, l.Node()) {
					t.Fatalf("node %d has changed and is not in Changed", l.Node())
				}
			}
			checkSubstituted(t, from, to, inputs, now, s, all, assignment(t, outside))
			if s.Revert(); !slices.Equal(base, imagesOf(s, all)) {
				t.Fatal("Revert has not restored the images")
			}
		}
	})
}

func TestLeavesGetImagesOnDemand(t *testing.T) {
	from := logic.NewNetwork()
	a, b, v := from.Input(), from.Input(), from.LoopVar()
	root := from.And(b, v.Not())
	to := logic.NewNetwork()
	s := logic.NewSubstitution(from, to)
	image, _ := s.Image(root.Not())
	if to.Len() != 4 || image.Not() != to.And(s.Lookup(b), s.Lookup(v).Not()) || to.Op(s.Lookup(v).Node()) != logic.OpLoop || s.Has(a) {
		t.Errorf("%d nodes, the image is %d, the unused leaf has an image: %v", to.Len(), image, s.Has(a))
	}
	var asked []int32
	s = logic.NewSubstitution(from, to)
	s.Leaf = func(node int32) logic.Lit {
		asked = append(asked, node)
		if node == b.Node() { // an image that depends on further images
			l, _ := s.Image(from.Or(v, a))
			return l
		}
		return logic.False
	}
	if image, _ := s.Image(root); image != logic.False || len(asked) != 3 {
		t.Errorf("the image is %d, Leaf was called for nodes %d", image, asked)
	}
	same := logic.NewSubstitution(from, from)
	same.Set(a.Not(), b)
	if image, _ := same.Image(from.And(a, root.Not())); image != from.And(b.Not(), root.Not()) {
		t.Errorf("within one network the image is %d", image)
	}
}

func TestASubstitutionStopsAtAnyGateAndContinues(t *testing.T) {
	from := logic.NewNetwork()
	inputs := []logic.Lit{from.Input(), from.Input(), from.Input()}
	gate := from.And(inputs[0], inputs[1])
	root := from.And(gate, inputs[2].Not())
	to := logic.NewNetwork()
	s := logic.NewSubstitution(from, to)
	images := []logic.Lit{to.Input(), to.Input(), to.Input()}
	s.SetAll(inputs, images)
	left := 0
	s.Gate = func(_ int32, operands []logic.Lit) (logic.Lit, bool) {
		left--
		return to.And(operands...), left >= 0
	}
	if _, ok := s.Image(root); ok || s.Has(gate) {
		t.Error("limit of 0 gates: Image has built a gate")
	}
	left = 1
	if _, ok := s.Image(root); ok || !s.Has(gate) || s.Has(root) {
		t.Error("limit of 1 gate: Image has not built exactly the first gate")
	}
	left = 1
	if image, ok := s.Image(root); !ok || image != to.And(images[0], images[1], images[2].Not()) && image != to.And(to.And(images[0], images[1]), images[2].Not()) {
		t.Error("limit of 1 further gate: Image has not completed the root")
	}
	s.Commit()
	if s.Change(inputs[:1], []logic.Lit{logic.True}) {
		t.Error("limit of 0 gates: Change has not stopped")
	}
	s.Revert()
	if left = 2; !s.Change(inputs[:1], []logic.Lit{logic.True}) || s.Lookup(root) != to.And(images[1], images[2].Not()) {
		t.Error("limit of 2 gates: Change has not rebuilt both gates")
	}
	if left = 0; s.Build(root) {
		t.Error("limit of 0 gates: Build has not stopped")
	}
}

func TestALongChainOfGatesIsSubstituted(t *testing.T) {
	const length = 1 << 20
	from := logic.NewNetwork()
	inputs := []logic.Lit{from.Input(), from.Input()}
	l := inputs[0]
	for i := range length {
		l = from.And(l, inputs[1]^logic.Lit(i&1)).Not()
	}
	to := logic.NewNetwork()
	s := logic.NewSubstitution(from, to)
	if image, ok := s.Image(l); !ok || to.Len() != from.Len() || image.Complemented() != l.Complemented() {
		t.Errorf("%d of %d nodes", to.Len(), from.Len())
	}
	if !s.Change(inputs, []logic.Lit{logic.True, logic.True}) || s.Lookup(l).Node() != 0 {
		t.Errorf("over constants the image is %d", s.Lookup(l))
	}
}
