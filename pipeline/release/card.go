package release

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/release/manifest"
)

const (
	changelogName = "CHANGELOG.md"
	changelogHead = "# Changes\n\n"
	licensesName  = "LICENSES.md"
	cardName      = "README.md"
	reportName    = "report.html"
	croissantName = "croissant.json"
	lockName      = "pipeline.lock.yaml"
)

// textFile is one text file of a release.
type textFile struct {
	path string
	data []byte
}

// writeTexts writes everything but tables, media and manifest.
func (w *writer) writeTexts(context.Context) error {
	if w.in.Lock != nil {
		if err := w.addFile(lockName, w.in.Lock); err != nil {
			return err
		}
	}
	texts, err := w.texts()
	if err != nil {
		return err
	}
	for _, t := range texts {
		if err := w.addFile(t.path, t.data); err != nil {
			return err
		}
	}
	croissant, err := w.croissant()
	if err != nil {
		return err
	}
	return w.addFile(croissantName, croissant)
}

// texts are the texts that follow from what is in the manifest and the tables,
// but the one that lists the others.
func (w *writer) texts() ([]textFile, error) {
	card, report, err := w.cardAndReport()
	if err != nil {
		return nil, err
	}
	return []textFile{
		{cardName, card},
		{licensesName, []byte(w.licensesText())},
		{changelogName, []byte(w.changelog())},
		{reportName, report},
	}, nil
}

func (w *writer) title() string { return cmp.Or(w.in.Spec.Title, w.in.Spec.Name) }

// cardFeatures are the columns of a table that has rows, as dataset hubs are told of
// them.
type cardFeatures struct{ Table, YAML string }

func (w *writer) features() (out []cardFeatures) {
	for _, t := range w.shapes {
		if w.counts[t.name] > 0 {
			var b strings.Builder
			featuresYAML(&b, t.columns, "  ")
			out = append(out, cardFeatures{t.name, b.String()})
		}
	}
	return out
}

// shownToSolver are the tables that a solver is shown something of besides the question, and
// what that is: of what the release has, media and sessions, else what the task says.
// Where sessions are, the media of a question are those that answer it: whoever was
// given them would not have to find them.
func (w *writer) shownToSolver() (tables []string, words string) {
	media, talks := w.counts[tableMedia] > 0, w.counts["turns"] > 0
	said := "the rows of `sessions` and `turns` of its task in their order, with the files that the `attachments` of the turns name"
	if w.counts["checkpoints"] > 0 {
		said += ", where it has a `checkpoint_id` those of the sessions that its row in `checkpoints` lists and no later ones"
	}
	switch {
	case media && talks:
		return []string{tableMedia, "sessions", "turns"}, "the files of its `question_media`; where its task has sessions, " + said +
			" (not `media`, which are then the pictures that answer it); where it has none, the files of `media` in that order"
	case media:
		return []string{tableMedia}, "the files of `media` in that order"
	case talks:
		return []string{"sessions", "turns"}, said
	}
	return []string{tableTasks}, "the `scenario` of its task in table `tasks`"
}

// tableInfo is what the manifest says of a table.
func (w *writer) tableInfo(t table) manifest.TableInfo {
	info, _ := manifest.Manifest{Tables: w.tables}.Table(t.name)
	return info
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
func (w *writer) licensesText() string {
	var b strings.Builder
	b.WriteString("# Licences\n\n")
	if w.license.Private {
		b.WriteString("This release is private: it must not be published.\n\n")
	} else {
		fmt.Fprintf(&b, "The release as a whole is under **%s** (<%s>), the strictest licence of its parts or a stricter one.\n\n", w.license.License.SPDX, w.license.License.URL)
	}
	for _, n := range w.license.Notes {
		fmt.Fprintf(&b, "- %s\n", markdown(n))
	}
	all := w.content.licenses()
	for _, id := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "\n## %s\n\n", markdown(cmp.Or(id, "(none stated)")))
		for _, s := range all[id].sources {
			fmt.Fprintf(&b, "- %s\n", markdown(s))
		}
		if n := all[id].media; n > 0 {
			fmt.Fprintf(&b, "- %s: column `license` of table `media` says which\n", count(n, "media file"))
		}
	}
	return b.String()
}

// changelog puts this release above those before it.
func (w *writer) changelog() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s## %s\n\n", changelogHead, w.version)
	if w.previous == nil {
		fmt.Fprintf(&b, "First release: %s, %s, %s.\n", w.countRows(tableQuestions, "question"),
			w.countRows(tableTasks, "task"), w.countRows(tableMedia, "media file"))
		return b.String()
	}
	fmt.Fprintf(&b, "Compared with %s:\n\n", w.previous.info.Manifest.Version)
	for _, d := range w.diffs {
		if d.broken {
			fmt.Fprintf(&b, "- %s: the columns changed; rows cannot be compared\n", d.table)
			continue
		}
		fmt.Fprintf(&b, "- %s: %d added, %d removed, %d changed, %d with changed notes only\n", d.table, d.added, d.removed, d.changed, d.noteChanges)
	}
	b.WriteString("\n" + w.previous.changelog)
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
func (w *writer) countRows(table, what string) string { return count(int(w.counts[table]), what) }

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
