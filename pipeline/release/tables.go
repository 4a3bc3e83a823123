package release

import (
	"cmp"
	"maps"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// Names of the tables, and the split of tables that are not divided. Loaders
// call undivided data train, so that is the name that surprises nobody.
const (
	tableQuestions  = "questions"
	tableFlagged    = "flagged"
	tableTasks      = "tasks"
	tableMedia      = "media"
	tableSources    = "sources"
	tableProbes     = "probes"
	tableVerdicts   = "verdicts"
	tableRejections = "rejections"

	wholeSplit = "train"

	kindOfVideo = "video"
	kindOfImage = "image"
)

// table is a table's shape. Rows are sorted by the first keys columns, which
// are strings or whole numbers, then by all others.
type table struct {
	name   string
	keys   int
	unique bool // the keys identify a row
	// told names the columns that no two rows have alike, where the keys identify none.
	told    []string
	divided bool // one file for each value of column split
	columns []column
	// soft names columns whose change is not a change of the item.
	soft []string
}

// tables lists the shapes of all tables, in the order of the manifest.
func tables() []table {
	return []table{
		questionsTable(), flaggedTable(), tasksTable(), mediaTable(), eventsTable(), labelsTable(), sourcesTable(),
		probesTable(), verdictsTable(), rejectionsTable(),
	}
}

func probesTable() table {
	return table{name: tableProbes, keys: 6, unique: true, columns: []column{
		str("item"), str("gate"), str("view"), str("role"), i32("rotation"), i32("run"),
		str("view_digest"), i32("pictures"), i32("pictures_full"), str("model"), str("response"), str("answer"), str("mark"), str("reason"),
		i64("input_tokens"), i64("output_tokens"),
	}}
}

func verdictsTable() table {
	return table{name: tableVerdicts, keys: 2, unique: true, columns: []column{
		str("item"), str("gate"), str("outcome"), str("reason"), i32("calls_made"), i32("calls_full"),
		str("item_digest"),
	}}
}

func rejectionsTable() table {
	return table{name: tableRejections, keys: 4, columns: []column{
		str("id"), str("stage"), str("code"), str("reason"), str("source"), str("path"),
	}}
}

func questionsTable() table {
	return table{name: tableQuestions, keys: 1, unique: true, divided: true, soft: []string{"explanation", "setting", "revisions"}, columns: questionColumns()}
}

// flaggedTable has the columns of questions, and which form of the question a
// row is and who judged it.
func flaggedTable() table {
	columns := slices.Insert(questionColumns(), 1, i32("version"))
	return table{name: tableFlagged, keys: 2, unique: true, columns: append(columns, list("judged_by", str("")))}
}

func questionColumns() []column {
	return []column{
		str("question_id"), str("family"), str("task_id"), str("checkpoint_id"),
		str("question"), str("question_mcq"),
		structs("options", str("key"), str("text"), str("role")),
		str("answer_key"), str("answer_text"), str("answer_call"), str("type"),
		structs("labels", str("key"), str("value")),
		structs("evidence", str("kind"), str("ref"), str("role"), str("source_id"), str("session_id"), i32("order"),
			str("modality"), str("text"), str("caption"), str("minimal_caption"), str("media")),
		list("media", str("")), str("explanation"), str("setting"), str("split"),
		structs("revisions", str("item"), str("question"), str("gate"), str("code"), str("reason"), str("model")),
	}
}

func tasksTable() table {
	return table{name: tableTasks, keys: 1, unique: true, columns: []column{
		str("task_id"), str("family"), str("domain"), str("scenario"), str("summary"),
		list("source_records", str("")), list("media", str("")),
	}}
}

func mediaTable() table {
	return table{name: tableMedia, keys: 1, unique: true, soft: []string{"caption", "license"}, columns: []column{
		str("media_id"), str("kind"), str("mime"), i64("bytes"), i32("width"), i32("height"),
		f64("duration"), f64("fps"), i64("frames"), boolean("has_audio"), str("caption"),
		structure("recipe", str("layout"), list("swap_frames", i64("")),
			structs("segments", str("source"), str("region"), i64("from"), i64("to"), i64("at"), str("original"), str("source_id"), str("audio"), str("video"))),
		str("license"), str("file_name"), image("image"),
	}}
}

func sourcesTable() table {
	return table{name: tableSources, keys: 2, told: []string{"id", "path", "url", "revision", "sha256"}, columns: []column{
		str("id"), str("path"), str("kind"), str("url"), str("revision"), str("sha256"),
		str("license"), i64("bytes"), i64("records"), i64("losses"),
		structs("notes", str("item"), str("code"), str("text")),
	}}
}

// filesTable is media/videos/metadata.parquet: what a folder loader needs and
// nothing a solver must not see.
func filesTable() table {
	return table{name: "metadata", keys: 1, unique: true, columns: []column{str("file_name"), str("media_id")}}
}

func (t table) column(name string) (int, bool) {
	i := slices.IndexFunc(t.columns, func(c column) bool { return c.name == name })
	return i, i >= 0
}

// sort puts rows in the table's order.
func (t table) sort(rows []row) {
	slices.SortStableFunc(rows, func(a, b row) int {
		for i := range t.columns {
			if i >= t.keys && t.unique {
				return 0
			}
			if c := compareScalars(a[i], b[i]); c != 0 {
				return c
			}
		}
		return 0
	})
}

// compareScalars orders nil before everything and equal types by value. Nested
// values are equal to it: no table needs them as a key.
func compareScalars(a, b any) int {
	if a == nil || b == nil {
		switch {
		case a == nil && b == nil:
			return 0
		case a == nil:
			return -1
		}
		return 1
	}
	switch a := a.(type) {
	case string:
		return cmp.Compare(a, b.(string))
	case int64:
		return cmp.Compare(a, b.(int64))
	case int32:
		return cmp.Compare(a, b.(int32))
	}
	return 0
}

// optional makes the empty string null.
func optional(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func texts(in []string) []any {
	out := make([]any, len(in))
	for i, s := range in {
		out[i] = s
	}
	return out
}

func questionRow(q schemas.Question) row {
	options := make([]any, len(q.Options))
	for i, o := range q.Options {
		options[i] = []any{o.Key, o.Text, o.Role}
	}
	evidence := make([]any, len(q.Evidence))
	for i, e := range q.Evidence {
		evidence[i] = []any{
			e.Kind, e.Ref, e.Role, optional(e.SourceID), optional(e.SessionID), e.Order,
			optional(e.Modality), optional(e.Text), optional(e.Caption), optional(e.MinimalCaption), optional(e.Media),
		}
	}
	labels := make([]any, 0, len(q.Labels))
	for _, k := range slices.Sorted(maps.Keys(q.Labels)) {
		labels = append(labels, []any{k, q.Labels[k]})
	}
	revisions := make([]any, len(q.Revisions))
	for i, r := range q.Revisions {
		revisions[i] = []any{r.Item, r.Question, r.Gate, r.Code, r.Reason, r.Model}
	}
	return row{
		q.QuestionID, q.Family, q.TaskID, optional(q.CheckpointID), q.Question, q.QuestionMCQ,
		options, q.AnswerKey, q.AnswerText, optional(q.AnswerCall), q.Type, labels, evidence,
		texts(q.Media), optional(q.Explanation), optional(q.Setting), q.Split, revisions,
	}
}

func flaggedRow(f schemas.FlaggedQuestion) row {
	return append(slices.Insert(questionRow(f.Question), 1, any(f.Version)), texts(f.JudgedBy))
}

func taskRow(t schemas.Task) row {
	return row{t.TaskID, t.Family, t.Domain, t.Scenario, t.Summary, texts(t.SourceRecords), texts(t.Media)}
}

// mediaRow takes the bytes of a picture that is small enough to sit in the
// table, or nil.
func mediaRow(m schemas.Media, fileName string, picture []byte) row {
	swaps := make([]any, len(m.Recipe.SwapFrames))
	for i, f := range m.Recipe.SwapFrames {
		swaps[i] = f
	}
	segments := make([]any, len(m.Recipe.Segments))
	for i, s := range m.Recipe.Segments {
		segments[i] = []any{s.Source, s.Region, s.From, s.To, s.At, s.Original, s.SourceID, optional(s.Audio), optional(s.Video)}
	}
	var img any
	if m.Kind == kindOfImage {
		img = []any{nil, fileName}
		if picture != nil {
			img = []any{picture, fileName}
		}
	}
	return row{
		m.MediaID, m.Kind, m.Mime, m.Bytes, m.Width, m.Height, m.Duration, m.FPS, m.Frames, m.HasAudio,
		optional(m.Caption), []any{m.Recipe.Layout, swaps, segments}, m.License, fileName, img,
	}
}

func sourceRow(s schemas.Source) row {
	notes := make([]any, len(s.Notes))
	for i, n := range s.Notes {
		notes[i] = []any{n.Item, n.Code, n.Text}
	}
	return row{
		s.ID, optional(s.Path), s.Kind, optional(s.URL), optional(s.Revision), optional(s.SHA256),
		optional(s.License), s.Bytes, s.Records, s.Losses, notes,
	}
}

func verdictRow(v schemas.Verdict) row {
	return row{v.Item, v.Gate, v.Outcome, optional(v.Reason), v.CallsMade, v.CallsFull, v.ItemDigest}
}

func probeRow(p schemas.Probe) row {
	return row{
		p.Item, p.Gate, p.View, p.Role, p.Rotation, p.Run, p.ViewDigest, p.Pictures, p.PicturesFull, p.Model,
		p.Response, optional(p.Answer), p.Mark, optional(p.Reason), p.InputTokens, p.OutputTokens,
	}
}

func rejectionRow(r schemas.Rejection) row {
	return row{r.ID, r.Stage, r.Code, r.Reason, optional(r.Source), optional(r.Path)}
}
