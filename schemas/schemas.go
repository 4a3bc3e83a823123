// Package schemas holds the row types of a release and the typed records that
// flow between plugins. It imports nothing of memforge, so every other package
// may use it. JSON tags are the field names of records, parquet columns carry
// the same names in the same order.
package schemas

import (
	"math/rand/v2"
	"slices"
	"strings"
)

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
	NameCheckpoint  = "checkpoint"
	NameReview      = "review"
	NameSampled     = "drawn"
)

// Question is one row of the questions table: one question about one task.
type Question struct {
	QuestionID   string `json:"question_id"`
	Family       string `json:"family"`
	TaskID       string `json:"task_id"`
	CheckpointID string `json:"checkpoint_id,omitempty"`
	// Question is the open form.
	Question string `json:"question"`
	// QuestionMCQ is the question followed by its options, exactly as a solver should
	// see it.
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
	Media []string `json:"media"`
	// QuestionMedia are pictures that belong to the question itself: a solver sees
	// them with its words, whatever it is shown of the evidence.
	QuestionMedia []string `json:"question_media,omitempty"`
	// Tools may be called by a solver, if the answer is a call (SMMBench 3.3): then
	// AnswerCall is the gold.
	Tools       []Tool `json:"tools,omitempty"`
	Explanation string `json:"explanation,omitempty"`
	// Setting is what a solver of pieces of the media must know of the whole to place
	// them: its length and layout. A solver of the whole sees as much, so it reveals no
	// answer.
	Setting string `json:"setting,omitempty"`
	Split   string `json:"split"`
	// Revisions list, in order, what gates found against earlier forms of the question.
	// An original question has none.
	Revisions []Revision `json:"revisions,omitempty"`
	// Basis is the digest of the blob with what the question was written from (see
	// Basis), or empty. It accompanies the question to rewriters and is not part of a
	// release.
	Basis string `json:"basis,omitempty" table:"-"`
}

// Tool is a callable tool.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Parameters is the JSON Schema of its arguments, as text.
	Parameters string `json:"parameters"`
}

// Line returns the option as it is shown: "A. text".
func (o Option) Line() string { return o.Key + ". " + o.Text }

// MCQ returns a question with options as a solver sees it: the question, then each
// option on a line of its own as "A. text".
func MCQ(question string, options []Option) string {
	var b strings.Builder
	b.WriteString(question)
	for _, o := range options {
		b.WriteString("\n" + o.Line())
	}
	return b.String()
}

// Letter returns the letter of the option at a place: A, B, C, ...
func Letter(place int) string { return string(rune('A' + place)) }

// GroupValue returns the value by which questions are grouped: type, family or split;
// source, which the caller gives because other records have it; or a label.
func (q Question) GroupValue(key, source string) string {
	switch key {
	case "type":
		return q.Type
	case "family":
		return q.Family
	case "split":
		return q.Split
	case "source":
		return source
	}
	return q.Labels[key]
}

// DefaultSplit is the split of questions that name none.
const DefaultSplit = "test"

// ControlSplit is the split of questions that are reported beside those of a type and
// are no test items: their condition gives the answer away.
const ControlSplit = "control"

// ReportedType returns the type that a question counts for: those of ControlSplit are a
// row of their own.
func (q Question) ReportedType() string {
	if q.Split == ControlSplit {
		return q.Type + " (control)"
	}
	return q.Type
}

// AnswerNone is the answer if the conversation does not say it.
const AnswerNone = "Not mentioned in the conversation"

// SetOptions sets the options, in this order: lettered from A, with the one of
// RoleCorrect as the answer, and QuestionMCQ as a solver sees them.
func (q *Question) SetOptions(options ...Option) { q.SetOptionsWithStem(q.Question, options...) }

// BalancedPlaces returns the places of n correct options in random order. Each place
// occurs equally often, give or take one, so that no place follows from the one before
// or from a question's number.
func BalancedPlaces(rnd *rand.Rand, n, options int) []int {
	out, begin := make([]int, n), rnd.IntN(options)
	for i := range out {
		out[i] = (begin + i) % options
	}
	rnd.Shuffle(n, func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// SetOptionsWithStem is SetOptions with other words for the choice form.
func (q *Question) SetOptionsWithStem(stem string, options ...Option) {
	q.Options = slices.Clone(options)
	for i := range q.Options {
		q.Options[i].Key = Letter(i)
		if q.Options[i].Role == RoleCorrect {
			q.AnswerKey, q.AnswerText = q.Options[i].Key, q.Options[i].Text
		}
	}
	q.QuestionMCQ = MCQ(stem, q.Options)
}

// Stem returns the choice form without its options, and false if that form is not a
// question followed by exactly these options.
func (q Question) Stem() (string, bool) {
	stem, ok := strings.CutSuffix(q.QuestionMCQ, MCQ("", q.Options))
	return stem, ok && stem != "" && len(q.Options) > 0
}

// ChoiceStem returns the question as it stands before its options: the open form where the
// choice form is not a question followed by them.
func (q Question) ChoiceStem() string {
	if stem, ok := q.Stem(); ok {
		return stem
	}
	return q.Question
}

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
	Role string `json:"role" holds:"in=correct|intrusion|irrelevant_distractor|distractor|"`
}

// Task is one row of the tasks table: one sample with its questions.
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
	Kind     string  `json:"kind" holds:"in=video|image"`
	Mime     string  `json:"mime"`
	Bytes    int64   `json:"bytes" holds:"min=0"`
	Width    int32   `json:"width" holds:"min=0"`
	Height   int32   `json:"height" holds:"min=0"`
	Duration float64 `json:"duration" holds:"min=0"` // seconds
	FPS      float64 `json:"fps" holds:"min=0"`
	Frames   int64   `json:"frames" holds:"min=0"`
	HasAudio bool    `json:"has_audio"`
	Caption  string  `json:"caption,omitempty"`
	Recipe   Recipe  `json:"recipe"`
	License  string  `json:"license"`
}

// Recipe describes, frame by frame, how a video was composed, so that it can be checked
// against its sources by decoding.
type Recipe struct {
	Layout string `json:"layout"`
	// SwapFrames are the output frames at which left and right are swapped (split
	// screen; each entry toggles).
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
	// NormalisedVideo; empty if the source is silent.
	Audio string `json:"audio,omitempty"`
	// Video is the composed video that the segment belongs to: A or B of a pair, or the
	// place of an N-Back clip, counted from 1.
	Video string `json:"video,omitempty"`
}

// Rejection is one row of the rejections table: one record that a source,
// stage or gate dropped. Reason starts with a stable code.
type Rejection struct {
	ID     string `json:"id"`
	Stage  string `json:"stage"`
	Code   string `json:"code"`
	Reason string `json:"reason"`
	Source string `json:"source,omitempty"`
	// Path is the file of the source that the record comes from, empty for none or
	// several.
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
	Bytes    int64  `json:"bytes" holds:"min=0,max=1099511627776"`
	// Records counts the records of the source, Losses those it lost. Both are totals
	// of the source, repeated on each of its rows.
	Records int64 `json:"records" holds:"min=0,max=1099511627776"`
	Losses  int64 `json:"losses" holds:"min=0,max=1099511627776"`
	// Notes list oddities of the file's records that were taken.
	Notes []RecordNote `json:"notes,omitempty"`
}

// Note describes an oddity of an item that was taken: a stable code, and a sentence.
type Note struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// RecordNote is a note on a record.
type RecordNote struct {
	Item string `json:"item"` // id of the record
	Code string `json:"code"`
	Text string `json:"text"`
}
