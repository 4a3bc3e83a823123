package score

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
)

// JudgeSuffix ends the id of a judge's label, behind the id of what is judged. Labels are
// lines among the answers, or of a file of their own.
const JudgeSuffix = "#judge"

// JudgeLabels are what a judge said, by the id of what was judged.
type JudgeLabels map[string]string

// LabelsIn returns the labels among answers. All scorers get theirs here.
func LabelsIn(answers map[string]string) JudgeLabels {
	out := JudgeLabels{}
	for id, label := range answers {
		if of, isLabel := strings.CutSuffix(id, JudgeSuffix); isLabel {
			out[of] = label
		}
	}
	return out
}

// WithLabels adds the ids of labels to those of what may be judged.
func WithLabels(ids []string) []string {
	out := make([]string, 0, 2*len(ids))
	for _, id := range ids {
		out = append(out, id, id+JudgeSuffix)
	}
	return out
}

// Judged is a QuestionSet of which a judge can label answers.
type Judged interface {
	QuestionSet
	// Cases are what a judge is asked about answers.
	Cases(answers map[string]string) ([]Case, error)
}

// Prompts of a judge.
const (
	JudgeAnswer       = "score.answer"
	JudgeCoverage     = "score.coverage"
	JudgeDiagnosis    = "score.diagnosis"
	JudgeInterference = "score.interference"
	JudgeRubric       = "score.rubric"
	JudgeStored       = "score.stored"
	JudgeUpdate       = "score.update"
)

// What a judge says of an answer.
const (
	LabelCorrect       = "Correct"
	LabelHallucination = "Hallucination"
	LabelOmission      = "Omission"
)

// Case is one request to a judge: subjects that are held against the same texts, each of which
// gets a label.
type Case struct {
	// IDs are those of what is judged, one for each subject, or one for all if Share.
	IDs []string `json:"ids"`
	// Prompt is one of those above, Labels are what it may answer.
	Prompt   string   `json:"prompt"`
	Labels   []string `json:"labels"`
	Question string   `json:"question,omitempty"`
	Subjects []string `json:"subjects"`
	Against  []string `json:"against"`
	// Share makes one label of all: the share of subjects with the first of Labels.
	Share bool `json:"share,omitempty"`
	// Known are the labels where nothing has to be asked, and Why says why.
	Known []string `json:"known,omitempty"`
	Why   string   `json:"why,omitempty"`
}

// maxSubjects bounds the subjects of a request.
const maxSubjects = 25

// Split divides a case with many subjects.
func (c Case) Split() (out []Case) {
	if c.Share || len(c.Known) > 0 || len(c.Subjects) <= maxSubjects {
		return []Case{c}
	}
	for at := 0; at < len(c.IDs); at += maxSubjects {
		part, end := c, min(at+maxSubjects, len(c.IDs))
		part.IDs, part.Subjects = c.IDs[at:end], c.Subjects[at:end]
		out = append(out, part)
	}
	return out
}

// digest returns the hash of a case, by which labels of other answers are told.
func (c Case) digest() (string, error) {
	data, err := json.Marshal(c)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}

// Label is a line of a file of labels: what a judge said of one thing, or why it has no label.
type Label struct {
	ID         string `json:"id"`
	Prediction string `json:"prediction,omitempty"`
	Unjudged   string `json:"unjudged,omitempty"`
	Why        string `json:"why,omitempty"`
	Model      string `json:"model,omitempty"`
	Prompt     string `json:"prompt,omitempty"`
	// PromptDigest is the SHA-256 of the prompt's file, Case that of what was judged.
	PromptDigest string `json:"prompt_digest,omitempty"`
	Case         string `json:"case,omitempty"`
}

// LabelsOf returns the lines of a case whose subjects have these labels; an empty label is
// none, for the reason unjudged. Like says who judged.
func (c Case) LabelsOf(labels, whys []string, unjudged string, like Label) ([]Label, error) {
	digest, err := c.digest()
	if err != nil {
		return nil, err
	}
	out := make([]Label, len(c.IDs))
	for n, id := range c.IDs {
		l := like
		l.ID, l.Prediction, l.Case = id+JudgeSuffix, labels[n], digest
		if n < len(whys) {
			l.Why = whys[n]
		}
		if c.Share && len(c.Known) == 0 {
			l.Prediction, l.Why = shareOf(labels, c.Labels[0]), strings.Join(whys, " ")
		}
		if l.Prediction == "" {
			l.Unjudged = unjudged
		}
		out[n] = l
	}
	return out, nil
}

// shareOf returns the share of one label, or nothing if some have none.
func shareOf(labels []string, of string) string {
	n := 0
	for _, l := range labels {
		switch l {
		case "":
			return ""
		case of:
			n++
		}
	}
	return fmt.Sprint(float64(n) / float64(len(labels)))
}

const maxLabel = 1 << 20

// ReadLabels reads a file of labels by id. Those without a label are there as unjudged.
func ReadLabels(r io.Reader) (map[string]Label, error) {
	out := map[string]Label{}
	_, err := benchformat.ReadLines(r, "labels", "%q is there twice", maxLabel, func(line []byte) (string, string, error) {
		var l Label
		if err := json.Unmarshal(line, &l); err != nil {
			return "", "", err
		}
		if !strings.HasSuffix(l.ID, JudgeSuffix) || l.Prediction == "" && l.Unjudged == "" {
			return "", "", errors.New(`want "id" that ends in ` + JudgeSuffix + ` and "prediction"`)
		}
		out[l.ID] = l
		return l.ID, "", nil
	})
	return out, err
}

// LabelsFile returns where the labels of a judge of a file of answers stand unless the user
// says where.
func LabelsFile(answers string) string {
	return strings.TrimSuffix(answers, ".jsonl") + ".judge.jsonl"
}

// AddLabels adds labels to answers, except where the answers have one.
func AddLabels(labels map[string]Label, of Judged, answers map[string]string) error {
	cases, err := of.Cases(answers)
	if err == nil {
		err = CheckLabels(labels, cases)
	}
	for id, l := range labels {
		if _, given := answers[id]; !given && l.Prediction != "" {
			answers[id] = l.Prediction
		}
	}
	return err
}

// DescribeLabels says who labelled how much, and why some things have no label.
func DescribeLabels(labels map[string]Label) (judges, unjudged []string) {
	by, why := map[string]int{}, map[string]int{}
	for _, l := range labels {
		who := cmp.Or(l.Model, "no model")
		if l.PromptDigest != "" {
			who += fmt.Sprintf(", prompt %s %.12s", l.Prompt, l.PromptDigest)
		}
		by[who]++
		if l.Unjudged != "" {
			why[l.Unjudged]++
		}
	}
	for _, who := range slices.Sorted(maps.Keys(by)) {
		judges = append(judges, fmt.Sprintf("%d labels by %s", by[who], who))
	}
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		unjudged = append(unjudged, fmt.Sprintf("%d unjudged: %s", why[reason], reason))
	}
	return judges, unjudged
}

// CheckLabels returns an error if labels are of other answers than these cases.
func CheckLabels(labels map[string]Label, cases []Case) error {
	var other []string
	for _, c := range cases {
		digest, err := c.digest()
		if err != nil {
			return err
		}
		for _, id := range c.IDs {
			if l := labels[id+JudgeSuffix]; l.Case != "" && l.Case != digest {
				other = append(other, l.ID)
			}
		}
	}
	if len(other) > 0 {
		slices.Sort(other)
		return fmt.Errorf("%d labels are of other answers or questions than these (%s): have these judged with --judge", len(other), FirstFew(other))
	}
	return nil
}
