package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
)

// Codes of what Read finds. Upstream's loader takes all of it in silence, or stops at it.
const (
	CodeFile       = "bad-file"        // no JSON of the layout, too large, with further keys or a null
	CodeStray      = "stray-json"      // a JSON file that is no sample: it stops the whole load
	CodeSample     = "bad-sample"      // a sample whose id is not the name of its file, or twice
	CodeSession    = "bad-session"     // a session without id, with one twice, or empty
	CodeTurn       = "bad-turn"        // a role that there is not, nothing said or shown, time running back
	CodePicture    = "bad-picture"     // a path that leads to no picture of the sample
	CodeCaption    = "no-caption"      // a picture that nothing can stand for
	CodeID         = "bad-id"          // an id of another form, or twice
	CodePoint      = "bad-point"       // a point without content, or of a session that is not there
	CodeUpdate     = "bad-update"      // an update of nothing, or of what no earlier point says
	CodeCheckpoint = "never-asked"     // a checkpoint over nothing or over an unknown session
	CodeFuture     = "future-evidence" // evidence from behind the checkpoint
	CodeQuestion   = "bad-question"    // no question, no answer, or no type
	CodeEvidence   = "bad-evidence"    // evidence that leads nowhere, or none
	CodeSmall      = "bad-small"       // a list of the small split that names unknown samples
)

// largestFile is how many bytes of JSON a sample may have.
const largestFile = 64 << 20

// Sample is what Read found in a file, in counts.
type Sample struct {
	ID, Dir                             string
	Sessions, Turns, Pictures           int
	Points, Updates, Interference, Asks int
}

// Read reads a folder in the layout, with all that is wrong in it. It shares no code
// with what writes one. The error is for folders that cannot be read at all.
func Read(root fs.FS) ([]Sample, []benchformat.Fault, error) {
	r := reader{Reader: benchformat.Reader{Root: root}, samples: map[string]bool{}}
	err := fs.WalkDir(root, ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || path.Ext(p) != ".json" || path.Dir(p) == "." {
			return err
		}
		r.Where = p
		if !slices.Contains(sampleDirectories(), path.Dir(p)) {
			r.AddFault(CodeStray, "only samples may be JSON files below the root")
			return nil
		}
		r.readSample(p)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read a folder in WorldMemArena's layout: %w", err)
	}
	if len(r.found) == 0 {
		return nil, nil, errors.New("read a folder in WorldMemArena's layout: it holds no sample")
	}
	r.checkSmallSplit()
	return r.found, r.Faults, nil
}

func sampleDirectories() []string {
	return strings.Fields(`lifelong/personal lifelong/project/academic lifelong/project/education lifelong/project/finance lifelong/project/health
		lifelong/project/software lifelong/project/startup agent/gui/excel agent/gui/file_mgmt agent/gui/image_edit agent/gui/web agent/gui/word_docs
		agent/gui/css agent/gui/mobile agent/gui/webarena_lite agent/embodied/eb_alfred_base agent/embodied/eb_alfred_common_sense
		agent/embodied/eb_alfred_complex_instruction agent/embodied/eb_alfred_long_horizon agent/embodied/eb_alfred_visual_appearance
		agent/embodied/eb_nav_base agent/embodied/eb_nav_common_sense agent/embodied/eb_nav_complex_instruction agent/embodied/eb_nav_long_horizon
		agent/embodied/eb_nav_visual_appearance agent/embodied/minecraft agent/embodied/omnigibson`)
}

type reader struct {
	benchformat.Reader
	found   []Sample
	samples map[string]bool
}

// decode reads one JSON value without unknown keys and without null, which upstream turns
// into the text None.
func (r *reader) decode(name string, v any) bool {
	data, err := r.ReadFile(name, largestFile)
	if err == nil {
		err = benchformat.DecodeStrict(data, v)
	}
	if err == nil && hasNull(data) {
		err = errors.New("a value is null, which becomes the text None")
	}
	if err != nil {
		r.AddFault(CodeFile, "%v", err)
	}
	return err == nil
}

func hasNull(data []byte) bool {
	dec := json.NewDecoder(strings.NewReader(string(data)))
	for {
		token, err := dec.Token()
		if err != nil {
			return false
		}
		if token == nil {
			return true
		}
	}
}

// checkSmallSplit compares the list of the small split with the samples.
func (r *reader) checkSmallSplit() {
	r.Where = "small_ids.json"
	var list []string
	if !r.decode(r.Where, &list) {
		return
	}
	seen := map[string]bool{}
	for _, id := range list {
		if !r.samples[id] || seen[id] {
			r.AddFault(CodeSmall, "%q is no sample, or there twice", id)
		}
		seen[id] = true
	}
	if len(list) == 0 {
		r.AddFault(CodeSmall, "it names no sample")
	}
}

// The forms of ids, padded, so that none is a part of another.
var (
	sessionID = regexp.MustCompile(`^S\d\d$`)
	pictureID = regexp.MustCompile(`^(S\d\d)_img_\d\d+$`)
	pointID   = regexp.MustCompile(`^mp_(S\d\d)_\d{3,}$`)
	clock     = regexp.MustCompile(`^\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?`)
)

// checkPicture checks the header of a picture, which must lie in the folder of its
// sample.
func (r *reader) checkPicture(dir, sample, file string) {
	want := "images/" + sample + "/"
	full := path.Join(dir, file)
	if !strings.HasPrefix(file, want) || !fs.ValidPath(full) || path.Dir(full) != path.Join(dir, "images", sample) {
		r.AddFault(CodePicture, "%q is no path below %s", file, want)
		return
	}
	if err := r.CheckPicture(full); err != nil {
		r.AddFault(CodePicture, "%v", err)
	}
}

// What a sample's file may hold.
type (
	writtenSample struct {
		ID       string `json:"sample_id"`
		Sessions []struct {
			ID       string         `json:"_v2_session_id"`
			Release  ownPart        `json:"memforge"`
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
		Release     ownPart `json:"memforge"`
		Role        string  `json:"role"`
		Content     string  `json:"content"`
		Timestamp   string  `json:"timestamp"`
		Attachments []struct {
			Caption string `json:"caption"`
			Type    string `json:"type"`
			ID      string `json:"image_id"`
			Path    string `json:"file_path"`
		} `json:"attachments"`
	}
	writtenPoint struct {
		Release    ownPart  `json:"memforge"`
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
		Release    ownPart             `json:"memforge"`
		Question   string              `json:"question"`
		Answer     string              `json:"answer"`
		Evidence   []map[string]string `json:"evidence"`
		Type       string              `json:"question_type"`
		Short      string              `json:"question_type_abbrev"`
		Difficulty string              `json:"difficulty"`
	}
)

// sampleState is what is known of a sample so far: the session of each id, and the texts
// of points.
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
		r.AddFault(CodeSample, "the sample of this file is called %q, or is there twice", w.ID)
	}
	r.samples[w.ID] = true
	s := sampleState{sample: Sample{ID: w.ID, Dir: dir, Sessions: len(w.Sessions)}, sessions: map[string]int{}, pictures: map[string]int{}, points: map[string]int{}}
	blocks := r.pointsBySession(w)
	for n, one := range w.Sessions {
		if _, twice := s.sessions[one.ID]; twice || !sessionID.MatchString(one.ID) {
			r.AddFault(CodeID, "session %d is called %q", n, one.ID)
		}
		s.sessions[one.ID] = n
		if len(one.Dialogue) == 0 && one.ID != "S00" || one.ID != "S00" && len(one.Points) > 0 {
			r.AddFault(CodeSession, "session %s has %d turns, and %d points of its own, which are read of S00 alone", one.ID, len(one.Dialogue), len(one.Points))
		}
		r.checkTurns(&s, one.ID, one.Dialogue)
		r.checkPoints(&s, one.ID, append(one.Points, blocks[one.ID]...))
		delete(blocks, one.ID)
	}
	for id := range blocks {
		r.AddFault(CodePoint, "its points are of session %q, which is not there", id)
	}
	asked := map[string]bool{}
	for _, c := range w.Checkpoints {
		if c.ID == "" || asked[c.ID] {
			r.AddFault(CodeID, "checkpoint %q is there twice, or without id", c.ID)
		}
		asked[c.ID] = true
		r.checkQuestions(&s, c.ID, c.Covered, c.Questions)
	}
	r.found = append(r.found, s.sample)
}

func (r *reader) pointsBySession(w writtenSample) map[string][]writtenPoint {
	out := map[string][]writtenPoint{}
	for _, b := range w.Points {
		if _, twice := out[b.Session]; twice || b.Session == "S00" {
			r.AddFault(CodePoint, "of the points of session %s only one block is read, and none of S00", b.Session)
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
			r.AddFault(CodeTurn, "turn %d of %s is of %q and says %q", n+1, session, t.Role, t.Content)
		}
		if t.Timestamp != "" && !clock.MatchString(t.Timestamp) || t.Timestamp != "" && t.Timestamp < last {
			r.AddFault(CodeTurn, "turn %d of %s is of %q, after %q", n+1, session, t.Timestamp, last)
		}
		if t.Timestamp != "" {
			last = t.Timestamp
		}
		for _, a := range t.Attachments {
			s.sample.Pictures++
			id := pictureID.FindStringSubmatch(a.ID)
			if _, twice := s.pictures[a.ID]; twice || id == nil || id[1] != session {
				r.AddFault(CodeID, "a picture of %s is called %q", session, a.ID)
			}
			s.pictures[a.ID] = s.sessions[session]
			if strings.TrimSpace(a.Caption) == "" {
				r.AddFault(CodeCaption, "picture %s", a.ID)
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
			r.AddFault(CodeID, "a point of %s is called %q", session, p.ID)
		}
		s.points[p.ID] = s.sessions[session]
		if p.Content == "" || p.Type == "" || p.Source == "" || p.Importance < 0 {
			r.AddFault(CodePoint, "point %s says %q, has type %q, source %q and weight %v", p.ID, p.Content, p.Type, p.Source, p.Importance)
		}
		if p.Source == "interference" {
			s.sample.Interference++
		}
		if p.IsUpdate != (len(p.Original) > 0) {
			r.AddFault(CodeUpdate, "point %s is an update, or replaces something, and not both", p.ID)
		}
		if p.IsUpdate {
			s.sample.Updates++
		}
		for _, old := range p.Original {
			if !slices.Contains(s.pointTexts, old) {
				r.AddFault(CodeUpdate, "point %s replaces %q, which no earlier point says", p.ID, old)
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
			r.AddFault(CodeCheckpoint, "checkpoint %s covers %q, which is no session", id, c)
		}
		last = max(last, at)
	}
	if len(covered) == 0 || len(questions) == 0 {
		r.AddFault(CodeCheckpoint, "checkpoint %s covers %d sessions and asks %d questions", id, len(covered), len(questions))
	}
	for n, q := range questions {
		s.sample.Asks++
		if q.Question == "" || q.Answer == "" || q.Type == "" {
			r.AddFault(CodeQuestion, "question %d of %s asks %q, with the answer %q and the type %q", n+1, id, q.Question, q.Answer, q.Type)
		}
		if len(q.Evidence) == 0 && q.Short != "MB" {
			r.AddFault(CodeEvidence, "question %d of %s rests on nothing", n+1, id)
		}
		for _, e := range q.Evidence {
			at, known := s.points[e["memory_id"]]
			if !known {
				at, known = s.pictures[e["image_id"]]
			}
			switch {
			case !known || len(e) != 1:
				r.AddFault(CodeEvidence, "question %d of %s rests on %v", n+1, id, e)
			case at > last:
				r.AddFault(CodeFuture, "question %d of %s rests on %v, of a session that is not covered", n+1, id, e)
			}
		}
	}
}
