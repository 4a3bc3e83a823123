package format

import (
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg" // formats of pictures
	_ "image/png"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	_ "golang.org/x/image/webp"

	"github.com/memforge/memforge/pipeline"
)

// Codes of what Read finds wrong.
const (
	CodeFile     = "bad-file"     // no JSON of the layout, too large, or with further keys
	CodeID       = "same-id"      // an id, or a place in the stream, twice
	CodeSource   = "bad-source"   // a source that nobody names, or that is not there
	CodeTurn     = "bad-turn"     // a turn without a time, or whose time runs back
	CodePicture  = "bad-picture"  // a path that leads to no picture, or out of the folder
	CodeHandle   = "bad-handle"   // a picture without a handle, or two with one
	CodeTask     = "bad-task"     // none of the five tasks
	CodeQuestion = "bad-question" // nothing is asked
	CodeOptions  = "bad-options"  // not four different options, or options beside tools
	CodeTools    = "bad-tools"    // no tools, two of one name, or no schema of an object
	CodeAnswer   = "bad-answer"   // an answer that is no option, or a call of no tool
	CodeEvidence = "bad-evidence" // evidence that leads nowhere, or out of order
	CodeSpread   = "one-source"   // evidence in fewer sources than the arrangement wants
)

// Fault is something that whoever evaluates on the samples would trip over.
type Fault struct {
	Code  string
	Where string // file, and what in it
	Text  string
}

func (f Fault) String() string { return f.Code + ": " + f.Where + ": " + f.Text }

// Bench is an export as Read found it.
type Bench struct {
	Samples []Sample
	// Turns lead from the id of a turn to its source.
	Turns map[string]string
}

// Sample is a question of an export.
type Sample struct {
	ID          string            `json:"id"`
	Environment string            `json:"environment"`
	Capability  string            `json:"capability"`
	Task        string            `json:"task"`
	Arrangement string            `json:"arrangement"`
	Required    string            `json:"required_sources"`
	Preference  string            `json:"preference"`
	Fact        string            `json:"fact"`
	Sources     []string          `json:"sources"`
	Question    string            `json:"question"`
	Images      []string          `json:"question_images"`
	Options     map[string]string `json:"options"`
	Tools       []Tool            `json:"tools"`
	Answer      json.RawMessage   `json:"answer"`
	Evidence    []Evidence        `json:"evidence"`
}

// Tool is one that may be called.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Evidence is a piece, by where it stands.
type Evidence struct {
	Source   string `json:"source"`
	Turn     string `json:"turn"`
	Order    int    `json:"order"`
	Role     string `json:"role"`
	Modality string `json:"modality"`
	Text     string `json:"text"`
	Image    string `json:"image"`
	Caption  string `json:"caption"`
}

// largestFile is how many bytes of JSON a file may have.
const largestFile = 64 << 20

// Read reads a folder in the layout, with all that is wrong in it. It shares no code
// with what writes one. The error is for folders that cannot be read at all.
func Read(root fs.FS) (Bench, []Fault, error) {
	r := reader{root: root, environments: map[string]string{}, positions: map[string]map[int64]string{}, handles: map[string]string{}, ids: map[string]bool{}, seen: map[string]bool{}, named: map[string]bool{}}
	r.bench.Turns = map[string]string{}
	for _, part := range []struct {
		folder string
		read   func(string)
	}{{"sources", r.readSource}, {"samples", r.readSample}} {
		entries, err := fs.ReadDir(root, part.folder)
		if err != nil {
			return Bench{}, nil, fmt.Errorf("read a folder in SMMBench's layout: %w; it holds samples, sources and images", err)
		}
		for _, e := range entries {
			r.where = part.folder + "/" + e.Name()
			if path.Ext(e.Name()) != ".json" || !e.Type().IsRegular() {
				r.add(CodeFile, "nothing but JSON files belongs here")
				continue
			}
			part.read(r.where)
		}
	}
	for _, id := range sortedIDs(r.environments) {
		if !r.named[id] {
			r.where = "sources"
			r.add(CodeSource, "no sample names the source %s", id)
		}
	}
	return r.bench, r.faults, nil
}

type reader struct {
	root         fs.FS
	bench        Bench
	faults       []Fault
	where        string
	environments map[string]string           // of sources
	positions    map[string]map[int64]string // of turns, by environment
	handles      map[string]string           // of pictures, behind their environment
	ids          map[string]bool
	seen         map[string]bool // pictures that were looked at
	named        map[string]bool // sources of samples
}

func (r *reader) add(code, format string, args ...any) {
	r.faults = append(r.faults, Fault{code, r.where, fmt.Sprintf(format, args...)})
}

// decode reads one JSON object without any key that the layout does not have.
func (r *reader) decode(name string, v any) bool {
	f, err := r.root.Open(name)
	if err != nil {
		r.add(CodeFile, "%v", err)
		return false
	}
	defer f.Close()
	limited := &io.LimitedReader{R: f, N: largestFile + 1}
	dec := json.NewDecoder(limited)
	dec.DisallowUnknownFields()
	err = pipeline.DecodeSingle(dec, v)
	if limited.N <= 0 {
		err = fmt.Errorf("it has more than %d bytes", largestFile)
	}
	if err != nil {
		r.add(CodeFile, "%v", err)
	}
	return err == nil
}

func (r *reader) checkUnique(id string) bool {
	if id == "" || r.ids[id] {
		r.add(CodeID, "the id %q is empty or there twice", id)
		return false
	}
	r.ids[id] = true
	return true
}

// writtenSource is what the file of a source may hold.
type writtenSource struct {
	ID           string        `json:"id"`
	Environment  string        `json:"environment"`
	Kind         string        `json:"kind"`
	Title        string        `json:"title"`
	Participants []string      `json:"participants"`
	Turns        []writtenTurn `json:"turns"`
}

type writtenTurn struct {
	ID       string         `json:"id"`
	Position int64          `json:"position"`
	Time     string         `json:"time"`
	Speaker  string         `json:"speaker"`
	Text     string         `json:"text"`
	Images   []writtenImage `json:"images"`
}

type writtenImage struct {
	Handle  string `json:"handle"`
	Path    string `json:"path"`
	Caption string `json:"caption"`
}

func (r *reader) readSource(file string) {
	var s writtenSource
	if !r.decode(file, &s) || !r.checkUnique(s.ID) {
		return
	}
	r.environments[s.ID] = s.Environment
	kinds := []string{"group_chat", "private_chat", "document", "table", "profile", "image", "dialogue"}
	if s.Environment == "" || !slices.Contains(kinds, s.Kind) || len(s.Turns) == 0 {
		r.add(CodeSource, "source %s of kind %q and environment %q has %d turns", s.ID, s.Kind, s.Environment, len(s.Turns))
	}
	if r.positions[s.Environment] == nil {
		r.positions[s.Environment] = map[int64]string{}
	}
	var last time.Time
	at := int64(0)
	for _, t := range s.Turns {
		if r.checkUnique(t.ID) {
			r.bench.Turns[t.ID] = s.ID
		}
		when, err := time.Parse(time.RFC3339, t.Time)
		if err != nil || when.Before(last) || t.Position <= at {
			r.add(CodeTurn, "turn %s is of %q at place %d, after %v at %d", t.ID, t.Time, t.Position, last, at)
		}
		if t.Text == "" && len(t.Images) == 0 || len(s.Participants) > 0 && !slices.Contains(s.Participants, t.Speaker) && t.Speaker != "" {
			r.add(CodeTurn, "turn %s says and shows nothing, or %q is none of the participants", t.ID, t.Speaker)
		}
		if other, taken := r.positions[s.Environment][t.Position]; taken {
			r.add(CodeID, "turns %s and %s are both at place %d", other, t.ID, t.Position)
		}
		r.positions[s.Environment][t.Position] = t.ID
		last, at = when, t.Position
		r.readImages(s.Environment, t)
	}
}

func (r *reader) readImages(environment string, t writtenTurn) {
	for _, i := range t.Images {
		r.checkPicture(i.Path)
		key := environment + "\n" + i.Handle
		if other, taken := r.handles[key]; i.Handle == "" || taken && other != i.Path {
			r.add(CodeHandle, "turn %s shows %s as %q", t.ID, i.Path, i.Handle)
		}
		r.handles[key] = i.Path
	}
}

// checkPicture looks at the head of a picture, once.
func (r *reader) checkPicture(name string) {
	if r.seen[name] {
		return
	}
	r.seen[name] = true
	if !fs.ValidPath(name) || !strings.HasPrefix(name, "images/") {
		r.add(CodePicture, "%q is no path below images", name)
		return
	}
	f, err := r.root.Open(name)
	if err != nil {
		r.add(CodePicture, "%v", err)
		return
	}
	defer f.Close()
	if _, _, err := image.DecodeConfig(f); err != nil {
		r.add(CodePicture, "%s: %v", name, err)
	}
}

func sortedIDs(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for id := range m {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}
