package games

// biddingTicTacToe is tic-tac-toe whose turns are sold by auction.
var biddingTicTacToe = family{
	Family: Family{
		Pattern: "biddingTicTacToe-C",
		Summary: "tic-tac-toe where the players, C coins each, bid for the right to move",
		Parameters: []Parameter{
			{Name: "C", About: "coins of each player", Min: 1, Max: 60, Default: 3, separator: "-"},
		},
	},
	prepare: func(a arguments) error {
		a["All"] = 2 * a["C"].(int)
		return nil
	},
	rules: rulesheet(`
; Bidding tic-tac-toe, {{.C}} coins for each player. Before each mark, both players
; bid some of their coins at once. The higher bid wins: its player pays the bid to
; the other and then marks a cell. Three marks in a line win; a full board is a draw.
;
; The tie-breaker: x holds it at first. Its holder may add it to the bid. Equal
; bids are won by the holder if it was added, otherwise by the other player. A
; winning holder who had added it hands it to the loser; in all other cases it
; stays where it is.

(role x)
(role o)

(other x o)
(other o x)

(index 1)
(index 2)
(index 3)

(amount 0)
{{succ 0 .All}}

(<= (amount ?n)
    (succ ?m ?n))

; The position: the marks, the coins, the tie-breaker, and who may mark: nobody
; while bids are awaited.

(<= (base (cell ?c ?r ?p))
    (index ?c)
    (index ?r)
    (role ?p))
(<= (base (coins ?p ?n))
    (role ?p)
    (amount ?n))
(<= (base (tiebreaker ?p))
    (role ?p))
(<= (base (control ?p))
    (role ?p))
(base bidding)

(<= (init (coins ?p {{.C}}))
    (role ?p))
(init (tiebreaker x))
(init bidding)

; Moves.

(<= (input ?p (bid ?n ?t))
    (role ?p)
    (amount ?n)
    (choice ?t))
(<= (input ?p (mark ?c ?r))
    (role ?p)
    (index ?c)
    (index ?r))
(<= (input ?p noop)
    (role ?p))

(choice keep)
(choice add)

(<= (legal ?p (bid ?n keep))
    (true bidding)
    (affordable ?p ?n))

(<= (legal ?p (bid ?n add))
    (true bidding)
    (true (tiebreaker ?p))
    (affordable ?p ?n))

(<= (legal ?p (mark ?c ?r))
    (true (control ?p))
    (index ?c)
    (index ?r)
    (not (marked ?c ?r)))

(<= (legal ?p noop)
    (other ?p ?q)
    (true (control ?q)))

(<= (affordable ?p ?n)
    (true (coins ?p ?n)))

(<= (affordable ?p ?n)
    (succ ?n ?m)
    (affordable ?p ?m))

(<= (marked ?c ?r)
    (true (cell ?c ?r ?p)))

; The auction.

(<= (bids ?p ?n)
    (does ?p (bid ?n ?t)))

(<= (bidsAtLeast ?p ?n)
    (bids ?p ?n))

(<= (bidsAtLeast ?p ?n)
    (succ ?n ?m)
    (bidsAtLeast ?p ?m))

(<= (outbids ?p)
    (other ?p ?q)
    (bids ?p ?n)
    (not (bidsAtLeast ?q ?n)))

(<= (adds ?p)
    (does ?p (bid ?n add)))

(<= tied
    (true bidding)
    (not (outbids x))
    (not (outbids o)))

(<= (winner ?p)
    (outbids ?p))

(<= (winner ?p)
    tied
    (adds ?p))

(<= (winner ?p)
    tied
    (other ?p ?q)
    (true (tiebreaker ?q))
    (not (adds ?q)))

(<= (price ?n)
    (winner ?p)
    (bids ?p ?n))

; The successor.

(<= (next bidding)
    (true (control ?p)))

(<= (next (control ?p))
    (winner ?p))

(<= (next (coins ?p ?n))
    (winner ?p)
    (price ?b)
    (true (coins ?p ?m))
    (sum ?n ?b ?m))

(<= (next (coins ?q ?n))
    (other ?p ?q)
    (winner ?p)
    (price ?b)
    (true (coins ?q ?m))
    (sum ?m ?b ?n))

(<= (next (coins ?p ?n))
    (true (coins ?p ?n))
    (not (true bidding)))

(<= handedOver
    (winner ?p)
    (adds ?p))

(<= (next (tiebreaker ?p))
    (true (tiebreaker ?p))
    (not handedOver))

(<= (next (tiebreaker ?q))
    (other ?p ?q)
    (true (tiebreaker ?p))
    handedOver)

(<= (next (cell ?c ?r ?p))
    (does ?p (mark ?c ?r)))

(<= (next (cell ?c ?r ?p))
    (true (cell ?c ?r ?p)))

; sum: the first two make the third.

(<= (sum ?n 0 ?n)
    (amount ?n))

(<= (sum ?a ?b1 ?c1)
    (succ ?b ?b1)
    (succ ?c ?c1)
    (sum ?a ?b ?c))

; The end.

{{template "threeOnNine"}}
`),
}
