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
		mustTable(NewTable[schemas.Question](TableQuestions, schemas.NameQuestion, []string{"question_id"},
			refersTo("task_id", TableTasks), refersWithin("task_id", "checkpoint_id", TableCheckpoints), refersTo("media", TableMedia), refersTo("question_media", TableMedia),
			refersWithin("session_id", "evidence.ref", TableMedia, TableTasks, TableSources, TableSessions, TableTurns), refersTo("evidence.media", TableMedia),
			refersWithin("task_id", "evidence.session_id", TableSessions), refersTo("evidence.source_id", TableSources))),
		mustTable(NewTable[schemas.Task](TableTasks, schemas.NameTask, []string{"task_id"},
			Reference{Column: "media", Tables: []string{TableMedia}, Weak: true})),
		mustTable(NewTable[schemas.Media](TableMedia, schemas.NameMedia, []string{"media_id"}, refersTo("recipe.segments.source_id", TableSources))),
	}
}

var _ GroupDerived[schemas.Session] = schemas.Session{} // which is asked for at run time alone

// addSharedTables declares the records that several families have: a release has their
// tables where a node of it gives such records.
func addSharedTables(r *Registry) {
	AddTable[schemas.Session](r, TableSessions, schemas.NameSession, []string{"session_id"},
		refersTo("task_id", TableTasks), refersTo("source_id", TableSources), refersTo("turns.attachments.media_id", TableMedia),
		refersTo("memory_points.supersedes", TablePoints), refersTo("memory_points.resembles", TablePoints),
		refersWithin("session_id", "memory_points.evidence_turns", TableTurns), refersTo("memory_points.evidence_media", TableMedia))
	AddTable[schemas.Checkpoint](r, TableCheckpoints, schemas.NameCheckpoint, []string{"checkpoint_id"},
		refersTo("task_id", TableTasks), refersWithin("task_id", "sessions", TableSessions))
	AddTable[schemas.Review](r, "reviews", schemas.NameReview, []string{"item", "draw", "annotator"}, refersTo("item", AnyRecord))
	AddTable[schemas.Sampled](r, "draws", schemas.NameSampled, []string{"item", "draw"}) // of what need not be released
}

func refersTo(column string, tables ...string) Reference {
	return Reference{Column: column, Tables: tables}
}

// refersWithin is to what has the same in a column: of the same task, of the same session.
func refersWithin(same, column string, tables ...string) Reference {
	return Reference{Column: column, Tables: tables, Same: same}
}

// mustTable is for types of this program: one that no table can hold is a mistake of it.
func mustTable(t Table, err error) Table {
	if err != nil {
		panic(err)
	}
	return t
}
