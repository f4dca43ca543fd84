package gdl

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// Digest identifies rules regardless of layout: 64 hexadecimal digits (SHA-256). It ignores case, as some servers
// send everything in upper case, unless two symbols differ in case alone.
func (g *Game) Digest() string {
	if g.caseMatters() {
		return g.ExactDigest()
	}
	return g.digest(strings.ToLower)
}

// ExactDigest returns the Digest with case significant.
func (g *Game) ExactDigest() string { return g.digest(strings.Clone) }

func (g *Game) digest(spell func(string) string) string {
	h := sha256.New()
	for _, r := range g.Rules {
		_, _ = io.WriteString(h, spell(r.Head.String())) // a hash never fails
		for _, l := range r.Body {
			fmt.Fprintf(h, " %d", l.Op)
			for _, t := range []Term{l.Atom, l.Left, l.Right} {
				_, _ = io.WriteString(h, " "+spell(t.String()))
			}
		}
		_, _ = io.WriteString(h, "\n")
	}
	return hex.EncodeToString(h.Sum(nil))
}

// caseMatters reports whether two names of a game differ in case alone.
func (g *Game) caseMatters() bool {
	spelled := make(map[string]string) // by name in lower case
	matters := false
	look := func(t Term) {
		lower := strings.ToLower(t.Name)
		if before, ok := spelled[lower]; ok && before != t.Name {
			matters = true
		}
		spelled[lower] = t.Name
	}
	for _, r := range g.Rules {
		r.Head.walk(look)
		for _, l := range r.Body {
			l.Atom.walk(look)
			l.Left.walk(look)
			l.Right.walk(look)
		}
	}
	return matters
}
