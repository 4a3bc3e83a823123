package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // formats of pictures
	_ "image/png"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	_ "golang.org/x/image/webp"

	"github.com/memforge/memforge/pipeline"
)

// Codes of what Read finds wrong.
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

// Fault is something that MemEye's loader would take without a word, or stop at.
type Fault struct {
	Code  string
	Where string // file, and what in it
	Text  string
}

func (f Fault) String() string { return f.Code + ": " + f.Where + ": " + f.Text }

// largestFile is how many bytes of JSON a file of dialogues may have.
const largestFile = 256 << 20

// Task is a file of dialogues as Read found it.
type Task struct {
	Name  string // of the file, without .json
	Open  bool
	Items []Item
	// Rounds are the ids of all rounds, in order.
	Rounds []string
}

// Item is a question of a file.
type Item struct {
	ID, Question, Answer string
	X, Y                 string
	// Rotations have the texts by letter, and the right letter.
	Rotations []Rotation
	Clues     []string
}

// Rotation is one order of options.
type Rotation struct {
	Texts map[string]string
	Right string
}

// Read reads a folder in MemEye's layout, with all that is wrong in it. It shares no
// code with what writes one. The error is for folders that cannot be read at all.
func Read(root fs.FS) ([]Task, []Fault, error) {
	entries, err := fs.ReadDir(root, "dialog")
	if err != nil {
		return nil, nil, fmt.Errorf("read a folder in MemEye's layout: %w; it holds dialog and image", err)
	}
	r := layoutReader{root: root, slugs: map[string]string{}}
	for _, e := range entries {
		r.readFile(e)
	}
	r.checkOpenForms()
	return r.tasks, r.faults, nil
}

// layoutReader goes through a folder.
type layoutReader struct {
	root   fs.FS
	tasks  []Task
	faults []Fault
	slugs  map[string]string
	where  string
}

func (r *layoutReader) addFault(code, what, format string, args ...any) {
	where := r.where
	if what != "" {
		where += ", " + what
	}
	r.faults = append(r.faults, Fault{code, where, fmt.Sprintf(format, args...)})
}

func (r *layoutReader) readFile(e fs.DirEntry) {
	r.where = "dialog/" + e.Name()
	stem, isJSON := strings.CutSuffix(e.Name(), ".json")
	if !isJSON || !e.Type().IsRegular() {
		r.addFault(CodeFile, "", "MemEye reads every file of this folder as a dialogue")
		return
	}
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, strings.ToLower(stem))
	if other, taken := r.slugs[name]; taken {
		r.addFault(CodeName, "", "it and %s are both called %s, so one configuration overwrites the other", other, name)
	}
	r.slugs[name] = e.Name()
	d, err := r.decodeFile(r.where)
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

// parsedFile is what a file may hold; further keys are the task's own.
type parsedFile struct {
	Sessions []parsedSession `json:"multi_session_dialogues"`
	QAs      []parsedQA      `json:"human-annotated QAs"`
}

type parsedSession struct {
	ID     string        `json:"session_id"`
	Date   string        `json:"date"`
	Rounds []parsedRound `json:"dialogues"`
}

type parsedRound struct {
	ID        string   `json:"round"`
	User      *string  `json:"user"`
	Assistant *string  `json:"assistant"`
	Images    []string `json:"input_image"`
	Captions  []string `json:"image_caption"`
}

type parsedQA struct {
	ID       string              `json:"question_id"`
	Point    [][]string          `json:"point"`
	Question string              `json:"question"`
	Answer   string              `json:"answer"`
	Options  []map[string]string `json:"options"`
	Sessions []string            `json:"session_id"`
	Clues    []string            `json:"clue"`
	Images   []string            `json:"question_images"`
	Caption  string              `json:"image_caption"`
}

func (r *layoutReader) decodeFile(name string) (parsedFile, error) {
	var d parsedFile
	f, err := r.root.Open(name)
	if err != nil {
		return d, err
	}
	defer f.Close()
	limited := &io.LimitedReader{R: f, N: largestFile + 1}
	dec := json.NewDecoder(limited)
	err = pipeline.DecodeSingle(dec, &d)
	if limited.N <= 0 {
		return d, fmt.Errorf("it has more than %d bytes", largestFile)
	}
	if err == nil && (len(d.Sessions) == 0 || len(d.QAs) == 0) {
		err = errors.New("it has no sessions, or no questions under the key human-annotated QAs")
	}
	return d, err
}

// readSessions checks the dialogue and gives the places of its rounds.
func (r *layoutReader) readSessions(list []parsedSession) map[string]int {
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
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	var y, m, d int
	n, err := fmt.Sscanf(s, "%4d-%2d-%2d", &y, &m, &d)
	return err == nil && n == 3 && m >= 1 && m <= 12 && d >= 1 && d <= 31
}

func (r *layoutReader) readRound(s parsedSession, x parsedRound, rounds map[string]int, base map[string]string) {
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
	f, err := r.root.Open(at)
	if err != nil {
		r.addFault(CodePicture, where, "%s: %v", p, err)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		r.addFault(CodePicture, where, "%s is no file", p)
		return
	}
	if _, _, err := image.DecodeConfig(f); err != nil {
		r.addFault(CodePicture, where, "%s is no PNG, JPEG or WebP: %v", p, err)
	}
}
