package format

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/model/tool"
	"github.com/memforge/memforge/schemas"
)

// Codes of what Read finds wrong.
const (
	CodeFile     = "bad-file"     // no JSON of the layout, too large, or with further keys
	CodeID       = "same-id"      // an id, or a place in the stream, twice
	CodeSource   = "bad-source"   // a source that no sample names, or that is not there
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

// Bench is an export as Read found it.
type Bench struct {
	Samples []Sample
	// Turns lead from the id of a turn to its source.
	Turns map[string]string
}

// largestFile is how many bytes of JSON a file may have.
const largestFile = 64 << 20

// Read reads a folder in the layout, with all that is wrong in it. It shares the shapes
// of the files with what writes one, and no other code. The error is for folders that
// cannot be read at all.
func Read(root fs.FS) (Bench, []benchformat.Fault, error) {
	r := reader{Reader: benchformat.Reader{Root: root}, environments: map[string]string{}, positions: map[string]map[int64]string{}, handles: map[string]string{}, ids: map[string]bool{}, seen: map[string]bool{}, named: map[string]bool{}}
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
			r.Where = part.folder + "/" + e.Name()
			if path.Ext(e.Name()) != ".json" || !e.Type().IsRegular() {
				r.AddFault(CodeFile, "nothing but JSON files belongs here")
				continue
			}
			part.read(r.Where)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.environments)) {
		if !r.named[id] {
			r.Where = "sources"
			r.AddFault(CodeSource, "no sample names the source %s", id)
		}
	}
	return r.bench, r.Faults, nil
}

type reader struct {
	benchformat.Reader
	bench        Bench
	environments map[string]string           // of sources
	positions    map[string]map[int64]string // of turns, by environment
	handles      map[string]string           // of pictures, behind their environment
	ids          map[string]bool
	seen         map[string]bool // pictures that were looked at
	named        map[string]bool // sources of samples
}

// decode reads one JSON object without any key that the layout does not have.
func (r *reader) decode(name string, v any) bool {
	data, err := r.ReadFile(name, largestFile)
	if err == nil {
		err = benchformat.DecodeStrict(data, v)
	}
	if err != nil {
		r.AddFault(CodeFile, "%v", err)
	}
	return err == nil
}

func (r *reader) checkUnique(id string) bool {
	if id == "" || r.ids[id] {
		r.AddFault(CodeID, "the id %q is empty or there twice", id)
		return false
	}
	r.ids[id] = true
	return true
}

func (r *reader) readSource(file string) {
	var s sourceFile
	if !r.decode(file, &s) || !r.checkUnique(s.ID) {
		return
	}
	r.environments[s.ID] = s.Environment
	kinds := []string{"group_chat", "private_chat", "document", "table", "profile", "image", "dialogue"}
	if s.Environment == "" || !slices.Contains(kinds, s.Kind) || len(s.Turns) == 0 {
		r.AddFault(CodeSource, "source %s of kind %q and environment %q has %d turns", s.ID, s.Kind, s.Environment, len(s.Turns))
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
			r.AddFault(CodeTurn, "turn %s is of %q at place %d, after %v at %d", t.ID, t.Time, t.Position, last, at)
		}
		if t.Text == "" && len(t.Images) == 0 || len(s.Participants) > 0 && !slices.Contains(s.Participants, t.Speaker) && t.Speaker != "" {
			r.AddFault(CodeTurn, "turn %s says and shows nothing, or %q is none of the participants", t.ID, t.Speaker)
		}
		if other, taken := r.positions[s.Environment][t.Position]; taken {
			r.AddFault(CodeID, "turns %s and %s are both at place %d", other, t.ID, t.Position)
		}
		r.positions[s.Environment][t.Position] = t.ID
		last, at = when, t.Position
		r.readImages(s.Environment, t)
	}
}

func (r *reader) readImages(environment string, t turnFile) {
	for _, i := range t.Images {
		r.checkPicture(i.Path)
		key := environment + "\n" + i.Handle
		if other, taken := r.handles[key]; i.Handle == "" || taken && other != i.Path {
			r.AddFault(CodeHandle, "turn %s shows %s as %q", t.ID, i.Path, i.Handle)
		}
		r.handles[key] = i.Path
	}
}

// checkPicture checks the header of a picture once.
func (r *reader) checkPicture(name string) {
	if r.seen[name] {
		return
	}
	r.seen[name] = true
	if !fs.ValidPath(name) || !strings.HasPrefix(name, "images/") {
		r.AddFault(CodePicture, "%q is no path below images", name)
		return
	}
	if err := r.CheckPicture(name); err != nil {
		r.AddFault(CodePicture, "%v", err)
	}
}

func (r *reader) readSample(file string) {
	var s Sample
	if !r.decode(file, &s) || !r.checkUnique(s.ID) {
		return
	}
	r.bench.Samples = append(r.bench.Samples, s)
	if t, known := taskOf(s.Task); !known || t.capability != s.Capability {
		r.AddFault(CodeTask, "task %q of capability %q", s.Task, s.Capability)
	}
	if strings.TrimSpace(s.Question) == "" {
		r.AddFault(CodeQuestion, "it asks nothing")
	}
	for _, p := range s.Images {
		r.checkPicture(p)
	}
	for i, id := range s.Sources {
		if env, there := r.environments[id]; !there || env != s.Environment || slices.Contains(s.Sources[:i], id) {
			r.AddFault(CodeSource, "source %q is not there, is of environment %q and not of %q, or is named twice", id, env, s.Environment)
		}
		r.named[id] = true
	}
	if s.Task == schemas.TaskFunctionCall {
		r.checkCall(s)
	} else {
		r.checkOptions(s)
	}
	r.checkEvidence(s)
}

func (r *reader) checkOptions(s Sample) {
	texts := map[string]bool{}
	for _, key := range []string{"A", "B", "C", "D"} {
		texts[s.Options[key]] = true
	}
	if len(s.Options) != 4 || len(texts) != 4 || texts[""] || len(s.Tools) > 0 {
		r.AddFault(CodeOptions, "options %v and %d tools; want four different texts from A to D, and no tools", s.Options, len(s.Tools))
	}
	var answer string
	if err := json.Unmarshal(s.Answer, &answer); err != nil || s.Options[answer] == "" {
		r.AddFault(CodeAnswer, "the answer %s is none of the options", s.Answer)
	}
}

func (r *reader) checkCall(s Sample) {
	if len(s.Options) > 0 || len(s.Tools) < 2 {
		r.AddFault(CodeTools, "%d tools and %d options; want two tools or more, and no options", len(s.Tools), len(s.Options))
	}
	names := map[string]bool{}
	fits := false
	for _, t := range s.Tools {
		one, why := tool.Compile(schemas.Tool{Name: t.Name, Parameters: string(t.Parameters)})
		if why != nil || names[t.Name] {
			r.AddFault(CodeTools, "tool %q is there twice, or has no schema of an object", t.Name)
			continue
		}
		names[t.Name] = true
		fits = fits || one.Check(string(s.Answer)) == nil
	}
	if !fits {
		r.AddFault(CodeAnswer, "no tool takes the call %s", s.Answer)
	}
}

func (r *reader) checkEvidence(s Sample) {
	sources := map[string]bool{}
	for i, e := range s.Evidence {
		source, there := r.bench.Turns[e.Turn]
		if !there || source != e.Source || !slices.Contains(s.Sources, source) {
			r.AddFault(CodeEvidence, "piece %d is turn %q of source %q, which is not there, or in another one", i+1, e.Turn, e.Source)
		}
		if e.Order != int32(i+1) || !slices.Contains([]string{"clue", "update", "superseded", "context", "alternative"}, e.Role) {
			r.AddFault(CodeEvidence, "piece %d has order %d and role %q", i+1, e.Order, e.Role)
		}
		if e.Text == "" && e.Image == "" || (e.Modality == "image") != (e.Image != "") && e.Modality != "table" {
			r.AddFault(CodeEvidence, "piece %d of modality %q has the image %q", i+1, e.Modality, e.Image)
		}
		if e.Image != "" {
			r.checkPicture(e.Image)
		}
		sources[e.Source] = true
	}
	for _, set := range s.Sufficient {
		if len(set) == 0 || slices.ContainsFunc(set, func(at int32) bool { return at < 1 || int(at) > len(s.Evidence) }) {
			r.AddFault(CodeEvidence, "a set of pieces is %v, of %d", set, len(s.Evidence))
		}
	}
	if want := wantSources(s.Arrangement); len(sources) < want {
		r.AddFault(CodeSpread, "its %d pieces of evidence stand in %d sources; want %d or more", len(s.Evidence), len(sources), want)
	}
}
