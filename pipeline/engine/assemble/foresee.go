package assemble

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/kit/glob"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/ledger/ledgerurl"
	"github.com/memforge/memforge/pipeline/store"
)

// Foresee says what can be told before a build and else shows after its work: models whose
// key is not set, panels without a model for a role that gates ask, and pictures that a
// release refuses.
func Foresee(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, opt Options) (problems []string, err error) {
	if cfg, err = confine(cfg, opt); err != nil {
		return nil, err
	}
	asked, err := askedRoles(reg, cfg)
	if err != nil {
		return nil, err
	}
	for _, m := range unsetKeys(cfg, asked, opt) {
		problems = append(problems, client.CheckKey(m, cfg.Models[m], opt.getenv).Error())
	}
	problems = append(problems, emptySeats(cfg, asked)...)
	refused, err := findRefused(ctx, reg, cfg, opt)
	for _, r := range refused {
		problems = append(problems, r.String())
	}
	return problems, err
}

func pluginOf(reg *pipeline.Registry, n engine.Step) (pipeline.Built, error) {
	return reg.Build(pipeline.Identity{Kind: n.Kind, Use: n.Use, Version: n.Version, Config: n.Config})
}

// askedRoles returns the roles that each step asks, by its name.
func askedRoles(reg *pipeline.Registry, cfg *config.Config) (map[string][]string, error) {
	asked := map[string][]string{}
	for _, n := range cfg.Plan.Steps {
		built, err := pluginOf(reg, n)
		if err != nil {
			return nil, err
		}
		for _, a := range built.Spec().Asks {
			if !slices.Contains(asked[n.Name], a.Role) {
				asked[n.Name] = append(asked[n.Name], a.Role)
			}
		}
	}
	return asked, nil
}

// unsetKeys returns the models that are asked and whose key is named and not set. Without
// the network no key is needed, and on a cluster the workers have it.
func unsetKeys(cfg *config.Config, asked map[string][]string, opt Options) (models []string) {
	if opt.Offline || cfg.Run.Offline || cfg.Run.Cluster.On != "" || opt.RunTask != nil {
		return nil
	}
	for _, roles := range asked {
		for _, role := range roles {
			m, ok := cfg.Plan.Models[role]
			if ok && client.CheckKey(m.Name, cfg.Models[m.Name], opt.getenv) != nil && !slices.Contains(models, m.Name) {
				models = append(models, m.Name)
			}
		}
	}
	slices.Sort(models)
	return models
}

// emptySeats lists the panels that give no model to a role which a gate asks.
func emptySeats(cfg *config.Config, asked map[string][]string) (problems []string) {
	for _, panel := range slices.Sorted(maps.Keys(cfg.Panels)) {
		for _, n := range cfg.Plan.Steps {
			for _, role := range asked[n.Name] {
				text := fmt.Sprintf("panel %s has no model for the role %s, which gates ask: an audit with it would be refused; add %[2]s: MODEL to panels.%[1]s", panel, role)
				if _, given := cfg.Panels[panel][role]; n.Kind == pipeline.KindGate && !given && !slices.Contains(problems, text) {
					problems = append(problems, text)
				}
			}
		}
	}
	return problems
}

// checkKeys ends a build before its work where a step is left to make that asks a model
// whose key is not set and of which no answer is recorded.
func checkKeys(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, st store.Store, opt Options) error {
	asked, err := askedRoles(reg, cfg)
	if err != nil {
		return err
	}
	unset := unsetKeys(cfg, asked, opt)
	if len(unset) == 0 {
		return nil
	}
	if unset, err = withoutAnswers(ctx, cfg, unset); err != nil || len(unset) == 0 {
		return err
	}
	_, seen, err := Preview(ctx, reg, cfg, st, opt)
	if err != nil {
		return err
	}
	var missing []error
	for _, m := range unset {
		if slices.ContainsFunc(seen, func(p engine.StepPreview) bool {
			return (p.ToMake > 0 || p.Open) && slices.ContainsFunc(asked[p.Step], func(role string) bool { return cfg.Plan.Models[role].Name == m })
		}) {
			missing = append(missing, client.CheckKey(m, cfg.Models[m], opt.getenv))
		}
	}
	return errors.Join(missing...)
}

// withoutAnswers returns those of the models of which the ledger has no answer.
func withoutAnswers(ctx context.Context, cfg *config.Config, models []string) (none []string, err error) {
	book, err := ledgerurl.Open(ctx, cfg.LedgerDir())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	stats, err := book.Stats(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range models {
		if !slices.ContainsFunc(stats, func(s ledger.Stat) bool { return s.Model == cfg.Models[m].Model && s.Host == cfg.Models[m].Host() }) {
			none = append(none, m)
		}
	}
	return none, nil
}

// pictureFormats names the formats of pictures by their endings; those of taken a release
// takes.
var (
	pictureFormats = map[string]string{
		".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".webp": "WebP", ".gif": "GIF", ".bmp": "BMP", ".tif": "TIFF", ".tiff": "TIFF",
		".heic": "HEIC", ".heif": "HEIC", ".avif": "AVIF", ".jxl": "JPEG XL", ".jp2": "JPEG 2000", ".svg": "SVG",
	}
	takenFormats = []string{"PNG", "JPEG", "WebP"}
)

// refusedPictures are those pictures of a source that a release refuses.
type refusedPictures struct {
	source, first string
	formats       []string
	refused, all  int
}

func (r refusedPictures) String() string {
	return fmt.Sprintf("source %s: %d of %d pictures are %s (such as %s), and a release takes PNG, JPEG and WebP: convert them, or exclude them",
		r.source, r.refused, r.all, strings.Join(r.formats, ", "), r.first)
}

// findRefused looks into the folders of sources that read pictures.
func findRefused(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, opt Options) (found []refusedPictures, err error) {
	for _, n := range cfg.Plan.Steps {
		if n.Kind != pipeline.KindSource {
			continue
		}
		built, err := pluginOf(reg, n)
		if err != nil {
			return nil, err
		}
		r := refusedPictures{source: n.Name}
		for _, need := range built.(pipeline.Source).Needs() {
			if need.From == fetch.Media {
				need.Root = cfg.Run.MediaDirs[n.Name]
			}
			set, err := glob.Compile(need.Include, nil)
			if err != nil || need.Root == "" || len(need.Include) == 0 || !set.Match("a/b.png") {
				continue
			}
			need.Include = nil
			files, err := fetch.ListLocal(ctx, cmp.Or(opt.Inputs, cfg.Dir), need)
			if err != nil && ctx.Err() != nil {
				return nil, err
			}
			r.count(files) // of a folder that is not there yet, none
		}
		if r.refused > 0 {
			found = append(found, r)
		}
	}
	return found, nil
}

func (r *refusedPictures) count(files []pipeline.Asset) {
	for _, f := range files {
		format := pictureFormats[strings.ToLower(path.Ext(f.Path))]
		if format == "" {
			continue
		}
		if r.all++; slices.Contains(takenFormats, format) {
			continue
		}
		r.refused, r.first = r.refused+1, cmp.Or(r.first, f.Path)
		if !slices.Contains(r.formats, format) {
			r.formats = append(r.formats, format)
		}
	}
}

// checkPictures ends a build before its work where a release refuses all pictures of a
// source.
func checkPictures(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, opt Options) error {
	found, err := findRefused(ctx, reg, cfg, opt)
	if err != nil {
		return err
	}
	for _, r := range found {
		if r.refused == r.all {
			return &pipeline.SettingError{Setting: "sources." + r.source, Problem: "cannot be built: " + r.String()}
		}
	}
	return nil
}
