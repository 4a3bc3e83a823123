package schemas

// Checkpoint is one row of the checkpoints table: a point in a task at which questions
// are asked (WorldMemArena C.3). Their answers may rest on the sessions it covers and
// on nothing later.
type Checkpoint struct {
	CheckpointID string `json:"checkpoint_id"`
	TaskID       string `json:"task_id"`
	// Order is its place among those of the task, from 0.
	Order int32 `json:"order" holds:"min=0"`
	// Sessions are the ids of the sessions it covers, in their order.
	Sessions []string `json:"sessions"`
}

// Decisions of a Review.
const (
	DecisionAccept  = "accept"
	DecisionReject  = "reject"
	DecisionRelabel = "relabel"
)

// Review is one row of the reviews table: the decision of one person about one record.
type Review struct {
	// Item is the id of the record, Annotator a name or pseudonym.
	Item      string `json:"item"`
	Annotator string `json:"annotator"`
	// Sample names the sample that the item belongs to, Stratum its stratum.
	Sample  string `json:"draw"`
	Stratum string `json:"stratum,omitempty"`
	// Decision is one of those above. Label is the value of a relabel, as key=value, or
	// the annotator's answer.
	Decision string `json:"decision" holds:"in=accept|reject|relabel"`
	Label    string `json:"label,omitempty"`
	Note     string `json:"note,omitempty"`
}

// Sampled is one row of the draws table: a record that may be sampled for review.
type Sampled struct {
	Item   string `json:"item"`
	Sample string `json:"draw"`
	// Schema is that of the record. Unit identifies what is sampled as one: a mirror
	// group, or the item itself.
	Schema string `json:"schema"`
	Unit   string `json:"unit"`
	// Stratum holds the values that the sample is stratified by, as they were then.
	Stratum  []string `json:"stratum"`
	Selected bool     `json:"drawn"`
}
