package format

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Format returns the export format memeye.
func Format() export.Format {
	return export.Format{
		Name: "memeye", Root: "memeye", Beside: "memeye-memforge", Takes: takes(), Layout: Layout,
		Help: "OUT/memeye then holds dialog/ and image/, as register_external_data.py of MemEye's repository wants them.",
	}
}

// Layout builds the layout. It is pure, and equal releases give equal bytes.
func Layout(c release.Contents) (export.Tree, error) {
	tasks, err := layoutTasks(c)
	if err != nil {
		return export.Tree{}, err
	}
	if len(tasks) == 0 {
		return export.Tree{}, fmt.Errorf("release %s has no task with a conversation of dated sessions; MemEye's layout holds nothing else", c.Manifest.ID)
	}
	var tree export.Tree
	slugs := map[string]string{}
	for _, t := range append(tasks, mergeHistories(tasks)...) {
		if other, taken := slugs[slug(t.name)]; taken {
			return export.Tree{}, fmt.Errorf("tasks %s and %s would have one name, %s", other, t.name, slug(t.name))
		}
		slugs[slug(t.name)] = t.name
		for _, open := range []bool{false, true} {
			f, err := t.encodeFile(open)
			if err != nil {
				return export.Tree{}, err
			}
			tree.Files = append(tree.Files, f)
		}
		tree.Media = append(tree.Media, t.media...)
	}
	tree.Folders = []string{"dialog", "image"}
	return tree, nil
}

// slug returns the name that MemEye's code derives from a task's name.
func slug(name string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(name, func(r rune) bool { return !strings.ContainsRune(alphanumeric, r) }), "_"))
}

// layoutTask is a task in MemEye's layout.
type layoutTask struct {
	name, scenario string
	profile        map[string]string
	sessions       []session
	questions      []layoutQuestion
	media          []export.MediaFile
}

// asReadTask returns the task as Read would return it.
func (t layoutTask) asReadTask() Task {
	out := Task{Name: t.name}
	for _, s := range t.sessions {
		for _, r := range s.Rounds {
			out.Rounds = append(out.Rounds, r.ID)
		}
	}
	for _, q := range t.questions {
		stem, _ := q.Stem()
		out.Items = append(out.Items, Item{ID: q.QuestionID, Task: q.TaskID, X: q.Labels[schemas.LabelGranularity], Y: q.Labels[schemas.LabelReasoning], Question: stem, Gold: q.AnswerText, Clues: q.clues, Sets: q.sets, Fact: q.Fact()})
	}
	return out
}

// layoutQuestion is a question with the rounds of its evidence.
type layoutQuestion struct {
	schemas.Question
	clues   []string
	sets    [][]string // of clues of which each is enough, where there are several
	images  []string
	caption string // of its own pictures, where the dialogue has them
}

func (t layoutTask) encodeFile(open bool) (export.File, error) {
	d := dialogue{Profile: t.profile, Task: t.name, Sessions: t.sessions, QAs: []qa{}}
	name := t.name
	if open {
		name += openSuffix
	}
	for _, q := range t.questions {
		d.QAs = append(d.QAs, q.fileQuestion(open))
	}
	return export.Indented(path.Join("dialog", name+".json"), d)
}

// fileQuestion returns the choice or the open form of a question. The answer of a
// choice form is that of its last rotation, with which MemEye compares.
func (q layoutQuestion) fileQuestion(open bool) qa {
	out := qa{
		ID: q.QuestionID, Point: [][]string{{q.Labels[schemas.LabelGranularity]}, {q.Labels[schemas.LabelReasoning]}},
		Question: q.Question.Question, Answer: q.AnswerText, Clues: q.clues, Images: q.images, Sessions: roundSessions(q.clues), Caption: q.caption, OtherCaption: q.caption,
	}
	if open {
		return out
	}
	out.Question, _ = q.Stem()
	for at := range letters {
		options := map[string]string{"answer": letters[at : at+1]}
		for _, o := range rotateOptions(q.Question, at) {
			options[o.Key] = o.Text
		}
		out.Options = append(out.Options, options)
	}
	out.Answer = letters[len(letters)-1:]
	return out
}

// rotateOptions rotates the options of a question so that the right one is at place at.
func rotateOptions(q schemas.Question, at int) []schemas.Option {
	right := slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Key == q.AnswerKey })
	out := make([]schemas.Option, len(letters))
	for i := range letters {
		place := (at + i) % len(letters)
		out[place] = schemas.Option{Key: letters[place : place+1], Text: q.Options[(right+i)%len(letters)].Text}
	}
	return out
}

// roundSessions returns the sessions of rounds, each once, in order.
func roundSessions(rounds []string) []string {
	out := []string{}
	for _, r := range rounds {
		if s, _, _ := strings.Cut(r, ":"); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// layoutTasks returns the conversations of a release with questions on the grid.
func layoutTasks(c release.Contents) ([]layoutTask, error) {
	sessions, err := release.DecodeTable[schemas.Session](c, "sessions")
	if err != nil {
		return nil, err
	}
	byTask := map[string][]schemas.Session{}
	for _, s := range sessions {
		byTask[s.TaskID] = append(byTask[s.TaskID], s)
	}
	questions := map[string][]schemas.Question{}
	for _, q := range c.Questions {
		questions[q.TaskID] = append(questions[q.TaskID], q)
	}
	var out []layoutTask
	for _, t := range c.Tasks {
		if !slices.ContainsFunc(questions[t.TaskID], onGrid) {
			continue // of another family
		}
		mine := byTask[t.TaskID]
		slices.SortFunc(mine, func(a, b schemas.Session) int { return cmp.Compare(a.Order, b.Order) })
		b := taskBuilder{files: c.Files, turns: map[string]string{}, captions: map[string]string{}}
		b.layoutTask = layoutTask{name: taskName(t), scenario: t.Scenario, profile: map[string]string{}}
		for _, s := range mine {
			if err := b.addSession(s); err != nil {
				return nil, fmt.Errorf("session %s: %w", s.SessionID, err)
			}
		}
		for _, q := range questions[t.TaskID] {
			if err := b.addQuestion(q); err != nil {
				return nil, err
			}
		}
		out = append(out, b.layoutTask)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("release %s asks nothing that has a place on MemEye's grid: its questions have no labels %s and %s", c.Manifest.ID, schemas.LabelGranularity, schemas.LabelReasoning)
	}
	return out, nil
}

// takes says which questions of a release have a place on the grid.
func takes() benchformat.Selector {
	return benchformat.Selector{Families: []string{"visual"}, Fits: func(q schemas.Question) string {
		if !onGrid(q) {
			return "they have no place on MemEye's grid"
		}
		return ""
	}}
}

func onGrid(q schemas.Question) bool {
	return q.Labels[schemas.LabelGranularity] != "" && q.Labels[schemas.LabelReasoning] != ""
}

// taskName derives the name of a task's files from its id.
func taskName(t schemas.Task) string {
	var words []string
	for _, w := range strings.FieldsFunc(strings.TrimPrefix(t.TaskID, t.Family+"/"), func(r rune) bool { return !strings.ContainsRune(alphanumeric, r) }) {
		words = append(words, strings.ToUpper(w[:1])+w[1:])
	}
	return strings.Join(words, "_")
}

const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// taskBuilder lays out one task.
type taskBuilder struct {
	layoutTask
	files map[string]string // media id to its file in the release
	// turns maps turn ids to rounds; captions are by media id.
	turns    map[string]string
	captions map[string]string
	date     string
}

// addSession adds a session of rounds, or reads the user's profile. MemEye's layout has
// no place for other kinds.
func (b *taskBuilder) addSession(s schemas.Session) error {
	switch s.Kind {
	case schemas.KindProfile:
		for _, t := range s.Turns {
			key, value, _ := strings.Cut(t.Text, ": ")
			b.profile[key] = value
		}
		return nil
	case schemas.KindDialogue, schemas.KindPrivateChat:
	default:
		return fmt.Errorf("it is a %s; MemEye's layout holds dialogues", s.Kind)
	}
	if !isDay(s.Date) || s.Date < b.date {
		return fmt.Errorf("its date is %q, after %q; MemEye wants days such as 2024-06-17 that do not run back", s.Date, b.date)
	}
	b.date = s.Date
	out := session{ID: fmt.Sprintf("D%d", len(b.sessions)+1), Date: s.Date}
	for i := 0; i < len(s.Turns); i += 2 {
		if i+1 == len(s.Turns) || s.Turns[i].Role != schemas.TurnUser || s.Turns[i+1].Role != schemas.TurnAssistant {
			return fmt.Errorf("turns %d and %d are not what a user says and an assistant answers", i+1, i+2)
		}
		r := round{ID: fmt.Sprintf("%s:%d", out.ID, i/2+1), User: &s.Turns[i].Text, Assistant: &s.Turns[i+1].Text}
		for _, t := range s.Turns[i : i+2] {
			b.turns[t.TurnID] = r.ID
			if err := b.addPictures(&r, t); err != nil {
				return err
			}
		}
		out.Rounds = append(out.Rounds, r)
	}
	b.sessions = append(b.sessions, out)
	return nil
}

// addPictures adds the pictures of a turn. Each occurrence gets a file name that is
// unique among all tasks.
func (b *taskBuilder) addPictures(r *round, t schemas.Turn) error {
	for _, a := range t.Attachments {
		if a.MediaID == "" {
			return fmt.Errorf("turn %s lost its picture; MemEye's loader stops where a picture is missing", t.TurnID)
		}
		if a.Caption == "" {
			return fmt.Errorf("picture %s of turn %s has no caption; MemEye's methods on text stop without", a.MediaID, t.TurnID)
		}
		written, err := b.addPicture(a.MediaID, fmt.Sprintf("%s_%s_%d", slug(b.name), strings.ReplaceAll(r.ID, ":", "_"), len(r.Images)+1))
		if err != nil {
			return err
		}
		b.captions[a.MediaID] = a.Caption
		r.Images, r.Captions, r.ImageIDs = append(r.Images, written), append(r.Captions, a.Caption), append(r.ImageIDs, a.AttachmentID)
	}
	return nil
}

// addPicture adds the file of a picture and returns its path as MemEye writes it.
func (b *taskBuilder) addPicture(media, stem string) (string, error) {
	file, known := b.files[media]
	if !known {
		return "", fmt.Errorf("the release has no file of picture %s", media)
	}
	name := stem + path.Ext(file)
	b.media = append(b.media, export.MediaFile{Path: path.Join("image", b.name, name), MediaID: media})
	return "../image/" + b.name + "/" + name, nil
}

// questionError says why MemEye's layout cannot express a question.
func questionError(q schemas.Question, format string, args ...any) error {
	return &export.QuestionError{QuestionID: q.QuestionID, Reason: fmt.Sprintf(format, args...)}
}

// addQuestion adds a question. It needs a place on the grid, four options, and clues in
// rounds.
func (b *taskBuilder) addQuestion(q schemas.Question) error {
	x, y := q.Labels[schemas.LabelGranularity], q.Labels[schemas.LabelReasoning]
	if !slices.Contains([]string{"X1", "X2", "X3", "X4"}, x) || !slices.Contains([]string{"Y1", "Y2", "Y3"}, y) {
		return questionError(q, "its place on the grid is %q, %q; MemEye's points are X1 to X4 and Y1 to Y3", x, y)
	}
	if _, ok := q.Stem(); !ok || len(q.Options) != len(letters) {
		return questionError(q, "it has %d options; MemEye's choice form has four, in four rotations", len(q.Options))
	}
	out := layoutQuestion{Question: q}
	var err error
	if out.clues, err = b.roundsOf(q, q.Needed()); err != nil {
		return err
	}
	if q.Labels[schemas.LabelSufficient] != "" {
		sets, err := q.NeededSets()
		if err != nil {
			return questionError(q, "%v", err)
		}
		for _, set := range sets {
			rounds, err := b.roundsOf(q, set)
			if err != nil {
				return err
			}
			out.sets = append(out.sets, rounds)
		}
	}
	if len(out.clues) == 0 {
		return questionError(q, "it names no round that it rests on")
	}
	for i, m := range q.QuestionMedia {
		written, err := b.addPicture(m, fmt.Sprintf("%s_Q%d_%d", slug(b.name), len(b.questions)+1, i+1))
		if err != nil {
			return questionError(q, "%v", err)
		}
		out.images = append(out.images, written)
		out.caption = strings.TrimSpace(out.caption + "\n" + b.captions[m])
	}
	b.questions = append(b.questions, out)
	return nil
}

// roundsOf returns the rounds of evidence, each once.
func (b *taskBuilder) roundsOf(q schemas.Question, pieces []schemas.Evidence) (out []string, err error) {
	for _, e := range pieces {
		r, known := b.turns[e.Ref]
		if !known {
			return nil, questionError(q, "it rests on %s, which is in no round of its task", e.Ref)
		}
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out, nil
}

// mergedScenarios lists the combinations of scenarios whose histories MemEye merges
// (D.6). The first two and the last two of each are its pairs.
func mergedScenarios() [][]string {
	return [][]string{
		{"brand_memory", "social_chat", "cartoon_companion", "card_playlog"},
		{"health_dashboard", "home_renovation", "cross_scene_archive", "outdoor_navigation"},
	}
}

// mergedGroups returns groups of so many tasks, by their places, that MemEye merges: of each
// scenario the first, where the group is complete.
func mergedGroups(scenarios []string, size int) (out [][]int) {
	for _, four := range mergedScenarios() {
		for group := range slices.Chunk(four, size) {
			var members []int
			for _, name := range group {
				if at := slices.Index(scenarios, name); at >= 0 {
					members = append(members, at)
				}
			}
			if len(members) == len(group) {
				out = append(out, members)
			}
		}
	}
	return out
}

// mergedTasks returns the groups of two or four tasks of a release that MemEye merges.
func mergedTasks(c release.Contents, size int) (out [][]string) {
	if size != 2 && size != 4 {
		return nil
	}
	asked := map[string]bool{}
	for _, q := range c.Questions {
		asked[q.TaskID] = asked[q.TaskID] || onGrid(q)
	}
	tasks := slices.DeleteFunc(slices.Clone(c.Tasks), func(t schemas.Task) bool { return !asked[t.TaskID] })
	var scenarios []string
	for _, t := range tasks {
		scenarios = append(scenarios, t.Scenario)
	}
	for _, group := range mergedGroups(scenarios, size) {
		var ids []string
		for _, at := range group {
			ids = append(ids, tasks[at].TaskID)
		}
		out = append(out, ids)
	}
	return out
}

// mergeHistories merges the tasks of all pairs and fours.
func mergeHistories(tasks []layoutTask) (out []layoutTask) {
	var scenarios []string
	for _, t := range tasks {
		scenarios = append(scenarios, t.scenario)
	}
	for _, size := range []int{2, 4} {
		for _, group := range mergedGroups(scenarios, size) {
			var members []layoutTask
			for _, at := range group {
				members = append(members, tasks[at])
			}
			out = append(out, mergeTasks(members))
		}
	}
	return out
}

// mergeTasks merges the sessions of several tasks by date. Questions change only the
// ids of sessions and rounds; pictures stay where they are.
func mergeTasks(tasks []layoutTask) layoutTask {
	type dated struct {
		task int
		session
	}
	out := layoutTask{profile: map[string]string{}}
	var names []string
	var all []dated
	for i, t := range tasks {
		names = append(names, t.name)
		for key, value := range t.profile {
			out.profile[t.name+" "+key] = value
		}
		for _, s := range t.sessions {
			all = append(all, dated{i, s})
		}
	}
	out.name = mergedPrefix + strings.Join(names, "_")
	slices.SortStableFunc(all, func(a, b dated) int { return strings.Compare(a.Date, b.Date) })
	renamed := make([]map[string]string, len(tasks))
	for i := range renamed {
		renamed[i] = map[string]string{}
	}
	for n, s := range all {
		out.sessions = append(out.sessions, renameSession(s.session, fmt.Sprintf("D%d", n+1), renamed[s.task]))
	}
	for i, t := range tasks {
		for _, q := range t.questions {
			q.clues = slices.Clone(q.clues)
			for j, c := range q.clues {
				q.clues[j] = renamed[i][c]
			}
			out.questions = append(out.questions, q)
		}
	}
	return out
}

// renameSession copies a session under another id and records the new ids of its
// rounds.
func renameSession(s session, id string, renamed map[string]string) session {
	out := session{ID: id, Date: s.Date}
	for _, r := range s.Rounds {
		old := r.ID
		r.ID = id + strings.TrimPrefix(old, s.ID)
		renamed[old] = r.ID
		out.Rounds = append(out.Rounds, r)
	}
	return out
}
