package crosssource_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
	"github.com/memforge/memforge/stages/crosssource/author"
)

// raw is an item as an adapter gives it. Pictures are numbers of testkit.PNG.
func raw(t testing.TB, dataset, task string, change func(*schemas.EvidenceItem), units ...schemas.EvidenceUnit) schemas.EvidenceItem {
	t.Helper()
	id := dataset + "/1"
	item := schemas.EvidenceItem{ItemID: id, Dataset: dataset, UpstreamID: "1", SourceID: dataset, License: "MIT", Task: task}
	item.Question = schemas.Question{QuestionID: id, Type: "open", Question: "Which harbour grew most?", AnswerText: "Wexholm"}
	for i, u := range units {
		u.UnitID, u.Order, u.Dataset = schemas.UnitIDOf(id, i+1), int32(i+1), dataset
		if u.Role == "" {
			u.Role = schemas.RoleClue
		}
		item.Units = append(item.Units, u)
	}
	if change != nil {
		change(&item)
	}
	for _, m := range item.ShownMedia() {
		item.Media = append(item.Media, schemas.Media{MediaID: m, Kind: "image", Mime: "image/png", License: "MIT"})
	}
	if wrong := item.Problems(); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	return item
}

func checkSpeaker(text string) schemas.EvidenceUnit {
	return schemas.EvidenceUnit{Modality: schemas.ModalityText, Text: text}
}

func pictured(t testing.TB, n int) schemas.EvidenceUnit {
	return schemas.EvidenceUnit{Modality: schemas.ModalityImage, Media: pictureID(t, n)}
}

func pictureID(t testing.TB, n int) string {
	return string(pipeline.DigestOf(testkit.PNG(t, n)))
}

// callItem is an item of M3-Bench.
func callItem(t testing.TB) schemas.EvidenceItem {
	return raw(t, "m3bench", schemas.TaskFunctionCall, func(i *schemas.EvidenceItem) {
		i.Question.Question, i.Question.AnswerText = "Book the room on this plan for the whole team.", ""
		i.Question.AnswerCall = `{"arguments":{"seats":9},"name":"book_room"}`
		i.Question.Tools = []schemas.Tool{{Name: "book_room", Parameters: `{"type":"object"}`}}
	}, pictured(t, 1))
}

// lifeItem is an item of LifeSim.
func lifeItem(t testing.TB) schemas.EvidenceItem {
	return raw(t, "lifesim", schemas.TaskPreference, func(i *schemas.EvidenceItem) {
		i.Question.AnswerText = "Seeks quiet places."
		i.Question.Labels = map[string]string{"theme": "upstream theme"}
	}, checkSpeaker("On Sunday I took the lighthouse walk again, alone as ever."), checkSpeaker("I left the fair after ten minutes."))
}

// pagesItem is an item of MMDocRAG: a page with two gold parts and some beside them.
func pagesItem(t testing.TB) schemas.EvidenceItem {
	page := schemas.EvidenceUnit{Modality: schemas.ModalityDocument, Title: "report", Parts: []schemas.UnitPart{
		{Text: "far away"}, {Text: "before"}, {Text: "first gold", Gold: true}, {Text: "after"}, {Text: "further"}, {Media: pictureID(t, 2), Caption: "a map", Gold: true}, {Media: pictureID(t, 3)},
	}}
	other := schemas.EvidenceUnit{Modality: schemas.ModalityDocument, Role: schemas.RoleDistractor, Parts: []schemas.UnitPart{{Text: "another page"}}}
	return raw(t, "mmdocrag", schemas.TaskSingleHop, nil, page, other)
}

func chartItem(t testing.TB) schemas.EvidenceItem {
	return raw(t, "chartqapro", schemas.TaskSingleHop, nil, pictured(t, 1))
}

func recordOf(t testing.TB, item schemas.EvidenceItem) pipeline.Record {
	t.Helper()
	var blobs []pipeline.Digest
	for _, id := range item.ShownMedia() {
		blobs = append(blobs, pipeline.Digest(id))
	}
	r, err := pipeline.NewRecord(schemas.NameEvidenceItem, item.ItemID, item, blobs...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// preparer answers all requests for preparation well.
func preparer(a testkit.ChatRequest) any {
	switch a.Task {
	case "crosssource_complement":
		if strings.Contains(a.User, "The kind: workflow") {
			return author.Complemented{Text: "Whoever plans a meeting takes the people on leave off the list first.", Question: "Make the arrangement on this plan for the team, as we do it here."}
		}
		return author.Complemented{Text: "Only places that had a pier before the storm count as harbours.", Question: "By the rule on what counts, which harbour grew most?"}
	case "crosssource_split":
		return author.Chosen{Calls: []int{2, 3}, Question: "Find what is in this picture, and where it is sold near Gent?"}
	case "crosssource_depict":
		return author.Depicted{
			Piece: 1, Phrase: "lighthouse walk", Text: "On Sunday I did this one again, alone as ever.", Title: "Guided paths", Lines: []author.CardLine{{Name: "Route", Value: "Lighthouse walk"}, {Name: "Day", Value: "Sunday"}},
		}
	case "crosssource_distract":
		var wrong []string
		if err := a.Data("wrong", &wrong); err != nil {
			return err.Error()
		}
		if strings.Contains(a.User, "Seeks quiet") {
			return author.Distracted{Options: []string{"Seeks lively crowds.", "Wants firm plans.", "Avoids all outings."}[len(wrong):]}
		}
		return author.Distracted{Options: []string{"Marlund", "Tarnvik", "Osterby"}[len(wrong):]}
	}
	return author.Named{Topics: []string{"travel", "economy"}}
}

// prepared runs crosssource.prepare, and gives its items and how it asked what. Answers
// may be changed.
func prepared(t *testing.T, change func(task string, answer any) any, items ...schemas.EvidenceItem) ([]schemas.EvidenceItem, []pipeline.Rejection, map[string]int) {
	t.Helper()
	asked := map[string]int{}
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		asked[a.Task]++
		out := preparer(a)
		if change != nil {
			out = change(a.Task, out)
		}
		return testkit.ReplyJSON(out)
	})
	roles, models := server.Live(t, "author")
	var in []pipeline.Record
	for _, i := range items {
		in = append(in, recordOf(t, i))
	}
	out, lost, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.prepare", Inputs: in, Roles: roles, Models: models, Blobs: pictures(t)}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	return testkit.DecodeAll[schemas.EvidenceItem](t, schemas.NameEvidenceItem, out), lost, asked
}

func pictures(t testing.TB) (out [][]byte) {
	for n := range 4 {
		out = append(out, testkit.PNG(t, n))
	}
	return out
}

func one(t *testing.T, item schemas.EvidenceItem) schemas.EvidenceItem {
	t.Helper()
	out, lost, _ := prepared(t, nil, item)
	if len(out) != 1 || len(lost) != 0 {
		t.Fatalf("%d items, lost %v", len(out), lost)
	}
	if q := out[0].Question; q.Labels["theme"] != "travel" || q.Labels["topics"] != "travel, economy" {
		t.Errorf("labels %v", q.Labels)
	}
	return out[0]
}

func TestAChartGetsACondition(t *testing.T) {
	got := one(t, chartItem(t))
	if len(got.Units) != 2 || got.Units[1].Modality != schemas.ModalityText || !strings.Contains(got.Units[1].Text, "pier") || got.Units[1].Labels["derived"] != "condition" {
		t.Errorf("%+v", got.Units)
	}
	q := got.Question
	if !strings.HasPrefix(q.Question, "By the rule") || !strings.HasPrefix(q.QuestionMCQ, "By the rule") || q.AnswerText != "Wexholm" || len(q.Options) != 4 {
		t.Errorf("%+v", q)
	}
}

func TestACallGetsAWorkflow(t *testing.T) {
	got := one(t, callItem(t))
	if len(got.Units) != 2 || got.Units[1].Labels["home"] != "document" || len(got.Question.Options) != 0 || got.Question.AnswerCall != callItem(t).Question.AnswerCall {
		t.Errorf("%+v", got)
	}
}

func TestADetailIsDepicted(t *testing.T) {
	got := one(t, lifeItem(t))
	if len(got.Units) != 3 || strings.Contains(got.Units[0].Text, "lighthouse") || got.Units[1].Media == "" || !strings.Contains(got.Units[1].Caption, "Lighthouse walk") {
		t.Fatalf("%+v", got.Units)
	}
	if len(got.Media) != 1 || got.Media[0].MediaID != got.Units[1].Media || got.Media[0].License != "MIT" || got.Media[0].Width == 0 {
		t.Errorf("media %+v", got.Media)
	}
	for i, u := range got.Units {
		if u.Order != int32(i+1) || u.UnitID != schemas.UnitIDOf(got.ItemID, i+1) {
			t.Errorf("unit %d is %s, %d", i, u.UnitID, u.Order)
		}
	}
}

// TestCardsAreNotCut: a card shows texts of any length it has room for in full, and longer
// ones are refused.
func TestCardsAreNotCut(t *testing.T) {
	for n, code := range map[int]string{12: "", 48: "", 49: "bad-card"} {
		_, lost, _ := prepared(t, func(_ string, answer any) any {
			return changedBy(answer, func(a *author.Depicted) {
				a.Title = strings.Repeat("M", n)
				a.Lines = append(a.Lines, author.CardLine{Name: strings.Repeat("W", min(n, 40)), Value: strings.Repeat("@", min(n, 40))})
			})
		}, lifeItem(t))
		if got := codesOf(lost); got != code {
			t.Errorf("texts of %d wide letters: lost %v, want %q", n, lost, code)
		}
	}
}

func codesOf(lost []pipeline.Rejection) (codes string) {
	for _, l := range lost {
		codes += l.Code
	}
	return codes
}

func TestADocumentIsCut(t *testing.T) {
	got := one(t, pagesItem(t))
	var files []string
	for _, u := range got.Units {
		var parts []string
		for _, p := range u.Parts {
			parts = append(parts, p.Text+p.Caption)
		}
		files = append(files, u.Role+": "+strings.Join(parts, ", "))
	}
	if want := []string{"clue: before, first gold, after", "clue: further, a map", "distractor: another page"}; !slices.Equal(files, want) {
		t.Errorf("%q, want %q", files, want)
	}
}

// TestOptionsThatThereAre are kept: too many are drawn from, missing ones are written.
func TestOptionsThatThereAre(t *testing.T) {
	with := func(wrong ...string) schemas.EvidenceItem {
		return raw(t, "mmcv", schemas.TaskMultiHop, func(i *schemas.EvidenceItem) {
			options := []schemas.Option{{Text: "Wexholm", Role: schemas.RoleCorrect}}
			for _, w := range wrong {
				options = append(options, schemas.Option{Text: w, Role: schemas.RoleDistractor})
			}
			i.Question.SetOptions(options...)
		}, checkSpeaker("one"), checkSpeaker("two"))
	}
	for n, asks := range map[int]int{1: 1, 3: 0, 5: 0} {
		all := []string{"Helmer", "Lindby", "Skarre", "Vintofta", "Aspenas"}[:n]
		out, lost, asked := prepared(t, nil, with(all...))
		if len(out) != 1 || len(lost) > 0 || asked["crosssource_distract"] != asks {
			t.Fatalf("%d wrong options: lost %v, asked %v", n, lost, asked)
		}
		kept := 0
		for _, o := range out[0].Question.Options {
			if slices.Contains(all, o.Text) {
				kept++
			}
		}
		if len(out[0].Question.Options) != 4 || kept != min(n, 3) || len(out[0].Problems()) > 0 {
			t.Errorf("%d wrong options: %+v", n, out[0].Question.Options)
		}
	}
}

// TestARefusedPreparationIsAskedForAgain, with the reasons.
func TestARefusedPreparationIsAskedForAgain(t *testing.T) {
	n := 0
	out, lost, asked := prepared(t, func(task string, answer any) any {
		if n++; task == "crosssource_complement" && n == 1 {
			return author.Complemented{Text: "Piers count.", Question: "Which?"}
		}
		return answer
	}, chartItem(t))
	if len(out) != 1 || len(lost) != 0 || asked["crosssource_complement"] != 2 {
		t.Errorf("%d items, lost %v, asked %v", len(out), lost, asked)
	}
}

// workflowItem is an item of three steps, of which the first reads the picture.
func workflowItem(t testing.TB, plan string) schemas.EvidenceItem {
	return raw(t, "m3bench", schemas.TaskFunctionCall, func(i *schemas.EvidenceItem) {
		i.Question.Question, i.Question.AnswerText = "Read the picture, search for it, find shops near Gent and save all of it.", ""
		i.Question.AnswerCall = plan
		for _, name := range []string{"read", "search", "shops", "save"} {
			i.Question.Tools = append(i.Question.Tools, schemas.Tool{Name: "site/" + name, Parameters: `{"type":"object"}`})
		}
	}, pictured(t, 1))
}

const workflow = `[{"step":1,"calls":[{"name":"site/read","arguments":{"file":"./a.png"}}]},{"step":2,"calls":[{"name":"site/search","arguments":{"q":"lamp"}},{"name":"site/shops","arguments":{"city":"Gent"}}]},{"step":3,"calls":[{"name":"site/save","arguments":{"file":"/tmp/x"}}]}]`

// TestWorkflowsAreSplit: the chosen calls stay in their steps, the step before them is empty,
// and what follows is cut. One call is not split.
func TestWorkflowsAreSplit(t *testing.T) {
	out, lost, asked := prepared(t, func(_ string, answer any) any {
		if c, ok := answer.(author.Complemented); ok {
			c.Text, c.Question = "Who looks for a thing looks for its kind first, and for a city with more than one shop.", "Find what is in this picture, and where it is sold near the big town?"
			return c
		}
		return answer
	}, workflowItem(t, workflow))
	const want = `[{"calls":[],"step":1},{"calls":[{"arguments":{"city":"Gent"},"name":"site/shops"},{"arguments":{"q":"lamp"},"name":"site/search"}],"step":2}]`
	if len(out) != 1 || out[0].Question.AnswerCall != want || asked["crosssource_split"] != 1 {
		t.Errorf("%+v, lost %v, asked %v", out, lost, asked)
	}
	if _, _, asked := prepared(t, nil, callItem(t)); asked["crosssource_split"] != 0 {
		t.Errorf("one call: asked %v", asked)
	}
	for want, c := range map[string]author.Chosen{
		"names a file":   {Calls: []int{1}, Question: "What is in this picture here?"},
		"is not there":   {Calls: []int{5}, Question: "What is in this picture here?"},
		"chosen twice":   {Calls: []int{2, 2}, Question: "What is in this picture here?"},
		"names the tool": {Calls: []int{2}, Question: "Use site/search for what this picture shows."},
		"0 calls are":    {Calls: []int{}, Question: "What is in this picture here?"},
		"too entangled":  {Cannot: "It is too entangled.", Calls: []int{}},
	} {
		out, lost, _ := prepared(t, func(task string, answer any) any {
			if task == "crosssource_split" {
				return c
			}
			return answer
		}, workflowItem(t, workflow))
		if len(out) != 0 || len(lost) != 1 || !strings.Contains(lost[0].Reason, want) {
			t.Errorf("%s: lost %v", want, lost)
		}
	}
}

func TestPreparationConforms(t *testing.T) {
	server := testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply { return testkit.ReplyJSON(preparer(a)) })
	roles, models := server.Live(t, "author")
	all := []pipeline.Record{recordOf(t, chartItem(t)), recordOf(t, callItem(t)), recordOf(t, lifeItem(t))}
	t.Run("crosssource.prepare", func(t *testing.T) {
		testkit.ConformStage(t, testkit.Subject{
			Register: crosssource.Register, Use: "crosssource.prepare", Inputs: all, Roles: roles, Models: models, Blobs: pictures(t), Faults: 2, Unpinned: "the port of the server is in its keys",
		})
	})
	whole := recordOf(t, func() schemas.EvidenceItem { i, _, _ := prepared(t, nil, pagesItem(t)); return i[0] }())
	t.Run("crosssource.pose", func(t *testing.T) {
		testkit.ConformStage(t, testkit.Subject{
			Register: crosssource.Register, Use: "crosssource.pose", Inputs: []pipeline.Record{whole}, Blobs: pictures(t), Faults: 2, Golden: goldenPose,
		})
	})
	posed, _ := run(t, "crosssource.pose", 0, nil, bare(whole))
	t.Run("crosssource.keep", func(t *testing.T) {
		testkit.ConformStage(t, testkit.Subject{
			Register: crosssource.Register, Use: "crosssource.keep", Inputs: append(posed, whole, recordOf(t, chartItem(t))), Blobs: pictures(t), Faults: 2, Golden: goldenKeep,
		})
	})
}

func bare(r pipeline.Record) pipeline.Record {
	r.Blobs = nil
	return r
}

const (
	goldenPose = "2 8f2550bb3535386ffc85eef87c8780a7033e804a9ebf3d4d7fcd8271e324b8c3"
	goldenKeep = "1 04d826468429a7c99b3162ed630298b9bce0bca628017ab0b0bda2b177668e62"
)

// TestKeep gives the items whose questions are there, in their words, with their
// pictures once.
func TestKeep(t *testing.T) {
	first, second := recordOf(t, pagesItem(t)), recordOf(t, chartItem(t))
	posed, _ := run(t, "crosssource.pose", 0, nil, bare(first))
	q, err := pipeline.Decode[schemas.Question](posed[0])
	if err != nil {
		t.Fatal(err)
	}
	q.QuestionID, q.Question = "mmdocrag/1/r1", "Which of the harbours grew most?"
	again, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.keep", Inputs: []pipeline.Record{again, first, second}, Blobs: pictures(t)}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	items := testkit.DecodeAll[schemas.EvidenceItem](t, schemas.NameEvidenceItem, out)
	media := testkit.DecodeAll[schemas.Media](t, schemas.NameMedia, out)
	if len(items) != 1 || items[0].Dataset != "mmdocrag" || items[0].Question.Question != q.Question || items[0].Question.QuestionID != items[0].ItemID || len(media) != 2 {
		t.Errorf("%d items, %d pictures: %+v", len(items), len(media), items)
	}
	if fmt.Sprint(items[0].Problems()) != "[]" {
		t.Error(items[0].Problems())
	}
}
