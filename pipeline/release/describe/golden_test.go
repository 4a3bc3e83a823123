package describe

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/diff"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/schemas"
)

// small is a release with a little of everything that its texts tell.
func small(t *testing.T) Release {
	t.Helper()
	columns := func(v any, keys ...string) []rowschema.Column {
		list, err := rowschema.Of(reflect.TypeOf(v), keys...)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	question := func(id, typ, fact string, media ...string) schemas.Question {
		q := schemas.Question{
			QuestionID: id, Family: "chess", TaskID: "t1", Type: typ, Question: "Which <piece> moves in " + id + "?", Split: "test", Media: media, Explanation: "It is seen to move.",
			Labels:   map[string]string{schemas.LabelFact: fact, schemas.LabelGranularity: "X1", schemas.LabelReasoning: "Y1", "opening": "e4"},
			Evidence: []schemas.Evidence{{Kind: "media", Ref: "m1", Role: schemas.RoleClue, Order: 1, Modality: "video", Media: "m1"}},
		}
		q.SetOptions(schemas.Option{Text: "the king", Role: schemas.RoleDistractor}, schemas.Option{Text: "the queen", Role: schemas.RoleCorrect}, schemas.Option{Text: "the rook of the long left side", Role: schemas.RoleDistractor}, schemas.Option{Text: "a pawn", Role: schemas.RoleDistractor})
		return q
	}
	verdict := func(item, gate, outcome, reason string, made, full int32) schemas.Verdict {
		return schemas.Verdict{Item: item, Gate: gate, Outcome: outcome, Reason: reason, CallsMade: made, CallsFull: full}
	}
	probe := func(item, view, role, model, answer, mark string, rotation int32) schemas.Probe {
		return schemas.Probe{Item: item, Gate: "oracle", View: view, Role: role, Model: model, Answer: answer, Mark: mark, Rotation: rotation, InputTokens: 1200, OutputTokens: 30, Pictures: 2, PicturesFull: 3}
	}
	questions := []schemas.Question{question("q1", "chess_move", "f1", "m1"), question("q2", "chess_move", "f1", "m1"), question("q3", "chess_place", "f2", "m2")}
	before := question("q3", "chess_place", "f2", "m2")
	before.Question = "What moves?"
	tables := []Table{{"questions", columns(schemas.Question{}, "question_id")}, {"media", columns(schemas.Media{}, "media_id")}}
	decision, err := license.Decide(map[string][]string{"CC-BY-4.0": {"source films"}, "CC0-1.0": {"media m2"}}, "", false)
	if err != nil {
		t.Fatal(err)
	}
	sample := pipeline.ReviewSample{Name: "draw", Schema: "question", By: []string{"type"}, Share: 0.5, Least: 1, Annotators: 2}
	review1 := func(item, who, decision string) schemas.Review {
		return schemas.Review{Item: item, Annotator: who, Sample: "draw", Stratum: "chess_move", Decision: decision}
	}
	return Release{
		Manifest: manifest.Manifest{
			Format: manifest.CurrentFormat, Name: "demo", Version: "2.1.0", Title: "A demo of chess", Previous: "2.0.0", License: decision.License.SPDX, Seed: 7, Config: "abcdef", From: []string{"check"},
			Tools:       map[string]string{"ffmpeg": "n7.1", "go": "1.26"},
			Models:      []manifest.StepModels{{Step: "oracle", Kind: "gate", Use: "oracle", Models: []manifest.ModelUse{{Role: "solver_a", Model: "vendor/one", Host: "api.one.example"}}, Prompts: []manifest.PromptUse{{Task: "gate.answer", Version: "3"}}}},
			Derivations: map[string]string{"chess": "2"}, Plugins: map[string]string{"chess.ask": "ask about a game"},
			Terms: map[string]pipeline.Terms{"chess": {
				Says: "Games of chess.", Types: map[string]string{"chess_move": "which piece moves"},
				Labels: map[string]string{"opening": "first move", schemas.LabelReasoning: "how evidence is combined", schemas.LabelReasoning + "=Y1": "one piece"},
			}}, Reviewed: []review.SampleMark{{Step: "draw", ReviewSample: sample, Items: 3, Drawn: 2, Decisions: 4, Others: 1}},
			Tables: []manifest.TableInfo{
				{Name: "questions", Rows: 3, Splits: []manifest.SplitInfo{{Split: "test", Path: "data/questions/test-0.parquet", Rows: 2}, {Split: "test", Path: "data/questions/test-1.parquet", Rows: 1}}},
				{Name: "media", Rows: 2, Splits: []manifest.SplitInfo{{Split: "test", Path: "data/media/test-0.parquet", Rows: 2}}},
			},
			Gates: []manifest.GateInfo{
				{Name: "oracle", Use: "oracle", Summary: "models answer with the evidence", Version: "4", OnFail: "drop", Models: map[string]string{"solver_a": "vendor/one"}, GateTotals: manifest.GateTotals{Verdicts: 3, Calls: 6, InputTokens: 7200, OutputTokens: 180}},
				{Name: "guesses", Use: shortcutsGate, Summary: "no rule guesses", Version: "2", OnFail: "keep", KeepBecause: "a study of guesses", GateTotals: manifest.GateTotals{Verdicts: 3}},
			},
			GateCounts: []manifest.GateCounts{
				{Gate: "oracle", Use: "oracle", In: 5, Asked: 4, Passed: 3, Insufficient: 1, Flagged: 1, Dropped: 1}, {Gate: "oracle", Use: "oracle", Source: "films", In: 4, Passed: 3, Flagged: 1, Dropped: 1},
				{Gate: "guesses", Use: shortcutsGate, In: 4, Passed: 2, NotApplicable: 1, Flagged: 1, Kept: 1}, {Gate: "guesses", Use: shortcutsGate, Round: 1, In: 1, Passed: 1},
			},
			RecordCounts: []manifest.RecordCounts{
				{Step: "films", Kind: "source", Use: "dir", Out: 12, Lost: 2, Reasons: []manifest.ReasonCount{{Code: "too-short", Count: 2}}, Notes: []manifest.ReasonCount{{Code: "odd-name", Count: 1}}},
				{Step: "ask", From: []string{"films"}, Kind: "stage", Use: "chess.ask", In: 12, Out: 5},
				{Step: "oracle", From: []string{"ask"}, Kind: "gate", Use: "oracle", In: 5, Out: 4, Flagged: 1, Reasons: []manifest.ReasonCount{{Code: "unsolvable", Count: 1}}},
				{Step: "guesses", From: []string{"oracle"}, Kind: "gate", Use: shortcutsGate, In: 4, Out: 4, Excluded: []manifest.ReasonCount{{Code: "no-media", Count: 1}}},
			},
		},
		License: decision, Tables: tables, Questions: slices.Values(questions),
		Tasks: slices.Values([]schemas.Task{{TaskID: "t1", Family: "chess", Domain: "games", Scenario: "openings", Media: []string{"m1", "m2"}, Summary: "Two games."}}),
		Media: slices.Values([]schemas.Media{
			{MediaID: "m1", Kind: "video", Mime: "video/mp4", Bytes: 5_400_000, Width: 640, Height: 360, Duration: 3720, FPS: 25, Frames: 93000, HasAudio: true, License: "CC-BY-4.0"},
			{MediaID: "m2", Kind: "image", Mime: "image/png", Bytes: 900, Width: 64, Height: 64, License: "CC0-1.0"},
		}),
		Verdicts: slices.Values([]schemas.Verdict{
			verdict("q1", "guesses", schemas.Pass, "longest 31 %", 0, 0), verdict("q1", "oracle", schemas.Pass, "both are right", 2, 4), verdict("q2", "guesses", schemas.Fail, "guessable: longest", 0, 0), verdict("q2", "oracle", schemas.Pass, "both are right", 2, 4),
			verdict("q3", "guesses", schemas.NotApplicable, "too-few: 1 fact", 0, 0), verdict("q3", "oracle", schemas.Insufficient, "one answers", 2, 4),
		}),
		Probes: slices.Values([]schemas.Probe{
			probe("q1", "none", "solver_a", "vendor/one", "A", schemas.MarkWrong, 0), probe("q1", "oracle", "solver_a", "vendor/one", "B", schemas.MarkRight, 0), probe("q2", "oracle", "solver_a", "vendor/one", "B", schemas.MarkRight, 0), probe("q2", "oracle", "solver_b", pipeline.BuiltInModel, "C", schemas.MarkWrong, 1),
			probe("q3", "none", "solver_b", pipeline.BuiltInModel, "B", schemas.MarkRight, 0), probe("q3", "oracle", "solver_a", "vendor/one", "", schemas.MarkFailed, 0),
		}),
		Flagged:    []schemas.FlaggedQuestion{{Question: before, JudgedBy: []string{"guesses"}}, {Question: question("q9", "chess_move", "f3", "m1"), JudgedBy: []string{"oracle"}}},
		Sources:    []schemas.Source{{ID: "films", Kind: "dir", Path: "games", License: "CC-BY-4.0", Bytes: 7_000_000, Records: 12, Losses: 2, Notes: []schemas.RecordNote{{Code: "odd-name"}}}, {ID: "drawn", Kind: "procedural", License: "CC0-1.0", Records: 1}},
		Rejections: []schemas.Rejection{{ID: "f7", Stage: "films", Code: "too-short", Reason: "it lasts 1 s", Source: "films", Path: "games/7.mp4"}},
		Reviews:    []schemas.Review{review1("q1", "ana", "accept"), review1("q1", "ben", "accept"), review1("q2", "ana", "accept"), review1("q2", "ben", "reject"), review1("q3", "ana", "reject"), review1("q3", schemas.ModelReviewer+"one", "accept")},
		Changes: diff.Summary{
			Asks: manifest.MajorChange,
			Tables: []diff.TableSummary{
				{Table: "questions", Before: 9, After: 10, Added: 2, Gone: 1, Changed: 4, Same: 4}, {Table: "media"}, {Table: "tasks", Before: 1, After: 1, Same: 1}, {Table: "events"},
			},
			Changes: []diff.Count{
				{Table: "media", Kind: diff.Changed, Class: diff.Columns, Rows: 1}, {Table: "questions", Kind: diff.Changed, Class: diff.Gold, Rows: 3},
				{Table: "questions", Kind: diff.Added, Class: diff.Item, Rows: 2}, {Table: "questions", Kind: diff.Changed, Class: diff.Notes, Rows: 1},
			},
		},
		PreviousChanges: "## 2.0.0\n\nThe first.\n",
	}
}

var tags = regexp.MustCompile(`(?s)<style>.*?</style>|<[^>]*>`)

// TestGoldenTexts shows the card, the report as its words, licences, changes and the
// Croissant description of a small release.
func TestGoldenTexts(t *testing.T) {
	rel := small(t)
	texts, err := rel.Texts()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, x := range texts {
		body := string(x.Data)
		if x.Path == ReportName {
			var lines []string
			for _, line := range strings.Split(tags.ReplaceAllString(body, " "), "\n") {
				if line = strings.Join(strings.Fields(line), " "); line != "" {
					lines = append(lines, line)
				}
			}
			body = strings.Join(lines, "\n") + "\n" + golden.Digest(t, body) + "\n"
		}
		fmt.Fprintf(&out, "===== %s\n%s", x.Path, body)
	}
	golden.Check(t, "texts", out.String())
}

// TestGoldenCroissant shows the Croissant description and the features of tables.
func TestGoldenCroissant(t *testing.T) {
	rel := small(t)
	questions := rel.Tables[0].Columns
	rel.Tables, rel.Manifest.Tables = rel.Tables[1:], rel.Manifest.Tables[1:]
	rel.Manifest.About = aboutSmall()
	doc, err := rel.Croissant([]manifest.FileInfo{
		{Path: "data/questions/test-1.parquet", SHA256: "b", Size: 2}, {Path: "data/questions/test-0.parquet", SHA256: "a", Size: 1}, {Path: "data/media/test-0.parquet", SHA256: "c", Size: 3}, {Path: "README.md", SHA256: "d", Size: 4},
		{Path: "media/m1.mp4", SHA256: "e", Size: 5}, {Path: "media/m2.png", SHA256: "f", Size: 6}, {Path: "report.html", SHA256: "0", Size: 7}, {Path: CroissantName, SHA256: "1", Size: 8}, {Path: "x.unknown", SHA256: "2", Size: 9},
	})
	if err != nil {
		t.Fatal(err)
	}
	features, err := FeaturesJSON("questions", questions)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "croissant", string(doc)+"\n"+string(features)+"\n")
}

// TestGoldenTextsOfLittle: a private release that has nothing tells that.
func TestGoldenTextsOfLittle(t *testing.T) {
	rel := Release{
		Manifest: manifest.Manifest{Format: manifest.CurrentFormat, Name: "empty", Version: "1.0.0", Private: true}, License: license.Decision{Private: true, Notes: []string{"a source forbids it"}},
		Questions: none[schemas.Question](), Tasks: none[schemas.Task](), Media: none[schemas.Media](), Verdicts: none[schemas.Verdict](), Probes: none[schemas.Probe](),
	}
	texts, err := rel.Texts()
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "little", string(texts[0].Data)+string(texts[1].Data)+string(texts[2].Data))
	if got := TrimChangesHead(texts[2].Data); strings.HasPrefix(got, "# ") || "# Changes\n\n"+got != string(texts[2].Data) {
		t.Errorf("the changes without their head are %q", got)
	}
}
