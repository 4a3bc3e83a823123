package describe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

func (rel Release) title() string { return cmp.Or(rel.Manifest.Title, rel.Manifest.Name) }

// cardFeatures are the columns of a table that has rows, as dataset hubs are told of
// them.
type cardFeatures struct{ Table, YAML string }

func (rel Release) features() (out []cardFeatures) {
	for _, t := range rel.Tables {
		if rel.rows(t.Name) > 0 {
			var b strings.Builder
			featuresYAML(&b, t.Columns, "  ")
			out = append(out, cardFeatures{t.Name, b.String()})
		}
	}
	return out
}

// shownToSolver are the tables that a solver is shown something of besides the question, and
// what that is: of what the release has, media and sessions, else what the task says.
// Where sessions are, the media of a question are those that answer it: whoever was
// given them would not have to find them.
func (rel Release) shownToSolver() (tables []string, words string) {
	media, talks := rel.rows(pipeline.TableMedia) > 0, rel.rows("turns") > 0
	said := "the rows of `sessions` and `turns` of its task in their order, with the files that the `attachments` of the turns name"
	if rel.rows("checkpoints") > 0 {
		said += ", where it has a `checkpoint_id` those of the sessions that its row in `checkpoints` lists and no later ones"
	}
	switch {
	case media && talks:
		return []string{pipeline.TableMedia, "sessions", "turns"}, "the files of its `question_media`; where its task has sessions, " + said +
			" (not `media`, which are then the pictures that answer it); where it has none, the files of `media` in that order"
	case media:
		return []string{pipeline.TableMedia}, "the files of `media` in that order"
	case talks:
		return []string{"sessions", "turns"}, said
	}
	return []string{pipeline.TableTasks}, "the `scenario` of its task in table `tasks`"
}

// splitPath is the path of the only file of a split, or one that matches all.
func splitPath(shards []manifest.SplitInfo) string {
	if len(shards) == 1 {
		return shards[0].Path
	}
	return strings.Replace(shards[0].Path, "-00000-of-", "-*-of-", 1)
}

// splitPaths are the splits of a table, each with the path of its files.
func splitPaths(t manifest.TableInfo) (out []manifest.SplitInfo) {
	for _, shards := range manifest.GroupBySplit(t.Splits) {
		out = append(out, manifest.SplitInfo{Split: shards[0].Split, Path: splitPath(shards)})
	}
	return out
}

// licensesText says what is under which licence.
func (rel Release) licensesText() string {
	var b strings.Builder
	b.WriteString("# Licences\n\n")
	if rel.License.Private {
		b.WriteString("This release is private: it must not be published.\n\n")
	} else {
		fmt.Fprintf(&b, "The release as a whole is under **%s** (<%s>), the strictest licence of its parts or a stricter one.\n\n", rel.License.License.SPDX, rel.License.License.URL)
	}
	for _, n := range rel.License.Notes {
		fmt.Fprintf(&b, "- %s\n", markdown(n))
	}
	all := Licenses(rel.Sources, rel.Media)
	for _, id := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "\n## %s\n\n", markdown(cmp.Or(id, "(none stated)")))
		for _, s := range all[id].Sources {
			fmt.Fprintf(&b, "- %s\n", markdown(s))
		}
		if n := all[id].Media; n > 0 {
			fmt.Fprintf(&b, "- %s: column `license` of table `media` says which\n", count(n, "media file"))
		}
	}
	return b.String()
}

// changelog puts this release above those before it.
func (rel Release) changelog() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s## %s\n\n", changesHead, rel.Manifest.Version)
	if rel.Manifest.Previous == "" {
		fmt.Fprintf(&b, "First release: %s, %s, %s.\n", rel.countRows(pipeline.TableQuestions, "question"),
			rel.countRows(pipeline.TableTasks, "task"), rel.countRows(pipeline.TableMedia, "media file"))
		return b.String()
	}
	fmt.Fprintf(&b, "Compared with %s:\n\n", rel.Manifest.Previous)
	for _, d := range rel.Diffs {
		if d.Broken {
			fmt.Fprintf(&b, "- %s: the columns changed; rows cannot be compared\n", d.Table)
			continue
		}
		fmt.Fprintf(&b, "- %s: %d added, %d removed, %d changed, %d with changed notes only\n", d.Table, d.Added, d.Removed, d.Changed, d.NoteChanges)
	}
	b.WriteString("\n" + rel.PreviousChanges)
	return b.String()
}

// markdown makes text safe in a table cell or paragraph of the card.
func markdown(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ", "<", "&lt;", ">", "&gt;", "&", "&amp;", "`", "'", "[", "\\[", "]", "\\]").Replace(s)
}

// quoteYAML writes text as a double-quoted YAML scalar, as JSON is one.
func quoteYAML(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return `""`
	}
	return strings.TrimSpace(b.String())
}

// countRows says how many rows a table has.
func (rel Release) countRows(table, what string) string { return count(int(rel.rows(table)), what) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// sizeCategory is the hub's word for how large a dataset is.
func sizeCategory(n int) string {
	limits := []struct {
		below int
		name  string
	}{{1e3, "n<1K"}, {1e4, "1K<n<10K"}, {1e5, "10K<n<100K"}, {1e6, "100K<n<1M"}}
	for _, l := range limits {
		if n < l.below {
			return l.name
		}
	}
	return "n>1M"
}

// toolLines lists tools with their versions, sorted. Most versions begin with the
// tool's name.
func toolLines(tools map[string]string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		version := tools[name]
		if !strings.HasPrefix(version, name+" ") {
			version = name + " " + version
		}
		out = append(out, version)
	}
	return out
}
