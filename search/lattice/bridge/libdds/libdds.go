//go:build dds

package libdds

// #cgo LDFLAGS: -ldds
// #include <stdbool.h>
// #include <dds/dll.h>
import "C"

import "fmt"

// Tricks returns the maximum number of remaining tricks for the side to play, including the trick on the
// table. Hands are sets of cards 0 … 51 from North on, spades first and each suit from the ace down. trump
// is a suit from spades on, or 4 for no trump. trick holds at most three cards on the table; seat leader
// has played the first.
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
	const most, one, always = -1, 1, 1 // the maximum number of tricks, one card, even for a forced card
	if code := C.SolveBoard(d, most, one, always, &out, 0); code != 1 {
		return 0, fmt.Errorf("libdds: SolveBoard answers %d", int(code))
	}
	return int(out.score[0]), nil
}
