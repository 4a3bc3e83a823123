package dialogs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// emitter turns conversations into records.
type emitter struct {
	cfg      Config
	scope    *pipeline.Scope
	emit     func(pipeline.Record) error
	pictures *album
	// emitted are the ids of tasks that were given.
	emitted map[string]bool
}

// emittedConversation holds what was emitted of a conversation: the names of its turns
// and their pictures.
type emittedConversation struct {
	conversation
	task, source string
	// pieces are by the ref of their turn, or of the round that two turns are: what is
	// said with the first picture, then further pictures.
	pieces map[string][]schemas.Evidence
	// answers leads from a turn that says little to the one before it, where that asks.
	answers map[string]string
	last    lastTurn
	// order is when each of them came.
	order map[string]int
	media []string
	// asked are the ids of questions that were given.
	asked map[string]bool
	// asks are their ids by what they ask.
	asks map[string]string
	// named are what pictures are called: one that is shown again has another name.
	named map[string]bool
	// points are the ids of points by the names that their file has for them.
	points map[string]string
	// before are the sessions so far, where their points build on each other.
	before []schemas.Session
	// bases are the base names of pictures, with their media.
	bases map[string]string
}

// emitConversation emits the records of a conversation, pictures first, and rejects what
// no record holds.
func (g *emitter) emitConversation(ctx context.Context, c conversation) error {
	t := &emittedConversation{conversation: c, task: g.cfg.Family + "/" + c.name, source: g.scope.Name(), pieces: map[string][]schemas.Evidence{}, answers: map[string]string{}, order: map[string]int{}, asked: map[string]bool{}, asks: map[string]string{}, named: map[string]bool{}, bases: map[string]string{}}
	if g.emitted[t.task] {
		g.scope.Reject(c.file, pipeline.Reject(codeCopy, "a conversation is called %s already; rename the file", c.name))
		return nil
	}
	if g.emitted == nil {
		g.emitted = map[string]bool{}
	}
	g.emitted[t.task] = true
	for _, s := range c.sessions {
		if err := g.emitSession(ctx, t, s); err != nil {
			return err
		}
	}
	questions := 0
	for _, q := range c.questions {
		given, err := g.emitQuestion(ctx, t, q)
		if err != nil {
			return err
		}
		if given {
			questions++
		}
	}
	slices.SortStableFunc(t.lost, func(a, b loss) int {
		return cmp.Or(strings.Compare(a.place, b.place), strings.Compare(a.code, b.code))
	})
	for _, l := range t.lost {
		g.scope.Reject(t.task+"/"+l.place, pipeline.Reject(l.code, "%s", l.why))
	}
	slices.Sort(t.media)
	_, err := g.emitRecord(schemas.NameTask, t.task, schemas.Task{
		TaskID: t.task, Family: g.cfg.Family, Scenario: cmp.Or(g.cfg.Scenario, c.scenario, c.name), Media: slices.Compact(t.media),
		Summary: cmp.Or(c.summary, fmt.Sprintf("%d sessions and %d questions", len(c.sessions), questions)),
	})
	return err
}

// emitRecord emits a record, or rejects one that is too large.
func (g *emitter) emitRecord(schema, id string, v any, blobs ...pipeline.Digest) (given bool, err error) {
	r, err := pipeline.NewRecord(schema, id, v, blobs...)
	if why := (*pipeline.Rejection)(nil); errors.As(err, &why) {
		g.scope.Reject(id, why)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, g.emit(r)
}

// maxSaid bounds what is said in one turn: a session with one such turn still fits in
// a record, with the points that quote it.
const maxSaid = 256 << 10

func (g *emitter) emitSession(ctx context.Context, t *emittedConversation, s session) error {
	out := schemas.Session{
		SessionID: schemas.SessionIDOf(t.task, s.number), TaskID: t.task, Kind: schemas.KindDialogue, Date: s.at,
		Order: int32(slices.IndexFunc(t.sessions, func(o session) bool { return o.number == s.number })),
	}
	if err := g.addTurns(ctx, t, s, &out); err != nil {
		return err
	}
	if len(out.Turns) == 0 {
		t.reject(strings.TrimPrefix(out.SessionID, t.task+"/"), codeSession, "no turn of it says or shows anything")
		return nil
	}
	for i, p := range s.points {
		t.addPoint(&out, i+1, p)
	}
	if len(t.points) > 0 { // points that update others carry what they update
		t.before = append(t.before, out)
		out = out.DeriveFields(t.before)
	}
	given, err := g.emitRecord(schemas.NameSession, out.SessionID, out)
	if !given {
		t.dropSession(out.SessionID)
	}
	return err
}

func (g *emitter) addTurns(ctx context.Context, t *emittedConversation, s session, out *schemas.Session) error {
	pictures := 0
	for i, said := range s.turns {
		n := len(out.Turns) + 1
		turn := schemas.Turn{
			TurnID: schemas.TurnIDOf(out.SessionID, n), SessionID: out.SessionID, Order: int32(n),
			Role: said.role, Speaker: said.speaker, Text: said.text,
		}
		if err := g.addPictures(ctx, t, &turn, said, &pictures); err != nil {
			return err
		}
		if len(turn.Text) > maxSaid {
			t.reject(fmt.Sprintf("%s[%d]", said.ref, i), pipeline.CodeRecordSize, "it has %d bytes; a turn may have %d", len(turn.Text), maxSaid)
			continue
		}
		if strings.TrimSpace(turn.Text) == "" && len(turn.Attachments) == 0 {
			t.reject(fmt.Sprintf("%s[%d]", said.ref, i), codeTurn, "nothing is said in it and nothing shown")
			continue
		}
		if who := cmp.Or(said.speaker, said.role); !slices.Contains(out.Participants, who) {
			out.Participants = append(out.Participants, who)
		}
		out.Turns = append(out.Turns, turn)
		t.addEvidence(*out, turn, said)
	}
	return nil
}

// dropSession removes the evidence of a rejected session.
func (t *emittedConversation) dropSession(session string) {
	maps.DeleteFunc(t.pieces, func(_ string, list []schemas.Evidence) bool { return list[0].SessionID == session })
}

// addPictures adds the pictures of a turn; n counts those of its session so far. A
// missing picture leaves its description.
func (g *emitter) addPictures(ctx context.Context, t *emittedConversation, turn *schemas.Turn, said turn, n *int) error {
	for _, p := range said.pictures {
		a := schemas.Attachment{Caption: p.caption, AttachmentID: p.name}
		if p.name == "" || t.named[p.name] {
			a.AttachmentID = schemas.AttachmentIDOf(turn.SessionID, *n+1)
		}
		if p.path != "" {
			id, err := g.emitPicture(ctx, t, said.ref, p)
			if err != nil {
				return err
			}
			a.MediaID = id
		}
		if a.MediaID != "" || a.Caption != "" {
			*n++
			t.named[a.AttachmentID] = true
			turn.Attachments = append(turn.Attachments, a)
		}
	}
	return nil
}

// emitPicture emits the record of a picture and returns its media id, or "" after
// rejecting it.
func (g *emitter) emitPicture(ctx context.Context, t *emittedConversation, place string, p picture) (string, error) {
	m, why, err := g.pictures.find(ctx, g.scope, path.Dir(t.file), p)
	if err != nil {
		return "", err
	}
	if other, taken := t.bases[path.Base(p.path)]; why == nil && taken && other != m.MediaID {
		why = pipeline.Reject(codeSameName, "another picture of the task has the base name of %q, by which MemEye's loader may find the wrong one; rename one of them", p.path)
	}
	if why != nil {
		t.reject(place, why.Code, "%s", why.Reason)
		return "", nil
	}
	t.bases[path.Base(p.path)] = m.MediaID
	t.media = append(t.media, m.MediaID)
	if g.pictures.given[m.MediaID] {
		return m.MediaID, nil
	}
	g.pictures.given[m.MediaID] = true
	m.License = g.cfg.License
	_, err = g.emitRecord(schemas.NameMedia, m.MediaID, m, pipeline.Digest(m.MediaID))
	return m.MediaID, err
}

func (t *emittedConversation) addEvidence(s schemas.Session, turn schemas.Turn, said turn) {
	t.noteAnswer(s, turn, said)
	of := schemas.Evidence{Kind: schemas.EvidenceTurn, Ref: turn.TurnID, Role: schemas.RoleClue, SessionID: s.SessionID, SourceID: t.source}
	list := t.pieces[said.ref]
	if len(list) == 0 {
		t.order[said.ref] = len(t.order)
		list = []schemas.Evidence{of}
		list[0].Text = schemas.QuoteDate(s.Date)
	}
	list[0].Text = strings.TrimPrefix(list[0].Text+"\n"+turn.Line(), "\n")
	for i, a := range turn.Attachments {
		if i > 0 {
			list = append(list, of)
		}
		e := &list[len(list)-1]
		e.Media, e.Caption, e.MinimalCaption = a.MediaID, a.Caption, schemas.BareCaption
	}
	t.pieces[said.ref] = list
}

// addPoint adds a memory point, or rejects it if one of its turns is not in the session.
func (t *emittedConversation) addPoint(s *schemas.Session, n int, p point) {
	id := schemas.PointIDOf(s.SessionID, n)
	var turns []string
	for _, ref := range p.refs {
		list := t.pieces[ref]
		if len(list) == 0 || list[0].SessionID != s.SessionID {
			t.reject(strings.TrimPrefix(id, t.task+"/"), codeUnknown, "%q rests on %s, which is no turn of its session", p.text, ref)
			return
		}
		turns = append(turns, list[0].Ref)
	}
	if len(turns) == 0 || p.text == "" {
		t.reject(strings.TrimPrefix(id, t.task+"/"), codePoint, "%q rests on nothing that was said", p.text)
		return
	}
	out := schemas.MemoryPoint{
		MemoryID: id, SessionID: s.SessionID, Content: p.text, Type: "observation", Importance: 1, Attributes: map[string]string{"who": p.subject},
		Modality: schemas.ModalityText, EvidenceTurns: turns,
	}
	if p.name != "" {
		t.completePoint(&out, p)
	}
	s.Points = append(s.Points, out)
}

// completePoint adds what layouts have that say how points stand to each other.
func (t *emittedConversation) completePoint(out *schemas.MemoryPoint, p point) {
	if t.points == nil {
		t.points = map[string]string{}
	}
	t.points[p.name] = out.MemoryID
	out.Type, out.Importance, out.Subject, out.Attributes = p.kind, max(0, p.importance), p.subject, p.attributes
	for _, name := range p.supersedes {
		if id := t.points[name]; id != "" {
			out.Supersedes, out.IsUpdate, out.UpdateType = append(out.Supersedes, id), true, p.updateType
		}
	}
	if of := t.points[p.resembles]; p.interferes && of != "" {
		out.Type, out.IsInterference, out.Resembles, out.DiffersIn = "interference", true, of, "status"
	}
}

// emitQuestion emits a question. Its evidence must exist; a question that names none is
// accepted.
func (g *emitter) emitQuestion(ctx context.Context, t *emittedConversation, q question) (bool, error) {
	out := schemas.Question{
		QuestionID: t.task + "/" + cmp.Or(q.id, fmt.Sprintf("Q%04d", q.number)), Family: g.cfg.Family, TaskID: t.task, Question: q.text, AnswerText: q.answer,
		Type: q.kind, Labels: map[string]string{}, Media: []string{}, Split: schemas.DefaultSplit,
	}
	maps.Copy(out.Labels, q.labels)
	if t.asked[out.QuestionID] {
		t.reject(q.place, codeCopy, "a question before it has the id %s", out.QuestionID)
		return false, nil
	}
	t.asked[out.QuestionID] = true
	if i := slices.IndexFunc(q.refs, func(ref string) bool { return len(t.pieces[ref]) == 0 }); i >= 0 {
		t.reject(q.place, codeUnknown, "it rests on %s, which is no turn of the conversation: the question is left out", q.refs[i])
		return false, nil
	}
	out.Evidence = t.evidenceOf(q)
	for _, e := range out.Evidence {
		if e.Media != "" {
			out.Media = append(out.Media, e.Media)
		}
	}
	var err error
	if out.QuestionMedia, err = g.emitQuestionPictures(ctx, t, q); err != nil || len(out.QuestionMedia) < len(q.pictures) {
		return false, err
	}
	slices.Sort(out.Media)
	out.Media = slices.Compact(out.Media)
	g.addOptions(&out, q)
	key := out.RepeatKey()
	if first, again := t.asks[key]; again {
		t.reject(q.place, codeRepeat, "%s asks the same, of the same", first)
		return false, nil
	}
	t.asks[key] = out.QuestionID
	return g.emitRecord(schemas.NameQuestion, out.QuestionID, out)
}

// emitQuestionPictures emits the pictures of a question itself. A missing one is
// rejected, and the list is shorter.
func (g *emitter) emitQuestionPictures(ctx context.Context, t *emittedConversation, q question) (out []string, err error) {
	for _, p := range q.pictures {
		id, err := g.emitPicture(ctx, t, q.place, p)
		if err != nil || id == "" {
			return out, err
		}
		out = append(out, id)
	}
	return out, nil
}

// addOptions puts the right answer among the wrong ones, at a place drawn for the
// question.
func (g *emitter) addOptions(out *schemas.Question, q question) {
	out.QuestionMCQ = out.Question
	if len(q.wrong) == 0 {
		return
	}
	texts := append([]string{q.answer}, q.wrong...)
	for i, at := range g.scope.Rand("options", out.QuestionID).Perm(len(texts)) {
		o := schemas.Option{Key: schemas.Letter(i), Text: texts[at], Role: schemas.RoleDistractor}
		if at == 0 {
			o.Role, out.AnswerKey = schemas.RoleCorrect, o.Key
		}
		out.Options = append(out.Options, o)
	}
	out.QuestionMCQ = schemas.MCQ(cmp.Or(q.choice, q.text), out.Options)
}

// Codes of what a file holds and no record can.
const (
	codeFile      = "bad-dialogue"
	codeSession   = "bad-session"
	codeTurn      = "bad-turn"
	codePicture   = "picture-missing"
	codeNoPicture = "no-picture"
	codeSameName  = "same-base-name"
	codeDead      = "picture-dead"
	codeEvidence  = "malformed-evidence"
	codeUnknown   = "unknown-evidence"
	codeLater     = "later-evidence"
	codeDate      = "bad-date"
	codeBack      = "date-runs-back"
	codeNoDay     = "date-without-session"
	codePoint     = "bad-observation"
	codeQuestion  = "bad-question"
	codeMirror    = "unpaired-form"
	codeContra    = "contradicted-question"
	codeCopy      = "duplicate-id"
	codeRepeat    = "repeated-question"
)

// idForm is that of ids which are taken from a file: they become parts of ours.
var idForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// conversation is what one file says, whatever its layout.
type conversation struct {
	name, file string
	summary    string
	// scenario is the folder of a sample that has checkpoints, as WorldMemArena sorts them.
	scenario    string
	checkpoints bool
	sessions    []session
	questions   []question
	lost        []loss
}

// loss is a part that no record holds. Its place is a path within the file.
type loss struct{ place, code, why string }

func (c *conversation) setFile(file string) {
	if c.file = file; c.checkpoints {
		c.scenario = path.Base(path.Dir(file))
	}
}

func (c *conversation) reject(place, code, format string, args ...any) {
	c.lost = append(c.lost, loss{place, code, fmt.Sprintf(format, args...)})
}

type session struct {
	number int
	// at is when it began, an RFC 3339 time or a day; empty if unknown.
	at     string
	turns  []turn
	points []point
}

// turn is one turn. Those of one round share its ref.
type turn struct {
	ref           string
	role, speaker string
	text          string
	pictures      []picture
}

// picture is one that a turn or a question names by path, or a description of one
// that cannot be had. Its name is what questions call it, if they do.
type picture struct{ path, caption, name string }

// point is what an observer noted of what a speaker said.
type point struct {
	subject, text string
	refs          []string
	// What follows only some layouts have. Name is what the file calls it, by which others
	// name it in supersedes and resembles.
	kind, name, updateType, resembles string
	supersedes                        []string
	attributes                        map[string]string
	importance                        float64
	interferes                        bool
}

// question is a question with its answer, and the wrong ones if it has options.
type question struct {
	// number is its place in the file, from 1; id is upstream's, if it gives one.
	number           int
	id, text, choice string
	kind             string
	answer           string
	wrong            []string
	refs             []string
	labels           map[string]string
	pictures         []picture
	place            string
}

// takeOpenForm merges the open form of the same questions where it differs.
func (c *conversation) takeOpenForm(open conversation) {
	c.lost = append(c.lost, open.lost...)
	if len(open.questions) != len(c.questions) {
		c.reject("questions", codeMirror, "%d questions with options and %d without: they are taken as they stand, without their open form", len(c.questions), len(open.questions))
		return
	}
	for i, q := range open.questions {
		mine := &c.questions[i]
		if mine.id != q.id || !slices.Equal(mine.refs, q.refs) {
			c.reject(q.place, codeMirror, "the open form rests on %v, the form with options on %v", q.refs, mine.refs)
			continue
		}
		mine.choice, mine.text = mine.text, q.text
		if mine.choice == mine.text {
			mine.choice = ""
		}
	}
}

// roleOf returns the role of a speaker: where there are two and neither is a program,
// both are users.
func roleOf(speaker string) string {
	if speaker == schemas.TurnAssistant {
		return schemas.TurnAssistant
	}
	return schemas.TurnUser
}

// fewWords is the most that a turn has which says nothing without what it answers:
// "Yes, I did" is no evidence of what was done.
const fewWords = 25

type lastTurn struct {
	session, ref, speaker string
	asks                  bool
}

// noteAnswer records which turn this one answers. A round contains its question.
func (t *emittedConversation) noteAnswer(s schemas.Session, turn schemas.Turn, said turn) {
	before := t.last
	t.last = lastTurn{s.SessionID, said.ref, turn.Speaker, strings.HasSuffix(strings.TrimSpace(turn.Text), "?")}
	switch {
	case before.ref == said.ref:
		delete(t.answers, said.ref)
	case before.session == s.SessionID && before.asks && before.speaker != turn.Speaker && len(words.Words(turn.Text)) <= fewWords:
		t.answers[said.ref] = before.ref
	}
}

// evidenceOf returns the evidence of a question in order of time: of two that differ the
// later one holds. The turn that a short turn answers comes before it as context.
func (t *emittedConversation) evidenceOf(q question) (out []schemas.Evidence) {
	add := func(ref, role string) {
		for _, e := range t.pieces[ref] {
			e.Role, e.Order = cmp.Or(role, e.Role), int32(len(out)+1)
			out = append(out, e)
		}
	}
	for _, ref := range slices.SortedStableFunc(slices.Values(q.refs), func(a, b string) int { return cmp.Compare(t.order[a], t.order[b]) }) {
		if q.kind == kindAdversarial {
			add(ref, schemas.RoleDistractor)
			continue
		}
		if asked := t.answers[ref]; !slices.Contains(q.refs, asked) {
			add(asked, schemas.RoleContext)
		}
		add(ref, "")
	}
	return out
}
