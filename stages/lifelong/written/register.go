package written

import "github.com/memforge/memforge/pipeline"

// Register adds the sources of briefs and kept lives, and the stages that plan, write and
// ask. ends gives the last session of each of so many checkpoints of a life; readBack
// draws a picture and says which of it cannot be read.
func Register(r *pipeline.Registry, ends func(checkpoints, sessions int) []int, readBack func(Picture) error) {
	pipeline.AddSource(r, "lifelong.briefs", "1", "who lives are about that a model is to write, a few sentences each", newBriefs)
	pipeline.AddSource(r, "lifelong.kept", "1", "written lives of a folder, with their plans and what readers found in them", newKept)
	pipeline.AddStage(r, "lifelong.blueprint", "1", "have an author plan lives: people, arcs, dated sessions, and the facts, pictures and interference of each (WorldMemArena C.3)", func(c BlueprintConfig) (pipeline.Stage, error) {
		return newBlueprint(c, readBack)
	})
	pipeline.AddStage(r, "lifelong.dialogue", "1", "have an author tell a plan in free words, session by session, and readers who do not know it say what follows from them (WorldMemArena C.2, C.3)", newDialogue)
	pipeline.AddStage(r, "lifelong.wording", "1", "have an author word the eleven types of questions about a written life, and a reader say what each asks for (WorldMemArena table 4)", func(c WordingConfig) (pipeline.Stage, error) {
		return newWording(c, ends)
	})
}
