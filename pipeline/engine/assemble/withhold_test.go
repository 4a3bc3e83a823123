package assemble_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// remark is a row of a plugin's table.
type remark struct {
	RemarkID string `json:"remark_id"`
	On       string `json:"on"`
	Stars    int32  `json:"stars" holds:"min=1,max=5"`
}

// brittle gives twelve lives. The last session of eve has a turn in which nothing is
// said; the second of fay has a turn in a role that there is not; the remark on ann's
// question has nine stars. The question of
// lea is asked twice.
type brittle struct{}

func (brittle) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameTask, schemas.NameSession, schemas.NameQuestion, "remark"}, License: "CC0-1.0"}
}
func (brittle) Needs() []pipeline.Need { return nil }

func (brittle) Read(_ context.Context, _ *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	for _, task := range strings.Fields("ann bea cat dan eve fay hal ida jan kay lea moe") {
		all, stars := livesOf(task), int32(3)
		switch task {
		case "ann":
			stars = 9
		case "eve":
			all[2].Turns[0].Text = " "
		case "fay":
			all[1].Turns[0].Role = "ghost"
		}
		if err := giveLives(task, all, emit); err != nil {
			return err
		}
		if task == "lea" {
			if err := giveAgain(task, all[0], emit); err != nil {
				return err
			}
		}
		r, err := pipeline.NewRecord("remark", task+"/R1", remark{task + "/R1", task + "/Q1", stars})
		if err != nil {
			return err
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

// giveAgain gives a task's question once more, resting on another session.
func giveAgain(task string, s schemas.Session, emit func(pipeline.Record) error) error {
	r, err := pipeline.NewRecord(schemas.NameQuestion, task+"/Q2", schemas.Question{
		QuestionID: task + "/Q2", Family: "lives", TaskID: task, Question: "Where does " + task + " live?", QuestionMCQ: "Where does " + task + " live?", AnswerText: "Oslo",
		Type: "home", Split: schemas.DefaultSplit, Labels: map[string]string{}, Media: []string{},
		Evidence: []schemas.Evidence{{Kind: schemas.EvidenceSession, Ref: s.SessionID, SessionID: s.SessionID, Role: schemas.RoleClue, Order: 1, Text: s.Turns[0].Text}},
	})
	if err != nil {
		return err
	}
	return emit(r)
}

// doubled gives lives that another source gives as well, and tells otherwise.
type doubled struct{}

func (doubled) Spec() pipeline.Spec    { return lives{}.Spec() }
func (doubled) Needs() []pipeline.Need { return nil }

func (doubled) Read(_ context.Context, _ *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	all := livesOf("moe")
	for i := range all {
		all[i].Date = "2025-03-03T00:00:00Z"
	}
	return giveLives("moe", all, emit)
}

const brittleYAML = `version: 1
release: {name: brittle, from: [tied, tiedmore, asked, askedmore, lives]}
max_loss: %s
sources:
  lives: {use: brittle}
  more: {use: doubled, max_loss: 1}
gates:
  tied: {use: update-history, from: [lives]}
  tiedmore: {use: update-history, from: [more]}
  asked: {use: any, from: [lives]}
  askedmore: {use: any, from: [more]}
`

func buildBrittle(t *testing.T, maxLoss string) (*pipeline.Registry, assemble.Result, error) {
	t.Helper()
	reg := livesRegistry(t)
	pipeline.AddTable[remark](reg, "remarks", "remark", []string{"remark_id"}, pipeline.Reference{Column: "on", Tables: []string{pipeline.TableQuestions}})
	pipeline.AddSource(reg, "brittle", "1", "tells", func(struct{}) (pipeline.Source, error) { return brittle{}, nil })
	pipeline.AddSource(reg, "doubled", "1", "tells", func(struct{}) (pipeline.Source, error) { return doubled{}, nil })
	if err := reg.Err(); err != nil {
		t.Fatal(err)
	}
	res, err := assemble.Build(t.Context(), reg, loadWith(t, reg, fmt.Sprintf(brittleYAML, maxLoss)), assemble.Options{Getenv: func(string) string { return "" }})
	return reg, res, err
}

// TestWhatIsAgainstARuleIsWithheld: it goes with what rests on it, the rest is released
// and can be audited, and what was withheld is counted where it came from.
func TestWhatIsAgainstARuleIsWithheld(t *testing.T) {
	t.Parallel()
	reg, res, err := buildBrittle(t, "0.3")
	if err != nil {
		t.Fatal(err)
	}
	c, err := release.Read(t.Context(), res.Release.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var why []string
	for _, r := range c.Rejections {
		if !strings.HasPrefix(r.ID, "moe/S") {
			why = append(why, fmt.Sprintf("%s at %s: %s: %s", r.ID, r.Stage, r.Code, r.Reason))
		}
	}
	const unreleased, anything = "withheld-record: it refers to ", "media or tasks or sources or sessions or turns "
	want := []string{
		"ann/R1 at lives: withheld-rule: its row of table remarks breaks a rule of its columns: stars is 9; want 1 to 5",
		"eve/Q1 at asked: " + unreleased + anything + "eve/S02, which is not released",
		"eve/R1 at lives: " + unreleased + "questions eve/Q1, which is not released",
		"eve/S00 at tied: " + unreleased + "tasks eve, which is not released",
		"eve/S01 at tied: " + unreleased + "tasks eve, which is not released",
		"eve/S02 at lives: withheld-rule: turn eve/S02/T001: nothing is said in it and nothing shown",
		"fay/Q1 at asked: " + unreleased + anything + "fay/S02, which is not released",
		"fay/R1 at lives: " + unreleased + "questions fay/Q1, which is not released",
		"fay/S00 at tied: " + unreleased + "tasks fay, which is not released",
		`fay/S01 at lives: withheld-rule: its row of table turns breaks a rule of its columns: role is "ghost"; want one of user, assistant, agent, environment`,
		"fay/S02 at tied: " + unreleased + "memory_points fay/S01/P001, which is not released",
		"lea/Q2 at lives: withheld-rule: it asks what another question asks, of the same",
		"moe/Q1 at askedmore: " + unreleased + anything + "moe/S02, which is not released",
		"moe/R1 at lives: " + unreleased + "questions moe/Q1, which is not released",
	}
	if !slices.Equal(why, want) {
		t.Errorf("withheld\n%s\nwant\n%s", strings.Join(why, "\n"), strings.Join(want, "\n"))
	}
	counted := ""
	for _, row := range c.Manifest.RecordCounts {
		counted += fmt.Sprint(row.Step, row.Excluded, " ")
	}
	if counted != "lives[{withheld-record 3} {withheld-rule 7}] asked[{withheld-record 2}] more[{withheld-rule 3}] askedmore[{withheld-record 1}] tied[{withheld-record 4}] tiedmore[] " {
		t.Errorf("the funnel: %s", counted)
	}
	if len(c.Questions) != 9 || len(c.Flagged) != 4 {
		t.Errorf("%d questions, %d flagged; want 9, and 4 that were judged and are withheld", len(c.Questions), len(c.Flagged))
	}
	cleanAudit(t, reg, res.Release.Dir)
}

// TestTooMuchAgainstARuleEndsTheBuild, by the bound of the node that gave it.
func TestTooMuchAgainstARuleEndsTheBuild(t *testing.T) {
	t.Parallel()
	_, _, err := buildBrittle(t, "0.01")
	var over *assemble.WithheldError
	if !errors.As(err, &over) || over.Step != "lives" || !strings.Contains(err.Error(), "max_loss 1.0 %") {
		t.Errorf("%v", err)
	}
}
