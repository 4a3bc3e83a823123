package lifelong

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/format"
	"github.com/memforge/memforge/stages/lifelong/question"
)

// terms explain the question types and labels of the family.
func terms() pipeline.Terms {
	says := map[string]string{
		question.FR: "what holds of something told once", question.DU: "what holds of something that changed, ended or was split", question.MB: "something that was never said",
		question.MC: "what holds where hearsay, jokes or slips say something else", question.TR: "on which day something was first brought up", question.KR: "what general knowledge adds to what was said",
		question.TTL: "what follows in a new case from a rule that was taught", question.VFR: "what pictures show of something shown once", question.VU: "what pictures show of something that changed",
		question.VS: "which thing has a value now, by its latest picture", question.CMR: "what the picture of a thing shows that words identify",
	}
	t := pipeline.Terms{
		Says:  "Lives and runs of agents over many sessions: what became true, and what stopped being so (WorldMemArena).",
		Types: map[string]string{},
		Labels: map[string]string{
			format.LabelAxis: "question type of WorldMemArena", labelDomain: "vertical or application", labelDifficulty: "by pieces of evidence, changes and distance", schemas.LabelFact: "name of the fact asked for",
			labelPieces: "pieces of evidence", labelUpdates: "changes of what is asked about", labelDistance: "sessions after the last evidence", labelOutside: "general knowledge that the answer takes",
		},
	}
	for _, typ := range question.Types() {
		t.Types[questionType(typ)] = says[typ]
	}
	return t
}
