package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/capability"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/server"
	"github.com/memforge/memforge/pipeline/model/wire"
	"github.com/memforge/memforge/pipeline/store/storeurl"
	"github.com/memforge/memforge/prompts"
	"github.com/memforge/memforge/schemas"
)

type doctorCmd struct {
	SkipModels bool   `help:"Do not contact the servers of models."`
	On         string `placeholder:"URL" help:"Engine of the cluster that builds, instead of run.cluster.on."`
}

func (doctorCmd) Help() string {
	return `Reports all problems at once, with advice: of programs, the configuration, the folders
that sources read and that are written to, and the cluster that builds. Models with a
role are asked five short questions each to find out what their servers support.

Examples:
  memforge doctor
  memforge doctor -f smoke.yaml`
}

// toolError is a program that the build needs and that is missing or unusable.
type toolError struct {
	name string
	err  error
}

func (e *toolError) Error() string { return fmt.Sprintf("tool %s: %v", e.name, e.err) }
func (e *toolError) Unwrap() error { return e.err }

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
	report("configuration "+e.options.File, fmt.Sprintf("%d steps", len(cfg.Plan.Steps)), nil)
	for _, w := range cfg.Warnings {
		fmt.Fprintf(e.out, "look  %s\n", w)
	}
	err = unknownTools(e.reg, cfg)
	report("tools of the steps", "registered", err)
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

// unknownTools finds tools that a step names and the program does not register.
func unknownTools(reg *pipeline.Registry, cfg *config.Config) error {
	var errs []error
	for _, n := range cfg.Plan.Steps {
		_, spec, err := buildPlugin(reg, n)
		if err != nil {
			return err
		}
		for _, tool := range spec.Tools {
			if _, ok := reg.Tool(tool); !ok {
				errs = append(errs, &toolError{tool, fmt.Errorf("step %s needs it, but the program was built without it; register it with Registry.AddTool", n.Name)})
			}
		}
	}
	return errors.Join(errs...)
}

func tryOpenStore(ctx context.Context, url string) error {
	st, err := storeurl.Open(ctx, url)
	if err != nil {
		return err
	}
	return st.Close()
}

// writable tries to write below the deepest existing folder of path, and removes what
// it wrote.
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

// checkCluster connects to the engine and says which resources no worker offers, and
// why: a build would wait for them.
func checkCluster(e *env, cfg *config.Config, report func(what, detail string, err error)) {
	c, end, err := connectCluster(e, cfg)
	if err != nil {
		report("cluster "+scheme(cfg.Run.Cluster.On), "", err)
		return
	}
	lacks, workers, err := clusterState(e, cfg, c)
	report("cluster "+scheme(cfg.Run.Cluster.On), fmt.Sprintf("%d workers", workers), errors.Join(err, end()))
	if err == nil && lacks != "" {
		fmt.Fprintf(e.out, "look  %s\n", lacks)
	}
}

func clusterState(e *env, cfg *config.Config, c cluster.Client) (lacks string, workers int, err error) {
	program, err := cluster.ProgramOf(e, e.reg, c.State)
	if err != nil {
		return "", 0, err
	}
	alive, err := c.State.Workers(e)
	if err != nil {
		return "", 0, err
	}
	lacks, err = c.Missing(e, program, neededResources(e, cfg))
	return lacks, len(alive), err
}

// testModels tests the servers of the models that have a role, with a few tokens each,
// for what the configuration says of them.
func testModels(e *env, cfg *config.Config, report func(what, detail string, err error)) {
	roles := map[string][]string{}
	for _, role := range slices.Sorted(maps.Keys(cfg.Roles)) {
		roles[cfg.Roles[role]] = append(roles[cfg.Roles[role]], role)
	}
	for _, name := range slices.Sorted(maps.Keys(roles)) {
		what := fmt.Sprintf("model %s (%s), for %s", name, cfg.Models[name].Host(), strings.Join(roles[name], ", "))
		detail, err := testModel(e, name, cfg.Models[name], longestTask(e, cfg, roles[name]))
		report(what, detail, err)
	}
}

// serverError returns the error of a server with the name of its model.
func serverError(name string, m server.Model, err error) error {
	var known *model.ServerError
	if errors.As(err, &known) {
		told := *known
		told.Model, told.Host = name, m.Host()
		return &told
	}
	return &model.ServerError{
		Reason: model.Unavailable, Model: name, Host: m.Host(), Detail: err.Error(), Err: err,
		Advice: "start the server, correct base_url, or skip it with --skip-models",
	}
}

// testModel returns what works, or an error if the configuration counts on something
// that does not.
func testModel(e *env, name string, m server.Model, task string) (string, error) {
	c, err := client.Wire(name, m, e.getenv, 0)
	if err != nil {
		return "", err
	}
	schema, err := answerSchemaOf(task)
	if err != nil {
		return "", err
	}
	found, err := capability.Run(e, capability.Server{Client: c, Endpoint: wire.Endpoint{Name: name, Model: m}, Task: task, Schema: schema})
	if err != nil {
		return "", serverError(name, m, err)
	}
	return checkCapabilities(name, m, found)
}

// checkCapabilities compares findings with the configuration.
func checkCapabilities(name string, m server.Model, found []capability.Finding) (string, error) {
	stated := map[capability.Kind]bool{
		capability.JSONSchema: m.Capabilities.JSONSchema, capability.Seed: m.Capabilities.Seed,
		capability.Images: m.Capabilities.Images, capability.Embeddings: m.Capabilities.Embeddings,
	}
	var words, wrong []string
	chats := true
	for _, f := range found {
		word := "no"
		if f.Works {
			word = "yes"
		}
		words = append(words, fmt.Sprintf("%s %s", f.Kind, word))
		switch {
		case f.Kind == capability.Chat:
			chats = f.Works
			if !chats && !m.Capabilities.Embeddings {
				wrong = append(wrong, "it does not answer chat requests: "+f.Detail)
			}
		case stated[f.Kind] && !f.Works && (chats || f.Kind == capability.Embeddings):
			wrong = append(wrong, fmt.Sprintf("capabilities.%s is true but does not work: %s", f.Kind, f.Detail))
		case !stated[f.Kind] && f.Works:
			words[len(words)-1] += fmt.Sprintf(" (may be set: capabilities.%s)", f.Kind)
		}
	}
	if len(wrong) > 0 {
		return "", &model.ServerError{Reason: model.Unusable, Model: name, Host: m.Host(), Detail: strings.Join(wrong, "; "), Advice: "set what does not work to false in pipeline.yaml"}
	}
	return strings.Join(words, ", "), nil
}

// defaultTestTask is the task of models that this program puts none to. Its answers are
// lists of objects with texts, numbers and choices.
const defaultTestTask = "gate.point_coverage"

// longestTask returns the task of a plan that asks one of the roles and has the longest
// schema.
func longestTask(e *env, cfg *config.Config, roles []string) string {
	longest, most := defaultTestTask, 0
	for _, n := range cfg.Plan.Steps {
		_, spec, err := buildPlugin(e.reg, n)
		if err != nil {
			continue // reported elsewhere
		}
		for _, a := range spec.Asks {
			s, err := answerSchemaOf(a.Task)
			if err == nil && slices.Contains(roles, a.Role) && len(s.Text()) > most {
				longest, most = a.Task, len(s.Text())
			}
		}
	}
	return longest
}

// answerSchemaOf returns the schema of the answer to a task whose prompt this program
// has.
func answerSchemaOf(task string) (model.Schema, error) {
	p, err := prompts.Get(task)
	if err != nil {
		return model.Schema{}, err
	}
	raw, err := schemas.AnswerSchema(p.Schema)
	if err != nil {
		return model.Schema{}, fmt.Errorf("prompt %s: %w", task, err)
	}
	return model.CompileSchema(raw)
}

// checkSources reports for every local folder of a source whether it exists and holds
// files that the source takes.
func checkSources(e *env, cfg *config.Config, report func(what, detail string, err error)) {
	for _, n := range cfg.Plan.Steps {
		if n.Kind != pipeline.KindSource {
			continue
		}
		built, _, err := buildPlugin(e.reg, n)
		if err != nil {
			report("source "+n.Name, "", err)
		}
		source, ok := built.(pipeline.Source)
		if !ok {
			continue
		}
		for _, need := range source.Needs() {
			f := sourceFolder{need: need, at: cfg.Position("sources", n.Name, "with", folderKey(n.Config, need.Root))}
			switch need.From {
			case fetch.Local:
			case fetch.Media:
				f.need.Root, f.at = cfg.Run.MediaDirs[n.Name], cfg.Position("run", "media_dirs", n.Name)
			default:
				continue
			}
			if f.need.Root != "" {
				detail, err := f.check(e, cfg)
				report(fmt.Sprintf("folder %s of source %s", f.need.Root, n.Name), detail, err)
			}
		}
	}
}

// folderKey returns the key of a source's configuration that names a folder, or a file
// in it, or "".
func folderKey(raw pipeline.RawConfig, root string) string {
	var with map[string]any
	if json.Unmarshal(raw, &with) != nil {
		return ""
	}
	inside := ""
	for _, key := range slices.Sorted(maps.Keys(with)) {
		text, _ := with[key].(string)
		if text == root {
			return key
		}
		if text != "" && path.Dir(text) == root {
			inside = key
		}
	}
	return inside
}

// sourceFolder is a folder that a source reads, and the place of the configuration that
// names it.
type sourceFolder struct {
	need pipeline.Need
	at   string
}

// check counts the files that the source takes. A folder without any is an error:
// nothing could be built from it.
func (f sourceFolder) check(e *env, cfg *config.Config) (string, error) {
	files, err := fetch.ListLocal(e, cfg.Dir, f.need)
	if err != nil {
		return "", &configError{fmt.Errorf("%s: folder %s: %w; name another folder here or put the files there", f.at, f.full(cfg), err)}
	}
	var refused []pipeline.Asset
	for _, a := range files {
		if a.Problem != nil {
			refused = append(refused, a)
		}
	}
	switch {
	case len(files) == 0:
		return "", &configError{fmt.Errorf("%s: folder %s holds no file that matches %q; put files there or change what the source takes", f.at, f.full(cfg), f.need.Include)}
	case len(refused) == len(files):
		first := refused[0]
		return "", &configError{fmt.Errorf("%s: folder %s: none of %d files can be used; the first, %q: %s", f.at, f.full(cfg), len(files), first.Path, first.Problem.Reason)}
	case len(refused) > 0:
		return fmt.Sprintf("%d files, %d of which cannot be used; the first, %q: %s", len(files), len(refused), refused[0].Path, refused[0].Problem.Reason), nil
	}
	return fmt.Sprintf("%d files", len(files)), nil
}

// full returns the folder as found from here.
func (f sourceFolder) full(cfg *config.Config) string {
	return cfg.Path(filepath.FromSlash(f.need.Root))
}
