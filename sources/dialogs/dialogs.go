// Package dialogs is the source "dialogs": conversations over many sessions, with
// pictures, observations and questions, in the layouts in which LoCoMo, Mem-Gallery,
// MemEye and WorldMemArena are published. It gives a task for each conversation, its sessions with
// turns and memory points, its questions with their evidence, and its pictures. What
// a file holds and no record can is rejected by name, so that it is counted.
package dialogs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/kit/glob"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
)

// Config of a folder of dialogues.
type Config struct {
	Path     string   `json:"path" doc:"folder with the dialogues, relative to pipeline.yaml: JSON files, and pictures where they name them"`
	Include  []string `json:"include" doc:"patterns of the JSON files; empty: every .json"`
	Exclude  []string `json:"exclude" doc:"patterns of files to leave out, pictures too"`
	Layout   string   `json:"layout" doc:"layout of the files: locomo (flat or nested), rounds (Mem-Gallery, MemEye), worldmemarena, or auto"`
	Family   string   `json:"family" doc:"family of the tasks and questions, and the first part of their ids"`
	Scenario string   `json:"scenario" doc:"scenario of all tasks; empty: each is called like its conversation"`
	License  string   `json:"license" doc:"SPDX id of the dialogues' licence"`
	MaxBytes int64    `json:"max_bytes" doc:"size in bytes above which a file is refused"`
}

// Layouts.
const (
	layoutAuto   = "auto"
	layoutLocomo = "locomo"
	layoutRounds = "rounds"
	layoutArena  = "worldmemarena"
)

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.Layout, c.Family, c.MaxBytes = layoutAuto, "dialogs", annotation.MaxBytes
}

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "dialogs", "7", "conversations over many sessions, as LoCoMo, Mem-Gallery, MemEye and WorldMemArena lay them out", New)
}

type source struct{ cfg Config }

var familyForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	switch {
	case c.Path == "":
		return nil, errors.New("path: required; name the folder with the dialogues")
	case c.MaxBytes <= 0:
		return nil, fmt.Errorf("max_bytes: %d: must be above 0", c.MaxBytes)
	case !slices.Contains([]string{layoutAuto, layoutLocomo, layoutRounds, layoutArena}, c.Layout):
		return nil, fmt.Errorf("layout: %q: want locomo, rounds, worldmemarena or auto", c.Layout)
	case !familyForm.MatchString(c.Family):
		return nil, fmt.Errorf("family: %q: want at most 32 lower-case letters, digits, - and _", c.Family)
	}
	if _, err := glob.Compile(c.Include, c.Exclude); err != nil {
		return nil, err
	}
	return &source{c}, nil
}

// Spec implements pipeline.Source.
func (*source) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameTask, schemas.NameSession, schemas.NameQuestion, schemas.NameMedia}}
}

// Needs in their order.
const (
	needDialogues = iota
	needPictures
)

// leftovers returns what runs of upstream's own programs and archivers leave beside the
// dialogues.
func leftovers() []string {
	return []string{"**/small_ids.json", "**/memforge-export.json", "**/*_results_*", "**/*_evaluate_result_*", "**/__MACOSX/**", "**/._*"}
}

func (s *source) Needs() []pipeline.Need {
	need := pipeline.Need{From: fetch.Local, Root: s.cfg.Path, MaxBytes: s.cfg.MaxBytes, License: s.cfg.License, Exclude: slices.Concat(s.cfg.Exclude, leftovers())}
	dialogues, pictures := need, need
	dialogues.Include = s.cfg.Include
	if len(dialogues.Include) == 0 {
		dialogues.Include = []string{"**/*.json"}
	}
	pictures.Include = benchmark.PicturePatterns()
	return []pipeline.Need{dialogues, pictures}
}

// Read implements pipeline.Source. The conversations of one file, and of the file with
// the open form of its questions, are held at a time.
func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	g := emitter{cfg: s.cfg, scope: scope, emit: emit, pictures: newAlbum(assets)}
	for _, files := range groupFiles(assets) {
		var all []conversation
		for _, a := range files {
			found, err := s.conversations(ctx, scope, a)
			if why := (*pipeline.Rejection)(nil); errors.As(err, &why) {
				scope.Reject(a.Path, why)
				continue
			}
			if err != nil {
				return err
			}
			all = append(all, found...)
		}
		for _, c := range joinOpenForms(all) {
			if err := g.emitConversation(ctx, c); err != nil {
				return fmt.Errorf("dialogue %s: %w", c.name, err)
			}
		}
	}
	return nil
}

// groupFiles returns the files of dialogues in the order of their paths, each with that of
// the open form of its questions.
func groupFiles(assets []pipeline.Asset) (out [][]pipeline.Asset) {
	at := map[string]int{}
	sorted := slices.SortedFunc(slices.Values(assets), func(a, b pipeline.Asset) int { return strings.Compare(a.Path, b.Path) })
	for _, a := range sorted {
		if a.Need != needDialogues {
			continue
		}
		name := strings.TrimSuffix(strings.TrimSuffix(a.Path, path.Ext(a.Path)), openSuffix)
		i, there := at[name]
		if !there {
			i = len(out)
			at[name], out = i, append(out, nil)
		}
		out[i] = append(out[i], a)
	}
	return out
}

// conversations reads one file; a *pipeline.Rejection says what is wrong with it.
func (s *source) conversations(ctx context.Context, scope *pipeline.Scope, a pipeline.Asset) ([]conversation, error) {
	if a.Problem != nil {
		return nil, a.Problem
	}
	raw, err := benchmark.ReadAll(ctx, scope, a, s.cfg.MaxBytes)
	if err != nil {
		return nil, err
	}
	out, err := parse(raw, s.cfg.Layout, a.Path)
	if err != nil {
		return nil, pipeline.Reject(codeFile, "%v; take the file out or exclude it", err)
	}
	return out, nil
}

// parse reads the conversations of a file: one, or a list of them.
func parse(raw []byte, layout, file string) ([]conversation, error) {
	text, err := annotation.Prepare(raw)
	if err != nil {
		return nil, err
	}
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	items, err := annotation.ParseList(text)
	if err != nil {
		c, err := parseOne(text, layout, stem)
		c.setFile(file)
		return []conversation{c}, err
	}
	var out []conversation
	for i, item := range items {
		c, err := parseOne(item, layout, fmt.Sprintf("%s-%02d", stem, i+1))
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
		c.setFile(file)
		out = append(out, c)
	}
	return out, nil
}

func parseOne(text []byte, layout, name string) (conversation, error) {
	o, err := annotation.ParseObject(text)
	if err != nil {
		return conversation{}, err
	}
	if layout == layoutAuto {
		layout = layoutOf(o)
	}
	switch layout {
	case layoutLocomo:
		return parseLocomo(o, name)
	case layoutRounds:
		return parseRounds(o, name)
	case layoutArena:
		return parseArena(text, name)
	}
	return conversation{}, errors.New("it has neither multi_session_dialogues nor a session_1 nor qa_checkpoints: set layout, or exclude the file")
}

func layoutOf(o annotation.Object) string {
	if _, ok := o[keyDialogues]; ok {
		return layoutRounds
	}
	if _, ok := o["qa_checkpoints"]; ok {
		return layoutArena
	}
	for key := range o {
		if key == keyConversation || sessionKey.MatchString(key) {
			return layoutLocomo
		}
	}
	return ""
}

// joinOpenForms joins each file of questions with options and the file of the same
// questions without, and sorts by name.
func joinOpenForms(all []conversation) []conversation {
	slices.SortStableFunc(all, func(a, b conversation) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.file, b.file))
	})
	byName := map[string]int{}
	var out []conversation
	for _, c := range all {
		if of, open := strings.CutSuffix(c.name, openSuffix); open {
			if at, ok := byName[path.Join(path.Dir(c.file), of)]; ok {
				out[at].takeOpenForm(c)
				continue
			}
		}
		byName[path.Join(path.Dir(c.file), c.name)] = len(out)
		out = append(out, c)
	}
	return out
}

// What a file holds, by the two conversations of LoCoMo that were counted, and what
// reading it takes, in seconds.
const (
	sessionsPerFile  = 19
	questionsPerFile = 150
	readCPU          = 0.1
	lookCPU          = 0.02 // a picture, decoded
)

// Forecast implements pipeline.Forecaster: what files hold shows when they are read,
// so a file is taken for a conversation of the usual size, and every picture for one
// that is shared.
func (*source) Forecast(in pipeline.Volume) pipeline.Forecast {
	files, pictures := in[pipeline.VolumeFileOf(needDialogues)].Records, in[pipeline.VolumeFileOf(needPictures)]
	return pipeline.Forecast{
		Out: pipeline.Volume{
			schemas.NameMedia: {Records: pictures.Records, Bytes: pictures.Bytes},
			schemas.NameTask:  {Records: files}, schemas.NameSession: {Records: sessionsPerFile * files}, schemas.NameQuestion: {Records: questionsPerFile * files, Rough: true},
		},
		CPU: readCPU*files + lookCPU*pictures.Records, Bytes: in[pipeline.VolumeFile].Bytes,
	}
}
