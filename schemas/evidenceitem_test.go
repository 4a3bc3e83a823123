package schemas_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// item is one without problems that has a unit of every modality, an update and a
// distractor.
func item() schemas.EvidenceItem {
	picture := strings.Repeat("a", 64)
	i := schemas.EvidenceItem{
		ItemID: "world/7", Dataset: "world", UpstreamID: "7", SourceID: "worlds", License: "CC0-1.0", Task: schemas.TaskConflict,
		Question: schemas.Question{QuestionID: "world/7", Question: "Which room is it in now?"},
		Units: []schemas.EvidenceUnit{
			{Modality: schemas.ModalityText, Text: "It is in room 2.", Role: schemas.RoleSuperseded},
			{Modality: schemas.ModalityTable, Rows: [][]string{{"thing", "room"}, {"lamp", "4"}}, Role: schemas.RoleUpdate, Revises: []string{"world/7/E01"}},
			{Modality: schemas.ModalityImage, Media: picture, Role: schemas.RoleClue},
			{Modality: schemas.ModalityDocument, Parts: []schemas.UnitPart{{Page: 1, Text: "Lamps.", Gold: true}, {Page: 2, Media: picture}}, Role: schemas.RoleContext},
			{Modality: schemas.ModalityJSON, Text: `{"room": 5}`, Role: schemas.RoleDistractor},
		},
		Media: []schemas.Media{{MediaID: picture, Kind: "image"}},
	}
	for n := range i.Units {
		u := &i.Units[n]
		u.UnitID, u.Order, u.Dataset = schemas.UnitIDOf(i.ItemID, n+1), int32(n+1), "world"
	}
	i.Question.SetOptions(schemas.Option{Text: "room 2", Role: schemas.RoleDistractor}, schemas.Option{Text: "room 4", Role: schemas.RoleCorrect})
	return i
}

func TestItemProblems(t *testing.T) {
	if p := item().Problems(); len(p) > 0 {
		t.Fatalf("a sound item has problems: %+v", p)
	}
	if got := item(); len(got.Needed()) != 4 || got.ContentMissing() || len(got.ShownMedia()) != 1 {
		t.Errorf("needed %d, skeleton %t, shown %v", len(got.Needed()), got.ContentMissing(), got.ShownMedia())
	}
	call := func(i *schemas.EvidenceItem, gold string) {
		i.Task = schemas.TaskFunctionCall
		i.Question.Options, i.Question.AnswerCall = nil, gold
		i.Question.Tools = []schemas.Tool{{Name: "door/open"}}
	}
	for name, tc := range map[string]struct {
		change func(*schemas.EvidenceItem)
		code   string
	}{
		"no words":          {func(i *schemas.EvidenceItem) { i.Question.Question = " " }, schemas.CodeNoQuestion},
		"no gold":           {func(i *schemas.EvidenceItem) { i.Question.AnswerText, i.Question.Options = "", nil }, schemas.CodeNoGold},
		"gold is no option": {func(i *schemas.EvidenceItem) { i.Question.AnswerText = "room 9" }, schemas.CodeGoldNoOption},
		"wrong letter":      {func(i *schemas.EvidenceItem) { i.Question.AnswerKey = "A" }, schemas.CodeGoldNoOption},
		"two right":         {func(i *schemas.EvidenceItem) { i.Question.Options[0].Role = schemas.RoleCorrect }, schemas.CodeTwoGold},
		"same options":      {func(i *schemas.EvidenceItem) { i.Question.Options[0].Text = "room 4" }, schemas.CodeSameOptions},
		"other id":          {func(i *schemas.EvidenceItem) { i.Question.QuestionID = "x" }, schemas.CodeBadUnit},
		"unknown task":      {func(i *schemas.EvidenceItem) { i.Task = "guessing" }, schemas.CodeBadUnit},
		"only distractors":  {func(i *schemas.EvidenceItem) { i.Units = i.Units[4:]; i.Units[0].Order = 1; i.Media = nil }, schemas.CodeNoUnits},
		"dangling":          {func(i *schemas.EvidenceItem) { i.Units[1].Revises = []string{"world/7/E99"} }, schemas.CodeDanglingUnit},
		"itself":            {func(i *schemas.EvidenceItem) { i.Units[1].Revises = []string{"world/7/E02"} }, schemas.CodeCyclicUnits},
		"cycle":             {func(i *schemas.EvidenceItem) { i.Units[0].Revises = []string{"world/7/E02"} }, schemas.CodeCyclicUnits},
		"revises later":     {func(i *schemas.EvidenceItem) { i.Units[0].Revises, i.Units[1].Revises = []string{"world/7/E03"}, nil }, schemas.CodeBadUnit},
		"order":             {func(i *schemas.EvidenceItem) { i.Units[2].Order = 9 }, schemas.CodeBadUnit},
		"same id":           {func(i *schemas.EvidenceItem) { i.Units[2].UnitID = "world/7/E01" }, schemas.CodeBadUnit},
		"role":              {func(i *schemas.EvidenceItem) { i.Units[2].Role = "absence" }, schemas.CodeBadUnit},
		"modality":          {func(i *schemas.EvidenceItem) { i.Units[0].Modality = "video" }, schemas.CodeBadUnit},
		"state":             {func(i *schemas.EvidenceItem) { i.Units[0].State = "lost" }, schemas.CodeBadUnit},
		"state and content": {func(i *schemas.EvidenceItem) { i.Units[0].State = schemas.UnitMissing }, schemas.CodeBadUnit},
		"leads nowhere":     {func(i *schemas.EvidenceItem) { i.Units[0].State, i.Units[0].Text = schemas.UnitMissing, "" }, schemas.CodeBadUnit},
		"empty text":        {func(i *schemas.EvidenceItem) { i.Units[0].Text = "" }, schemas.CodeBadUnit},
		"ragged table":      {func(i *schemas.EvidenceItem) { i.Units[1].Rows[1] = []string{"lamp"} }, schemas.CodeBadUnit},
		"empty page":        {func(i *schemas.EvidenceItem) { i.Units[3].Parts[0].Text = "" }, schemas.CodeBadUnit},
		"no JSON":           {func(i *schemas.EvidenceItem) { i.Units[4].Text = "{" }, schemas.CodeBadUnit},
		"picture unlisted":  {func(i *schemas.EvidenceItem) { i.Media = nil }, schemas.CodeBadUnit},
		"words passed on":   {func(i *schemas.EvidenceItem) { i.ReferenceOnly = true }, schemas.CodePassedOn},
		"no call":           {func(i *schemas.EvidenceItem) { call(i, "") }, schemas.CodeNoGold},
		"malformed call":    {func(i *schemas.EvidenceItem) { call(i, "open()") }, schemas.CodeMalformedAnswer},
		"unknown tool":      {func(i *schemas.EvidenceItem) { call(i, `{"name":"door/shut"}`) }, schemas.CodeNoToolForGold},
	} {
		i := item()
		tc.change(&i)
		p := i.Problems()
		if !slices.ContainsFunc(p, func(n schemas.Note) bool { return n.Code == tc.code }) {
			t.Errorf("%s: problems %+v, want one of code %s", name, p, tc.code)
		}
	}
}

func TestReferenceOnly(t *testing.T) {
	i := schemas.EvidenceItem{
		ItemID: "slides/3", Dataset: "slides", UpstreamID: "3", SourceID: "s", Task: schemas.TaskSingleHop, ReferenceOnly: true,
		Question: schemas.Question{QuestionID: "slides/3", Labels: map[string]string{"question_sha256": "x"}},
		Units:    []schemas.EvidenceUnit{{UnitID: "slides/3/E01", Dataset: "slides", Modality: schemas.ModalityImage, State: schemas.UnitReference, Ref: "deck#2", Role: schemas.RoleClue, Order: 1}},
	}
	if p := i.Problems(); len(p) > 0 || !i.ContentMissing() {
		t.Errorf("problems %+v, skeleton %t", p, i.ContentMissing())
	}
}

func TestProfileProblems(t *testing.T) {
	profile := func(preferences ...schemas.Preference) []schemas.Note {
		return schemas.Profile{ProfileID: "d/1", Dataset: "d", UpstreamID: "1", SourceID: "s", Preferences: preferences}.Problems()
	}
	for name, tc := range map[string]struct {
		preferences []schemas.Preference
		want        string
	}{
		"sound":      {[]schemas.Preference{{Dimension: "noise", Level: "low", Text: "Likes it quiet."}, {Dimension: "food", Level: "high", Text: "Eats hot."}}, ""},
		"both sides": {[]schemas.Preference{{Dimension: "noise", Level: "low", Text: "Likes it quiet."}, {Dimension: "noise", Level: "high", Text: "Likes it loud."}}, schemas.CodeContradiction},
		"one text":   {[]schemas.Preference{{Dimension: "noise", Level: "low", Text: "Likes it."}, {Dimension: "food", Level: "high", Text: "Likes it."}}, schemas.CodeContradiction},
		"twice":      {[]schemas.Preference{{Dimension: "noise", Level: "low", Text: "Quiet."}, {Dimension: "noise", Level: "low", Text: "Calm."}}, schemas.CodeBadProfile},
		"empty":      {[]schemas.Preference{{Dimension: "noise", Level: "low"}}, schemas.CodeBadProfile},
	} {
		got := profile(tc.preferences...)
		if tc.want == "" && len(got) > 0 || tc.want != "" && (len(got) == 0 || got[0].Code != tc.want) {
			t.Errorf("%s: problems %+v, want %q", name, got, tc.want)
		}
	}
	if got := (schemas.Profile{}).Problems(); len(got) != 1 || got[0].Code != schemas.CodeBadProfile {
		t.Errorf("an empty profile: %+v", got)
	}
}
