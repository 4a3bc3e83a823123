package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster/clusterstate"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/progress"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/web/catalog"
)

type statusCmd struct {
	JSON bool `name:"json" help:"Print the state as JSON."`
}

func (statusCmd) Help() string {
	return `Shows what stands: the newest release, the last build, a build that is running, and what
changed since the last whole build in configuration, sources, prompts, models and
plugins. It reads headers and look-ups; of local files only those that changed.

Examples:
  memforge status
  memforge status --json`
}

// state is what the command shows.
type state struct {
	Release *releaseState `json:"release"`
	// Build is "whole", "none", or why the last build wrote no release.
	Build   string   `json:"last_build"`
	Running []string `json:"running"`
	// Progress is how far the build is that runs, as it says in the output folder.
	Progress *buildProgress `json:"progress,omitempty"`
	Cache    *cacheView     `json:"cache"`
	// CacheProblem says why the store could not be compared.
	CacheProblem string `json:"cache_problem,omitempty"`
	// Changed lists what changed since the last whole build, UpToDate says that a build
	// would make nothing.
	Changed  []string `json:"changed"`
	UpToDate bool     `json:"up_to_date"`
}

type buildProgress struct {
	Done  int `json:"done"`
	Known int `json:"known"`
	// Steps are those at work, Lost counts the records that were lost.
	Steps []string `json:"steps"`
	Lost  int      `json:"lost"`
}

// readProgress reads how far the build in an output folder is, nil where none runs. locked says
// that a build holds the store; without that, one that was silent for long was killed.
func readProgress(out string, locked bool, now time.Time) (*buildProgress, error) {
	status, heard, err := progress.ReadStatus(out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (status.Ended || !locked && now.Sub(heard) > catalog.Silence) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := &buildProgress{Steps: []string{}}
	for _, s := range status.Steps {
		p.Done, p.Known, p.Lost = p.Done+s.Done, p.Known+s.Known, p.Lost+s.Lost
		if s.Running > 0 {
			p.Steps = append(p.Steps, s.Name)
		}
	}
	return p, nil
}

type releaseState struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	Dir       string `json:"dir"`
	Questions int64  `json:"questions"`
	// Current says that it is of this plan.
	Current bool `json:"of_this_configuration"`
}

func (c statusCmd) Run(e *env) error {
	cfg, err := e.load()
	if err != nil {
		return err
	}
	s, err := readState(e, cfg)
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(e.out, s)
	}
	s.print(e, cfg)
	return nil
}

func readState(e *env, cfg *config.Config) (s state, err error) {
	s = state{Build: "none", Running: []string{}, Changed: []string{}}
	if s.Release, err = newestState(cfg); err != nil {
		return s, err
	}
	if s.Running, err = runningBuilds(e, cfg); err != nil {
		return s, err
	}
	if s.Progress, err = readProgress(cfg.Path(cfg.Run.Out), len(s.Running) > 0, time.Now()); err != nil {
		return s, err
	}
	st, err := readStore(e, cfg)
	if hasType[*inputError](err) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	builds, err := st.Builds(e, 1)
	if err != nil {
		return s, err
	}
	if len(builds) > 0 {
		s.Build = "whole"
		if builds[0].Trial != "" {
			s.Build = builds[0].Trial
		}
	}
	view, err := compareWithCache(e, cfg, st, nil)
	if err != nil {
		s.CacheProblem = err.Error()
		return s, e.Err()
	}
	s.Cache, s.Changed = &view, view.changes(cfg)
	s.UpToDate = view.upToDate() && s.Release != nil && s.Release.Current
	return s, nil
}

func newestState(cfg *config.Config) (*releaseState, error) {
	info, ok, err := release.Latest(cfg.ReleasesDir(), cfg.Plan.Release.Name)
	if err != nil || !ok {
		return nil, err
	}
	digest, err := cfg.Plan.Digest()
	if err != nil {
		return nil, err
	}
	m := info.Manifest
	questions, _ := m.Table(pipeline.TableQuestions)
	return &releaseState{Name: m.Name, Version: m.Version, Dir: shortPath(info.Dir), Questions: questions.Rows, Current: m.Config == digest}, nil
}

// runningBuilds names the builds at work on the store of a configuration.
func runningBuilds(e *env, cfg *config.Config) ([]string, error) {
	out := []string{}
	if dir, err := atomicfile.FolderFromURL(cfg.StoreDir()); err == nil {
		pid, held, err := store.Holder(dir)
		if held {
			out = append(out, strings.TrimSpace("process "+pid))
		}
		return out, err
	}
	b, err := clusterstate.Open(e, cfg.StoreDir())
	if err != nil {
		return out, err
	}
	defer b.Close()
	builds, err := b.Builds(e)
	for _, x := range builds {
		if x.State == clusterstate.Running {
			out = append(out, "build "+x.ID+" of "+x.Name)
		}
	}
	return out, err
}

// changes lists what changed since the last whole build.
func (v cacheView) changes(cfg *config.Config) []string {
	out := []string{}
	if v.Last == nil {
		return out
	}
	for _, c := range v.Steps {
		for _, why := range c.Because {
			out = append(out, c.Step+": "+why)
		}
	}
	for _, name := range v.Gone {
		out = append(out, name+": the step is gone")
	}
	if digest, err := cfg.Plan.Digest(); err == nil && digest != v.Last.Config && len(out) == 0 {
		out = append(out, "configuration: bounds or the release block")
	}
	return out
}

func (s state) print(e *env, cfg *config.Config) {
	name := cfg.Plan.Release.Name
	switch r := s.Release; {
	case r == nil:
		safetext.Fprintf(e.out, "release  none of %s yet\n", name)
	case r.Current:
		safetext.Fprintf(e.out, "release  %s %s, %d questions, %s\n", r.Name, r.Version, r.Questions, r.Dir)
	default:
		safetext.Fprintf(e.out, "release  %s %s, %d questions, %s, of another configuration\n", r.Name, r.Version, r.Questions, r.Dir)
	}
	switch s.Build {
	case "none":
		fmt.Fprintln(e.out, "build    none has finished a step")
	case "whole":
		fmt.Fprintln(e.out, "build    the last one ran all steps")
	default:
		safetext.Fprintf(e.out, "build    the last one wrote no release: %s\n", s.Build)
	}
	for _, r := range s.Running {
		safetext.Fprintf(e.out, "running  %s\n", r)
	}
	if p := s.Progress; p != nil {
		safetext.Fprintf(e.out, "progress %d of %d known tasks, %d records lost; at work: %s\n", p.Done, p.Known, p.Lost, cmp.Or(strings.Join(p.Steps, ", "), "no step"))
	}
	for i, c := range s.Changed {
		lead := "changed"
		if i > 0 {
			lead = ""
		}
		safetext.Fprintf(e.out, "%-7s  %s\n", lead, c)
	}
	safetext.Fprintf(e.out, "next     %s\n", s.next())
}

// next says what a build would do.
func (s state) next() string {
	switch {
	case s.CacheProblem != "":
		return "not known: " + s.CacheProblem
	case s.Cache == nil:
		return "`memforge build` makes everything"
	case s.UpToDate:
		return "nothing to do"
	case s.Cache.upToDate():
		return "`memforge build` runs no step and writes a release"
	}
	cached, make, steps := 0, 0, 0
	for _, c := range s.Cache.Steps {
		cached, make = cached+c.Cached, make+c.ToMake
		if c.ToMake > 0 || c.Open {
			steps++
		}
	}
	return fmt.Sprintf("`memforge build` makes %d tasks and what comes of them, in %d steps; %d are cached; `memforge plan` lists them", make, steps, cached)
}
