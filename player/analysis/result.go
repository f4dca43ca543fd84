package analysis

// Analysis is the result of a search so far. Lists are by role, values in goal points.
type Analysis struct {
	Method     string        `json:"method"`
	Roles      []string      `json:"roles"`
	Lower      []float64     `json:"lower"`
	Upper      []float64     `json:"upper"`
	Estimates  []float64     `json:"estimates,omitempty"`
	Proved     bool          `json:"proved"`
	Solved     bool          `json:"solved"`
	Strategies [][]Share     `json:"strategies,omitempty"`
	Moves      [][]Known     `json:"moves,omitempty"` // bounds of single moves
	Line       [][]string    `json:"line,omitempty"`
	Nodes      int64         `json:"nodes"`
	Playouts   int64         `json:"playouts,omitempty"`
	Seconds    float64       `json:"seconds"`
	Matrix     *PayoffMatrix `json:"matrix,omitempty"`
	Note       string        `json:"note,omitempty"`
	Done       bool          `json:"done"`
}

// Share is a move of a strategy.
type Share struct {
	Move        string  `json:"move"`
	Probability float64 `json:"probability"`
}

// Known is a move of a role with its proved bounds. Plies is the number of joint moves, with this one, to the end of the game if all
// players follow the solution; 0 if it is unknown.
type Known struct {
	Move     string  `json:"move"`
	Lower    float64 `json:"lower"`
	Upper    float64 `json:"upper"`
	Estimate float64 `json:"estimate"`
	Plies    int     `json:"plies,omitempty"`
}

// PayoffMatrix is the matrix game of a position in which two players choose at once. The first player chooses the row; values are
// goal points of the first player.
type PayoffMatrix struct {
	RowRole    string   `json:"row_role"`
	ColumnRole string   `json:"column_role"`
	Rows       []string `json:"rows"`
	Columns    []string `json:"columns"`
	Cells      [][]Cell `json:"cells"`
	// The equilibrium, if the values of all cells are exact: the strategies, and the loss of each move against the strategy of the
	// opponent, in goal points.
	Value          *float64  `json:"value,omitempty"`
	RowStrategy    []float64 `json:"row_strategy,omitempty"`
	ColumnStrategy []float64 `json:"column_strategy,omitempty"`
	RowLoss        []float64 `json:"row_loss,omitempty"`
	ColumnLoss     []float64 `json:"column_loss,omitempty"`
}

// Cell is the value of a joint move for the row player.
type Cell struct {
	Lower float64 `json:"lower"`
	Upper float64 `json:"upper"`
	Kind  string  `json:"kind"` // "end" of the game, "proved", "estimated", or "open"
}
