package visual

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/author"
	"github.com/memforge/memforge/stages/visual/question"
)

// terms explain the question types and labels of the family.
func terms() pipeline.Terms {
	return pipeline.Terms{
		Says: "Pictures of simulated lives that change from session to session; only who sees them can answer (MemEye).",
		Types: map[string]string{
			questionType(question.Value): "what one picture shows", questionType(question.Match): "which thing, or which other picture, shows the same",
			questionType(question.Sum): "what counts in several pictures add up to", questionType(question.First): "which of several things comes up first",
			questionType(question.Current): "what holds after the last change", questionType(question.Before): "what held before the last change",
			author.TypeRecall: "by a model: what one picture shows", author.TypeLink: "by a model: what several pictures tell together", author.TypeCurrent: "by a model: what holds after a change",
		},
		Labels: map[string]string{
			schemas.LabelGranularity: "what decides the answer (MemEye's axis X)", schemas.LabelReasoning: "how evidence is combined (MemEye's axis Y)", schemas.LabelFact: "name of the fact asked for",
			labelScenario: "kind of life", labelAspect: "property asked about", labelUpdate: "where a change is told",
			labelPattern: "how what is asked about changes", labelPattern + "=steady": "not at all", labelPattern + "=override": "values follow each other", labelPattern + "=stale_majority": "most pictures show what is out of date",
			labelPattern + "=reversal": "an earlier value comes back", labelPattern + "=return": "it vanishes and comes back",
			labelError: "what a wrong choice means", labelError + "=stale_state": "it held once", labelError + "=other_value": "it holds of nothing shown", labelError + "=other_instance": "it holds of another thing", labelError + "=near_number": "a number close by",
			labelAlike: "other things in the needed pictures that show the same property", labelDistance: "sessions after the last needed picture", labelDistractors: "pictures of the life that the answer does not need", labelUpdates: "changes of what is asked about",
		},
	}
}
