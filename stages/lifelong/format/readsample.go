package format

import (
	"path"
	"slices"
	"strings"
)

// What a sample's file may hold.
type (
	writtenSample struct {
		ID       string `json:"sample_id"`
		Sessions []struct {
			ID       string         `json:"_v2_session_id"`
			Dialogue []writtenTurn  `json:"dialogue"`
			Points   []writtenPoint `json:"memory_points"`
		} `json:"sessions"`
		Points []struct {
			Session string         `json:"session_id"`
			Points  []writtenPoint `json:"memory_points"`
		} `json:"memory_points"`
		Checkpoints []struct {
			ID        string            `json:"checkpoint_id"`
			Covered   []string          `json:"covered_sessions"`
			Questions []writtenQuestion `json:"questions"`
		} `json:"qa_checkpoints"`
	}
	writtenTurn struct {
		Role        string `json:"role"`
		Content     string `json:"content"`
		Timestamp   string `json:"timestamp"`
		Attachments []struct {
			Caption string `json:"caption"`
			Type    string `json:"type"`
			ID      string `json:"image_id"`
			Path    string `json:"file_path"`
		} `json:"attachments"`
	}
	writtenPoint struct {
		ID         string   `json:"memory_id"`
		Content    string   `json:"memory_content"`
		Type       string   `json:"memory_type"`
		Source     string   `json:"memory_source"`
		IsUpdate   bool     `json:"is_update"`
		Original   []string `json:"original_memories"`
		Importance float64  `json:"importance"`
		Timestamp  string   `json:"timestamp"`
		UpdateType string   `json:"update_type"`
	}
	writtenQuestion struct {
		Question   string              `json:"question"`
		Answer     string              `json:"answer"`
		Evidence   []map[string]string `json:"evidence"`
		Type       string              `json:"question_type"`
		Short      string              `json:"question_type_abbrev"`
		Difficulty string              `json:"difficulty"`
	}
)

// sampleState is what is known of a sample while it is read: ids with the place of their
// session, and what points said.
type sampleState struct {
	sample     Sample
	sessions   map[string]int
	pictures   map[string]int
	points     map[string]int
	pointTexts []string
}

func (r *reader) readSample(file string) {
	var w writtenSample
	if !r.decode(file, &w) {
		return
	}
	dir := path.Dir(file)
	if w.ID+".json" != path.Base(file) || r.samples[w.ID] {
		r.add(CodeSample, "the sample of this file is called %q, or is there twice", w.ID)
	}
	r.samples[w.ID] = true
	s := sampleState{sample: Sample{ID: w.ID, Dir: dir, Sessions: len(w.Sessions)}, sessions: map[string]int{}, pictures: map[string]int{}, points: map[string]int{}}
	blocks := r.pointsBySession(w)
	for n, one := range w.Sessions {
		if _, twice := s.sessions[one.ID]; twice || !sessionID.MatchString(one.ID) {
			r.add(CodeID, "session %d is called %q", n, one.ID)
		}
		s.sessions[one.ID] = n
		if len(one.Dialogue) == 0 && one.ID != "S00" || one.ID != "S00" && len(one.Points) > 0 {
			r.add(CodeSession, "session %s has %d turns, and %d points of its own, which are read of S00 alone", one.ID, len(one.Dialogue), len(one.Points))
		}
		r.checkTurns(&s, one.ID, one.Dialogue)
		r.checkPoints(&s, one.ID, append(one.Points, blocks[one.ID]...))
		delete(blocks, one.ID)
	}
	for id := range blocks {
		r.add(CodePoint, "its points are of session %q, which is not there", id)
	}
	asked := map[string]bool{}
	for _, c := range w.Checkpoints {
		if c.ID == "" || asked[c.ID] {
			r.add(CodeID, "checkpoint %q is there twice, or without id", c.ID)
		}
		asked[c.ID] = true
		r.checkQuestions(&s, c.ID, c.Covered, c.Questions)
	}
	r.found = append(r.found, s.sample)
}

// pointsBySession are the points by session.
func (r *reader) pointsBySession(w writtenSample) map[string][]writtenPoint {
	out := map[string][]writtenPoint{}
	for _, b := range w.Points {
		if _, twice := out[b.Session]; twice || b.Session == "S00" {
			r.add(CodePoint, "of the points of session %s only one block is read, and none of S00", b.Session)
		}
		out[b.Session] = b.Points
	}
	return out
}

func (r *reader) checkTurns(s *sampleState, session string, turns []writtenTurn) {
	last := ""
	for n, t := range turns {
		s.sample.Turns++
		if t.Role != "user" && t.Role != "assistant" || t.Content == "" && len(t.Attachments) == 0 {
			r.add(CodeTurn, "turn %d of %s is of %q and says %q", n+1, session, t.Role, t.Content)
		}
		if t.Timestamp != "" && !clock.MatchString(t.Timestamp) || t.Timestamp != "" && t.Timestamp < last {
			r.add(CodeTurn, "turn %d of %s is of %q, after %q", n+1, session, t.Timestamp, last)
		}
		if t.Timestamp != "" {
			last = t.Timestamp
		}
		for _, a := range t.Attachments {
			s.sample.Pictures++
			id := pictureID.FindStringSubmatch(a.ID)
			if _, twice := s.pictures[a.ID]; twice || id == nil || id[1] != session {
				r.add(CodeID, "a picture of %s is called %q", session, a.ID)
			}
			s.pictures[a.ID] = s.sessions[session]
			if strings.TrimSpace(a.Caption) == "" {
				r.add(CodeCaption, "picture %s", a.ID)
			}
			r.checkPicture(s.sample.Dir, s.sample.ID, a.Path)
		}
	}
}

func (r *reader) checkPoints(s *sampleState, session string, points []writtenPoint) {
	for _, p := range points {
		s.sample.Points++
		id := pointID.FindStringSubmatch(p.ID)
		if _, twice := s.points[p.ID]; twice || id == nil || id[1] != session {
			r.add(CodeID, "a point of %s is called %q", session, p.ID)
		}
		s.points[p.ID] = s.sessions[session]
		if p.Content == "" || p.Type == "" || p.Source == "" || p.Importance < 0 {
			r.add(CodePoint, "point %s says %q, has type %q, source %q and weight %v", p.ID, p.Content, p.Type, p.Source, p.Importance)
		}
		if p.Source == "interference" {
			s.sample.Interference++
		}
		if p.IsUpdate != (len(p.Original) > 0) {
			r.add(CodeUpdate, "point %s is an update, or replaces something, and not both", p.ID)
		}
		if p.IsUpdate {
			s.sample.Updates++
		}
		for _, old := range p.Original {
			if !slices.Contains(s.pointTexts, old) {
				r.add(CodeUpdate, "point %s replaces %q, which no earlier point says", p.ID, old)
			}
		}
	}
	for _, p := range points {
		s.pointTexts = append(s.pointTexts, p.Content)
	}
}

func (r *reader) checkQuestions(s *sampleState, id string, covered []string, questions []writtenQuestion) {
	last := -1
	for _, c := range covered {
		at, known := s.sessions[c]
		if !known {
			r.add(CodeCheckpoint, "checkpoint %s covers %q, which is no session", id, c)
		}
		last = max(last, at)
	}
	if len(covered) == 0 || len(questions) == 0 {
		r.add(CodeCheckpoint, "checkpoint %s covers %d sessions and asks %d questions", id, len(covered), len(questions))
	}
	for n, q := range questions {
		s.sample.Asks++
		if q.Question == "" || q.Answer == "" || q.Type == "" {
			r.add(CodeQuestion, "question %d of %s asks %q, with the answer %q and the type %q", n+1, id, q.Question, q.Answer, q.Type)
		}
		if len(q.Evidence) == 0 && q.Short != "MB" {
			r.add(CodeEvidence, "question %d of %s rests on nothing", n+1, id)
		}
		for _, e := range q.Evidence {
			at, known := s.points[e["memory_id"]]
			if !known {
				at, known = s.pictures[e["image_id"]]
			}
			switch {
			case !known || len(e) != 1:
				r.add(CodeEvidence, "question %d of %s rests on %v", n+1, id, e)
			case at > last:
				r.add(CodeFuture, "question %d of %s rests on %v, of a session that is not covered", n+1, id, e)
			}
		}
	}
}
