package pipeline

// Node is one source, stage or gate of a plan, fully decided.
type Node struct {
	Name    string    `json:"name"`
	Kind    Kind      `json:"kind"`
	Use     string    `json:"use"`
	Version string    `json:"version"`
	Config  RawConfig `json:"config"`
	From    []string  `json:"from,omitempty"`
	// OnFail is drop or keep, for gates.
	OnFail string `json:"on_fail,omitempty"`
	// MaxLoss is the share of inputs (0 to 1) the node may lose.
	MaxLoss float64 `json:"max_loss"`
}

// Plan is a build as data: nodes in topological order, sorted by name where
// the order is free.
type Plan struct {
	Seed    uint64  `json:"seed"`
	Nodes   []Node  `json:"nodes"`
	Release Release `json:"release"`
}

// Release says what to write at the end of a build.
type Release struct {
	Name    string `json:"name"`
	Version string `json:"version"` // semantic version or "auto"
	Title   string `json:"title,omitempty"`
	// License the maintainer publishes under; must be at least as strict as
	// the strictest of the parts. Empty: that strictest one.
	License string   `json:"license,omitempty"`
	From    []string `json:"from"`
}

// Identity is the part of a key that all units of a node share.
type Identity struct {
	Kind    Kind              `json:"kind"`
	Use     string            `json:"use"`
	Version string            `json:"version"`
	Config  RawConfig         `json:"config"`
	OnFail  string            `json:"on_fail,omitempty"`
	Seed    uint64            `json:"seed"`
	Tools   map[string]string `json:"tools,omitempty"`
}
