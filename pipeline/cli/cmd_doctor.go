package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/store/storeurl"
)

type doctorCmd struct {
	SkipModels bool   `help:"Send nothing to the servers of models."`
	On         string `placeholder:"URL" help:"The engine of the cluster that is to build, instead of run.cluster.on."`
}

// Help is shown below the flags.
func (doctorCmd) Help() string {
	return `All that is wrong is reported at once, with what to do about it: programs, the
configuration, the folders that sources read and those that are written to, and the
cluster where one is to build. Models that play a role are asked five short questions
each to see what their servers understand.

Examples:
  memforge doctor
  memforge doctor -f smoke.yaml`
}

// toolError says that a program the build needs is absent or unusable.
type toolError struct {
	name string
	err  error
}

func (e *toolError) Error() string { return fmt.Sprintf("tool %s: %v", e.name, e.err) }
func (e *toolError) Unwrap() error { return e.err }

// Run checks tools, configuration, folders and servers of models.
func (c doctorCmd) Run(e *env) error {
	var errs []error
	report := func(what string, detail string, err error) {
		if err == nil {
			fmt.Fprintf(e.out, "ok    %s: %s\n", what, detail)
			return
		}
		fmt.Fprintf(e.out, "FAIL  %s\n", what)
		errs = append(errs, err)
	}
	for _, name := range e.reg.ToolNames() {
		version, err := toolVersion(e, name)
		report("tool "+name, version, err)
	}
	cfg, err := e.load()
	if err != nil {
		report("configuration "+e.options.File, "", err)
		return errors.Join(errs...)
	}
	report("configuration "+e.options.File, fmt.Sprintf("%d nodes", len(cfg.Plan.Steps)), nil)
	for _, w := range cfg.Warnings {
		fmt.Fprintf(e.out, "look  %s\n", w)
	}
	err = unknownTools(e.reg, cfg)
	report("tools of the nodes", "registered", err)
	if at := cfg.StoreDir(); postgres.IsURL(at) {
		report("store", scheme(at), tryOpenStore(e, at))
	} else {
		report("store folder", at, writable(at))
	}
	report("releases folder", cfg.ReleasesDir(), writable(cfg.ReleasesDir()))
	if cfg.Run.Cluster.On = cmp.Or(c.On, cfg.Run.Cluster.On); cfg.Run.Cluster.On != "" {
		checkCluster(e, cfg, report)
	}
	checkSources(e, cfg, report)
	if !c.SkipModels {
		testModels(e, cfg, report)
	}
	return errors.Join(errs...)
}

func toolVersion(e *env, name string) (string, error) {
	ask, _ := e.reg.Tool(name)
	version, err := ask(e)
	if err != nil {
		return "", &toolError{name, err}
	}
	return version, nil
}

// unknownTools finds tools that a node names and nobody registered.
func unknownTools(reg *pipeline.Registry, cfg *config.Config) error {
	var errs []error
	for _, n := range cfg.Plan.Steps {
		p, ok := reg.Plugin(n.Kind, n.Use)
		if !ok {
			continue
		}
		built, err := p.BuildRaw(n.Config)
		if err != nil {
			return fmt.Errorf("node %s: %w", n.Name, err)
		}
		for _, tool := range built.(interface{ Spec() pipeline.Spec }).Spec().Tools {
			if _, ok := reg.Tool(tool); !ok {
				errs = append(errs, &toolError{tool, fmt.Errorf("node %s needs it, and the program was built without it; register it with Registry.AddTool", n.Name)})
			}
		}
	}
	return errors.Join(errs...)
}

// tryOpenStore tries to open a store that several machines share.
func tryOpenStore(ctx context.Context, url string) error {
	st, err := storeurl.Open(ctx, url)
	if err != nil {
		return err
	}
	return st.Close()
}

// writable tries to write below the deepest folder of path that exists, and
// leaves nothing behind.
func writable(path string) error {
	dir := path
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("folder %s: %s is a file; name another folder in the run block", path, dir)
		}
		if err == nil {
			break
		}
		absent := errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
		if !absent || dir == filepath.Dir(dir) {
			return fmt.Errorf("folder %s: %w", path, err)
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".memforge-doctor-")
	if err != nil {
		return fmt.Errorf("folder %s is not writable: %w; change its permissions or name another in the run block", path, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
