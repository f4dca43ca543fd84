package protocol

// Explainer is an Agent that can say why it made its last move.
type Explainer interface {
	// Explain is called after Play, never concurrently with it. It is nil where there
	// is nothing to tell.
	Explain() *Explanation
}

// Explanation says why a move was made. Roles and moves are spelled as in the rules that
// the agent was given, values are goal points (0–100). What is not known is left out.
type Explanation struct {
	Move string `json:"move"`
	// By is the search that decided, such as "Simultaneous Move Alpha-Beta", "Bounded
	// Alpha-Beta" or "Monte Carlo", or the reason that no search did: "only move", …
	By string `json:"by"`
	// Why is a short sentence.
	Why string `json:"why"`
	// Values are those of all roles but chance.
	Values []RoleValue `json:"values,omitempty"`
	// Strategy lists moves that were considered, the likeliest first; their probabilities
	// add up to 1, those of moves that were rejected are 0.
	Strategy []MoveShare `json:"strategy,omitempty"`
	// Line is the principal line: joint moves, by role, from this one on.
	Line [][]string `json:"line,omitempty"`
	// Nodes are those of the search that decided.
	Nodes             int64   `json:"nodes,omitempty"`
	PlayoutsPerSecond float64 `json:"playouts_per_second,omitempty"`
	Seconds           float64 `json:"seconds"`
}

// The kinds of values.
const (
	Proved    = "proved"    // the value is from Lower to Upper
	Estimated = "estimated" // Estimate is a guess, and so are the bounds
)

// RoleValue is what a role gets.
type RoleValue struct {
	Role     string  `json:"role"`
	Lower    float64 `json:"lower"`
	Upper    float64 `json:"upper"`
	Estimate float64 `json:"estimate"` // the best guess, Lower ≤ Estimate ≤ Upper
	Kind     string  `json:"kind"`     // Proved or Estimated
}

// MoveShare is one move of a strategy.
type MoveShare struct {
	Move        string   `json:"move"`
	Probability float64  `json:"probability"`
	Value       *float64 `json:"value,omitempty"` // that its role gets with it, by sampling
}
