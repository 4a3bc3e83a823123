// Package gates declares what questions M3Eval asks, and holds the gates that
// judge these and composed videos alone.
package videogates

import (
	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Register adds the question types and the gates.
func Register(r *pipeline.Registry) {
	for _, t := range questionTypes() {
		r.AddQuestionType(t)
	}
	trials, recall := []string{schemas.TypeNBack}, []string{schemas.TypeFalseMemory, schemas.TypeSourceMemory}
	structural.AddRoles(r, "interference-roles", "3", "one correct option, two intrusions, one unrelated (M3Eval 3.1.2)", schemas.TypeInterference)
	structural.Add(r, "mirror-pairs", "2", "the same question stands over both orders of its two videos", []string{schemas.TypeInterference}, judgeMirrors)
	structural.Add(r, "source-answers", "2", "one, the other, both and neither are right as often (M3Eval 3.1.3)", recall, judgeSourceAnswers)
	structural.Add(r, "nback-balance", "2", "as many yes as no in each attribute, N and K (M3Eval 3.1.4)", trials, judgeBalance)
	structural.Add(r, "nback-leak", "2", "no answer follows from clip count, length, first clip, sequence or names", trials, judgeLeaks)
	pipeline.AddGate(r, "video-integrity", "2", "a composed video shows what its recipe says, frame by frame, and no words about itself", newIntegrity)
}

// questionTypes are the question types. Wrong options all show the same error (M3Eval
// 3.1.1, 3.1.3), but for interference (3.1.2).
func questionTypes() []pipeline.QuestionType {
	oneError := map[string]int{schemas.RoleCorrect: 1, schemas.RoleDistractor: 3}
	return []pipeline.QuestionType{
		{Name: schemas.TypeInterference, Options: map[string]int{schemas.RoleCorrect: 1, schemas.RoleIntrusion: 2, schemas.RoleUnrelated: 1}},
		{Name: schemas.TypeSourceIdentification, Options: oneError},
		{Name: schemas.TypeOrderUnderstanding, Options: oneError},
		{Name: schemas.TypeContentRetention, Options: oneError},
		{Name: schemas.TypeSpatialGrounding, Options: oneError, Fixed: true},
		{Name: schemas.TypeTemporalGrounding, Options: oneError, Fixed: true},
		{
			Name: schemas.TypeFalseMemory, Options: oneError, Fixed: true, ShowsAllMedia: true,
			Marks: map[string]string{schemas.LabelTarget: schemas.TargetNeither},
		},
		// One wording for what happens and what does not.
		{Name: schemas.TypeSourceMemory, Options: oneError, Fixed: true, ShowsAllMedia: true, Form: schemas.TypeFalseMemory},
		{Name: schemas.TypeNBack, Options: map[string]int{schemas.RoleCorrect: 1, schemas.RoleDistractor: 1}, Unordered: true, Frozen: true},
	}
}
