package games

// nim is solved by the exclusive or of its heaps.
var nim = family{
	Family: Family{
		Pattern: "nim-HEAPS",
		Summary: "nim, such as nim-3.4.5; whoever takes the last object wins",
		Parameters: []Parameter{
			{Name: "HEAPS", About: "sizes of the heaps", Min: 1, Max: 30, List: true, separator: "-"},
		},
	},
	prepare: func(a arguments) error {
		heaps := a["HEAPS"].([]int)
		if heaps == nil {
			heaps = []int{3, 4, 5}
			a["HEAPS"] = heaps
		}
		largest := 0
		for _, n := range heaps {
			largest = max(largest, n)
		}
		a["Largest"] = largest
		return nil
	},
	rules: rulesheet(`
; Nim. In turn, the players take any number of objects, at least one, from one
; heap. Whoever takes the last object wins.

(role first)
(role second)

(other first second)
(other second first)

; (start h n): heap h has n objects at first.
{{range $i, $n := .HEAPS}}
(start {{add $i 1}} {{$n}})
{{- end}}

{{succ 0 .Largest}}

; (more a b): a is more than b.

(<= (more ?a ?b)
    (succ ?b ?a))

(<= (more ?a ?c)
    (succ ?c ?b)
    (more ?a ?b))

; The position: the objects in each heap, and whose turn it is.

(<= (possible ?h ?n)
    (start ?h ?n))
(<= (possible ?h ?n)
    (start ?h ?m)
    (more ?m ?n))

(<= (base (heap ?h ?n))
    (possible ?h ?n))
(<= (base (control ?p))
    (role ?p))

(<= (init (heap ?h ?n))
    (start ?h ?n))
(init (control first))

; Moves: how many objects are left of a heap.

(<= (input ?p (reduce ?h ?n))
    (role ?p)
    (start ?h ?m)
    (more ?m ?n))
(<= (input ?p noop)
    (role ?p))

(<= (legal ?p (reduce ?h ?n))
    (true (control ?p))
    (true (heap ?h ?m))
    (more ?m ?n))

(<= (legal ?p noop)
    (other ?p ?q)
    (true (control ?q)))

(<= (next (heap ?h ?n))
    (does ?p (reduce ?h ?n)))

(<= (next (heap ?h ?n))
    (true (heap ?h ?n))
    (not (reduced ?h)))

(<= (reduced ?h)
    (does ?p (reduce ?h ?n)))

(<= (next (control ?p))
    (other ?p ?q)
    (true (control ?q)))

; The end: the player in turn has nothing left to take.

(<= unfinished
    (true (heap ?h ?n))
    (distinct ?n 0))

(<= terminal
    (not unfinished))

(<= (goal ?p 100)
    (other ?p ?q)
    (true (control ?q)))

(<= (goal ?p 0)
    (true (control ?p)))
`),
}
