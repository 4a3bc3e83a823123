package release

import (
	"context"

	"github.com/memforge/memforge/schemas"
)

// Contents are the tables of a release as the records they were written from.
type Contents struct {
	Dir      string
	Manifest Manifest
	// All are in the order of their tables, except that questions of several
	// splits follow each other.
	Questions  []schemas.Question
	Flagged    []schemas.FlaggedQuestion
	Tasks      []schemas.Task
	Media      []schemas.Media
	Events     []schemas.StatedEvent
	Labels     []schemas.StatedLabel
	Sources    []schemas.Source
	Verdicts   []schemas.Verdict
	Probes     []schemas.Probe
	Rejections []schemas.Rejection
	// Sums and Signature are those of Report.
	Sums, Signature []byte
	// Files maps a media id to its file, slash-separated within the release.
	Files map[string]string
}

// Read verifies the release in dir as Verify does and returns what its tables
// hold: nothing is decoded that has not the digest the manifest names. A
// release that does not verify is a *DamagedError.
func Read(ctx context.Context, dir string) (Contents, error) { return Limits{}.Read(ctx, dir) }

// Read is Read within other limits.
func (l Limits) Read(ctx context.Context, dir string) (Contents, error) {
	v, err := l.verify(ctx, dir)
	if err != nil {
		return Contents{}, err
	}
	return v.contents(), nil
}

// contents decodes the rows of all tables.
func (v *verifier) contents() Contents {
	c := Contents{Dir: v.dir, Manifest: v.report.Manifest, Sums: v.report.Sums, Signature: v.report.Signature, Files: map[string]string{}}
	for _, r := range v.rows[tableQuestions] {
		c.Questions = append(c.Questions, questionOf(cells{questionsTable(), r}))
	}
	for _, r := range v.rows[tableTasks] {
		c.Tasks = append(c.Tasks, taskOf(cells{tasksTable(), r}))
	}
	for _, r := range v.rows[tableMedia] {
		m := cells{mediaTable(), r}
		c.Media = append(c.Media, mediaOf(m))
		c.Files[m.text("media_id")] = m.text("file_name")
	}
	c.statements(v.rows)
	for _, r := range v.rows[tableSources] {
		c.Sources = append(c.Sources, sourceOf(cells{sourcesTable(), r}))
	}
	for _, r := range v.rows[tableFlagged] {
		c.Flagged = append(c.Flagged, flaggedOf(cells{flaggedTable(), r}))
	}
	for _, r := range v.rows[tableVerdicts] {
		c.Verdicts = append(c.Verdicts, verdictOf(cells{verdictsTable(), r}))
	}
	for _, r := range v.rows[tableProbes] {
		c.Probes = append(c.Probes, probeOf(cells{probesTable(), r}))
	}
	for _, r := range v.rows[tableRejections] {
		c.Rejections = append(c.Rejections, rejectionOf(cells{rejectionsTable(), r}))
	}
	return c
}

// cells reads the cells of a row by the names of its columns. A null is the
// zero value: the writer makes nulls of nothing else.
type cells struct {
	table table
	row   row
}

func (c cells) at(name string) any {
	i, ok := c.table.column(name)
	if !ok || i >= len(c.row) {
		return nil
	}
	return c.row[i]
}

func (c cells) text(name string) string      { s, _ := c.at(name).(string); return s }
func (c cells) int64(name string) int64      { n, _ := c.at(name).(int64); return n }
func (c cells) int32(name string) int32      { n, _ := c.at(name).(int32); return n }
func (c cells) number(name string) float64   { n, _ := c.at(name).(float64); return n }
func (c cells) list(name string) []any       { l, _ := c.at(name).([]any); return l }
func (c cells) strings(name string) []string { return stringsOf(c.list(name)) }

func stringsOf(list []any) []string {
	var out []string
	for _, v := range list {
		s, _ := v.(string)
		out = append(out, s)
	}
	return out
}

// structsOf visits the elements of a list of structs as rows over the columns
// of the element.
func structsOf(list []any, columns []column, visit func(cells)) {
	for _, v := range list {
		if fields, ok := v.([]any); ok {
			visit(cells{table{columns: columns}, fields})
		}
	}
}

// inner returns the columns within a struct or a list of structs.
func (c cells) inner(name string) []column {
	i, ok := c.table.column(name)
	if !ok {
		return nil
	}
	col := c.table.columns[i]
	if col.elem != nil {
		return col.elem.fields
	}
	return col.fields
}

func questionOf(c cells) schemas.Question {
	q := schemas.Question{
		QuestionID: c.text("question_id"), Family: c.text("family"), TaskID: c.text("task_id"), CheckpointID: c.text("checkpoint_id"),
		Question: c.text("question"), QuestionMCQ: c.text("question_mcq"),
		AnswerKey: c.text("answer_key"), AnswerText: c.text("answer_text"), AnswerCall: c.text("answer_call"),
		Type: c.text("type"), Labels: map[string]string{}, Media: c.strings("media"),
		Explanation: c.text("explanation"), Setting: c.text("setting"), Split: c.text("split"),
	}
	structsOf(c.list("options"), c.inner("options"), func(o cells) {
		q.Options = append(q.Options, schemas.Option{Key: o.text("key"), Text: o.text("text"), Role: o.text("role")})
	})
	structsOf(c.list("labels"), c.inner("labels"), func(l cells) { q.Labels[l.text("key")] = l.text("value") })
	structsOf(c.list("evidence"), c.inner("evidence"), func(e cells) {
		q.Evidence = append(q.Evidence, schemas.Evidence{
			Kind: e.text("kind"), Ref: e.text("ref"), Role: e.text("role"),
			SourceID: e.text("source_id"), SessionID: e.text("session_id"), Order: e.int32("order"),
			Modality: e.text("modality"), Text: e.text("text"), Caption: e.text("caption"),
			MinimalCaption: e.text("minimal_caption"), Media: e.text("media"),
		})
	})
	structsOf(c.list("revisions"), c.inner("revisions"), func(r cells) {
		q.Revisions = append(q.Revisions, schemas.Revision{
			Item: r.text("item"), Question: r.text("question"), Gate: r.text("gate"),
			Code: r.text("code"), Reason: r.text("reason"), Model: r.text("model"),
		})
	})
	return q
}

func flaggedOf(c cells) schemas.FlaggedQuestion {
	return schemas.FlaggedQuestion{Question: questionOf(c), Version: c.int32("version"), JudgedBy: c.strings("judged_by")}
}

func taskOf(c cells) schemas.Task {
	return schemas.Task{
		TaskID: c.text("task_id"), Family: c.text("family"), Domain: c.text("domain"), Scenario: c.text("scenario"),
		Summary: c.text("summary"), SourceRecords: c.strings("source_records"), Media: c.strings("media"),
	}
}

func mediaOf(c cells) schemas.Media {
	audio, _ := c.at("has_audio").(bool)
	m := schemas.Media{
		MediaID: c.text("media_id"), Kind: c.text("kind"), Mime: c.text("mime"), Bytes: c.int64("bytes"),
		Width: c.int32("width"), Height: c.int32("height"), Duration: c.number("duration"), FPS: c.number("fps"),
		Frames: c.int64("frames"), HasAudio: audio, Caption: c.text("caption"), License: c.text("license"),
	}
	recipe := cells{table{columns: c.inner("recipe")}, c.list("recipe")}
	m.Recipe.Layout = recipe.text("layout")
	for _, f := range recipe.list("swap_frames") {
		n, _ := f.(int64)
		m.Recipe.SwapFrames = append(m.Recipe.SwapFrames, n)
	}
	structsOf(recipe.list("segments"), recipe.inner("segments"), func(s cells) {
		m.Recipe.Segments = append(m.Recipe.Segments, schemas.Segment{
			Source: s.text("source"), Region: s.text("region"), From: s.int64("from"), To: s.int64("to"), At: s.int64("at"),
			Original: s.text("original"), SourceID: s.text("source_id"), Audio: s.text("audio"), Video: s.text("video"),
		})
	})
	return m
}

func verdictOf(c cells) schemas.Verdict {
	return schemas.Verdict{
		Item: c.text("item"), Gate: c.text("gate"), Outcome: c.text("outcome"), Reason: c.text("reason"),
		CallsMade: c.int32("calls_made"), CallsFull: c.int32("calls_full"), ItemDigest: c.text("item_digest"),
	}
}

func probeOf(c cells) schemas.Probe {
	return schemas.Probe{
		Item: c.text("item"), Gate: c.text("gate"), View: c.text("view"), ViewDigest: c.text("view_digest"),
		Pictures: c.int32("pictures"), PicturesFull: c.int32("pictures_full"),
		Role: c.text("role"), Model: c.text("model"), Rotation: c.int32("rotation"), Run: c.int32("run"),
		Response: c.text("response"), Answer: c.text("answer"), Mark: c.text("mark"), Reason: c.text("reason"),
		InputTokens: c.int64("input_tokens"), OutputTokens: c.int64("output_tokens"),
	}
}

func rejectionOf(c cells) schemas.Rejection {
	return schemas.Rejection{ID: c.text("id"), Stage: c.text("stage"), Code: c.text("code"), Reason: c.text("reason"), Source: c.text("source"), Path: c.text("path")}
}

func sourceOf(c cells) schemas.Source {
	s := schemas.Source{
		ID: c.text("id"), Kind: c.text("kind"), URL: c.text("url"), Path: c.text("path"), Revision: c.text("revision"),
		SHA256: c.text("sha256"), License: c.text("license"), Bytes: c.int64("bytes"),
		Records: c.int64("records"), Losses: c.int64("losses"),
	}
	structsOf(c.list("notes"), c.inner("notes"), func(n cells) {
		s.Notes = append(s.Notes, schemas.Noted{Item: n.text("item"), Code: n.text("code"), Text: n.text("text")})
	})
	return s
}
