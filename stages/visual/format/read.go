package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/benchformat"
)

// Codes of faults.
const (
	CodeFile     = "bad-file"     // no file of dialogues, too large, or broken JSON
	CodeName     = "same-name"    // two files that MemEye would write as one
	CodeSession  = "bad-session"  // a session twice, or without a day, or a day before the last
	CodeRound    = "bad-round"    // a round twice, or of another session
	CodePicture  = "bad-picture"  // a path that leads to no picture, or out of the folder
	CodeBaseName = "same-picture" // two pictures of a task with one base name
	CodeCaption  = "bad-captions" // not as many captions as pictures
	CodePoint    = "bad-point"    // no place on the grid
	CodeClue     = "bad-clue"     // a clue or session that the dialogue does not have
	CodeOptions  = "bad-options"  // not four rotations with the right text once at each letter
	CodeOpenForm = "no-twin"      // choice and open form do not ask the same
)

// largestFile bounds the bytes of a file of dialogues.
const largestFile = 256 << 20

// Task is a file of dialogues.
type Task struct {
	Name  string // of the file, without .json
	Open  bool
	Items []Item
	// Rounds are the ids of all rounds, in order.
	Rounds []string
}

// Item is a question of a file.
type Item struct {
	ID        string
	Task      string // the id of its task, where a release says it
	X, Y      string
	Question  string
	Gold      string     // the text of the answer
	Rotations []Rotation // none in an open file
	Clues     []string
	Sets      [][]string // of clues of which each is enough, where a release says several
	Fact      string     // what it asks for; a release says it
}

// Rotation is one order of the options: the texts by letter, and the right letter.
type Rotation struct {
	Texts map[string]string
	Right string
}

// Read reads a folder in MemEye's layout and reports all faults. It shares the shapes
// of the files with Layout, and no other code. It returns an error if the folder cannot be read at all.
func Read(root fs.FS) ([]Task, []benchformat.Fault, error) {
	entries, err := fs.ReadDir(root, "dialog")
	if err != nil {
		return nil, nil, fmt.Errorf("read a folder in MemEye's layout: %w; it holds dialog and image", err)
	}
	r := layoutReader{Reader: benchformat.Reader{Root: root}, slugs: map[string]string{}}
	for _, e := range entries {
		r.readFile(e)
	}
	r.checkOpenForms()
	return r.tasks, r.Faults, nil
}

type layoutReader struct {
	benchformat.Reader
	tasks []Task
	slugs map[string]string
}

// addFault adds a fault of a part of the file, or of the file itself if part is empty.
func (r *layoutReader) addFault(code, part, format string, args ...any) {
	file := r.Where
	if part != "" {
		r.Where += ", " + part
	}
	r.AddFault(code, format, args...)
	r.Where = file
}

func (r *layoutReader) readFile(e fs.DirEntry) {
	r.Where = "dialog/" + e.Name()
	stem, isJSON := strings.CutSuffix(e.Name(), ".json")
	if !isJSON || !e.Type().IsRegular() {
		r.addFault(CodeFile, "", "MemEye reads every file of this folder as a dialogue")
		return
	}
	name := slug(stem)
	if other, taken := r.slugs[name]; taken {
		r.addFault(CodeName, "", "it and %s are both called %s, so one configuration overwrites the other", other, name)
	}
	r.slugs[name] = e.Name()
	d, err := r.decodeFile(r.Where)
	if err != nil {
		r.addFault(CodeFile, "", "%v", err)
		return
	}
	rounds := r.readSessions(d.Sessions)
	t := Task{Name: stem, Open: strings.HasSuffix(stem, "_Open"), Rounds: make([]string, len(rounds))}
	for id, at := range rounds {
		t.Rounds[at] = id
	}
	for i, q := range d.QAs {
		t.Items = append(t.Items, r.readQuestion(i, q, rounds, t.Open))
	}
	r.tasks = append(r.tasks, t)
}

func (r *layoutReader) decodeFile(name string) (dialogue, error) {
	var d dialogue
	data, err := r.ReadFile(name, largestFile)
	if err == nil {
		err = pipeline.DecodeSingle(json.NewDecoder(bytes.NewReader(data)), &d)
	}
	if err == nil && (len(d.Sessions) == 0 || len(d.QAs) == 0) {
		err = errors.New("it has no sessions, or no questions under the key human-annotated QAs")
	}
	return d, err
}

// readSessions checks the sessions and returns the place of each round.
func (r *layoutReader) readSessions(list []session) map[string]int {
	seen, rounds := map[string]bool{}, map[string]int{}
	base := map[string]string{}
	last := ""
	for _, s := range list {
		if seen[s.ID] || s.ID == "" || strings.Contains(s.ID, ":") {
			r.addFault(CodeSession, s.ID, "its id is empty, there twice, or has a colon; of two sessions MemEye reads the first twice")
		}
		seen[s.ID] = true
		if !isDay(s.Date) || s.Date < last {
			r.addFault(CodeSession, s.ID, "its date is %q after %q; want days such as 2024-06-17 that do not run back", s.Date, last)
		}
		last = s.Date
		if len(s.Rounds) == 0 {
			r.addFault(CodeSession, s.ID, "it has no round")
		}
		for _, x := range s.Rounds {
			r.readRound(s, x, rounds, base)
		}
	}
	return rounds
}

func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

func (r *layoutReader) readRound(s session, x round, rounds map[string]int, base map[string]string) {
	if _, twice := rounds[x.ID]; twice || !strings.HasPrefix(x.ID, s.ID+":") {
		r.addFault(CodeRound, x.ID, "it is there twice, or no round of session %s", s.ID)
	}
	if _, twice := rounds[x.ID]; !twice {
		rounds[x.ID] = len(rounds)
	}
	if x.User == nil || x.Assistant == nil {
		r.addFault(CodeRound, x.ID, "it lacks what the user says or what the assistant answers")
	}
	if len(x.Images) != len(x.Captions) {
		r.addFault(CodeCaption, x.ID, "%d pictures and %d captions", len(x.Images), len(x.Captions))
	}
	for i, p := range x.Images {
		r.checkPicture(x.ID, p, base)
		if i < len(x.Captions) && strings.TrimSpace(x.Captions[i]) == "" {
			r.addFault(CodeCaption, x.ID, "the caption of %s is empty", p)
		}
	}
}

// checkPicture follows a path as MemEye does, but not by base name alone.
func (r *layoutReader) checkPicture(where, p string, base map[string]string) {
	inner, ok := strings.CutPrefix(p, "../image/")
	at := path.Join("image", inner)
	if !ok || strings.Contains(p, `\`) || !strings.HasPrefix(at, "image/") || slices.Contains(strings.Split(inner, "/"), "..") || inner == "" {
		r.addFault(CodePicture, where, "%q leads to no file below image; write ../image/TASK/FILE", p)
		return
	}
	name := path.Base(at)
	if other, taken := base[name]; taken && other != at {
		r.addFault(CodeBaseName, where, "%s and %s have one base name, by which MemEye may find the wrong one", other, at)
	}
	base[name] = at
	if err := r.CheckPicture(at); err != nil {
		r.addFault(CodePicture, where, "%v", err)
	}
}

func (r *layoutReader) readQuestion(n int, q qa, rounds map[string]int, open bool) Item {
	where := q.ID
	if where == "" {
		where = fmt.Sprintf("question %d", n+1)
	}
	out := Item{ID: q.ID, Question: q.Question, Gold: q.Answer, Clues: q.Clues}
	if strings.TrimSpace(q.Question) == "" || strings.TrimSpace(q.Answer) == "" {
		r.addFault(CodeFile, where, "it has no words, or no answer")
	}
	if len(q.Point) != 2 || len(q.Point[0]) != 1 || len(q.Point[1]) != 1 || !slices.Contains([]string{"X1", "X2", "X3", "X4"}, q.Point[0][0]) || !slices.Contains([]string{"Y1", "Y2", "Y3"}, q.Point[1][0]) {
		r.addFault(CodePoint, where, "its point is %q; want one of X1 to X4 and one of Y1 to Y3", q.Point)
	} else {
		out.X, out.Y = q.Point[0][0], q.Point[1][0]
	}
	r.checkClues(where, q, rounds)
	base := map[string]string{}
	for _, p := range q.Images {
		r.checkPicture(where, p, base)
	}
	if len(q.Images) > 0 && strings.TrimSpace(q.Caption) == "" {
		r.addFault(CodeCaption, where, "its own picture has no caption")
	}
	switch {
	case open && len(q.Options) > 0:
		r.addFault(CodeOptions, where, "an open question with options is scored as a choice")
	case !open:
		if out.Rotations = r.readRotations(where, q); out.Rotations != nil {
			out.Gold = out.Rotations[0].Texts["A"]
		}
	}
	return out
}

// checkClues wants clues that are rounds of the dialogue, in its order, in the sessions
// that the question names.
func (r *layoutReader) checkClues(where string, q qa, rounds map[string]int) {
	if len(q.Clues) == 0 {
		r.addFault(CodeClue, where, "it names no round that it rests on")
	}
	sessions := map[string]bool{}
	last := -1
	for _, c := range q.Clues {
		at, known := rounds[c]
		if !known || at <= last {
			r.addFault(CodeClue, where, "the clue %s is in no session, or not after the one before it", c)
			continue
		}
		last = at
		s, _, _ := strings.Cut(c, ":")
		sessions[s] = true
	}
	for _, s := range q.Sessions {
		if !sessions[s] {
			r.addFault(CodeClue, where, "session %s has none of its clues", s)
		}
		delete(sessions, s)
	}
	if len(sessions) > 0 {
		r.addFault(CodeClue, where, "it has clues in %d sessions that it does not name", len(sessions))
	}
}

// readRotations wants four orders of four texts, with the right one at A, B, C and D in
// turn, and the answer of the question equal to that of the last.
func (r *layoutReader) readRotations(where string, q qa) []Rotation {
	if len(q.Options) != 4 {
		r.addFault(CodeOptions, where, "it has %d rotations; want 4", len(q.Options))
		return nil
	}
	var out []Rotation
	for i, o := range q.Options {
		texts := map[string]string{}
		for key, text := range o {
			if key != "answer" {
				texts[key] = text
			}
		}
		out = append(out, Rotation{Texts: texts, Right: o["answer"]})
		if want := string(rune('A' + i)); o["answer"] != want {
			r.addFault(CodeOptions, where, "rotation %d is right at %q; want %s", i+1, o["answer"], want)
		}
		if texts["A"] == "" || texts["B"] == "" || texts["C"] == "" || texts["D"] == "" || len(texts) != 4 {
			r.addFault(CodeOptions, where, "rotation %d has not just the letters A to D, each with a text", i+1)
			return nil
		}
	}
	r.checkSameTexts(where, out)
	if q.Answer != out[3].Right {
		r.addFault(CodeOptions, where, "its own answer is %q; MemEye compares it with the choice of the last rotation, %s", q.Answer, out[3].Right)
	}
	return out
}

func (r *layoutReader) checkSameTexts(where string, all []Rotation) {
	right := all[0].Texts[all[0].Right]
	first := sortedTexts(all[0])
	if len(slices.Compact(slices.Clone(first))) != 4 {
		r.addFault(CodeOptions, where, "two options say the same: %q", first)
	}
	for i, x := range all {
		if got := x.Texts[x.Right]; got != right {
			r.addFault(CodeOptions, where, "rotation %d has %q as right, the first %q", i+1, got, right)
		}
		if !slices.Equal(sortedTexts(x), first) {
			r.addFault(CodeOptions, where, "rotation %d has other texts than the first", i+1)
		}
	}
}

func sortedTexts(x Rotation) []string {
	var out []string
	for _, text := range x.Texts {
		out = append(out, strings.ToLower(strings.TrimSpace(text)))
	}
	slices.Sort(out)
	return out
}

// checkOpenForms wants each choice file to have an open one with the same questions,
// whose answers are the right options.
func (r *layoutReader) checkOpenForms() {
	by := map[string]Task{}
	for _, t := range r.tasks {
		by[t.Name] = t
	}
	for _, t := range r.tasks {
		r.Where = "dialog/" + t.Name + ".json"
		if t.Open {
			if _, ok := by[strings.TrimSuffix(t.Name, "_Open")]; !ok {
				r.addFault(CodeOpenForm, "", "there is no choice form of it")
			}
			continue
		}
		open, ok := by[t.Name+"_Open"]
		if !ok || len(open.Items) != len(t.Items) {
			r.addFault(CodeOpenForm, "", "its open form is missing, or has another number of questions")
			continue
		}
		for i, q := range t.Items {
			o := open.Items[i]
			if q.ID != o.ID || q.X != o.X || q.Y != o.Y || !slices.Equal(q.Clues, o.Clues) || q.Rotations != nil && q.Gold != o.Gold {
				r.addFault(CodeOpenForm, q.ID, "the open form asks something else, or has another answer")
			}
		}
	}
}
