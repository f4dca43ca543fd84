package games

// oshiZumo is the bidding game that Buro solved (Solving the Oshi-Zumo Game,
// Advances in Computer Games 10, 2003).
var oshiZumo = family{
	Family: Family{
		Pattern: "oshiZumo-N-K-M",
		Summary: "oshi-zumo: N coins each push the wrestler off a board of 2K+1 positions; bids of M or more",
		Parameters: []Parameter{
			{Name: "N", About: "coins of each player", Min: 1, Max: 100, Default: 6, separator: "-"},
			{Name: "K", About: "positions on each side of the middle", Min: 1, Max: 20, Default: 2, separator: "-"},
			{Name: "M", About: "smallest bid", Min: 0, Max: 1, Default: 1, separator: "-"},
		},
	},
	rules: rulesheet(`
; Oshi-zumo. The wrestler starts in the middle of a board of {{add .K (add .K 1)}} positions, each
; player with {{.N}} coins. In each round both players bid some of their coins at once;
; all bids are paid to the bank. The higher bid pushes the wrestler one position
; away from its player: east pushes towards {{sub 0 .K}}, west towards {{.K}}.
;
; The game ends when the wrestler is pushed off the board or nobody has coins. The
; player towards whom the wrestler stands, on the board or beside it, loses; in
; the middle it is a draw.
;
{{- if eq .M 0}}
; A bid may be 0. A round without a coin bid would repeat for ever, so it ends the
; game too.
{{- else}}
; A bid is {{.M}} or more; a player without coins bids 0.
{{- end}}

(role west)
(role east)

(other west east)
(other east west)

{{succ (sub -1 .K) (max .N (add .K 1))}}

(amount 0)

(<= (amount ?n)
    (succ ?m ?n)
    (amount ?m)
    (distinct ?m {{.N}}))

(place {{sub -1 .K}})

(<= (place ?y)
    (succ ?x ?y)
    (place ?x)
    (distinct ?x {{add .K 1}}))

; The position: the coins and where the wrestler stands.

(<= (base (coins ?p ?n))
    (role ?p)
    (amount ?n))
(<= (base (wrestler ?x))
    (place ?x))
{{- if eq .M 0}}
(base idle)
{{- end}}

(<= (init (coins ?p {{.N}}))
    (role ?p))
(init (wrestler 0))

; Moves.

(<= (input ?p (bid ?n))
    (role ?p)
    (amount ?n))

{{if eq .M 0 -}}
(<= (legal ?p (bid ?n))
    (affordable ?p ?n))
{{- else -}}
(<= (legal ?p (bid ?n))
    (affordable ?p ?n)
    (distinct ?n 0))

(<= (legal ?p (bid 0))
    (true (coins ?p 0)))
{{- end}}

(<= (affordable ?p ?n)
    (true (coins ?p ?n)))

(<= (affordable ?p ?n)
    (amount ?n)
    (succ ?n ?m)
    (affordable ?p ?m))

(<= (next (coins ?p ?r))
    (does ?p (bid ?b))
    (true (coins ?p ?n))
    (sum ?r ?b ?n))

; (sum a b c): a + b = c.

(<= (sum ?a 0 ?a)
    (amount ?a))

(<= (sum ?a ?c ?e)
    (amount ?c)
    (succ ?b ?c)
    (amount ?e)
    (succ ?d ?e)
    (sum ?a ?b ?d))

; The higher bid pushes.

(<= (bidsAtLeast ?p ?n)
    (does ?p (bid ?n)))

(<= (bidsAtLeast ?p ?n)
    (amount ?n)
    (succ ?n ?m)
    (bidsAtLeast ?p ?m))

(<= (outbids ?p)
    (does ?p (bid ?n))
    (other ?p ?q)
    (not (bidsAtLeast ?q ?n)))

(<= (next (wrestler ?y))
    (outbids west)
    (true (wrestler ?x))
    (onBoard ?x)
    (succ ?x ?y))

(<= (next (wrestler ?y))
    (outbids east)
    (true (wrestler ?x))
    (onBoard ?x)
    (succ ?y ?x))

(<= (next (wrestler ?x))
    (true (wrestler ?x))
    (not (outbids west))
    (not (outbids east)))

(<= (onBoard ?x)
    (place ?x)
    (distinct ?x {{sub -1 .K}})
    (distinct ?x {{add .K 1}}))
{{if eq .M 0}}
(<= (next idle)
    (does west (bid 0))
    (does east (bid 0)))
{{end}}
; The end.

(<= inside
    (true (wrestler ?x))
    (onBoard ?x))

(<= solvent
    (true (coins ?p ?n))
    (distinct ?n 0))

(<= terminal
    (not inside))

(<= terminal
    (not solvent))
{{if eq .M 0}}
(<= terminal
    (true idle))
{{end}}
(<= (eastern ?x)
    (succ 0 ?x))

(<= (eastern ?y)
    (eastern ?x)
    (succ ?x ?y)
    (place ?y))

(<= (wins west)
    (true (wrestler ?x))
    (eastern ?x))

(<= (wins east)
    (true (wrestler ?x))
    (distinct ?x 0)
    (not (eastern ?x)))

(<= (goal ?p 100)
    (wins ?p))

(<= (goal ?p 50)
    (role ?p)
    (true (wrestler 0)))

(<= (goal ?p 0)
    (other ?p ?q)
    (wins ?q))
`),
}
