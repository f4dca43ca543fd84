package conformance

import (
	"fmt"
	"slices"
	"strings"

	"stackmate/gdl"
)

// wish is an expected reply.
type wish struct {
	text string
	// fault returns the difference between the reply and the wish, or "". Its status is one of statuses.
	fault    func(x *exchange) string
	statuses []int // of HTTP; nil means 200
}

// word wishes for one word, in any case.
func word(w string) wish {
	return wish{text: w, fault: func(x *exchange) string {
		if x.word() == w {
			return ""
		}
		return fmt.Sprintf("the reply is %s instead of %s", shown(strings.TrimSpace(x.body)), w)
	}}
}

// anything accepts every reply, for messages that another check covers.
var anything = wish{text: "a reply", fault: func(*exchange) string { return "" }}

// available wishes for the status of INFO between matches, elsewhere for the status during a match.
var (
	available = wish{text: "a list of pairs such as ((name ...) (status available)), or the status alone", fault: func(x *exchange) string {
		return statusFault(x, "available")
	}}
	elsewhere = wish{text: "a status other than available", fault: func(x *exchange) string {
		if statusFault(x, "available") == "" {
			return "the status is available in a match"
		}
		return ""
	}}
)

// asUsual wishes for the status of INFO before the checks. A separate check covers whether it is right.
func (t *trial) asUsual() wish {
	return wish{text: "the same status as for ( INFO )", fault: func(x *exchange) string {
		if t.usual == "" {
			return ""
		}
		return statusFault(x, t.usual)
	}}
}

func statusFault(x *exchange, want string) string {
	switch found := readInfo(x.body)["status"]; {
	case strings.EqualFold(found, want):
		return ""
	case found == "":
		return "there is no status: neither a pair (status ...) in a list of pairs nor one word"
	default:
		return fmt.Sprintf("the status is %s instead of %s", shown(found), want)
	}
}

// isBusy reports whether a reply to INFO has the status busy.
func isBusy(x *exchange) bool { return strings.EqualFold(readInfo(x.body)["status"], "busy") }

// readInfo parses a reply to INFO as servers do: a list of pairs, with keys in any case and values of one or more
// words, or the status as one word. It ignores other text.
func readInfo(reply string) map[string]string {
	words := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(reply))
	if len(words) == 1 {
		return map[string]string{"status": words[0]}
	}
	pairs, depth := make(map[string]string), 0
	var pair []string
	for _, w := range words {
		switch w {
		case "(":
			depth++
			pair = nil
		case ")":
			if depth == 2 && len(pair) > 1 {
				pairs[strings.ToLower(pair[0])] = strings.Join(pair[1:], " ")
			}
			depth--
			pair = nil
		default:
			pair = append(pair, w)
		}
	}
	return pairs
}

// few returns the first moves of a list as text, with the number of the others.
func few(moves []string) string {
	const shown = 8
	if len(moves) > shown {
		return fmt.Sprintf("%s and %d more", strings.Join(moves[:shown], " "), len(moves)-shown)
	}
	return strings.Join(moves, " ")
}

// moveOf wishes for one of the legal moves. Servers compare terms: white space does not matter, case does.
func moveOf(legal []string) wish {
	return wish{text: "one of the legal moves " + few(legal), fault: func(x *exchange) string {
		move := moveIn(x)
		i := slices.IndexFunc(legal, func(m string) bool { return strings.EqualFold(m, move) })
		switch {
		case move == "":
			return fmt.Sprintf("the reply is %s instead of one term", shown(x.body))
		case slices.Contains(legal, move):
			return ""
		case i >= 0:
			return fmt.Sprintf("the move %s is spelled %s in the rules", shown(move), legal[i])
		}
		return fmt.Sprintf("the move %s is not legal here", shown(move))
	}}
}

// moveIn returns the move in a reply to PLAY, spelled as in positions, or "".
func moveIn(x *exchange) string {
	term, err := gdl.ParseTerm(x.body)
	if err != nil {
		return ""
	}
	return term.String()
}
