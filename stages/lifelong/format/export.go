package format

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// smallest is how many samples the list of the small split has (E1).
const smallest = 150

// Directories returns those of the published samples (E1), by what they hold.
func Directories() []string {
	out := []string{"lifelong/personal"}
	for _, v := range []string{"academic", "education", "finance", "health", "software", "startup"} {
		out = append(out, "lifelong/project/"+v)
	}
	for _, kind := range []string{"excel", "file_mgmt", "image_edit", "web", "word_docs", "css", "mobile", "webarena_lite"} {
		out = append(out, "agent/gui/"+kind)
	}
	for _, set := range []string{"eb_alfred", "eb_nav"} {
		for _, part := range []string{"base", "common_sense", "complex_instruction", "long_horizon", "visual_appearance"} {
			out = append(out, "agent/embodied/"+set+"_"+part)
		}
	}
	return append(out, "agent/embodied/minecraft", "agent/embodied/omnigibson")
}

// directoryOf returns the directory named by a task's scenario, as a whole or by the last
// part of its path.
func directoryOf(t schemas.Task) (string, bool) {
	for _, d := range Directories() {
		if t.Scenario == d || t.Scenario == path.Base(d) {
			return d, true
		}
	}
	return "", false
}

// Format returns the layout of the published data set.
func Format() export.Format {
	return export.Format{
		Name: "worldmemarena", Root: "worldmemarena", Takes: takes(), Layout: Layout,
		Help: "OUT/worldmemarena then is a folder that WorldMemArena's loader reads: a JSON file a task in the directory of its scenario, its pictures beside it, small_ids.json in the root.",
	}
}

// Layout builds the layout. It is pure, and equal releases give equal bytes.
func Layout(c release.Contents) (export.Tree, error) {
	all, err := instances(c)
	if err != nil {
		return export.Tree{}, err
	}
	covers, err := checkpoints(c)
	if err != nil {
		return export.Tree{}, err
	}
	return layout(c.Questions, all, c.Tasks, covers, c.Files)
}

type builder struct {
	files          map[string]string // media id to its file in the release
	tree           export.Tree
	similarUpdates int // updates that what they replace nearly says
	names          []string
}

func layout(questions []schemas.Question, all []instance, tasks []schemas.Task, covers []schemas.Checkpoint, files map[string]string) (export.Tree, error) {
	b, others := builder{files: files}, 0
	byTask := map[string][]schemas.Question{}
	for _, q := range questions {
		byTask[q.TaskID] = append(byTask[q.TaskID], q)
	}
	for _, i := range all {
		at := slices.IndexFunc(tasks, func(t schemas.Task) bool { return t.TaskID == i.task })
		dir, known := "", false
		if at >= 0 && len(i.sessions) > 0 {
			dir, known = directoryOf(tasks[at])
		}
		if !known {
			others++
			continue
		}
		mine := slices.DeleteFunc(slices.Clone(covers), func(c schemas.Checkpoint) bool { return c.TaskID != i.task })
		slices.SortFunc(mine, func(a, b schemas.Checkpoint) int { return cmp.Compare(a.Order, b.Order) })
		if err := b.addTask(i, dir, byTask[i.task], mine); err != nil {
			return export.Tree{}, err
		}
	}
	if len(b.names) == 0 {
		return export.Tree{}, fmt.Errorf("no task has sessions and a scenario that the layout has a directory for: %s", strings.Join(Directories(), ", "))
	}
	if others > 0 {
		b.tree.Notes = append(b.tree.Notes, fmt.Sprintf("%d tasks have no sessions, or a scenario without directory, and are left out", others))
	}
	if b.similarUpdates > 0 {
		b.tree.Notes = append(b.tree.Notes, fmt.Sprintf("%d updates have three quarters of their words from what they replace: the soft match of retrieval takes that for them", b.similarUpdates))
	}
	b.tree.Notes = append(b.tree.Notes, "upstream's cumulative gold state keeps facts that were replaced; memforge's drops them")
	return b.tree, b.writeSmallSplit()
}

// writeSmallSplit lists the samples of the small split: all, or as many as fit, picked by
// the digests of their names.
func (b *builder) writeSmallSplit() error {
	drawn := slices.Clone(b.names)
	slices.SortFunc(drawn, func(a, c string) int {
		x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(c))
		return slices.Compare(x[:], y[:])
	})
	drawn = drawn[:min(len(drawn), smallest)]
	slices.Sort(drawn)
	data, err := json.MarshalIndent(drawn, "", " ")
	if err != nil {
		return err
	}
	b.tree.Files = append(b.tree.Files, export.File{Path: "small_ids.json", Data: append(data, '\n')})
	return nil
}

func sampleName(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, id)
}

func (b *builder) addTask(i instance, dir string, questions []schemas.Question, covers []schemas.Checkpoint) error {
	name := sampleName(i.task)
	if slices.Contains(b.names, name) {
		return fmt.Errorf("task %s and another would both be the sample %s", i.task, name)
	}
	b.names = append(b.names, name)
	s := sampleBuilder{b: b, name: name, dir: dir, names: i.names, texts: map[string]string{}}
	if err := checkSessions(i.sessions); err != nil {
		return fmt.Errorf("task %s: %w", i.task, err)
	}
	out := sampleFile{SampleID: name}
	for _, one := range i.sessions {
		if err := s.addSession(one, &out); err != nil {
			return fmt.Errorf("session %s: %w", one.SessionID, err)
		}
	}
	if err := s.addCheckpoints(i, questions, covers, &out); err != nil {
		return err
	}
	data, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		return err
	}
	b.tree.Files = append(b.tree.Files, export.File{Path: path.Join(dir, name+".json"), Data: append(data, '\n')})
	return nil
}

// The shapes of a sample's file (E1.1).
type (
	sampleFile struct {
		SampleID    string           `json:"sample_id"`
		Sessions    []sessionFile    `json:"sessions"`
		Points      []pointsFile     `json:"memory_points"`
		Checkpoints []checkpointFile `json:"qa_checkpoints"`
	}
	sessionFile struct {
		ID       string      `json:"_v2_session_id"`
		Dialogue []turnFile  `json:"dialogue"`
		Points   []pointFile `json:"memory_points,omitempty"`
		Release  *ownPart    `json:"memforge,omitempty"`
	}
	turnFile struct {
		Release     *ownPart         `json:"memforge,omitempty"`
		Role        string           `json:"role"`
		Content     string           `json:"content"`
		Timestamp   string           `json:"timestamp,omitempty"`
		Attachments []attachmentFile `json:"attachments,omitempty"`
	}
	attachmentFile struct {
		Caption  string `json:"caption"`
		Type     string `json:"type"`
		ImageID  string `json:"image_id"`
		FilePath string `json:"file_path"`
	}
	pointsFile struct {
		SessionID string      `json:"session_id"`
		Points    []pointFile `json:"memory_points"`
	}
	pointFile struct {
		ID         string   `json:"memory_id"`
		Content    string   `json:"memory_content"`
		Type       string   `json:"memory_type"`
		Source     string   `json:"memory_source"`
		IsUpdate   bool     `json:"is_update"`
		Original   []string `json:"original_memories"`
		Importance float64  `json:"importance"`
		Timestamp  string   `json:"timestamp,omitempty"`
		UpdateType string   `json:"update_type"`
		Release    *ownPart `json:"memforge,omitempty"`
	}
	checkpointFile struct {
		ID        string         `json:"checkpoint_id"`
		Covered   []string       `json:"covered_sessions"`
		Questions []questionFile `json:"questions"`
	}
	questionFile struct {
		Question   string              `json:"question"`
		Answer     string              `json:"answer"`
		Evidence   []map[string]string `json:"evidence"`
		Type       string              `json:"question_type"`
		Short      string              `json:"question_type_abbrev"`
		Difficulty string              `json:"difficulty"`
		Release    *ownPart            `json:"memforge,omitempty"`
	}
	// ownPart is what a release has of a part and the layout does not: keys that upstream
	// does not read, and without which an export would not be scored as its release is.
	ownPart struct {
		ID         string            `json:"id,omitempty"`
		Options    []schemas.Option  `json:"options,omitempty"`
		Key        string            `json:"answer_key,omitempty"`
		Subject    string            `json:"subject,omitempty"`
		Attributes map[string]string `json:"attributes,omitempty"`
		Supersedes []string          `json:"supersedes,omitempty"`
		Resembles  string            `json:"resembles,omitempty"`
		// PointTurns are the turns in which a point is told or shown.
		PointTurns []string `json:"turns,omitempty"`
		// Turns are the evidence of a question that no point or picture stands for, and
		// Sufficient the sets of evidence of which each is enough, by name.
		Turns      []ownTurn  `json:"evidence_turns,omitempty"`
		Sufficient [][]string `json:"sufficient,omitempty"`
	}
	ownTurn struct {
		ID      string `json:"id"`
		Session string `json:"session_id"`
		Text    string `json:"text"`
		// Alternative turns are in other sets than the first.
		Alternative bool `json:"alternative,omitempty"`
	}
)

// Values of memory_source. Only the first is known of the published data.
const (
	sourceInterference = "interference"
	sourcePrimary      = "primary"
)

// LabelDifficulty is the label of a question that says how hard it is.
const LabelDifficulty = "difficulty"

// sampleBuilder writes a task to its sample. Texts are those of its points so far, by id.
type sampleBuilder struct {
	b         *builder
	name, dir string
	names     partNames
	texts     map[string]string
}

// checkSessions refuses sessions that upstream's loader would misread.
func checkSessions(sessions []schemas.Session) error {
	if len(sessions) > 99 {
		return fmt.Errorf("it has %d sessions, and ids have two digits", len(sessions))
	}
	for n, one := range sessions {
		if len(one.Turns) == 0 && n+firstNumber(sessions) > 0 {
			return fmt.Errorf("session %s has no turn", one.SessionID)
		}
	}
	return nil
}

func (s *sampleBuilder) addSession(one schemas.Session, out *sampleFile) error {
	id := s.names.sessions[one.SessionID]
	file := sessionFile{ID: id, Dialogue: []turnFile{}, Release: &ownPart{ID: one.SessionID}}
	shown := 0
	for _, t := range one.Turns {
		turn := turnFile{Role: roleOf(t.Role), Content: contentOf(t), Timestamp: formatTime(cmp.Or(t.Timestamp, one.Date)), Release: &ownPart{ID: t.TurnID}}
		for _, a := range t.Attachments {
			if a.MediaID == "" { // a picture that could not be had, of which a description is left
				turn.Content = strings.TrimSpace(turn.Content + "\nPicture: " + a.Caption)
				continue
			}
			shown++
			picture, err := s.addPicture(a, pictureName(id, shown))
			if err != nil {
				return fmt.Errorf("turn %s: %w", t.TurnID, err)
			}
			turn.Attachments = append(turn.Attachments, picture)
		}
		if turn.Content == "" && len(turn.Attachments) == 0 {
			return fmt.Errorf("turn %s says and shows nothing", t.TurnID)
		}
		file.Dialogue = append(file.Dialogue, turn)
	}
	points := s.pointsOf(one)
	if id == "S00" {
		file.Points = points
	} else if len(points) > 0 {
		out.Points = append(out.Points, pointsFile{id, points})
	}
	out.Sessions = append(out.Sessions, file)
	return nil
}

// roleOf maps agents to the assistant and their environment to the user.
func roleOf(role string) string {
	if role == schemas.TurnAgent || role == schemas.TurnAssistant {
		return "assistant"
	}
	return "user"
}

// contentOf returns everything a turn says, the parts of a step on lines of their own.
func contentOf(t schemas.Turn) string {
	lines := []string{}
	if t.Text != "" {
		lines = append(lines, t.Text)
	}
	for _, part := range []struct{ name, text string }{{"Observation", t.Observation}, {"Reasoning", t.Reasoning}, {"Action", t.Action}, {"Feedback", t.Feedback}} {
		if part.text != "" {
			lines = append(lines, part.name+": "+part.text)
		}
	}
	return strings.Join(lines, "\n")
}

// formatTime formats a time like 2025-01-03 09:00, or the day alone.
func formatTime(date string) string {
	return strings.Trim(strings.TrimSuffix(schemas.QuoteDate(date), "]"), "[")
}

func (s *sampleBuilder) addPicture(a schemas.Attachment, id string) (attachmentFile, error) {
	file, known := s.b.files[a.MediaID]
	switch {
	case !known:
		return attachmentFile{}, fmt.Errorf("the release has no file of picture %q", a.MediaID)
	case strings.TrimSpace(a.Caption) == "":
		return attachmentFile{}, fmt.Errorf("picture %s has no caption, and upstream shows captions in the place of pictures", a.MediaID)
	}
	rel := path.Join("images", s.name, id+path.Ext(file))
	s.b.tree.Media = append(s.b.tree.Media, export.MediaFile{Path: path.Join(s.dir, rel), MediaID: a.MediaID})
	return attachmentFile{a.Caption, "image_caption", id, rel}, nil
}

func (s *sampleBuilder) pointsOf(one schemas.Session) []pointFile {
	points := slices.Clone(one.Points)
	slices.SortFunc(points, func(a, b schemas.MemoryPoint) int { return strings.Compare(a.MemoryID, b.MemoryID) })
	out := []pointFile{}
	for _, p := range points {
		s.texts[p.MemoryID] = p.Content
		file := pointFile{
			ID: s.names.points[p.MemoryID], Content: p.Content, Type: p.Type, Source: sourcePrimary, IsUpdate: len(p.Supersedes) > 0, Original: []string{},
			Importance: p.Importance, Timestamp: formatTime(one.Date), UpdateType: p.UpdateType,
			Release: &ownPart{ID: p.MemoryID, Subject: p.Subject, Attributes: p.Attributes, Supersedes: p.Supersedes, Resembles: p.Resembles, PointTurns: p.EvidenceTurns},
		}
		if p.IsInterference {
			file.Source = sourceInterference
		}
		for _, old := range p.Supersedes {
			text := s.texts[old]
			if textSays(text, p.Content) {
				s.b.similarUpdates++
			}
			file.Original = append(file.Original, text)
		}
		out = append(out, file)
	}
	return out
}

// addCheckpoints writes the questions of each checkpoint; those without one go to the
// last session.
func (s *sampleBuilder) addCheckpoints(i instance, questions []schemas.Question, covers []schemas.Checkpoint, out *sampleFile) error {
	every := schemas.Checkpoint{}
	for _, one := range i.sessions {
		every.Sessions = append(every.Sessions, one.SessionID)
	}
	for n, c := range append(covers, every) {
		file := checkpointFile{ID: fmt.Sprintf("cp%02d", n+1), Covered: []string{}}
		for _, id := range c.Sessions {
			name, known := s.names.sessions[id]
			if !known {
				return fmt.Errorf("checkpoint %s covers session %s, which is none of its task: upstream would never ask it", c.CheckpointID, id)
			}
			file.Covered = append(file.Covered, name)
		}
		for k, q := range questions {
			if q.CheckpointID != c.CheckpointID {
				continue
			}
			asked, err := s.question(q, i.questions[k])
			if err != nil {
				return err
			}
			file.Questions = append(file.Questions, asked)
		}
		if len(file.Questions) > 0 {
			out.Checkpoints = append(out.Checkpoints, file)
		}
	}
	return nil
}

func (s *sampleBuilder) question(q schemas.Question, a evalQuestion) (questionFile, error) {
	if q.AnswerText == "" || q.Question == "" {
		return questionFile{}, &export.QuestionError{QuestionID: q.QuestionID, Reason: "it has no answer in words"}
	}
	out := questionFile{
		Question: q.Question, Answer: a.answer, Evidence: []map[string]string{}, Type: q.Type, Short: a.axis, Difficulty: q.Labels[LabelDifficulty],
		Release: &ownPart{ID: a.id, Options: a.options, Key: a.key},
	}
	if at := slices.IndexFunc(Axes(), func(x Axis) bool { return x.Short == a.axis }); at >= 0 {
		out.Type = strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(Axes()[at].Name))
	}
	out.Release.addTurns(a.evidence, false)
	for _, g := range a.evidence {
		switch {
		case g.turn:
		case pointID.MatchString(g.name):
			out.Evidence = append(out.Evidence, map[string]string{"memory_id": g.name})
		case pictureID.MatchString(g.name):
			out.Evidence = append(out.Evidence, map[string]string{"image_id": g.name})
		}
	}
	for _, set := range a.sets {
		out.Release.addTurns(set, true)
		var names []string
		for _, g := range set {
			names = append(names, g.name)
		}
		out.Release.Sufficient = append(out.Release.Sufficient, names)
	}
	if len(out.Evidence) == 0 && a.axis != AxisBoundary {
		return questionFile{}, &export.QuestionError{QuestionID: q.QuestionID, Reason: "nothing that it rests on is a memory point or a picture of its task, which is the evidence that the layout has"}
	}
	return out, nil
}

// addTurns adds the turns of evidence, each once.
func (o *ownPart) addTurns(gold []goldPiece, alternative bool) {
	for _, g := range gold {
		if g.turn && !slices.ContainsFunc(o.Turns, func(t ownTurn) bool { return t.ID == g.name }) {
			o.Turns = append(o.Turns, ownTurn{g.name, g.session, g.content, alternative})
		}
	}
}
