package release

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
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

// text is one text file of a release.
type text struct {
	place string
	data  []byte
}

// writeTexts writes everything but tables, media and manifest.
func (w *writer) writeTexts(context.Context) error {
	if w.in.Lock != nil {
		if err := w.put(lockName, w.in.Lock); err != nil {
			return err
		}
	}
	texts, err := w.texts()
	if err != nil {
		return err
	}
	for _, t := range texts {
		if err := w.put(t.place, t.data); err != nil {
			return err
		}
	}
	croissant, err := w.croissant()
	if err != nil {
		return err
	}
	return w.put(croissantName, croissant)
}

// texts are the texts that follow from what is in the manifest and the tables,
// but the one that lists the others.
func (w *writer) texts() ([]text, error) {
	report, err := w.report()
	if err != nil {
		return nil, err
	}
	return []text{
		{cardName, []byte(w.card())},
		{licensesName, []byte(w.licensesText())},
		{changelogName, []byte(w.changelog())},
		{reportName, report},
	}, nil
}

func (w *writer) title() string { return cmp.Or(w.in.Spec.Title, w.in.Spec.Name) }

// card is the dataset card: front matter for dataset hubs, then prose.
func (w *writer) card() string {
	s := w.content.statistics()
	var b strings.Builder
	w.frontMatter(&b)
	fmt.Fprintf(&b, "# %s %s\n\n", markdown(w.title()), w.version)
	if w.license.Private {
		b.WriteString("> **Private.** Some parts have no licence that allows publishing. Do not share this release.\n\n")
	}
	fmt.Fprintf(&b, "A benchmark of %s about %s over %s (%s of media, %s).\n\n",
		count(s.Questions, "question"), count(s.Tasks, "task"), count(s.Media, "media file"), readableTime(s.Seconds), readableBytes(s.Bytes))
	w.cardContents(&b)
	w.cardFacts(&b)
	w.cardMaking(&b)
	w.cardChecks(&b)
	cardStatistics(&b, s)
	fmt.Fprintf(&b, cardUse, markdown(w.facts.companyNote()))
	b.WriteString(w.tellLicenses())
	return b.String()
}

// tellLicenses says whether the parts have one licence or several.
func (w *writer) tellLicenses() string {
	if len(w.content.licenseParts()) == 1 {
		return "- All parts have one licence; `LICENSES.md` names it.\n"
	}
	return "- Licences differ by row. `LICENSES.md` lists them; the release as a whole carries the strictest.\n"
}

func (w *writer) frontMatter(b *strings.Builder) {
	fmt.Fprintf(b, "---\npretty_name: %s\n", quoteYAML(w.title()))
	if w.license.Private {
		fmt.Fprintf(b, "license: other\nlicense_name: private\nlicense_link: %s\n", licensesName)
	} else {
		fmt.Fprintf(b, "license: %s\n", w.license.License.Hub)
	}
	fmt.Fprintf(b, "size_categories:\n- %s\ntags:\n- memforge\n- agent-memory\n- multimodal\n- benchmark\n", sizeCategory(len(w.content.questions)))
	b.WriteString("configs:\n")
	for _, t := range w.tables {
		if t.Rows == 0 {
			continue
		}
		fmt.Fprintf(b, "- config_name: %s\n", t.Name)
		if t.Name == tableQuestions {
			b.WriteString("  default: true\n")
		}
		b.WriteString("  data_files:\n")
		for _, shards := range bySplit(t.Splits) {
			fmt.Fprintf(b, "  - split: %s\n    path: %s\n", shards[0].Split, pathOf(shards))
		}
	}
	b.WriteString("dataset_info:\n")
	for _, t := range w.shapes {
		if w.counts[t.name] == 0 {
			continue
		}
		fmt.Fprintf(b, "- config_name: %s\n  features:\n", t.name)
		featuresYAML(b, t.columns, "  ")
	}
	b.WriteString("---\n\n")
}

// infoOf is what the manifest says of a table.
func (w *writer) infoOf(t table) TableInfo {
	info, _ := Manifest{Tables: w.tables}.table(t.name)
	return info
}

// pathOf is the path of the only file of a split, or one that matches all.
func pathOf(shards []SplitInfo) string {
	if len(shards) == 1 {
		return shards[0].Path
	}
	return strings.Replace(shards[0].Path, "-00000-of-", "-*-of-", 1)
}

func (w *writer) cardContents(b *strings.Builder) {
	b.WriteString("## What is in it\n\n| table | rows | files |\n| --- | ---: | --- |\n")
	for _, t := range w.tables {
		var files []string
		for _, shards := range bySplit(t.Splits) {
			files = append(files, fmt.Sprintf("`%s`", pathOf(shards)))
		}
		fmt.Fprintf(b, "| `%s` | %d | %s |\n", t.Name, t.Rows, cmp.Or(strings.Join(files, ", "), "none"))
	}
	b.WriteString("\nMedia lie under `media/`, named by their SHA-256; column `file_name` of table `media` is the path of each. " +
		"`labels` is a list of key and value. `manifest.json` and `SHA256SUMS` name every byte; `report.html` opens offline.\n\n")
}

func (w *writer) cardMaking(b *strings.Builder) {
	b.WriteString("## How it was made\n\n")
	fmt.Fprintf(b, "One command built it from pinned sources with seed %d; the plan has digest `%s`.\n", w.in.Seed, w.in.Config)
	fmt.Fprintf(b, "%s `manifest.json` names models, sampling, prompts and rules by step.\n", markdown(tellModels(w.in.Models)))
	for _, t := range tellTools(w.in.Tools) {
		fmt.Fprintf(b, "- %s\n", markdown(t))
	}
	b.WriteString("\n")
	funnelGrid(w.in.Funnel, w.in.Judged).markdown(b)
}

func cardStatistics(b *strings.Builder, s statistics) {
	b.WriteString("## Statistics\n\n")
	section := func(name string, bars []bar) {
		if len(bars) == 0 {
			return
		}
		fmt.Fprintf(b, "| %s | questions | share |\n| --- | ---: | ---: |\n", name)
		for _, x := range bars {
			fmt.Fprintf(b, "| %s | %d | %.1f %% |\n", markdown(x.Name), x.Count, x.Share)
		}
		b.WriteString("\n")
	}
	section("split", s.Splits)
	section("type", s.Types)
	for _, p := range s.Positions {
		section(p.Label, p.Bars)
	}
}

const cardUse = `## How to load it

` + "```python" + `
from datasets import load_dataset
questions = load_dataset("PATH", "questions")
media = load_dataset("PATH", "media")
` + "```" + `

` + "```sql" + `
SELECT * FROM 'data/questions/*.parquet';
` + "```" + `

Show a solver ` + "`question_mcq`" + ` (or ` + "`question`" + `) and the files of ` + "`media`" + ` in that order, and nothing else: labels, evidence, option roles, revisions, captions and recipes give answers away.

%s

## Limits

- Gold answers are as good as the annotations or scripts of the sources; table ` + "`sources`" + ` names each of them.
- Whatever was dropped is in table ` + "`rejections`" + ` with its reason; the remaining items are not a random sample of the sources.
- ` + "`memforge verify`" + ` checks every byte, schema, reference and count of this folder.
`

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
	parts := w.content.licenseParts()
	for _, id := range slices.Sorted(maps.Keys(parts)) {
		fmt.Fprintf(&b, "\n## %s\n\n", markdown(cmp.Or(id, "(none stated)")))
		media := 0
		for _, p := range parts[id] {
			if strings.HasPrefix(p, mediaPart) {
				media++
				continue
			}
			fmt.Fprintf(&b, "- %s\n", markdown(p))
		}
		if media > 0 {
			fmt.Fprintf(&b, "- %s: column `license` of table `media` says which\n", count(media, "media file"))
		}
	}
	return b.String()
}

// changelog puts this release above those before it.
func (w *writer) changelog() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s## %s\n\n", changelogHead, w.version)
	if w.previous == nil {
		fmt.Fprintf(&b, "First release: %s, %s, %s.\n", count(len(w.content.questions), "question"),
			count(len(w.content.tasks), "task"), count(len(w.content.media), "media file"))
		return b.String()
	}
	fmt.Fprintf(&b, "Compared with %s:\n\n", w.previous.info.Manifest.Version)
	for _, d := range w.diffs {
		if d.broken {
			fmt.Fprintf(&b, "- %s: the columns changed; rows cannot be compared\n", d.table)
			continue
		}
		fmt.Fprintf(&b, "- %s: %d added, %d removed, %d changed, %d with changed notes only\n", d.table, d.added, d.removed, d.changed, d.touched)
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

// tellTools lists tools with their versions, sorted. Most versions begin with the
// tool's name.
func tellTools(tools map[string]string) []string {
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
