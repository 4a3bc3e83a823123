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

// ModelReviewer begins the name of an annotator that is a model, in all data: a reader must
// never take it for a human.
const ModelReviewer = "model reviewer "

// NameProposal is the schema of Proposal records.
const NameProposal = "proposal"

// Labels of a question that a build changed as an annotator proposed.
const (
	// LabelProposalOf is the id of the question that was changed, LabelProposedBy who
	// proposed it. The changed question has an id of its own, so that decisions about the
	// other form do not count for it.
	LabelProposalOf = "proposal_of"
	LabelProposedBy = "proposed_by"
)

// Proposal is what one annotator wants changed in one question.
type Proposal struct {
	Item      string `json:"item"`
	Annotator string `json:"annotator"`
	Sample    string `json:"draw"`
	// Digest is that of the question as the annotator saw it, without labels.
	Digest  string           `json:"digest"`
	Changes []ProposedChange `json:"changes"`
	Note    string           `json:"note,omitempty"`
}

// ProposedChange gives a field another text. Fields are question, choice_question,
// explanation, options.KEY, and of the evidence of a place from 1 evidence.1.span (seconds,
// as 3.20,5.00) and evidence.1.caption.
type ProposedChange struct {
	Field string `json:"field"`
	Old   string `json:"old"`
	New   string `json:"new"`
}

// Sampled is one row of the draws table: a record that may be sampled for review.
type Sampled struct {
	Item   string `json:"item"`
	Sample string `json:"draw"`
	// Schema is that of the record. Unit identifies what is sampled as one: a mirror
	// group, or the item itself.
	Schema string `json:"schema"`
	Unit   string `json:"unit"`
	// Shares names what the unit has in common with others, its fact and its film or task: of
	// each one item is drawn as long as there are others.
	Shares []string `json:"shares,omitempty"`
	// Stratum holds the values that the sample is stratified by, as they were then.
	Stratum  []string `json:"stratum"`
	Selected bool     `json:"drawn"`
	// Keeper is who settles disputes of the sample, if anyone: this decision stands, and
	// agreement leaves it out.
	Keeper string `json:"keeper,omitempty"`
}
