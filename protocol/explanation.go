package protocol

// Explainer is an Agent that can explain its last move.
type Explainer interface {
	// Explain is called after Play, never concurrently with it. It returns nil if it has no explanation.
	Explain() *Explanation
}

// Explanation gives the reasons for a move. Roles and moves are spelled as in the rules given to the agent, values
// are goal points (0–100). Unknown parts are left out.
type Explanation struct {
	Move string `json:"move"`
	// By names the search that chose the move, such as "Simultaneous Move Alpha-Beta", "Bounded Alpha-Beta" or "Monte
	// Carlo", or the reason for the absence of a search, such as "only move".
	By string `json:"by"`
	// Why is a short sentence.
	Why string `json:"why"`
	// Values holds the values of all roles but chance.
	Values []RoleValue `json:"values,omitempty"`
	// Strategy lists the considered moves by falling probability. The probabilities add up to 1; rejected moves have
	// probability 0.
	Strategy []MoveShare `json:"strategy,omitempty"`
	// Line is the principal variation: joint moves, by role, from this move on.
	Line [][]string `json:"line,omitempty"`
	// Nodes counts the nodes of the search that chose the move.
	Nodes             int64   `json:"nodes,omitempty"`
	PlayoutsPerSecond float64 `json:"playouts_per_second,omitempty"`
	Seconds           float64 `json:"seconds"`
}

// The kinds of values.
const (
	Proved    = "proved"    // the value is from Lower to Upper
	Estimated = "estimated" // Estimate and the bounds are guesses
)

// RoleValue is the value of the position for a role.
type RoleValue struct {
	Role     string  `json:"role"`
	Lower    float64 `json:"lower"`
	Upper    float64 `json:"upper"`
	Estimate float64 `json:"estimate"` // the best guess, Lower ≤ Estimate ≤ Upper
	Kind     string  `json:"kind"`     // Proved or Estimated
}

// MoveShare is a move of a mixed strategy.
type MoveShare struct {
	Move        string   `json:"move"`
	Probability float64  `json:"probability"`
	Value       *float64 `json:"value,omitempty"` // sampled value of the move for its role
}
