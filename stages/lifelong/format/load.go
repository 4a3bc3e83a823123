package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/schemas"
)

// loadInstances reads the tasks of an export's folder or of published data: the folder
// itself, or the one that holds it. It takes what upstream's loader takes.
func loadInstances(dir string) ([]instance, error) {
	root, err := benchformat.OpenRoot(dir, "worldmemarena")
	if err != nil {
		return nil, err
	}
	out, err := readInstances(root)
	if err != nil {
		return nil, fmt.Errorf("read %s in WorldMemArena's layout: %w", dir, err)
	}
	return out, nil
}

func readInstances(root fs.FS) (out []instance, err error) {
	r := benchformat.Reader{Root: root}
	for _, dir := range sampleDirectories() {
		files, err := fs.Glob(root, dir+"/*.json")
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			data, err := r.ReadFile(file, largestFile)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			i, err := decodeInstance(data)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			if slices.ContainsFunc(out, func(other instance) bool { return other.task == i.task }) {
				return nil, fmt.Errorf("%s: sample %s is there twice", file, i.task)
			}
			out = append(out, i)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("none of its folders %s, ... holds a sample", path.Join(sampleDirectories()[0], "*.json"))
	}
	slices.SortFunc(out, func(a, b instance) int { return strings.Compare(a.task, b.task) })
	return out, nil
}

// looseBool is a bool that may be written as text, as in published data.
type looseBool bool

func (b *looseBool) UnmarshalJSON(data []byte) error {
	*b = looseBool(strings.EqualFold(string(bytes.Trim(data, `"`)), "true"))
	return nil
}

// loadedSample has the published keys of which a scorer makes use.
type loadedSample struct {
	ID       string `json:"sample_id"`
	Sessions []struct {
		ID       string        `json:"_v2_session_id"`
		Release  ownPart       `json:"memforge"`
		Points   []loadedPoint `json:"memory_points"`
		Dialogue []struct {
			Release     ownPart `json:"memforge"`
			Content     string  `json:"content"`
			Attachments []struct {
				ID      string `json:"image_id"`
				Caption string `json:"caption"`
			} `json:"attachments"`
		} `json:"dialogue"`
	} `json:"sessions"`
	Points []struct {
		Session string        `json:"session_id"`
		Points  []loadedPoint `json:"memory_points"`
	} `json:"memory_points"`
	Checkpoints []struct {
		ID        string           `json:"checkpoint_id"`
		Questions []loadedQuestion `json:"questions"`
	} `json:"qa_checkpoints"`
}

type loadedPoint struct {
	ID         string    `json:"memory_id"`
	Content    string    `json:"memory_content"`
	Source     string    `json:"memory_source"`
	IsUpdate   looseBool `json:"is_update"`
	Original   []string  `json:"original_memories"`
	Importance float64   `json:"importance"`
	Release    ownPart   `json:"memforge"`
}

type loadedQuestion struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Evidence []struct {
		Point   string `json:"memory_id"`
		Picture string `json:"image_id"`
	} `json:"evidence"`
	Type    string  `json:"question_type"`
	Short   string  `json:"question_type_abbrev"`
	Release ownPart `json:"memforge"`
}

// decodeInstance decodes a sample. Parts without ids of a release have those of the sample: the
// third question of checkpoint QA01 is SAMPLE/QA01/3, a session SAMPLE/S01.
func decodeInstance(data []byte) (instance, error) {
	var w loadedSample
	if err := json.Unmarshal(data, &w); err != nil {
		return instance{}, err
	}
	if w.ID == "" {
		return instance{}, fmt.Errorf("it has no sample_id")
	}
	out := instance{task: w.ID, names: newPartNames()}
	texts := map[string]string{} // of points, to their ids
	for n, s := range w.Sessions {
		id := cmp.Or(s.Release.ID, w.ID+"/"+s.ID)
		session := schemas.Session{SessionID: id, TaskID: w.ID, Order: int32(n)}
		out.names.sessions[id], out.names.sessions[s.ID] = s.ID, s.ID
		for k, t := range s.Dialogue {
			turn := cmp.Or(t.Release.ID, schemas.TurnIDOf(id, k+1))
			out.names.turnSessions[turn] = s.ID
			heard := schemas.Turn{TurnID: turn, Text: t.Content}
			for _, a := range t.Attachments {
				out.names.addPicture(turn, a.ID, a.ID)
				heard.Attachments = append(heard.Attachments, schemas.Attachment{MediaID: a.ID, Caption: a.Caption})
			}
			session.Turns = append(session.Turns, heard)
		}
		points := s.Points
		if s.ID != "S00" {
			points = nil
		}
		for _, block := range w.Points {
			if block.Session == s.ID && s.ID != "S00" {
				points = append(points, block.Points...)
			}
		}
		for _, p := range points {
			session.Points = append(session.Points, out.addLoadedPoint(p, id, texts))
		}
		out.sessions = append(out.sessions, session)
	}
	contents := map[string]goldPiece{}
	for _, s := range out.sessions {
		for _, p := range s.Points {
			name := out.names.points[p.MemoryID]
			contents[name] = goldPiece{name: name, session: out.names.sessions[s.SessionID], content: p.Content}
		}
	}
	for _, c := range w.Checkpoints {
		for k, q := range c.Questions {
			out.questions = append(out.questions, q.evalQuestion(fmt.Sprintf("%s/%s/%d", w.ID, c.ID, k+1), contents))
		}
	}
	return out, nil
}

func (i instance) addLoadedPoint(p loadedPoint, session string, texts map[string]string) schemas.MemoryPoint {
	id := cmp.Or(p.Release.ID, p.ID)
	i.names.points[id] = p.ID
	out := schemas.MemoryPoint{
		MemoryID: id, SessionID: session, Content: p.Content, Importance: p.Importance, Subject: p.Release.Subject, Attributes: p.Release.Attributes,
		IsInterference: p.Source == sourceInterference, Resembles: p.Release.Resembles, IsUpdate: bool(p.IsUpdate), Supersedes: p.Release.Supersedes,
	}
	if len(out.Supersedes) == 0 && out.IsUpdate {
		for _, text := range p.Original {
			if old := texts[text]; old != "" {
				out.Supersedes = append(out.Supersedes, old)
			}
		}
	}
	texts[p.Content] = id
	return out
}

func (q loadedQuestion) evalQuestion(id string, points map[string]goldPiece) evalQuestion {
	id = cmp.Or(q.Release.ID, id)
	out := evalQuestion{id: id, fact: id, axis: cmp.Or(q.Short, q.Type), text: q.Question, answer: q.Answer, options: q.Release.Options, key: q.Release.Key}
	turns := map[string]goldPiece{}
	for _, t := range q.Release.Turns {
		turns[t.ID] = goldPiece{name: t.ID, session: t.Session, content: t.Text, turn: true}
	}
	piece := func(name string) goldPiece {
		g, known := turns[name]
		if !known {
			g = points[name]
			g.name = name
		}
		return g
	}
	picture := func(name string) goldPiece { return goldPiece{name: name, content: "image_id: " + name} }
	for _, e := range q.Evidence {
		switch {
		case e.Point != "":
			out.evidence = append(out.evidence, piece(e.Point))
		case e.Picture != "":
			out.evidence = append(out.evidence, picture(e.Picture))
		}
	}
	for _, names := range q.Release.Sufficient {
		var set []goldPiece
		for _, name := range names {
			if pictureID.MatchString(name) {
				set = append(set, picture(name))
			} else {
				set = append(set, piece(name))
			}
		}
		out.sets = append(out.sets, set)
	}
	for _, t := range q.Release.Turns {
		if !t.Alternative {
			out.evidence = append(out.evidence, turns[t.ID])
		}
	}
	return out
}
