package author

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/stages/crosssource/simulate"
)

// Labels of a prepared item's question. LabelTheme is its first topic, or others,
// LabelTopics are all of them, or what a field is called that has no topic.
const (
	LabelTheme  = "theme"
	LabelTopics = "topics"
)

// others is the topic of what has none (SMMBench E.4).
const others = "others"

// Topics asks what an item is about.
type Topics struct {
	Item
	Topics  []string                      `json:"topics"`
	Refused []model.RejectedAnswer[Named] `json:"refused"`
}

// Named are topics, or a field that none of them names.
type Named struct {
	Topics []string `json:"topics"`
	Other  string   `json:"other"`
}

func (w *itemAuthor) labelTopics(ctx context.Context) error {
	told, shown := w.itemInput()
	got, refused, err := w.topics.AskUntilUsable(ctx, w.scope, role, w.cfg.Attempts,
		func(r []model.RejectedAnswer[Named]) Topics { return Topics{told, simulate.Themes(), r} },
		func(a model.Answer[Named]) ([]string, error) { return w.checkTopics(a.Value), nil }, shown...)
	if err != nil {
		return fmt.Errorf("name its topics: %w", err)
	}
	if len(refused) > 0 {
		return pipeline.Reject(codeTopics, "no topics can be used; the last: %s", lastRefusal(refused))
	}
	labels := clone(w.item.Question.Labels)
	labels[LabelTheme], labels[LabelTopics] = others, strings.TrimSpace(got.Value.Other)
	if list := got.Value.Topics; len(list) > 0 {
		labels[LabelTheme], labels[LabelTopics] = strings.ReplaceAll(list[0], " ", "_"), strings.Join(list, ", ")
	}
	w.item.Question.Labels = labels
	return nil
}

func (w *itemAuthor) checkTopics(d Named) (why refusals) {
	for i, t := range d.Topics {
		if !slices.Contains(simulate.Themes(), t) || slices.Contains(d.Topics[:i], t) {
			why.add("%q is no topic of the list, or stands there twice", t)
		}
	}
	n := len(answercues.Words(d.Other))
	switch {
	case len(d.Topics) > 0 && n > 0:
		why.add("give topics or, where none fits, other; not both")
	case len(d.Topics) == 0 && (n < 1 || n > 4 || answercues.HasControl(d.Other)):
		why.add("other has %d words; describe the field in one to four", n)
	}
	for _, a := range answerTexts(w.item.Question) {
		if n > 0 && answercues.Overlap(d.Other, a) {
			why.add("other tells the answer, %q", a)
		}
	}
	return why
}
