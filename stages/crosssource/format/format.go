// Package format lays questions out whose evidence no single source holds, in the
// neutral form of SMMBench: a JSON file for every sample and every source, and their
// pictures. It scores answers and retrieval as the paper does (3.3, C.1, C.4), and says
// why answers failed (C.6). The published annotations were seen in descriptions only:
// what a sample's keys are called stands in one type (Sample).
package format

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

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
type turnPlace struct{ task, source string }

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

// add adds the file of a source or a sample.
func (b *builder) add(folder, id string, content any) error {
	p := path.Join(folder, fileName(id)+".json")
	if other, taken := b.usedPaths[p]; taken {
		return fmt.Errorf("it and %s would both be the file %s", other, p)
	}
	b.usedPaths[p] = id
	f, err := export.Indented(p, content)
	b.tree.Files = append(b.tree.Files, f)
	return err
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
		b.turns[t.TurnID] = turnPlace{s.TaskID, s.SessionID}
		out.Turns = append(out.Turns, row)
	}
	b.sources[s.TaskID] = append(b.sources[s.TaskID], s.SessionID)
	return b.add("sources", s.SessionID, out)
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
	if why := checkQuestion(q); why != "" {
		return refuse(q, "%s", why)
	}
	s, err := newSample(q)
	if err != nil {
		return refuse(q, "%v", err)
	}
	s.Sources = b.sources[q.TaskID]
	for _, m := range q.QuestionMedia {
		p, err := b.addPicture(m)
		if err != nil {
			return refuse(q, "%v", err)
		}
		s.Images = append(s.Images, p)
	}
	if err := b.placeEvidence(q, s.Evidence); err != nil {
		return err
	}
	if err := b.add("samples", q.QuestionID, s); err != nil {
		return refuse(q, "%v", err)
	}
	return nil
}

// checkQuestion returns what is wrong with options, tools or gold, or "".
func checkQuestion(q schemas.Question) string {
	if q.Labels[labelTask] != schemas.TaskFunctionCall {
		right := slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Key == q.AnswerKey })
		if len(q.Options) != len(letters) || right < 0 || q.Options[right].Role != schemas.RoleCorrect {
			return fmt.Sprintf("it has %d options, and %q is its answer; want four of which one is right", len(q.Options), q.AnswerKey)
		}
		return ""
	}
	found := false
	for _, t := range q.Tools {
		one, why := tool.Compile(t)
		if why != nil {
			return why.Reason
		}
		found = found || one.Check(q.AnswerCall) == nil
	}
	if !found {
		return fmt.Sprintf("none of its %d tools takes the call that is its answer", len(q.Tools))
	}
	return ""
}

// placeEvidence fills in the sources and pictures of the evidence that a question needs.
func (b *builder) placeEvidence(q schemas.Question, pieces []Evidence) (err error) {
	for i, e := range q.Evidence {
		if e.Order != int32(i+1) {
			return refuse(q, "its evidence is not in order: %d at place %d", e.Order, i+1)
		}
	}
	sources := map[string]bool{}
	for i, e := range citedPieces(q) {
		p, known := b.turns[e.Ref]
		if !known || p.task != q.TaskID {
			return refuse(q, "it rests on %s, which is in no source of its environment", e.Ref)
		}
		pieces[i].Source, sources[p.source] = p.source, true
		if e.Media != "" {
			if pieces[i].Image, err = b.addPicture(e.Media); err != nil {
				return refuse(q, "%v", err)
			}
		}
	}
	if want := wantSources(q.Labels[labelArrangement]); len(sources) < want {
		return refuse(q, "its evidence stands in %d sources; want %d or more", len(sources), want)
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
