// Package manifest reads and writes the files that describe a release: manifest.json, which
// says what it is and names the digest of every byte, and SHA256SUMS.
package manifest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/pipeline/release/review"
)

// Names of the files that describe the others, and the largest of them that
// is read.
const (
	FileName = "manifest.json"
	SumsName = "SHA256SUMS"
	MaxBytes = 256 << 20
	// MaxEntries bounds the values of a manifest, of which an empty one takes
	// three bytes of it and hundreds of memory.
	MaxEntries = 4 << 20

	// CurrentFormat rises when tables that every release has change, or what holds of
	// them. Before WideFormat questions and flagged had no question_media and tools;
	// before RuledFormat columns had no rules, and sessions, turns and evidence were not
	// compared.
	CurrentFormat = RuledFormat
	WideFormat    = 2
	RuledFormat   = 3
)

// RuledTexts is the first version of the texts that came with RuledFormat: no release
// escapes its rules by stating an older format.
const RuledTexts = 9

// NamePattern is that of names of releases, SplitPattern that of splits.
var (
	NamePattern  = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,99}$`)
	SplitPattern = regexp.MustCompile(`^\w+(\.\w+)*$`)
)

// Manifest is manifest.json: what a release is, and the digest of its bytes.
type Manifest struct {
	Format int `json:"format"`
	// ID is name, version and the digest of the list of files.
	ID       string `json:"id"`
	Name     string `json:"name"`
	Version  string `json:"version"`
	Title    string `json:"title,omitempty"`
	Previous string `json:"previous,omitempty"`
	License  string `json:"license,omitempty"`
	Private  bool   `json:"private"`
	// Media is pipeline.LicensedMedia, or empty where the release ships all media.
	Media    string            `json:"media,omitempty"`
	BuildKey string            `json:"build_key"`
	Config   pipeline.Digest   `json:"config"`
	Seed     uint64            `json:"seed"`
	Tools    map[string]string `json:"tools"`
	Models   []StepModels      `json:"models"`
	// Derivations maps the families of which gold can be worked out again from the
	// tables to the version of how that is done.
	Derivations map[string]string `json:"derivations,omitempty"`
	// From names the nodes whose questions were released.
	From []string `json:"from"`
	// Reviewed says that people decided about all that these draws drew.
	Reviewed []review.SampleMark `json:"reviewed,omitempty"`
	About    *pipeline.About     `json:"about,omitempty"`
	// Terms explain names in the rows, by family, Plugins what sources and stages do.
	Terms   map[string]pipeline.Terms `json:"terms,omitempty"`
	Plugins map[string]string         `json:"plugins,omitempty"`
	// Texts is the version of the wording of card, report and licence list.
	Texts  int         `json:"texts"`
	Tables []TableInfo `json:"tables"`
	// Gates are in the order of the plan, Judged says what they did.
	Gates        []GateInfo     `json:"gates"`
	GateCounts   []GateCounts   `json:"judged"`
	RecordCounts []RecordCounts `json:"funnel"`
	// Files lists every file but this one and SHA256SUMS, sorted by path.
	Files []FileInfo `json:"files"`
}

// GateInfo is all that it takes to run a gate again over what it judged, besides
// the seed of the release, and what its rows amount to.
type GateInfo struct {
	Name string `json:"name"`
	Use  string `json:"use"`
	// Summary is the plugin's own line on what passes it.
	Summary string             `json:"summary"`
	Version string             `json:"version"`
	Config  pipeline.RawConfig `json:"config"`
	OnFail  string             `json:"on_fail"`
	// KeepBecause is why it keeps what a model finds faulty.
	KeepBecause string `json:"keep_because,omitempty"`
	// Models maps the roles that it asks to the ids of the models behind them;
	// a role that is missing is played by the built-in model.
	Models map[string]string `json:"models,omitempty"`
	GateTotals
}

// GateTotals is what the verdicts and probes of a gate amount to.
type GateTotals struct {
	Verdicts     int64 `json:"verdicts"`
	Calls        int64 `json:"calls"`
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
	// Rows is the digest of its verdicts and probes in the order of their
	// tables, one canonical JSON a line. Tokens, and the words of a response
	// around the answer, follow from nothing else.
	Rows pipeline.Digest `json:"rows"`
}

// TableInfo counts the rows of a table. A table without rows has one file,
// with its columns.
type TableInfo struct {
	Name   string      `json:"name"`
	Rows   int64       `json:"rows"`
	Splits []SplitInfo `json:"splits"`
	// Declared is what a plugin said of its own table, so that a program without
	// the plugin can read and check it.
	Declared *pipeline.Table `json:"declared,omitempty"`
}

// SplitInfo is one file of a table. A split of many rows has several, one behind the
// other.
type SplitInfo struct {
	Split string `json:"split"`
	Path  string `json:"path"`
	Rows  int64  `json:"rows"`
}

// FileInfo is one file of a release.
type FileInfo struct {
	Path   string          `json:"path"`
	SHA256 pipeline.Digest `json:"sha256"`
	Size   int64           `json:"size"`
}

// check refuses a manifest that contradicts itself. sums is the digest of SHA256SUMS as
// its files make it.
func (m Manifest) check(sums pipeline.Digest) error {
	if m.Format < 1 || m.Format > CurrentFormat {
		return fmt.Errorf("format %d is not known; this program reads formats 1 to %d", m.Format, CurrentFormat)
	}
	if m.Texts >= RuledTexts && m.Format < RuledFormat {
		return fmt.Errorf("its texts have version %d, which no release of format %d has", m.Texts, m.Format)
	}
	if !NamePattern.MatchString(m.Name) {
		return fmt.Errorf("%q is no name of a release", m.Name)
	}
	if m.Media != "" && m.Media != pipeline.LicensedMedia {
		return fmt.Errorf("media %q is not known to this program", m.Media)
	}
	if _, err := ParseVersion(m.Version); err != nil {
		return err
	}
	if m.ID != ReleaseID(m.Name, m.Version, sums) {
		return fmt.Errorf("the id %q is not that of its files", m.ID)
	}
	if err := m.checkSteps(); err != nil {
		return err
	}
	names := map[string]bool{}
	for _, t := range m.Tables {
		var rows int64
		for _, shards := range GroupBySplit(t.Splits) {
			for i, s := range shards {
				if !SplitPattern.MatchString(s.Split) || s.Path != ShardPath(t.Name, s.Split, i, len(shards)) || s.Rows < 0 || s.Rows == 0 && t.Rows > 0 {
					return fmt.Errorf("table %s: file %q of split %q with %d rows is not how releases name them", t.Name, s.Path, s.Split, s.Rows)
				}
				rows += s.Rows
			}
		}
		if rows != t.Rows || names[t.Name] {
			return fmt.Errorf("table %s: %d rows in its splits, %d in all, named before: %t", t.Name, rows, t.Rows, names[t.Name])
		}
		names[t.Name] = true
	}
	return nil
}

// References reports whether the release references media under a licence instead of
// shipping them.
func (m Manifest) References(id string) bool {
	return m.Media == pipeline.LicensedMedia && !license.AllowsShipping(id)
}

// checkSteps refuses names that no step has: they are printed among words of this
// program.
func (m Manifest) checkSteps() error {
	names := slices.Clone(m.From)
	for _, g := range m.Gates {
		names = append(names, g.Name)
	}
	for _, j := range m.GateCounts {
		names = append(names, j.Gate)
	}
	for _, f := range m.RecordCounts {
		names = append(append(names, f.Step), f.From...)
	}
	for _, n := range m.Models {
		names = append(names, n.Step)
	}
	for _, r := range m.Reviewed {
		names = append(names, r.Step)
	}
	for _, name := range names {
		if !pipeline.IsStepName(name) {
			return fmt.Errorf("%q is no name of a step", name)
		}
	}
	return nil
}

// plainPath holds no character that a shell, a terminal or another file system takes for
// something else.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9._/-]+$`)

// CheckPath refuses paths that are not plain and inside the release.
func CheckPath(p string) error {
	if !fs.ValidPath(p) || p == "." || !plainPath.MatchString(p) || path.Clean(p) != p {
		return fmt.Errorf("path %q does not lead to a file of the release", p)
	}
	return nil
}

// ReleaseID joins name, version and the first digits of the digest of SHA256SUMS without
// the manifest.
func ReleaseID(name, version string, sums pipeline.Digest) string {
	return name + "@" + version + "+" + string(sums)[:16]
}

// SumsDigest returns the digest of SHA256SUMS as the files make it.
func SumsDigest(files []FileInfo) (pipeline.Digest, error) {
	sum := sha256.New()
	err := WriteSums(sum, files)
	return pipeline.DigestOfSum([sha256.Size]byte(sum.Sum(nil))), err
}

// Has reports whether the manifest lists a file.
func (m Manifest) Has(path string) bool {
	_, ok := m.File(path)
	return ok
}

// File returns the place of a path in Files, or where it would be.
func (m Manifest) File(path string) (int, bool) {
	return slices.BinarySearchFunc(m.Files, path, func(f FileInfo, path string) int { return strings.Compare(f.Path, path) })
}

// Table returns the table of a name.
func (m Manifest) Table(name string) (TableInfo, bool) {
	i := slices.IndexFunc(m.Tables, func(t TableInfo) bool { return t.Name == name })
	if i < 0 {
		return TableInfo{}, false
	}
	return m.Tables[i], true
}

// ComparePaths orders files by path.
func ComparePaths(a, b FileInfo) int { return strings.Compare(a.Path, b.Path) }

// GroupBySplit groups the files of a table by split; files of one split follow each other.
func GroupBySplit(files []SplitInfo) [][]SplitInfo {
	var out [][]SplitInfo
	for i, s := range files {
		if i == 0 || s.Split != files[i-1].Split {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], s)
	}
	return out
}

// ShardPath returns the path of file i of the n files of a split of a table.
func ShardPath(table, split string, i, n int) string {
	return fmt.Sprintf("data/%s/%s-%05d-of-%05d.parquet", table, split, i, n)
}
