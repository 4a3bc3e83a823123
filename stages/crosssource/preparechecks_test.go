package crosssource_test

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/author"
)

// TestWhatMayNotBePrepared holds the checks, each with an answer that has one thing
// wrong, and that items are lost where no answer stands.
func TestWhatMayNotBePrepared(t *testing.T) {
	type c = author.Complemented
	type d = author.Depicted
	text := func(s string) func(*c) { return func(a *c) { a.Text = s } }
	for name, tc := range map[string]struct {
		item   schemas.EvidenceItem
		change any
		code   string
		want   string
	}{
		"declined":          {chartItem(t), func(a *c) { a.Cannot = "it has no years" }, "declined", "no years"},
		"tells the answer":  {chartItem(t), text("Only Wexholm had a pier before the storm, so it counts."), "bad-text", "says the answer"},
		"short text":        {chartItem(t), text("Piers count."), "bad-text", "characters"},
		"the old question":  {chartItem(t), func(a *c) { a.Question = "Which harbour grew most?" }, "bad-text", "the old one"},
		"question answers":  {chartItem(t), func(a *c) { a.Question = "Did Wexholm grow most by the rule?" }, "bad-text", "the question says the answer"},
		"repeats the text":  {chartItem(t), func(a *c) { a.Question = a.Text + " Which grew most?" }, "bad-text", "repeats the text"},
		"names the tool":    {callItem(t), text("Whoever wants a meeting uses book_room as it is."), "bad-text", "names the tool"},
		"no such phrase":    {lifeItem(t), func(a *d) { a.Phrase = "mountain hut" }, "bad-card", "as they stand there"},
		"no such piece":     {lifeItem(t), func(a *d) { a.Piece = 7 }, "bad-card", "piece is 7"},
		"still said":        {lifeItem(t), func(a *d) { a.Text = "I took the lighthouse walk, as this shows." }, "bad-card", "still says"},
		"not on the card":   {lifeItem(t), func(a *d) { a.Lines = a.Lines[1:] }, "bad-card", "does not show"},
		"card judges":       {lifeItem(t), func(a *d) { a.Title = "Seeks quiet places." }, "bad-card", "repeats the statement"},
		"two options":       {pagesItem(t), func(a *author.Distracted) { a.Options = a.Options[:2] }, "bad-options", "give 3"},
		"the answer again":  {pagesItem(t), func(a *author.Distracted) { a.Options[1] = "wexholm" }, "bad-options", "say the same"},
		"a long option":     {pagesItem(t), func(a *author.Distracted) { a.Options[1] = strings.Repeat("Marlund by the sea ", 4) }, "bad-options", "characters"},
		"no answer":         {pagesItem(t), func(a *author.Distracted) { a.Options[1] = "unknown" }, "bad-options", "no answer"},
		"unknown topic":     {pagesItem(t), func(a *author.Named) { a.Topics = []string{"harbours"} }, "bad-topics", "no topic of the list"},
		"neither":           {pagesItem(t), func(a *author.Named) { a.Topics = []string{} }, "bad-topics", "one to four"},
		"other that tells":  {pagesItem(t), func(a *author.Named) { *a = author.Named{Topics: []string{}, Other: "Wexholm"} }, "bad-topics", "tells the answer"},
		"one piece":         {raw(t, "mmke", schemas.TaskConflict, nil, checkSpeaker("one")), nil, "one-piece", "two or more"},
		"content not there": {raw(t, "mmcv", schemas.TaskMultiHop, nil, checkSpeaker("one"), schemas.EvidenceUnit{Modality: schemas.ModalityImage, State: schemas.UnitMissing, Ref: "x"}), nil, "no-content", "not here"},
	} {
		_, lost, _ := prepared(t, func(_ string, answer any) any { return changedBy(answer, tc.change) }, tc.item)
		if len(lost) != 1 || lost[0].Code != tc.code || !strings.Contains(lost[0].Reason, tc.want) {
			t.Errorf("%s: lost %v, want %s %q", name, lost, tc.code, tc.want)
		}
	}
}

// changedBy is an answer after a change, if that is one of its type.
func changedBy(answer, change any) any {
	switch f := change.(type) {
	case func(*author.Complemented):
		return alter(answer, f)
	case func(*author.Depicted):
		return alter(answer, f)
	case func(*author.Distracted):
		return alter(answer, f)
	case func(*author.Named):
		return alter(answer, f)
	}
	return answer
}

func alter[T any](answer any, change func(*T)) any {
	v, ok := answer.(T)
	if ok {
		change(&v)
		return v
	}
	return answer
}
