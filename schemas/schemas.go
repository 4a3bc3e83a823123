// Package schemas holds the row types of a release and the typed records that
// flow between plugins. It imports nothing of memforge, so every other package
// may use it. JSON tags are the field names of records, parquet columns carry
// the same names in the same order.
package schemas

import "strings"

// Names of the record schemas this package defines. A record's schema name
// decides which stages accept it and which release table it ends in.
const (
	NameFilm        = "film"
	NameVideo       = "video"
	NamePair        = "pair"
	NameComposition = "composition"
	NameTrial       = "trial"
	NameQuestion    = "question"
	NameTask        = "task"
	NameMedia       = "media"
	NameVerdict     = "verdict"
	NameProbes      = "probes"
	NameSession     = "session"
)

// Question is one row of the questions table: one question about one task.
type Question struct {
	QuestionID   string `json:"question_id"`
	Family       string `json:"family"`
	TaskID       string `json:"task_id"`
	CheckpointID string `json:"checkpoint_id,omitempty"`
	// Question is the open form; QuestionMCQ the same question followed by
	// its options, exactly as a solver should see it.
	Question    string   `json:"question"`
	QuestionMCQ string   `json:"question_mcq"`
	Options     []Option `json:"options"`
	// AnswerKey is the Key of the correct option, AnswerText its text.
	AnswerKey  string `json:"answer_key"`
	AnswerText string `json:"answer_text"`
	AnswerCall string `json:"answer_call,omitempty"`
	// Type names the question type (interference, nback, source_identification, ...).
	Type string `json:"type"`
	// Labels are the annotations an evaluation groups by: direction, n_value,
	// clip_count, attribute, mirror group. A solver never sees them.
	Labels   map[string]string `json:"labels"`
	Evidence []Evidence        `json:"evidence"`
	// Media lists media ids in the order the solver receives them.
	Media       []string `json:"media"`
	Explanation string   `json:"explanation,omitempty"`
	// Setting says what whoever is shown pieces of the media must know of the
	// whole to place them: how long it is and how it is laid out. A solver of the
	// whole sees as much, so it tells no answer.
	Setting string `json:"setting,omitempty"`
	Split   string `json:"split"`
	// Revisions tell, in order, what gates found against earlier forms of the
	// question. A question as it was first written has none.
	Revisions []Revision `json:"revisions,omitempty"`
	// Basis is the digest of the blob with what the question was written from
	// (see Basis), or empty. It goes with the question to whoever rewrites it and
	// is no part of a release.
	Basis string `json:"basis,omitempty" table:"-"`
}

// MCQ is how a solver sees a question with options: the question, then each
// option on a line of its own as "A. text".
func MCQ(question string, options []Option) string {
	var b strings.Builder
	b.WriteString(question)
	for _, o := range options {
		b.WriteString("\n" + o.Key + ". " + o.Text)
	}
	return b.String()
}

// DefaultSplit is the split of questions that name none.
const DefaultSplit = "test"

// Roles of an option (M3Eval 3.1.2 for the interference roles).
const (
	RoleCorrect    = "correct"
	RoleIntrusion  = "intrusion"
	RoleUnrelated  = "irrelevant_distractor"
	RoleDistractor = "distractor"
)

// Option is one choice of a question.
type Option struct {
	Key  string `json:"key"`
	Text string `json:"text"`
	Role string `json:"role"`
}

// Roles of evidence. Where none of it has the role RoleUpdate, nothing changes
// and the answer rests on the clues; else it rests on what is in force at the
// end: a superseded clue was true once, and an update overrides it.
const (
	RoleClue       = "clue"
	RoleUpdate     = "update"
	RoleSuperseded = "superseded"
	// RoleAbsence is that of evidence which the answer rests on because what is
	// asked about occurs nowhere in it. Nothing can prove such an answer piece by
	// piece; it holds as long as nothing shown contradicts it. Beside a clue it is
	// that of evidence in which what the clue shows does not occur: the answer says
	// that it occurs in one thing only, and this is all there is of the other.
	RoleAbsence = "absence"
	// RoleContext is that of evidence which shows what question and options name,
	// such as the title of a video. The answer is not in it, and yet nobody can
	// tell who or what the answer speaks of without it.
	RoleContext = "context"
	// Evidence of what wrong options come from has RoleDistractor, as they do.
)

// Modalities of evidence.
const (
	ModalityText  = "text"
	ModalityImage = "image"
	ModalityVideo = "video"
	ModalityTable = "table"
)

// Evidence points at what a question rests on. Ref is a media id with an
// optional media fragment in seconds ("<sha256>#t=3.20,5.00") or the id of a
// session, turn or document. What a solver is shown of a piece of evidence,
// when it is shown no more than that, is Text and Media.
type Evidence struct {
	Kind      string `json:"kind"`
	Ref       string `json:"ref"`
	Role      string `json:"role"`
	SourceID  string `json:"source_id,omitempty"`
	SessionID string `json:"session_id,omitempty"`
	Order     int32  `json:"order"`
	// Modality is that of what carries the answer; empty where it follows from
	// Kind or from what there is to show.
	Modality string `json:"modality,omitempty"`
	// Text is what is said or written, without any description of pictures.
	Text string `json:"text,omitempty"`
	// Caption describes the picture in full, MinimalCaption says no more than of
	// what kind it is ("a photo of a kitchen").
	Caption        string `json:"caption,omitempty"`
	MinimalCaption string `json:"minimal_caption,omitempty"`
	// Media is the id of the picture or video, with an optional fragment as in
	// Ref; empty where Ref is that.
	Media string `json:"media,omitempty"`
}

// Task is one row of the tasks table: one sample that questions are about.
type Task struct {
	TaskID        string   `json:"task_id"`
	Family        string   `json:"family"`
	Domain        string   `json:"domain"`
	Scenario      string   `json:"scenario"`
	Summary       string   `json:"summary"`
	SourceRecords []string `json:"source_records"`
	Media         []string `json:"media"`
}

// Media is one row of the media table: one file under media/.
type Media struct {
	// MediaID is the SHA-256 of the file in lower-case hex.
	MediaID  string  `json:"media_id"`
	Kind     string  `json:"kind"` // video or image
	Mime     string  `json:"mime"`
	Bytes    int64   `json:"bytes"`
	Width    int32   `json:"width"`
	Height   int32   `json:"height"`
	Duration float64 `json:"duration"` // seconds
	FPS      float64 `json:"fps"`
	Frames   int64   `json:"frames"`
	HasAudio bool    `json:"has_audio"`
	Caption  string  `json:"caption,omitempty"`
	Recipe   Recipe  `json:"recipe"`
	License  string  `json:"license"`
}

// Recipe says, frame by frame, how a video was composed: enough to check it
// against its sources by decoding.
type Recipe struct {
	Layout string `json:"layout"`
	// SwapFrames are the output frames from which left and right are exchanged
	// (split-screen with swaps; each entry toggles).
	SwapFrames []int64   `json:"swap_frames,omitempty"`
	Segments   []Segment `json:"segments"`
}

// Segment is a run of frames [From, To) of a source video, shown from output
// frame At on, in a screen region.
type Segment struct {
	Source string `json:"source"` // media id of the normalised source
	Region string `json:"region"` // full, left or right
	From   int64  `json:"from"`
	To     int64  `json:"to"`
	At     int64  `json:"at"`
	// Original is the SHA-256 of the file that Source was normalised from, as
	// the sources table has it (of the drawn video, for a generated source),
	// SourceID the id of its source there.
	Original string `json:"original"`
	SourceID string `json:"source_id"`
	// Audio is the SHA-256 of the sound of the normalised source, AAC as in
	// Mezzanine; empty when the source is silent.
	Audio string `json:"audio,omitempty"`
	// Video tells which of the composed videos the segment is of: A or B of a
	// pair, or the place of an N-Back clip, counted from 1.
	Video string `json:"video,omitempty"`
}

// Outcomes of a verdict. NotApplicable: the item is of a kind that the gate does
// not judge. Insufficient: it is of a kind that the gate judges, but the item, or
// the collection, holds too little data to judge it by. Error: the judgement was
// tried and could not be made.
const (
	Pass          = "pass"
	Fail          = "fail"
	Error         = "error"
	NotApplicable = "not_applicable"
	Insufficient  = "insufficient"
)

// Outcomes lists the outcomes that a verdict can have.
func Outcomes() []string { return []string{Pass, Fail, Error, NotApplicable, Insufficient} }

// Judged reports whether an outcome says that the gate came to a judgement.
func Judged(outcome string) bool { return outcome == Pass || outcome == Fail }

// InCompany parts the reason of a question that passes statistical-shortcuts: what
// follows is what somebody gets who also reads the other questions of its cluster.
// It flags nothing.
const InCompany = "; with the other questions of the cluster in view, "

// Verdict is one row of the verdicts table: one item under one gate.
type Verdict struct {
	Item    string `json:"item"`
	Gate    string `json:"gate"`
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
	// CallsMade and CallsFull count model calls; both are 0 for structural gates.
	CallsMade int32 `json:"calls_made"`
	CallsFull int32 `json:"calls_full"`
	// ItemDigest names exactly what was judged: the item's row, with its evidence.
	ItemDigest string `json:"item_digest"`
}

// Marks of a probe.
const (
	MarkRight  = "right"
	MarkWrong  = "wrong"
	MarkFailed = "failed" // no usable answer: neither right nor wrong
)

// Probe is one row of the probes table: one question that a gate asked a model
// about one item under one view of its evidence. A gate's verdict follows from
// its probes alone.
type Probe struct {
	Item string `json:"item"`
	Gate string `json:"gate"`
	// View says what the solver saw: none, text, oracle, only:2, without:1, ...
	// ViewDigest is the digest of exactly that.
	View       string `json:"view"`
	ViewDigest string `json:"view_digest"`
	// Pictures is the most pictures that the view showed, PicturesFull what it
	// would show if the models took any number; they differ where it was fitted.
	Pictures     int32 `json:"pictures"`
	PicturesFull int32 `json:"pictures_full"`
	// Role that was asked and the model behind it.
	Role  string `json:"role"`
	Model string `json:"model"`
	// Rotation is how many places the options were moved on, Run counts
	// independent samples; both from 0.
	Rotation int32 `json:"rotation"`
	Run      int32 `json:"run"`
	// Response is the raw answer, Answer what was read from it, in the item's
	// own option keys.
	Response string `json:"response"`
	Answer   string `json:"answer,omitempty"`
	Mark     string `json:"mark"`
	// Reason of a failed probe.
	Reason       string `json:"reason,omitempty"`
	InputTokens  int64  `json:"input_tokens"`
	OutputTokens int64  `json:"output_tokens"`
}

// Probes are what a gate asked about one item, in the order in which it asked.
// They are rows of the probes table one by one, and one record: they are written,
// read and forgotten together.
type Probes struct {
	Probes []Probe `json:"probes"`
}

// FlaggedQuestion is one row of the flagged table: a question as gates judged it that
// is not, or not like that, in the questions table. The verdicts of a gate can
// be worked out again only over all that it judged.
type FlaggedQuestion struct {
	Question Question `json:"question"`
	// Version counts the forms that gates judged the question in, from 0 in the
	// order of the plan; the released one is not among them.
	Version int32 `json:"version"`
	// JudgedBy names the gates that judged this form, sorted.
	JudgedBy []string `json:"judged_by"`
}

// Rejection is one row of the rejections table: one record that a source,
// stage or gate dropped. Reason starts with a stable code.
type Rejection struct {
	ID     string `json:"id"`
	Stage  string `json:"stage"`
	Code   string `json:"code"`
	Reason string `json:"reason"`
	Source string `json:"source,omitempty"`
	// Path is the file of the source that the record is of, empty where it is of
	// none or of several.
	Path string `json:"path,omitempty"`
}

// Source is one row of the sources table: one pinned upstream file or, for a
// generated source, its generator.
type Source struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	URL      string `json:"url,omitempty"`
	Path     string `json:"path,omitempty"`
	Revision string `json:"revision,omitempty"`
	SHA256   string `json:"sha256,omitempty"`
	License  string `json:"license" table:"null"`
	Bytes    int64  `json:"bytes"`
	// Records is how many records the source gave, Losses how many it lost.
	// Both are totals of the source, repeated on each of its rows.
	Records int64 `json:"records"`
	Losses  int64 `json:"losses"`
	// Notes are near misses of the file: records that were made of it and taken
	// although something about them is odd.
	Notes []Noted `json:"notes,omitempty"`
}

// Note says that something is odd about an item that was taken: a stable word,
// and a sentence.
type Note struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Noted is a note on a record.
type Noted struct {
	Item string `json:"item"` // id of the record
	Code string `json:"code"`
	Text string `json:"text"`
}
