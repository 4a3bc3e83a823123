package trajectory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
	"github.com/memforge/memforge/sources/internal/evidence"
)

// Config of a source of recorded runs.
type Config struct {
	Path         string `json:"path" doc:"folder with the files, relative to pipeline.yaml, in the place of the repository"`
	Repo         string `json:"repo" doc:"repository, as owner/name; empty: upstream's own"`
	Revision     string `json:"revision" doc:"branch, tag or commit; the lock file pins the commit"`
	Images       bool   `json:"images" doc:"fetch the repository's pictures too, up to 17 GB; without it they are looked for in the folder that run.media_dirs names. Pictures in path are always taken"`
	License      string `json:"license" doc:"SPDX id of the runs' licence; empty: the one that upstream states, as far as it is known"`
	SessionSteps int    `json:"session_steps" doc:"most steps of a session; the rule of the source ends most of them before"`
	MaxItems     int    `json:"max_items" doc:"take at most so many runs, drawn by the seed; 0: all"`
	MaxBytes     int64  `json:"max_bytes" doc:"size in bytes above which a file is refused"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.Revision, c.SessionSteps, c.MaxBytes = "main", 40, evidence.DefaultMaxBytes
}

// File is one file of runs.
type File struct {
	Path string
	Text []byte
	// Pictures are the base names of the pictures in folders of the name of the file's.
	Pictures []string
	lost     []loss
}

// Reject notes an entry of the file of which no run can be made.
func (f *File) Reject(place, code, format string, args ...any) {
	f.lost = append(f.lost, loss{place, code, fmt.Sprintf(format, args...)})
}

// Layout is what is known of one upstream.
type Layout struct {
	// Family begins the ids of its tasks, and names the source.
	Family, Version, Doc string
	// License is the one that upstream states, or empty.
	License string
	// From is fetch.Hub or fetch.GitHub, Repo the repository; both are empty where
	// there is none and the runs lie in a folder of the user's.
	From, Repo string
	// Held is how many runs the repository holds, as counted; 0 where unknown.
	Held int
	// Runs and Pictures are patterns of files.
	Runs, Pictures []string
	// Parse reads the runs of a file. It holds no state. An error loses the file.
	Parse func(f *File) ([]*Run, error)
}

// Register adds the source of a layout to a registry.
func (l Layout) Register(r *pipeline.Registry) {
	pipeline.AddSource(r, l.Family, l.Version, l.Doc, func(c Config) (pipeline.Source, error) { return l.Open(c) })
}

type source struct {
	layout Layout
	cfg    Config
}

// Open checks the configuration and makes the source.
func (l Layout) Open(c Config) (pipeline.Source, error) {
	c.Repo, c.License = cmp.Or(c.Repo, l.Repo), cmp.Or(c.License, l.License)
	if c.SessionSteps <= 0 {
		return nil, fmt.Errorf("session_steps: %d: must be above 0", c.SessionSteps)
	}
	if c.Path == "" && l.From == "" {
		return nil, errors.New("path: required; no repository holds these runs, so name the folder where yours are")
	}
	if c.Path == "" || c.Repo != "" {
		at := evidence.Repository{Repo: c.Repo, Revision: c.Revision}
		if err := evidence.Check(cmp.Or(l.From, fetch.GitHub), at, evidence.Selection{MaxItems: c.MaxItems, MaxBytes: c.MaxBytes}); err != nil {
			return nil, err
		}
	}
	if c.MaxBytes <= 0 {
		return nil, fmt.Errorf("max_bytes: %d: must be above 0", c.MaxBytes)
	}
	if c.MaxItems < 0 {
		return nil, fmt.Errorf("max_items: %d: want a number of runs, or 0 for all", c.MaxItems)
	}
	return &source{l, c}, nil
}

// Spec implements pipeline.Source.
func (*source) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameTask, schemas.NameSession, schemas.NameMedia}}
}

// Needs in their order.
const (
	needRuns = iota
	needPictures
	needMedia
)

func leftovers() []string { return []string{"**/__MACOSX/**", "**/._*", "**/.DS_Store"} }

// Needs implements pipeline.Source. Where the pictures are not fetched there is no
// need of them, and Read looks among those of the user's folder.
func (s *source) Needs() []pipeline.Need {
	runs := pipeline.Need{From: s.layout.From, Repo: s.cfg.Repo, Revision: s.cfg.Revision, MaxBytes: s.cfg.MaxBytes, License: s.cfg.License, Exclude: leftovers()}
	if s.cfg.Path != "" {
		runs = pipeline.Need{From: fetch.Local, Root: s.cfg.Path, MaxBytes: s.cfg.MaxBytes, License: s.cfg.License, Exclude: leftovers()}
	}
	all := slices.Concat(benchmark.PicturePatterns(), benchmark.ArchivePatterns())
	pictures, media := runs, pipeline.Need{From: fetch.Media, Include: all, MaxBytes: s.cfg.MaxBytes, License: s.cfg.License, Exclude: leftovers()}
	runs.Include, pictures.Include = s.layout.Runs, s.layout.Pictures
	if s.cfg.Path != "" {
		pictures.Include = all
		return []pipeline.Need{runs, pictures}
	}
	if s.cfg.Images && len(pictures.Include) > 0 {
		return []pipeline.Need{runs, pictures, media}
	}
	return []pipeline.Need{runs, media}
}

// Read implements pipeline.Source. The texts of the runs that were chosen are held, a
// picture at a time.
func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	var all []*Run
	for _, a := range slices.SortedFunc(slices.Values(assets), func(a, b pipeline.Asset) int { return strings.Compare(a.Path, b.Path) }) {
		if a.Need != needRuns {
			continue
		}
		runs, err := s.runs(ctx, scope, a, assets)
		if why := (*pipeline.Rejection)(nil); errors.As(err, &why) {
			scope.Reject(a.Path, why)
			continue
		}
		if err != nil {
			return err
		}
		all = append(all, runs...)
	}
	all = evidence.Pick(scope, s.pickRuns(scope, all), func(r *Run) string { return r.Name }, s.cfg.MaxItems)
	slices.SortFunc(all, func(a, b *Run) int { return strings.Compare(a.Name, b.Name) })
	files, err := evidence.IndexPictures(ctx, scope, assets, s.cfg.MaxBytes, pictureNames(all), needPictures, needMedia)
	if err != nil {
		return err
	}
	g := emitter{family: s.layout.Family, steps: s.cfg.SessionSteps, scope: scope, emit: emit, files: files, album: evidence.NewAlbum(scope, s.cfg.License), emitted: map[string]bool{}}
	for _, r := range all {
		if err := g.emitRun(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// runs reads one file; a *pipeline.Rejection says what is wrong with it.
func (s *source) runs(ctx context.Context, scope *pipeline.Scope, a pipeline.Asset, assets []pipeline.Asset) ([]*Run, error) {
	raw, err := benchmark.ReadAll(ctx, scope, a, min(s.cfg.MaxBytes, annotation.MaxBytes))
	if err != nil {
		return nil, err
	}
	f := &File{Path: a.Path}
	if f.Text, err = annotation.Prepare(raw); err != nil {
		return nil, pipeline.Reject(CodeFile, "%v; take the file out or exclude it", err)
	}
	for _, p := range assets {
		if p.Need != needRuns && path.Base(path.Dir(p.Path)) == path.Base(path.Dir(a.Path)) && !slices.Contains(f.Pictures, path.Base(p.Path)) {
			f.Pictures = append(f.Pictures, path.Base(p.Path))
		}
	}
	slices.Sort(f.Pictures)
	out, err := s.layout.Parse(f)
	for _, l := range f.lost {
		scope.Reject(f.Path+l.place, l.rejection())
	}
	if err != nil {
		return nil, pipeline.Reject(CodeFile, "%v; take the file out or obtain it again", err)
	}
	return slices.DeleteFunc(out, func(r *Run) bool { return s.rejectEmpty(scope, r) }), nil
}

func (s *source) rejectEmpty(scope *pipeline.Scope, r *Run) bool {
	if r.Goal != "" && len(r.Steps) > 0 {
		return false
	}
	scope.Reject(s.layout.Family+"/"+r.Name, pipeline.Reject(CodeRun, "it has %d steps and the goal %q; a run needs both", len(r.Steps), annotation.Truncate(r.Goal)))
	return true
}

// pickRuns returns one run an episode, and no name twice.
func (s *source) pickRuns(scope *pipeline.Scope, all []*Run) (out []*Run) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *Run) int {
		return cmp.Or(cmp.Compare(b.Rank, a.Rank), strings.Compare(a.Agent, b.Agent), strings.Compare(a.Name, b.Name))
	})
	names, episodes := map[string]bool{}, map[string]string{}
	for _, r := range all {
		task := s.layout.Family + "/" + r.Name
		if names[r.Name] {
			scope.Reject(task, pipeline.Reject(CodeCopy, "a run with this id is there already"))
			continue
		}
		names[r.Name] = true
		if other, tried := episodes[r.Episode]; tried && r.Episode != "" {
			scope.Reject(task, pipeline.Reject(CodeModel, "of this episode the run %s is given", other))
			continue
		}
		episodes[r.Episode] = r.Name
		out = append(out, r)
	}
	return out
}

func pictureNames(all []*Run) (out []string) {
	for _, r := range all {
		for _, s := range r.Steps {
			for _, p := range s.Shots {
				if len(p.Data) == 0 {
					out = append(out, p.Name)
				}
			}
		}
	}
	return out
}

// What a run holds, by the 21 runs of WebVoyager and ALFRED that were counted, and what
// reading takes, in seconds.
const (
	sessionsPerRun  = 7
	stepsPerSession = 4
	readCPU         = 0.02
	lookCPU         = 0.02 // a picture, decoded
)

// expectedRuns returns the greatest number of runs: the count of the repository if it is
// fetched, else one a file. For an uncounted repository only max_items tells.
func (s *source) expectedRuns(files float64) (n float64, known bool) {
	n, known = files, s.cfg.Path != ""
	if !known && s.cfg.Repo == s.layout.Repo {
		n, known = float64(s.layout.Held), s.layout.Held > 0
	}
	if most := float64(s.cfg.MaxItems); most > 0 && (!known || n > most) {
		return most, true
	}
	return n, known
}

// Forecast implements pipeline.Forecaster: a run is taken to have the usual length, or, where
// a folder's pictures are counted, a step for each of them, and every picture to be shown.
func (s *source) Forecast(in pipeline.Volume) pipeline.Forecast {
	files, known := s.expectedRuns(in[pipeline.VolumeFileOf(needRuns)].Records)
	if !known {
		return pipeline.Forecast{Unknown: "nobody has counted the runs of " + s.cfg.Repo + "; how many there are shows when they are fetched, and max_items bounds them"}
	}
	pictures := in[pipeline.VolumeFileOf(needPictures)]
	sessions := sessionsPerRun * files
	if s.cfg.Path != "" && pictures.Records > 0 {
		sessions = min(sessions, max(files, pictures.Records/stepsPerSession))
	}
	return pipeline.Forecast{
		Out: pipeline.Volume{
			schemas.NameMedia: {Records: pictures.Records, Bytes: pictures.Bytes},
			schemas.NameTask:  {Records: files, Rough: true}, schemas.NameSession: {Records: sessions, Rough: true},
		},
		CPU: readCPU*files + lookCPU*pictures.Records, Bytes: in[pipeline.VolumeFile].Bytes,
	}
}
