package gdl

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// ExactDigest returns the SHA-256 of the rules as spelled, regardless of layout, in 64 hexadecimal digits. Package canonical has a
// digest that ignores names.
func (g *Game) ExactDigest() string {
	h := sha256.New()
	for _, r := range g.Rules {
		_, _ = io.WriteString(h, r.Head.String()) // a hash never fails
		for _, l := range r.Body {
			fmt.Fprintf(h, " %d", l.Op)
			for _, t := range []Term{l.Atom, l.Left, l.Right} {
				_, _ = io.WriteString(h, " "+t.String())
			}
		}
		_, _ = io.WriteString(h, "\n")
	}
	return hex.EncodeToString(h.Sum(nil))
}
