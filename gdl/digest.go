package gdl

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// Digest identifies rules, whatever their layout and the case of their symbols: 64
// hexadecimal digits (SHA-256).
func (g *Game) Digest() string {
	h := sha256.New()
	text := func(t Term) string { return strings.ToLower(t.String()) }
	for _, r := range g.Rules {
		_, _ = io.WriteString(h, text(r.Head)) // a hash takes everything
		for _, l := range r.Body {
			fmt.Fprintf(h, " %d", l.Op)
			for _, t := range []Term{l.Atom, l.Left, l.Right} {
				_, _ = io.WriteString(h, " "+text(t))
			}
		}
		_, _ = io.WriteString(h, "\n")
	}
	return hex.EncodeToString(h.Sum(nil))
}
