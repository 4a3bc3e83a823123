// Package format lays questions out whose evidence no single source holds, in the
// neutral form of SMMBench: a JSON file for every sample and every source, and their
// pictures. It scores answers and retrieval as the paper does (3.3, C.1, C.4), and says
// why answers failed (C.6). The form of the published annotations was never seen: what a
// sample's fields are called stands in one table (fields).
package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/score"
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
}

// Labels of a question that are read.
const (
	labelTask        = "task"
	labelArrangement = "arrangement"
	labelSources     = "sources"
	labelPreference  = "preference"
	concentrated     = "concentrated"
)

// task is one of the five of the benchmark (SMMBench 3.3).
type task struct{ label, short, capability string }

func tasks() []task {
	return []task{
		{schemas.TaskSingleHop, "S.H.", "cross-source multimodal reasoning"},
		{schemas.TaskMultiHop, "M.H.", "cross-source multimodal reasoning"},
		{schemas.TaskConflict, "C.R.", "conflict resolution"},
		{schemas.TaskPreference, "P.R.", "preference reasoning"},
		{schemas.TaskFunctionCall, "F.C.", "memory-grounded action prediction"},
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

// questionFile is a question on its way to its file.
type questionFile struct {
	schemas.Question
	task    task
	sources []string
	images  []string
	clues   []clue
}

// clue is a piece of evidence, by the source and the turn where it stands.
type clue struct {
	Source   string `json:"source"`
	Turn     string `json:"turn"`
	Order    int32  `json:"order"`
	Role     string `json:"role"`
	Modality string `json:"modality"`
	Text     string `json:"text,omitempty"`
	Image    string `json:"image,omitempty"`
	Caption  string `json:"caption,omitempty"`
}

// toolRow is a tool with its schema as JSON, not as text.
type toolRow struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// field is a key of a sample's file. From gives its value, nil to leave it out.
type field struct {
	name string
	from func(questionFile) any
}

// fields maps a question to the keys of a sample, in the order of the file. No other
// place writes these keys: when the published form is known, the names change here.
func fields() []field {
	return []field{
		{"id", func(s questionFile) any { return s.QuestionID }},
		{"environment", func(s questionFile) any { return s.TaskID }},
		{"capability", func(s questionFile) any { return s.task.capability }},
		{"task", func(s questionFile) any { return s.task.label }},
		{"arrangement", func(s questionFile) any { return nilIfEmpty(s.Labels[labelArrangement]) }},
		{"required_sources", func(s questionFile) any { return nilIfEmpty(s.Labels[labelSources]) }},
		{"preference", func(s questionFile) any { return nilIfEmpty(s.Labels[labelPreference]) }},
		{"fact", func(s questionFile) any { return nilIfEmpty(s.Labels[schemas.LabelFact]) }},
		{"sources", func(s questionFile) any { return s.sources }},
		{"question", func(s questionFile) any { return s.Question.Question }},
		{"question_images", func(s questionFile) any {
			if len(s.images) == 0 {
				return nil
			}
			return s.images
		}},
		{"options", func(s questionFile) any { return optionsOf(s) }},
		{"tools", func(s questionFile) any { return toolsOf(s) }},
		{"answer", func(s questionFile) any {
			if s.AnswerCall != "" {
				return json.RawMessage(s.AnswerCall)
			}
			return s.AnswerKey
		}},
		{"evidence", func(s questionFile) any { return s.clues }},
	}
}

func nilIfEmpty(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func optionsOf(s questionFile) any {
	if len(s.Options) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, o := range s.Options {
		out[o.Key] = o.Text
	}
	return out
}

func toolsOf(s questionFile) any {
	if len(s.Tools) == 0 {
		return nil
	}
	var out []toolRow
	for _, t := range s.Tools {
		out = append(out, toolRow{t.Name, t.Description, json.RawMessage(t.Parameters)})
	}
	return out
}

// file encodes the sample with its keys in the order of fields.
func (s questionFile) file() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("{")
	sep := "\n "
	for _, f := range fields() {
		v := f.from(s)
		if v == nil {
			continue
		}
		value, err := marshal(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		key, err := marshal(f.name)
		if err != nil {
			return nil, err
		}
		b.WriteString(sep + string(key) + ": " + string(value))
		sep = ",\n "
	}
	b.WriteString("\n}\n")
	return b.Bytes(), nil
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// The shapes of a source's file.
type (
	sourceFile struct {
		ID           string     `json:"id"`
		Environment  string     `json:"environment"`
		Kind         string     `json:"kind"`
		Title        string     `json:"title,omitempty"`
		Participants []string   `json:"participants"`
		Turns        []turnFile `json:"turns"`
	}
	turnFile struct {
		ID string `json:"id"`
		// Position is the turn's place in the stream of all sources of its environment.
		Position int64       `json:"position"`
		Time     string      `json:"time"`
		Speaker  string      `json:"speaker,omitempty"`
		Text     string      `json:"text,omitempty"`
		Images   []imageFile `json:"images,omitempty"`
	}
	imageFile struct {
		Handle  string `json:"handle"`
		Path    string `json:"path"`
		Caption string `json:"caption,omitempty"`
	}
)

// Format returns the layout under its name on the command line.
func Format() export.Format {
	return export.Format{
		Name: "smmbench", Root: "smmbench", Takes: takes(), Layout: Layout,
		Help: "OUT/smmbench then holds samples/, sources/ and images/: SMMBench's samples in a neutral form, for how its own annotations look was never published where it could be read.",
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

// builder lays questions out with the sources of their tasks.
type builder struct {
	files     map[string]string // media id to its file in the release
	tree      export.Tree
	sources   map[string][]string // of a task, in order
	turns     map[string]turnPlace
	paths     map[string]string // media id to its path in the layout
	usedPaths map[string]string // path to what lies there
}

// turnPlace is where a turn stands.
type turnPlace struct {
	task, source string
	position     int64
}

func layout(asked []schemas.Question, sessions []schemas.Session, files map[string]string) (export.Tree, error) {
	b := builder{files: files, sources: map[string][]string{}, turns: map[string]turnPlace{}, paths: map[string]string{}, usedPaths: map[string]string{}}
	b.tree.Folders = []string{"images", "samples", "sources"}
	wanted := map[string]bool{}
	for _, q := range asked {
		wanted[q.TaskID] = true
	}
	mine := slices.DeleteFunc(slices.Clone(sessions), func(s schemas.Session) bool { return !wanted[s.TaskID] })
	slices.SortFunc(mine, func(a, b schemas.Session) int {
		return cmp.Or(strings.Compare(a.TaskID, b.TaskID), cmp.Compare(a.Order, b.Order))
	})
	for _, s := range mine {
		if err := b.addSource(s); err != nil {
			return export.Tree{}, fmt.Errorf("source %s: %w", s.SessionID, err)
		}
	}
	for _, q := range asked {
		if err := b.addQuestion(q); err != nil {
			return export.Tree{}, err
		}
	}
	return b.tree, nil
}

func fileName(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '_'
	}, id)
}

func (b *builder) add(folder, id string, data []byte) error {
	p := path.Join(folder, fileName(id)+".json")
	if other, taken := b.usedPaths[p]; taken {
		return fmt.Errorf("it and %s would both be the file %s", other, p)
	}
	b.usedPaths[p] = id
	b.tree.Files = append(b.tree.Files, export.File{Path: p, Data: data})
	return nil
}

func (b *builder) addSource(s schemas.Session) error {
	out := sourceFile{ID: s.SessionID, Environment: s.TaskID, Kind: s.Kind, Title: s.Title, Participants: append([]string{}, s.Participants...), Turns: []turnFile{}}
	for _, t := range s.Turns {
		if t.Position == 0 || t.Timestamp == "" {
			return fmt.Errorf("turn %s has no place in the stream of its task, or no time", t.TurnID)
		}
		row := turnFile{ID: t.TurnID, Position: t.Position, Time: t.Timestamp, Speaker: t.Speaker, Text: t.Text}
		for _, a := range t.Attachments {
			p, err := b.addPicture(a.MediaID)
			if err != nil {
				return fmt.Errorf("turn %s: %w", t.TurnID, err)
			}
			row.Images = append(row.Images, imageFile{a.AttachmentID, p, a.Caption})
		}
		b.turns[t.TurnID] = turnPlace{s.TaskID, s.SessionID, t.Position}
		out.Turns = append(out.Turns, row)
	}
	b.sources[s.TaskID] = append(b.sources[s.TaskID], s.SessionID)
	data, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		return err
	}
	return b.add("sources", s.SessionID, append(data, '\n'))
}

// addPicture returns the path of a picture and adds it once.
func (b *builder) addPicture(media string) (string, error) {
	if p, placed := b.paths[media]; placed {
		return p, nil
	}
	file, known := b.files[media]
	if !known {
		return "", fmt.Errorf("the release has no file of picture %q", media)
	}
	p := path.Join("images", path.Base(file))
	if other, taken := b.usedPaths[p]; taken {
		return "", fmt.Errorf("pictures %s and %s would both be the file %s", other, media, p)
	}
	b.usedPaths[p], b.paths[media] = media, p
	b.tree.Media = append(b.tree.Media, export.MediaFile{Path: p, MediaID: media})
	return p, nil
}

func refuse(q schemas.Question, format string, args ...any) error {
	return &export.QuestionError{QuestionID: q.QuestionID, Reason: fmt.Sprintf(format, args...)}
}

func (b *builder) addQuestion(q schemas.Question) error {
	t, _ := taskOf(q.Labels[labelTask])
	s := questionFile{Question: q, task: t, sources: b.sources[q.TaskID]}
	if why := checkSample(s); why != "" {
		return refuse(q, "%s", why)
	}
	for _, m := range q.QuestionMedia {
		p, err := b.addPicture(m)
		if err != nil {
			return refuse(q, "%v", err)
		}
		s.images = append(s.images, p)
	}
	if err := b.addEvidence(&s); err != nil {
		return err
	}
	data, err := s.file()
	if err != nil {
		return refuse(q, "%v", err)
	}
	if err := b.add("samples", q.QuestionID, data); err != nil {
		return refuse(q, "%v", err)
	}
	return nil
}

// checkSample returns what is wrong with options, tools or gold, or "".
func checkSample(s questionFile) string {
	if s.task.label != schemas.TaskFunctionCall {
		right := slices.IndexFunc(s.Options, func(o schemas.Option) bool { return o.Key == s.AnswerKey })
		if len(s.Options) != len(letters) || right < 0 || s.Options[right].Role != schemas.RoleCorrect {
			return fmt.Sprintf("it has %d options, and %q is its answer; want four of which one is right", len(s.Options), s.AnswerKey)
		}
		return ""
	}
	found := false
	for _, t := range s.Tools {
		one, why := tool.Compile(t)
		if why != nil {
			return why.Reason
		}
		found = found || one.Check(s.AnswerCall) == nil
	}
	if !found {
		return fmt.Sprintf("none of its %d tools takes the call that is its answer", len(s.Tools))
	}
	return ""
}

// addEvidence adds the turns that the answer rests on.
func (b *builder) addEvidence(s *questionFile) error {
	var sources []string
	needed, err := orderEvidence(s.Question)
	if err != nil {
		return err
	}
	for _, e := range needed {
		p, known := b.turns[e.Ref]
		if !known || p.task != s.TaskID {
			return refuse(s.Question, "it rests on %s, which is in no source of its environment", e.Ref)
		}
		c := clue{Source: p.source, Turn: e.Ref, Order: e.Order, Role: e.Role, Modality: cmp.Or(e.Modality, schemas.ModalityText), Text: e.Text, Caption: e.Caption}
		if e.Media != "" {
			if c.Image, err = b.addPicture(e.Media); err != nil {
				return refuse(s.Question, "%v", err)
			}
		}
		s.clues = append(s.clues, c)
		if !slices.Contains(sources, p.source) {
			sources = append(sources, p.source)
		}
	}
	if want := wantSources(s.Labels[labelArrangement]); len(sources) < want {
		return refuse(s.Question, "its evidence stands in %d sources; want %d or more", len(sources), want)
	}
	return nil
}

// orderEvidence returns the evidence without misleading pieces, numbered from 1.
func orderEvidence(q schemas.Question) ([]schemas.Evidence, error) {
	for i, e := range q.Evidence {
		if e.Order != int32(i+1) {
			return nil, refuse(q, "its evidence is not in order: %d at place %d", e.Order, i+1)
		}
	}
	out := q.Needed()
	for i := range out {
		out[i].Order = int32(i + 1)
	}
	return out, nil
}

// wantSources returns the least number of sources with evidence: two (3.1), or one in the
// concentrated arrangement.
func wantSources(arrangement string) int {
	if arrangement == concentrated {
		return 1
	}
	return 2
}
