package pipeline

import "github.com/memforge/memforge/schemas"

// Names of tables that references lead to.
const (
	TableQuestions   = "questions"
	TableTasks       = "tasks"
	TableMedia       = "media"
	TableSources     = "sources"
	TableSessions    = "sessions"
	TableTurns       = "turns"
	TablePoints      = "memory_points"
	TableCheckpoints = "checkpoints"
)

// CoreTables declare the records that every release has a table of. What questions
// rest on stands here and nowhere else.
func CoreTables() []Table {
	return []Table{
		must(NewTable[schemas.Question](TableQuestions, schemas.NameQuestion, []string{"question_id"},
			to("task_id", TableTasks), within("task_id", "checkpoint_id", TableCheckpoints), to("media", TableMedia), to("question_media", TableMedia),
			within("session_id", "evidence.ref", TableMedia, TableTasks, TableSources, TableSessions, TableTurns), to("evidence.media", TableMedia),
			within("task_id", "evidence.session_id", TableSessions), to("evidence.source_id", TableSources))),
		must(NewTable[schemas.Task](TableTasks, schemas.NameTask, []string{"task_id"},
			Reference{Column: "media", Tables: []string{TableMedia}, Weak: true})),
		must(NewTable[schemas.Media](TableMedia, schemas.NameMedia, []string{"media_id"}, to("recipe.segments.source_id", TableSources))),
	}
}

// addShared declares the records that several families have: a release has their
// tables where a node of it gives such records.
func addShared(r *Registry) {
	AddTable[schemas.Session](r, TableSessions, schemas.NameSession, []string{"session_id"},
		to("task_id", TableTasks), to("source_id", TableSources), to("turns.attachments.media_id", TableMedia),
		to("memory_points.supersedes", TablePoints), to("memory_points.resembles", TablePoints),
		within("session_id", "memory_points.evidence_turns", TableTurns), to("memory_points.evidence_media", TableMedia))
	AddTable[schemas.Checkpoint](r, TableCheckpoints, schemas.NameCheckpoint, []string{"checkpoint_id"},
		to("task_id", TableTasks), within("task_id", "sessions", TableSessions))
	AddTable[schemas.Review](r, "reviews", schemas.NameReview, []string{"item", "draw", "annotator"}, to("item", AnyRecord))
	AddTable[schemas.Drawn](r, "draws", schemas.NameDrawn, []string{"item", "draw"}) // of what need not be released
}

func to(column string, tables ...string) Reference { return Reference{Column: column, Tables: tables} }

// within is to what has the same in a column: of the same task, of the same session.
func within(same, column string, tables ...string) Reference {
	return Reference{Column: column, Tables: tables, Same: same}
}

// must is for types of this program: one that no table can hold is a mistake of it.
func must(t Table, err error) Table {
	if err != nil {
		panic(err)
	}
	return t
}
