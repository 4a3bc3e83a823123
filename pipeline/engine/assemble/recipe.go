package assemble

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/ledger/ledgerurl"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/prompts"
	"github.com/memforge/memforge/schemas"
)

// recipeFormat is the version of versions.json.
const recipeFormat = 1

// recipeVersions is versions.json: all versions of memforge's parts that the bytes of a
// release follow from, besides the tools, which the manifest has. Nothing of it depends on
// how or where the program was compiled.
type recipeVersions struct {
	Recipe int `json:"recipe"`
	// Formats are memforge's own: of releases, manifests and texts.
	Formats map[string]string `json:"formats"`
	// Parts are the plugins, built-in rules, checks and derivations that the plan uses.
	Parts map[string]string `json:"parts"`
}

// versionsOf returns the versions of what the steps use.
func versionsOf(reg *pipeline.Registry, steps []engine.Step) recipeVersions {
	v := recipeVersions{Recipe: recipeFormat, Parts: map[string]string{}, Formats: map[string]string{
		"release": releaseFormat, "manifest": strconv.Itoa(manifest.CurrentFormat), "texts": strconv.Itoa(describe.Version),
	}}
	for _, s := range steps {
		v.Parts[string(s.Kind)+" "+s.Use] = s.Version
		for task, version := range s.Identity.Rules {
			v.Parts["rule "+task] = version
		}
		for family, version := range s.Identity.Checks {
			v.Parts["check "+family] = version
		}
		for _, family := range reg.FamiliesOf(s.Use) {
			v.Parts["derivation "+family] = reg.Derivations()[family]
		}
	}
	return v
}

// recipe returns the files from which a release can be built again.
func recipe(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, nodes []engine.StepRun, lock []byte, opt Options) ([]release.RecipeFile, error) {
	var steps []engine.Step
	for _, n := range nodes {
		steps = append(steps, n.Step)
	}
	written, err := cfg.Recipe(steps)
	if err != nil {
		return nil, err
	}
	if err := checkNoSecret(cfg, written, opt); err != nil {
		return nil, err
	}
	versions, err := json.MarshalIndent(versionsOf(reg, steps), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the recipe: %w", err)
	}
	files := map[string][]byte{release.RecipeConfig: written, release.RecipeVersions: append(versions, '\n')}
	if lock != nil {
		files[release.RecipeLock] = lock
	}
	for _, s := range steps {
		for _, a := range s.Spec.Asks {
			if err := addPrompt(files, a); err != nil {
				return nil, fmt.Errorf("write the recipe: step %s: %w", s.Name, err)
			}
		}
	}
	var out []release.RecipeFile
	for _, name := range slices.Sorted(maps.Keys(files)) {
		out = append(out, release.RecipeFile{Path: name, Write: func(w io.Writer) error {
			_, err := w.Write(files[name])
			return err
		}})
	}
	if cfg.Plan.Release.Ledger && asksModels(steps) {
		out = append(out, release.RecipeFile{Path: release.RecipeAnswers, Write: func(w io.Writer) error { return writeAnswers(ctx, cfg, steps, w) }})
	}
	return out, nil
}

// addPrompt adds the prompt of a task and the schema of its answer, where they are
// memforge's own: those of other modules stand there.
func addPrompt(files map[string][]byte, a pipeline.Ask) error {
	if !slices.Contains(prompts.Names(), a.Task) {
		return nil
	}
	p, err := prompts.Get(a.Task)
	if err != nil {
		return err
	}
	if files[release.RecipePrompts+a.Task+".md"], err = prompts.Text(a.Task); err != nil || p.Schema == "" {
		return err
	}
	files[release.RecipeSchemas+p.Schema+".json"], err = schemas.AnswerSchema(p.Schema)
	return err
}

// checkNoSecret refuses a configuration in which the value of a credential stands.
func checkNoSecret(cfg *config.Config, written []byte, opt Options) error {
	const shortest = 8 // anything may hold fewer characters by chance
	names := []string{"HF_TOKEN", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "MEMFORGE_SIGN_PASSWORD"}
	for _, m := range cfg.Models {
		names = append(names, m.KeyEnv)
	}
	slices.Sort(names)
	for _, name := range names {
		if value := opt.getenv(name); name != "" && len(value) >= shortest && bytes.Contains(written, []byte(value)) {
			return &pipeline.SettingError{Setting: "the configuration", Problem: "it holds the value of the environment variable " + name + ", and a release holds its configuration; name the variable instead"}
		}
	}
	return nil
}

// writeAnswers writes what the ledger holds of the steps' requests, in the order of their
// keys: those of their models, to their tasks, asked first by a step of such a name.
func writeAnswers(ctx context.Context, cfg *config.Config, steps []engine.Step, w io.Writer) (err error) {
	type of struct{ step, task, host, model string }
	wanted := map[of]bool{}
	for _, s := range steps {
		for _, a := range s.Spec.Asks {
			if m, ok := s.Identity.Models[a.Role]; ok {
				wanted[of{s.Name, a.Task, m.Host, m.Model}] = true
			}
		}
	}
	book, err := ledgerurl.Open(ctx, cfg.LedgerDir())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_, err = book.Each(ctx, ledger.Filter{}, func(e ledger.Entry) error {
		if r := e.Request; !wanted[of{e.Step, r.Task, r.Host, r.Model}] {
			return nil
		}
		return enc.Encode(e)
	})
	return err
}
