package crosssource

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// terms explain the question types and labels of the family.
func terms() pipeline.Terms {
	of := types()
	return pipeline.Terms{
		Says: "Chats, documents, tables, profiles and pictures of one world; what is asked takes several of them (SMMBench).",
		Types: map[string]string{
			of[schemas.TaskSingleHop]: "which thing of a chart or table fits a definition from elsewhere", of[schemas.TaskMultiHop]: "the end of a chain of facts, each in a source of its own",
			of[schemas.TaskConflict]: "what holds where sources disagree", of[schemas.TaskPreference]: "what somebody would pick or leave out", of[schemas.TaskFunctionCall]: "which call of a tool to make",
		},
		Labels: map[string]string{
			labelTask: "task of SMMBench", labelDataset: "data set of the question", labelTheme: "theme of the world", schemas.LabelFact: "name of the fact asked for",
			labelArrangement: "where evidence stands", labelArrangement + "=" + distributed: "in several sources", labelArrangement + "=" + concentrated: "in one source", labelTwin: "the same question with its evidence arranged otherwise",
			labelSources: "sources that hold evidence", labelPieces: "pieces of evidence", labelInterval: "mean number of turns between two pieces",
			labelConflict: "why one source is right", labelConflict + "=time": "it is later", labelConflict + "=authority": "its author decides", labelConflict + "=total": "all changes add up",
			labelOrigin: "where the content is from", labelOrigin + "=written": "a model wrote it from a plan", labelReadings: "readers who found the evidence where it stands, at least, of all",
			labelPreference: "how the preference is told", labelPreference + "=explicit": "in words", labelPreference + "=implicit": "by what was done",
		},
	}
}
