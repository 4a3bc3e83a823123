// Package format lays questions out whose evidence no single source holds, as SMMBench is
// published: a folder for every group of people, with its questions and streams of turns.
// It scores answers and retrieval as the paper does (3.3, C.1, C.4), and says why answers
// failed (C.6). The published files were seen in descriptions only; published.go has their
// keys.
package format

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/model/tool"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Register adds the export and the scorers.
func Register(r *pipeline.Registry) {
	export.Add(r, Format())
	score.Add(r, Scorer())
	score.Add(r, Retrieval())
	score.Add(r, Diagnosis())
	tables.Add(r, Tables())
}

// Labels of a question that are read.
const (
	labelTask        = "task"
	labelArrangement = "arrangement"
	labelSources     = "sources"
	labelPreference  = "preference"
	labelTheme       = "theme"
	concentrated     = "concentrated"
)

// task is one of the five of the benchmark (SMMBench 3.3).
type task struct{ label, short string }

func tasks() []task {
	return []task{
		{schemas.TaskSingleHop, "S.H."},
		{schemas.TaskMultiHop, "M.H."},
		{schemas.TaskConflict, "C.R."},
		{schemas.TaskPreference, "P.R."},
		{schemas.TaskFunctionCall, "F.C."},
	}
}

func taskOf(label string) (task, bool) {
	for _, t := range tasks() {
		if t.label == label {
			return t, true
		}
	}
	return task{}, false
}

// letters are the keys of options, in order.
const letters = "ABCD"

// Format returns the layout under its name on the command line.
func Format() export.Format {
	return export.Format{
		Name: "smmbench", Root: "smmbench", Takes: takes(), Layout: Layout,
		Help: "OUT/smmbench then holds Samples/cluster_N with QA_sample.json and a file for each source, Images and candidate_tools.json, as SMMBench is published. Additional keys hold what the published ones cannot: ids of turns, roles of evidence, facts.",
	}
}

// Layout builds the layout. It is pure, and equal releases give equal bytes.
func Layout(c release.Contents) (export.Tree, error) {
	asked := questions(c)
	if len(asked) == 0 {
		return export.Tree{}, fmt.Errorf("release %s has no question of the five tasks of SMMBench; build the family crosssource", c.Manifest.ID)
	}
	sessions, err := release.DecodeTable[schemas.Session](c, "sessions")
	if err != nil {
		return export.Tree{}, err
	}
	return layout(asked, sessions, c.Files)
}

// takes says which questions of a release are of the benchmark.
func takes() benchformat.Selector {
	return benchformat.Selector{Families: []string{"crosssource"}, Fits: func(schemas.Question) string {
		return "they are none of SMMBench's five tasks"
	}}
}

func questions(c release.Contents) []schemas.Question {
	return slices.DeleteFunc(slices.Clone(c.Questions), func(q schemas.Question) bool {
		_, ours := taskOf(q.Labels[labelTask])
		return !ours || !strings.HasPrefix(q.Type, "crosssource_")
	})
}

// The names of the layout.
const (
	toolsFile   = "candidate_tools.json"
	imageFolder = "Images"
	misleads    = "mis_" // before the kind of evidence that is overridden
	timeLayout  = "2006-01-02 15:04:05"
)

// builder lays questions out with the sources of their tasks.
type builder struct {
	files     map[string]string // media id to its file in the release
	tree      export.Tree
	clusters  map[string]string // task to its folder
	turns     map[string]placedTurn
	usedPaths map[string]string // path to what lies there
	tools     map[string]publishedTool
}

// placedTurn is where a turn stands.
type placedTurn struct {
	task, stream string
	place        int
}

func layout(asked []schemas.Question, sessions []schemas.Session, files map[string]string) (export.Tree, error) {
	b := builder{files: files, clusters: map[string]string{}, turns: map[string]placedTurn{}, usedPaths: map[string]string{}, tools: map[string]publishedTool{}}
	b.tree.Folders = []string{imageFolder}
	byTask := map[string][]publishedQuestion{}
	for _, q := range asked {
		byTask[q.TaskID] = nil
	}
	for n, task := range slices.Sorted(maps.Keys(byTask)) {
		b.clusters[task] = fmt.Sprintf("Samples/cluster_%d", n+1)
	}
	mine := slices.DeleteFunc(slices.Clone(sessions), func(s schemas.Session) bool { return b.clusters[s.TaskID] == "" })
	slices.SortFunc(mine, func(a, b schemas.Session) int {
		return cmp.Or(strings.Compare(a.TaskID, b.TaskID), cmp.Compare(a.Order, b.Order))
	})
	for _, s := range mine {
		if err := b.addSource(s); err != nil {
			return export.Tree{}, fmt.Errorf("source %s: %w", s.SessionID, err)
		}
	}
	for _, q := range asked {
		out, err := b.question(q)
		if err != nil {
			return export.Tree{}, &export.QuestionError{QuestionID: q.QuestionID, Reason: err.Error()}
		}
		byTask[q.TaskID] = append(byTask[q.TaskID], out)
	}
	for _, task := range slices.Sorted(maps.Keys(byTask)) {
		if err := b.addFile(b.clusters[task]+"/QA_sample.json", byTask[task]); err != nil {
			return export.Tree{}, err
		}
	}
	tools := []publishedTool{}
	for _, name := range slices.Sorted(maps.Keys(b.tools)) {
		tools = append(tools, b.tools[name])
	}
	return b.tree, b.addFile(toolsFile, tools)
}

func (b *builder) addFile(path string, content any) error {
	f, err := export.Indented(path, content)
	b.tree.Files = append(b.tree.Files, f)
	return err
}

func fileName(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, id)
}

// streamName begins as published streams do: readers of the published data take no other file.
func streamName(s schemas.Session) string {
	name, begins := fileName(cmp.Or(s.Title, s.SessionID)), "user_assistant_"
	if s.Kind == schemas.KindGroupChat {
		begins = "group_chat_"
	}
	return begins + strings.TrimPrefix(name, begins)
}

// addSource adds the stream of a source.
func (b *builder) addSource(s schemas.Session) error {
	stream := streamName(s)
	file := b.clusters[s.TaskID] + "/" + stream + ".json"
	if other, taken := b.usedPaths[file]; taken {
		return fmt.Errorf("its file %s is taken by %q", file, other)
	}
	b.usedPaths[file] = s.SessionID
	out := publishedStream{Turns: []publishedTurn{}}
	for n, t := range s.Turns {
		row, err := b.turn(stream, t)
		if err != nil {
			return fmt.Errorf("turn %s: %w", t.TurnID, err)
		}
		b.turns[t.TurnID] = placedTurn{s.TaskID, stream, n}
		out.Turns = append(out.Turns, row)
	}
	return b.addFile(file, out)
}

func (b *builder) turn(stream string, t schemas.Turn) (publishedTurn, error) {
	when, err := time.Parse(time.RFC3339, t.Timestamp)
	if err != nil || t.Position == 0 {
		return publishedTurn{}, fmt.Errorf("it has no place in the stream of its task, or no time: %d, %q", t.Position, t.Timestamp)
	}
	out := publishedTurn{Sender: t.Speaker, Time: when.UTC().Format(timeLayout), Conversation: stream, Type: "text", ID: t.TurnID, Position: t.Position}
	var content any = t.Text
	if len(t.Attachments) > 0 {
		var parts []publishedPart
		var captions []string
		for _, a := range t.Attachments {
			name, err := b.addPicture(a.MediaID)
			if err != nil {
				return out, err
			}
			parts = append(parts, publishedPart{"image", map[string]string{"image_path": name}})
			captions = append(captions, a.AttachmentID+"\n"+a.Caption)
		}
		if t.Text != "" {
			parts = append(parts, publishedPart{"text", t.Text})
		}
		out.Type, out.Caption, content = "image", strings.Join(captions, "\n"), parts
	}
	out.Content, err = json.Marshal(content)
	return out, err
}

// addPicture returns the name of a picture and adds it once.
func (b *builder) addPicture(media string) (string, error) {
	file, known := b.files[media]
	if !known {
		return "", fmt.Errorf("the release has no file of picture %q", media)
	}
	name := path.Base(file)
	other, placed := b.usedPaths[name]
	if placed && other != media {
		return "", fmt.Errorf("pictures %s and %s would both be the file %s", other, media, name)
	}
	if !placed {
		b.usedPaths[name] = media
		b.tree.Media = append(b.tree.Media, export.MediaFile{Path: imageFolder + "/" + name, MediaID: media})
	}
	return name, nil
}

func (b *builder) question(q schemas.Question) (publishedQuestion, error) {
	t, _ := taskOf(q.Labels[labelTask])
	out := publishedQuestion{ID: q.QuestionID, Category: categories()[t.label], Domain: q.Labels[labelTheme], Question: q.Question}
	s, err := newSample(q)
	if err != nil {
		return out, err
	}
	out.More = &publishedMore{Fact: s.Fact, Arrangement: s.Arrangement, Preference: s.Preference, Sufficient: s.Sufficient}
	if len(q.QuestionMedia) > 0 {
		return out, errors.New("it shows pictures itself, for which the layout has no place")
	}
	if t.label == schemas.TaskFunctionCall {
		err = b.addCall(&out, q)
	} else {
		right := slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Key == q.AnswerKey })
		if len(q.Options) != len(letters) || right < 0 || q.Options[right].Role != schemas.RoleCorrect {
			return out, fmt.Errorf("it has %d options, and %q is its answer; want four of which one is right", len(q.Options), q.AnswerKey)
		}
		out.Choice = &publishedChoice{Right: right}
		for _, o := range q.Options {
			out.Choice.Options = append(out.Choice.Options, o.Text)
		}
		out.Answer, err = json.Marshal(q.Options[right].Text)
	}
	if err != nil {
		return out, err
	}
	return out, b.placeEvidence(&out, q)
}

// addCall adds the plan that is the answer, and the tools that are offered.
func (b *builder) addCall(out *publishedQuestion, q schemas.Question) error {
	if why := tool.CheckPlan(q.Tools, q.AnswerCall); why != nil {
		return errors.New(why.Reason)
	}
	plan, err := tool.WithoutDefaults(q.Tools, q.AnswerCall)
	if err != nil {
		return err
	}
	if out.Answer, err = schemas.PublishedPlan(plan); err != nil {
		return err
	}
	for _, t := range q.Tools {
		form := publishedTool{t.Name, tool.Defaults(t), t.Description, json.RawMessage(t.Parameters)}
		if other, taken := b.tools[t.Name]; taken && (other.Comment != form.Comment || string(other.Parameters) != string(form.Parameters)) {
			return fmt.Errorf("another question offers another tool of the name %s", t.Name)
		}
		b.tools[t.Name] = form
		out.More.Tools = append(out.More.Tools, t.Name)
	}
	return nil
}

// placeEvidence fills in the evidence that a question needs, and the turns where it stands.
func (b *builder) placeEvidence(out *publishedQuestion, q schemas.Question) error {
	for i, e := range q.Evidence {
		if e.Order != int32(i+1) {
			return fmt.Errorf("its evidence is not in order: %d at place %d", e.Order, i+1)
		}
	}
	out.Evidence, out.Placed = map[string][]string{}, map[string][]publishedPlace{}
	for _, kind := range []string{"text", "image", "table", "json"} {
		out.Evidence[kind+"_evidence"] = []string{}
	}
	sources := map[string]bool{}
	for i, e := range citedPieces(q) {
		at, known := b.turns[e.Ref]
		if !known || at.task != q.TaskID {
			return fmt.Errorf("it rests on %s, which is in no source of its environment", e.Ref)
		}
		sources[at.stream] = true
		kind, content := cmp.Or(e.Modality, schemas.ModalityText)+"_evidence", e.Text
		if e.Media != "" {
			var err error
			if content, err = b.addPicture(e.Media); err != nil {
				return err
			}
		}
		if e.Role == schemas.RoleSuperseded {
			kind = misleads + kind
		}
		out.Evidence[kind] = append(out.Evidence[kind], content)
		out.Placed[kind+"_assignment"] = append(out.Placed[kind+"_assignment"], publishedPlace{at.stream, at.place, int32(i + 1), e.Role})
	}
	if want := wantSources(q.Labels[labelArrangement]); len(sources) < want {
		return fmt.Errorf("its evidence stands in %d sources; want %d or more", len(sources), want)
	}
	return nil
}

// wantSources returns the least number of sources with evidence: two (3.1), or one in the
// concentrated arrangement.
func wantSources(arrangement string) int {
	if arrangement == concentrated {
		return 1
	}
	return 2
}
