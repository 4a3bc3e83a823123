package publish

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// What the hub documents as limits of a repository.
const (
	maxHubFiles  = 100_000
	maxHubFolder = 10_000
	maxHubFile   = 500e9
	// largeHubFile is what it advises to stay below.
	largeHubFile = 200e9
	// longCommit is a commit of so many files that the hub may take longer than the minute
	// that it gives a request.
	longCommit = 2000
)

// CheckError lists what must be mended before a release can be published.
type CheckError struct {
	ID       string
	Problems []string
}

func (e *CheckError) Error() string {
	return fmt.Sprintf("release %s cannot be published:\n  %s", e.ID, strings.Join(e.Problems, "\n  "))
}

// check is what is looked at before a byte is sent, besides the bytes themselves. Notes
// are what stops nothing.
func (l *local) check(to Place, opts Options) (notes []string, err error) {
	if err := checkTerms(l.manifest, opts.Private); err != nil {
		return nil, err
	}
	problems, err := l.checkCard()
	if err != nil {
		return nil, err
	}
	if to.Kind == Hub {
		limits, more := checkHubLimits(l.files)
		problems, notes = append(problems, limits...), append(notes, more...)
	}
	if !opts.Private {
		lacks, err := l.missingFields()
		if err != nil {
			return nil, err
		}
		if len(lacks) > 0 {
			problems = append(problems, fmt.Sprintf("croissant.json has no %s, which a public release must state: write them under release.about of the configuration and build again (a PATCH version), or publish with --private", strings.Join(lacks, ", ")))
		}
	}
	if len(problems) > 0 {
		return nil, &CheckError{l.manifest.ID, problems}
	}
	return notes, nil
}

// checkTerms refuses to make public what is under terms that forbid it.
func checkTerms(m manifest.Manifest, private bool) error {
	if m.Private && !private {
		return privateError(m, "the release was built as a private one, for reasons that LICENSES.md lists; publish it with --private to a place that only those can read who may have it, or leave those parts out")
	}
	if _, known := license.Find(m.License); !m.Private && !known {
		return privateError(m, "it is not among the licences under which releases are published; build it with another release.license")
	}
	return nil
}

// checkShipped refuses a release that ships media under a licence that forbids it.
func checkShipped(r release.Report) error {
	for _, id := range slices.Sorted(maps.Keys(r.Licenses)) {
		if !r.Manifest.Private && !license.AllowsShipping(id) {
			return &license.Error{License: id, Parts: []string{"media of release " + r.Manifest.ID}, Detail: "it forbids shipping them; build the release with release.media: licensed, which references them"}
		}
	}
	return nil
}

// card is what the front matter of README.md must have.
type card struct {
	License     string `yaml:"license"`
	LicenseName string `yaml:"license_name"`
	LicenseLink string `yaml:"license_link"`
	PrettyName  string `yaml:"pretty_name"`
	Configs     []struct {
		Name  string `yaml:"config_name"`
		Files []struct {
			Split string `yaml:"split"`
			Path  any    `yaml:"path"`
		} `yaml:"data_files"`
	} `yaml:"configs"`
}

// maxText bounds the texts that are looked at.
const maxText = 64 << 20

func (l *local) checkCard() (problems []string, err error) {
	text, err := l.read(describe.CardName)
	if err != nil {
		return nil, err
	}
	front, ok := bytes.CutPrefix(text, []byte("---\n"))
	front, _, closed := bytes.Cut(front, []byte("\n---\n"))
	if !ok || !closed {
		return []string{"README.md begins with no front matter between two lines ---"}, nil
	}
	var c card
	if err := yaml.Unmarshal(front, &c); err != nil {
		return []string{"the front matter of README.md is no YAML: " + yaml.FormatError(err, false, false)}, nil
	}
	add := func(format string, args ...any) {
		problems = append(problems, "the front matter of README.md "+fmt.Sprintf(format, args...))
	}
	switch known := slices.ContainsFunc(license.All(), func(l license.License) bool { return l.Hub == c.License }); {
	case c.License == "":
		add("names no license")
	case c.License == "other" && (c.LicenseName == "" || c.LicenseLink == ""):
		add("says license: other without license_name and license_link")
	case c.License != "other" && !known:
		add("names the license %q, which hubs do not know", c.License)
	}
	seen := map[string]bool{}
	for _, config := range c.Configs {
		if config.Name == "" || seen[config.Name] {
			add("has a config without a name, or twice the name %q", config.Name)
		}
		seen[config.Name] = true
		for _, f := range config.Files {
			if !manifest.SplitPattern.MatchString(f.Split) {
				add("has a split %q in config %s, which loaders do not take", f.Split, config.Name)
			}
			for _, p := range pathsOf(f.Path) {
				if !l.has(p) {
					add("names %s in config %s, which the release has not", p, config.Name)
				}
			}
		}
	}
	if len(c.Configs) == 0 {
		add("has no configs, so no table would be shown or loaded")
	}
	return problems, nil
}

func pathsOf(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, p := range v {
			out = append(out, fmt.Sprint(p))
		}
	}
	return out
}

// has reports whether a path or pattern of the card matches a file.
func (l *local) has(pattern string) bool {
	if _, ok := l.file(pattern); ok {
		return true
	}
	return slices.ContainsFunc(l.files, func(f manifest.FileInfo) bool {
		ok, err := path.Match(pattern, f.Path)
		return ok && err == nil
	})
}

func (l *local) read(name string) ([]byte, error) {
	f, ok := l.file(name)
	if !ok || f.Size > maxText {
		return nil, &CheckError{l.manifest.ID, []string{fmt.Sprintf("%s is missing, or larger than %d bytes", name, maxText)}}
	}
	text, err := l.root.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read release: %w", err)
	}
	return text, nil
}

// checkHubLimits compares the release with the limits that the hub documents.
func checkHubLimits(files []manifest.FileInfo) (problems, notes []string) {
	folders := map[string]map[string]bool{}
	for _, f := range files {
		for at := f.Path; at != "."; at = path.Dir(at) {
			folder := path.Dir(at)
			if folders[folder] == nil {
				folders[folder] = map[string]bool{}
			}
			folders[folder][at] = true
		}
		switch {
		case f.Size > maxHubFile:
			problems = append(problems, fmt.Sprintf("%s has %d bytes, the hub takes %d; build with smaller shards", f.Path, f.Size, int64(maxHubFile)))
		case f.Size > largeHubFile:
			notes = append(notes, fmt.Sprintf("%s has %d bytes; the hub advises less than %d", f.Path, f.Size, int64(largeHubFile)))
		}
	}
	if len(files) > maxHubFiles {
		problems = append(problems, fmt.Sprintf("it has %d files, the hub takes %d in a repository; split it into several releases", len(files), maxHubFiles))
	}
	for folder, entries := range folders {
		if len(entries) > maxHubFolder {
			problems = append(problems, fmt.Sprintf("folder %s has %d entries, the hub takes %d", folder, len(entries), maxHubFolder))
		}
	}
	if len(files) > longCommit {
		notes = append(notes, fmt.Sprintf("%d files in one commit may take the hub longer than a request may last; the commit is then looked for, and not made twice", len(files)))
	}
	slices.Sort(problems)
	return problems, notes
}

// responsibleFields are those that Croissant 1.1 requires besides what every release states,
// and those of its responsible-AI vocabulary that conferences require.
var responsibleFields = [...]string{
	"creator", "datePublished", "url", "license", "description", "citeAs",
	"rai:dataCollection", "rai:dataPreprocessingProtocol", "rai:dataLimitations", "rai:dataBiases", "rai:dataUseCases",
	"rai:dataSocialImpact", "rai:personalSensitiveInformation", "rai:dataReleaseMaintenancePlan",
}

// missingFields names the fields that croissant.json lacks or leaves empty.
func (l *local) missingFields() (lacks []string, err error) {
	text, err := l.read(describe.CroissantName)
	if err != nil {
		return nil, err
	}
	var has map[string]any
	if err := json.Unmarshal(text, &has); err != nil {
		return nil, errors.Join(&CheckError{l.manifest.ID, []string{"croissant.json is no JSON"}}, err)
	}
	for _, name := range responsibleFields {
		if v := has[name]; v == nil || v == "" {
			lacks = append(lacks, name)
		}
	}
	return lacks, nil
}
