//go:build dds

package libdds

// #cgo LDFLAGS: -ldds
// #include <stdbool.h>
// #include <dds/dll.h>
import "C"

import "fmt"

// Tricks is the most that the side of the hand to play next can take of the tricks
// left, with the one on the table. Hands are sets of the cards 0 … 51 from North on,
// spades first and each suit from its ace down; trump is a suit from spades on, 4 for
// none; trick holds the cards on the table, at most three, of which seat leader has
// played the first.
func Tricks(hands [4]uint64, trump, leader int, trick []int) (int, error) {
	var d C.struct_deal
	d.trump, d.first = C.int(trump), C.int(leader)
	for i, c := range trick {
		d.currentTrickSuit[i], d.currentTrickRank[i] = C.int(c/13), C.int(14-c%13)
	}
	for seat, hand := range hands {
		for c := range 52 {
			if hand>>c&1 != 0 {
				d.remainCards[seat][c/13] |= 1 << (14 - c%13)
			}
		}
	}
	var out C.struct_futureTricks
	const most, one, always = -1, 1, 1 // all tricks are wanted, of one card, even if there is no choice
	if code := C.SolveBoard(d, most, one, always, &out, 0); code != 1 {
		return 0, fmt.Errorf("libdds: SolveBoard answers %d", int(code))
	}
	return int(out.score[0]), nil
}
