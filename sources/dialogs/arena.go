package dialogs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// arenaSample is a sample in WorldMemArena's published layout. Keys under "memforge" are
// those that an export of a release adds.
type arenaSample struct {
	ID       string `json:"sample_id"`
	Sessions []struct {
		ID     string       `json:"_v2_session_id"`
		Points []arenaPoint `json:"memory_points"`
		Turns  []arenaTurn  `json:"dialogue"`
	} `json:"sessions"`
	Points []struct {
		Session string       `json:"session_id"`
		Points  []arenaPoint `json:"memory_points"`
	} `json:"memory_points"`
	Checkpoints []struct {
		ID        string          `json:"checkpoint_id"`
		Covered   []string        `json:"covered_sessions"`
		Questions []arenaQuestion `json:"questions"`
	} `json:"qa_checkpoints"`
}

type arenaTurn struct {
	Role        string `json:"role"`
	Text        string `json:"content"`
	Time        string `json:"timestamp"`
	Attachments []struct {
		Caption string `json:"caption"`
		ID      string `json:"image_id"`
		Path    string `json:"file_path"`
	} `json:"attachments"`
	Own struct {
		ID string `json:"id"`
	} `json:"memforge"`
}

type arenaPoint struct {
	ID         string    `json:"memory_id"`
	Content    string    `json:"memory_content"`
	Type       string    `json:"memory_type"`
	Source     string    `json:"memory_source"`
	IsUpdate   looseBool `json:"is_update"`
	Replaces   []string  `json:"original_memories"`
	Importance float64   `json:"importance"`
	UpdateType string    `json:"update_type"`
	Own        struct {
		ID         string            `json:"id"`
		Subject    string            `json:"subject"`
		Attributes map[string]string `json:"attributes"`
		Resembles  string            `json:"resembles"`
		Turns      []string          `json:"turns"`
	} `json:"memforge"`
}

type arenaQuestion struct {
	Text     string `json:"question"`
	Answer   string `json:"answer"`
	Evidence []struct {
		Point   string `json:"memory_id"`
		Picture string `json:"image_id"`
	} `json:"evidence"`
	Type       string `json:"question_type"`
	Short      string `json:"question_type_abbrev"`
	Difficulty string `json:"difficulty"`
	Own        struct {
		ID      string           `json:"id"`
		Options []schemas.Option `json:"options"`
	} `json:"memforge"`
}

// looseBool is a bool that may be written as text.
type looseBool bool

// UnmarshalJSON takes true and "true", in any case; everything else is false.
func (b *looseBool) UnmarshalJSON(data []byte) error {
	*b = looseBool(bytes.EqualFold(bytes.Trim(data, `"`), []byte("true")))
	return nil
}

// mostPoints bounds the points of a session: each is compared with all before it.
const mostPoints = 200

var (
	arenaSession = regexp.MustCompile(`^S(\d\d)$`)
	arenaTime    = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d))?`)
)

// parseArena reads a sample of WorldMemArena's layout. A point of a stranger's file names
// no turn, so it rests on the turn of its session that has most of its words.
func parseArena(text []byte, name string) (conversation, error) {
	c := conversation{name: name, checkpoints: true}
	var w arenaSample
	if err := json.Unmarshal(text, &w); err != nil {
		return c, fmt.Errorf("it is no sample of WorldMemArena: %w", err)
	}
	if len(w.Sessions) > 100 {
		return c, fmt.Errorf("it has %d sessions; S00 to S99 have names", len(w.Sessions))
	}
	a := arena{c: &c, turns: map[string]string{}, pictures: map[string]string{}, rests: map[string][]string{}, texts: map[string]string{}, subjects: map[string]string{}, own: map[string]string{}}
	blocks := map[string][]arenaPoint{}
	for _, b := range w.Points {
		blocks[b.Session] = append(blocks[b.Session], b.Points...)
	}
	for _, s := range w.Sessions {
		m := arenaSession.FindStringSubmatch(s.ID)
		if m == nil {
			c.reject("sessions/"+s.ID, codeSession, "a session is called %q; want S00 to S99", s.ID)
			continue
		}
		n, _ := strconv.Atoi(m[1]) // two digits
		if len(c.sessions) > 0 && n <= c.sessions[len(c.sessions)-1].number {
			c.reject("sessions/"+s.ID, codeSession, "session %s does not follow the one before it", s.ID)
			continue
		}
		a.addSession(n, s.Turns, slices.Concat(s.Points, blocks[s.ID]))
		delete(blocks, s.ID)
	}
	for id, points := range blocks {
		c.reject("memory_points/"+id, codePoint, "%d points are of session %q, which is not there", len(points), id)
	}
	for _, cp := range w.Checkpoints {
		last := ""
		if len(cp.Covered) > 0 {
			last = slices.Max(cp.Covered)
		}
		for k, q := range cp.Questions {
			a.addQuestion(cp.ID, last, k+1, q)
		}
	}
	return c, nil
}

// arena collects a sample.
type arena struct {
	c *conversation
	// turns leads from the id of a turn in a release to its ref, pictures from an image to
	// the ref of its turn, rests from a point to its refs, texts from what a point says to its
	// id, subjects from a point to what it is about.
	turns, pictures map[string]string
	rests           map[string][]string
	texts, subjects map[string]string
	// own leads from the id of a point in a release to its name.
	own map[string]string
}

func (a *arena) addSession(n int, turns []arenaTurn, points []arenaPoint) {
	s := session{number: n}
	for i, t := range turns {
		ref := fmt.Sprintf("S%02d:%d", n, i+1)
		one := turn{ref: ref, role: t.Role, text: t.Text}
		if t.Role != schemas.TurnAssistant {
			one.role = schemas.TurnUser
		}
		if m := arenaTime.FindStringSubmatch(t.Time); m != nil && s.at == "" {
			s.at = m[1]
			if at, err := time.Parse("2006-01-02 15:04", m[1]+" "+m[2]); err == nil {
				s.at = at.Format(time.RFC3339)
			}
		}
		for _, p := range t.Attachments {
			one.pictures = append(one.pictures, picture{path: p.Path, caption: p.Caption, name: p.ID})
			if p.ID != "" {
				a.pictures[p.ID] = ref
			}
		}
		a.turns[t.Own.ID] = ref
		s.turns = append(s.turns, one)
	}
	for i, p := range points {
		if p.ID == "" || a.rests[p.ID] != nil || i >= mostPoints {
			a.c.reject("memory_points/"+p.ID, codePoint, "a point has no id of its own, or is one of more than %d of its session", mostPoints)
			continue
		}
		if one, ok := a.point(s, p); ok {
			s.points = append(s.points, one)
		}
	}
	a.c.sessions = append(a.c.sessions, s)
}

// point converts a point and notes what rests on it.
func (a *arena) point(s session, p arenaPoint) (point, bool) {
	out := point{text: p.Content, kind: cmp.Or(p.Type, "fact"), name: p.ID, importance: p.Importance, subject: cmp.Or(p.Own.Subject, p.ID), attributes: p.Own.Attributes}
	for _, id := range p.Own.Turns {
		if ref := a.turns[id]; ref != "" {
			out.refs = append(out.refs, ref)
		}
	}
	if len(out.refs) == 0 {
		if best := mostAlike(s, p.Content); best != "" {
			out.refs = []string{best}
		}
	}
	for _, old := range p.Replaces {
		id := a.texts[old]
		if id == "" {
			a.c.reject("memory_points/"+p.ID, codePoint, "it replaces %q, which no earlier point says", words.Shorten(old, 80))
			return out, false
		}
		out.supersedes, out.subject = append(out.supersedes, id), cmp.Or(p.Own.Subject, a.subjects[id])
		out.updateType = cmp.Or(p.UpdateType, schemas.UpdateRevise)
	}
	out.interferes = p.Source == "interference"
	if out.interferes {
		out.resembles = a.resembled(p)
	}
	a.own[cmp.Or(p.Own.ID, p.ID)] = p.ID
	a.rests[p.ID], a.texts[p.Content], a.subjects[p.ID] = out.refs, p.ID, out.subject
	return out, true
}

// resembled returns the point for which an interference could be taken: the one that an
// export names, or the earlier one with most of its words.
func (a *arena) resembled(p arenaPoint) string {
	if id := a.own[p.Own.Resembles]; id != "" {
		return id
	}
	best, most := "", 0.0
	for text, id := range a.texts {
		if o := words.Overlap(words.WordSet(text), words.WordSet(p.Content)); o > most || o == most && id > best {
			best, most = id, o
		}
	}
	return best
}

// mostAlike returns the ref of the turn that has most words of a text.
func mostAlike(s session, text string) string {
	best, most := "", 0.0
	for _, t := range s.turns {
		said := t.text
		for _, p := range t.pictures {
			said += " " + p.caption
		}
		if o := words.Overlap(words.WordSet(text), words.WordSet(said)); best == "" || o > most {
			best, most = t.ref, o
		}
	}
	return best
}

func (a *arena) addQuestion(checkpoint, last string, k int, q arenaQuestion) {
	place := fmt.Sprintf("qa_checkpoints/%s/%d", checkpoint, k)
	if strings.TrimSpace(q.Text) == "" || strings.TrimSpace(q.Answer) == "" {
		a.c.reject(place, codeQuestion, "it has no question or no answer")
		return
	}
	out := question{
		number: len(a.c.questions) + 1, text: q.Text, answer: q.Answer, kind: strings.ToLower(cmp.Or(q.Short, q.Type)), place: place,
		labels: map[string]string{schemas.LabelCheckpointSession: last},
	}
	if id := path.Base(q.Own.ID); q.Own.ID != "" && idForm.MatchString(id) {
		out.id = id
	}
	for _, o := range q.Own.Options {
		if o.Role == schemas.RoleCorrect {
			out.answer = o.Text
		} else {
			out.wrong = append(out.wrong, o.Text)
		}
	}
	for _, e := range q.Evidence {
		refs := a.rests[e.Point]
		if e.Point == "" {
			refs = nil
		}
		if ref := a.pictures[e.Picture]; ref != "" {
			refs = append(slices.Clone(refs), ref)
		}
		if len(refs) == 0 {
			a.c.reject(place, codeUnknown, "it rests on %s%s, which is not there: the question is left out", e.Point, e.Picture)
			return
		}
		for _, r := range refs {
			if !slices.Contains(out.refs, r) {
				out.refs = append(out.refs, r)
			}
		}
	}
	a.c.questions = append(a.c.questions, out)
}
