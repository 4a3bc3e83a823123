package format

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// instance is a task with its questions. Means are taken over instances.
type instance struct {
	task      string
	scenario  string // its directory in the published layout, where it has one
	sessions  []schemas.Session
	names     partNames
	questions []evalQuestion
}

// evalQuestion is a question with the evidence that it needs.
type evalQuestion struct {
	id, axis, text, answer string
	fact                   string // what it asks for, as facts are told apart
	after                  int    // how many sessions were over when it was asked
	evidence               []goldPiece
	sets                   [][]goldPiece // of which each is enough, where there are several
	options                []schemas.Option
	key                    string
}

// goldPiece is a memory point, a picture or, where neither states the evidence, a turn.
// Its name is the one in the published layout; a turn has its own id.
type goldPiece struct {
	name    string
	session string // of a point or a turn
	content string
	turn    bool
}

// partNames are the names that the parts of a task have in the published layout, by their
// ids. A picture has the name of where it is shown first.
type partNames struct {
	sessions, points, pictures map[string]string
	// turnSessions and turnPictures lead from a turn to names.
	turnSessions map[string]string
	turnPictures map[string][]string
}

func newPartNames() partNames {
	return partNames{map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}, map[string][]string{}}
}

// nameParts names sessions, points and pictures. Numbers are padded, since upstream matches
// ids as substrings.
func nameParts(sessions []schemas.Session) partNames {
	out := newPartNames()
	for n, s := range sessions {
		session := fmt.Sprintf("S%02d", n+firstNumber(sessions))
		out.sessions[s.SessionID] = session
		points := slices.Clone(s.Points)
		slices.SortFunc(points, func(a, b schemas.MemoryPoint) int { return strings.Compare(a.MemoryID, b.MemoryID) })
		for k, p := range points {
			out.points[p.MemoryID] = fmt.Sprintf("mp_%s_%03d", session, k+1)
		}
		shown := 0
		for _, t := range s.Turns {
			out.turnSessions[t.TurnID] = session
			for _, a := range t.Attachments {
				if a.MediaID == "" {
					continue
				}
				shown++
				out.addPicture(t.TurnID, a.MediaID, pictureName(session, shown))
			}
		}
	}
	return out
}

func pictureName(session string, n int) string { return fmt.Sprintf("%s_img_%02d", session, n) }

func (n partNames) addPicture(turn, media, name string) {
	n.turnPictures[turn] = append(n.turnPictures[turn], name)
	if n.pictures[media] == "" {
		n.pictures[media] = name
	}
}

// firstNumber returns 0 if the first session tells prior knowledge, which is the published
// S00: it is called so, or has no turns.
func firstNumber(sessions []schemas.Session) int {
	if len(sessions) > 0 && (strings.HasSuffix(sessions[0].SessionID, "S00") || len(sessions[0].Turns) == 0) {
		return 0
	}
	return 1
}

// instances returns the tasks of a release that have questions, sorted by id.
func instances(c release.Contents) ([]instance, error) {
	var sessions []schemas.Session
	if hasTable(c, "sessions") {
		var err error
		if sessions, err = release.DecodeTable[schemas.Session](c, "sessions"); err != nil {
			return nil, err
		}
	}
	for _, q := range c.Questions {
		if _, err := q.SufficientSets(); err != nil {
			return nil, err
		}
	}
	out := groupInstances(c.Questions, sessions)
	covers, err := checkpoints(c)
	if err != nil {
		return nil, err
	}
	after, asked := map[string]int{}, map[string]string{}
	for _, p := range covers {
		after[p.CheckpointID] = len(p.Sessions)
	}
	for _, q := range c.Questions {
		asked[q.QuestionID] = q.CheckpointID
	}
	for n := range out {
		for k, q := range out[n].questions {
			out[n].questions[k].after = cmp.Or(after[asked[q.id]], len(out[n].sessions))
		}
		if at := slices.IndexFunc(c.Tasks, func(t schemas.Task) bool { return t.TaskID == out[n].task }); at >= 0 {
			out[n].scenario, _ = directoryOf(c.Tasks[at])
		}
	}
	return out, nil
}

// checkpoints returns those of a release, if it has any.
func checkpoints(c release.Contents) ([]schemas.Checkpoint, error) {
	if !hasTable(c, "checkpoints") {
		return nil, nil
	}
	return release.DecodeTable[schemas.Checkpoint](c, "checkpoints")
}

func hasTable(c release.Contents, table string) bool {
	return slices.ContainsFunc(c.Manifest.Tables, func(t manifest.TableInfo) bool { return t.Name == table })
}

func groupInstances(questions []schemas.Question, sessions []schemas.Session) []instance {
	byTask := map[string]*instance{}
	for _, q := range questions {
		if byTask[q.TaskID] == nil {
			byTask[q.TaskID] = &instance{task: q.TaskID}
		}
	}
	for _, s := range sessions {
		if i := byTask[s.TaskID]; i != nil {
			i.sessions = append(i.sessions, s)
		}
	}
	out := make([]instance, 0, len(byTask))
	for _, i := range byTask {
		slices.SortFunc(i.sessions, func(a, b schemas.Session) int { return cmp.Compare(a.Order, b.Order) })
		i.names = nameParts(i.sessions)
		out = append(out, *i)
	}
	slices.SortFunc(out, func(a, b instance) int { return strings.Compare(a.task, b.task) })
	at := map[string]int{}
	for n, i := range out {
		at[i.task] = n
	}
	for _, q := range questions {
		i := &out[at[q.TaskID]]
		i.questions = append(i.questions, newEvalQuestion(q, *i))
	}
	return out
}

func newEvalQuestion(q schemas.Question, of instance) evalQuestion {
	out := evalQuestion{
		id: q.QuestionID, axis: cmp.Or(q.Labels[LabelAxis], q.Type), text: q.Question, answer: q.AnswerText, fact: q.Fact(),
		evidence: of.goldEvidence(q, q.Needed()), sets: of.goldSets(q), options: q.Options, key: q.AnswerKey,
	}
	if out.axis == AxisBoundary {
		out.answer = Unmentioned
	}
	return out
}

// goldSets returns the sets of evidence of which each is enough, nil where there is one alone.
// The label that lists them is sound.
func (i instance) goldSets(q schemas.Question) (out [][]goldPiece) {
	if q.Labels[schemas.LabelSufficient] == "" || q.Labels[LabelPoints] != "" {
		return nil
	}
	sets, _ := q.NeededSets()
	for _, set := range sets {
		gold := i.goldEvidence(q, set)
		if !slices.ContainsFunc(out, func(other []goldPiece) bool { return slices.Equal(other, gold) }) {
			out = append(out, gold)
		}
	}
	return out
}

// goldEvidence returns the points that a question names, or else those whose turns or
// pictures it cites among the pieces that it needs, with the pictures; and a turn that neither
// stands for.
func (i instance) goldEvidence(q schemas.Question, needed []schemas.Evidence) (out []goldPiece) {
	add := func(g goldPiece) {
		if !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	byID, stated := map[string]goldPiece{}, map[string][]goldPiece{}
	for _, s := range i.sessions {
		for _, p := range s.Points {
			if p.IsInterference {
				continue
			}
			g := goldPiece{name: i.names.points[p.MemoryID], session: i.names.sessions[s.SessionID], content: p.Content}
			byID[p.MemoryID] = g
			for _, ref := range slices.Concat(p.EvidenceTurns, p.EvidenceMedia) {
				stated[ref] = append(stated[ref], g)
			}
		}
	}
	named := strings.Fields(q.Labels[LabelPoints])
	for _, id := range named {
		add(cmp.Or(byID[id], goldPiece{name: id}))
	}
	needed = slices.DeleteFunc(slices.Clone(needed), func(e schemas.Evidence) bool {
		return e.Role == schemas.RoleSuperseded || e.Role == schemas.RoleContext || e.Role == schemas.RoleAbsence
	})
	var turns []goldPiece
	for _, e := range needed {
		if len(named) > 0 {
			break
		}
		found := slices.Concat(stated[e.Ref], stated[e.Media])
		for _, g := range found {
			add(g)
		}
		if len(found) == 0 && i.names.pictures[e.Media] == "" {
			turns = append(turns, goldPiece{name: e.Ref, session: i.names.sessions[e.SessionID], content: e.Text, turn: true})
		}
	}
	for _, e := range needed {
		if name := i.names.pictures[e.Media]; name != "" {
			add(goldPiece{name: name, content: "image_id: " + name})
		}
	}
	for _, g := range turns {
		add(g)
	}
	return out
}

// pointSession finds the session in the name of a point. Pictures are in no session there.
var pointSession = regexp.MustCompile(`\bmp_(S\d+)_`)
