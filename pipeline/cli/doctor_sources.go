package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/fetch"
)

// checkSources reports of every local folder that a source reads whether it is
// there and holds files that the source takes.
func checkSources(e *env, cfg *config.Config, report func(what, detail string, err error)) {
	for _, n := range cfg.Plan.Steps {
		p, ok := e.reg.Plugin(n.Kind, n.Use)
		if n.Kind != pipeline.KindSource || !ok {
			continue
		}
		built, err := p.BuildRaw(n.Config)
		if err != nil {
			report("source "+n.Name, "", fmt.Errorf("source %s: %w", n.Name, err))
			continue
		}
		for _, need := range built.(pipeline.Source).Needs() {
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

// folderKey is the key of a source's configuration that names a folder, or a file
// in it; empty where none does.
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

// sourceFolder is a folder that a source reads and the place that names it.
type sourceFolder struct {
	need pipeline.Need
	at   string
}

// check says how many files there are that the source takes. A folder without any
// is an error, for nothing could be built of it.
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

// full is the folder as it is found from here.
func (f sourceFolder) full(cfg *config.Config) string {
	return cfg.Path(filepath.FromSlash(f.need.Root))
}
