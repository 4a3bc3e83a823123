package describe

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	texttemplate "text/template"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

var (
	//go:embed card.md.tmpl
	cardText string
	//go:embed report.html.tmpl
	reportText string
)

// summary is what the templates of card and report see.
type summary struct {
	Title, Version, License string
	Private, OneLicense     bool
	Hub, SizeCategory       string
	Config                  string
	Seed                    uint64
	Tools                   []string
	Models                  string
	Stats                   statistics
	Facts                   factsTable
	FactsGrid, GuessGrid    grid
	GuessNotes              []string
	Baselines, Labels       grid
	BaselinesNote           string
	History                 historySummary
	HistoryNotes            []string
	About                   pipeline.About
	Cite                    string
	Wording                 grid
	Repeated                string
	Company                 string
	Length, Size            string
	Steps                   grid
	Funnel                  []funnelBar
	Refused, Noted          fileList
	Checked                 []string
	Untested                grid
	Passed, Types, Gates    grid
	Costs                   grid
	ChecksNote              string
	People                  reviewSummary
	Tables                  []manifest.TableInfo
	// Shown are the tables that a solver is shown something of, ShownRules say what.
	Shown, ShownRules []string
	Gallery           []familyCards
	Example           *galleryCard
}

type funnelBar struct {
	manifest.RecordCounts
	Percent float64
	// Says is what the plugin does.
	Says, Main string
	// Unjudged says what a gate did not judge, and mainly why.
	Unjudged string
	// Noted counts near misses by code.
	Noted string
}

func (rel Release) summary() (summary, error) {
	people, err := rel.summarizeReviews()
	if err != nil {
		return summary{}, err
	}
	history, err := rel.summarizeHistory()
	checked, facts, wording := rel.summarizeChecks(), rel.countFacts(), rel.measureWording()
	stats := rel.statistics()
	shown, rules := rel.shownToSolver()
	about := pipeline.About{}
	if rel.Manifest.About != nil {
		about = *rel.Manifest.About
	}
	untested := checked.untestedGrid(rel.Manifest.GateCounts)
	return summary{
		Shown: shown, ShownRules: rules, About: about, Cite: cmp.Or(about.Cite, fmt.Sprintf("%s, version %s (%s).", rel.title(), rel.Manifest.Version, rel.Manifest.Name)),
		History: history, HistoryNotes: historyNotes, Baselines: baselinesGrid(rel.countBaselines()), BaselinesNote: baselinesNote, Labels: labelsGrid(rel.explainLabels(stats.Labels)),
		Title: rel.title(), Version: rel.Manifest.Version, License: rel.License.License.SPDX, Private: rel.License.Private,
		OneLicense: len(Licenses(rel.Sources, rel.Media)) == 1, Hub: rel.License.License.Hub, SizeCategory: sizeCategory(stats.Questions),
		Config: string(rel.Manifest.Config), Seed: rel.Manifest.Seed, Tools: toolLines(rel.Manifest.Tools), Models: describeModels(rel.Manifest.Models),
		Stats: stats, Length: readableTime(stats.Seconds), Size: readableBytes(stats.Bytes),
		Facts: facts, FactsGrid: facts.grid(), GuessGrid: facts.guessGrid(), GuessNotes: guessingNotes(), Wording: wordingGrid(wording), Repeated: repeatedNote(wording), Company: facts.companyNote(), Tables: rel.Manifest.Tables,
		Steps: funnelGrid(rel.Manifest), Funnel: funnelBars(rel.Manifest),
		Checked: slices.Concat(checked.failedSentences(), untestedSentences(untested), checked.passedSentences(), checked.modelSentences(), checked.mediaSentences()), Untested: untested, Passed: checked.passedGrid(), Types: checked.typesGrid(),
		Costs: checked.costGrid(), Gates: checked.gatesGrid(rel.Manifest.GateCounts, rel.Manifest.Gates), ChecksNote: checksNote, People: people,
		Refused: rel.refusedFiles(), Noted: rel.notedFiles(),
	}, err
}

// cardAndReport returns the dataset card, front matter for dataset hubs and then prose,
// and report.html: one file without outside references, in which the template engine
// escapes all text.
func (rel Release) cardAndReport() (card, report []byte, err error) {
	data, err := rel.summary()
	if err != nil {
		return nil, nil, err
	}
	if data.Gallery, err = rel.gallery(); err != nil {
		return nil, nil, fmt.Errorf("report: %w", err)
	}
	data.Example = example(data.Gallery)
	forCard, err := cardTemplate()
	if err == nil {
		card, err = execute(forCard, data)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("card: %w", err)
	}
	forReport, err := template.New("report").Parse(reportText)
	if err == nil {
		report, err = execute(forReport, data)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("report: %w", err)
	}
	return card, report, nil
}

// example returns the card that the dataset card shows: the first with options that one
// picture of the release answers, else the first.
func example(families []familyCards) *galleryCard {
	answers := func(c galleryCard) bool {
		clues := len(c.Evidence)
		for _, t := range c.Talks {
			for _, turn := range t.Turns {
				if turn.Role != "" {
					clues++
				}
			}
		}
		return len(c.Options) > 0 && clues <= 1 && slices.ContainsFunc(c.Shown, func(s shownMedium) bool { return !s.Video })
	}
	for _, f := range families {
		if i := slices.IndexFunc(f.Cards, answers); i >= 0 {
			return &f.Cards[i]
		}
	}
	if len(families) == 0 {
		return nil
	}
	return &families[0].Cards[0]
}

func cardTemplate() (*texttemplate.Template, error) {
	return texttemplate.New("card").Funcs(texttemplate.FuncMap{
		"md": markdown, "plain": plainLine, "yaml": quoteYAML, "count": count, "grid": grid.markdown, "shares": sharesGrid, "splits": splitPaths,
	}).Parse(cardText)
}

func execute(t interface{ Execute(io.Writer, any) error }, data summary) ([]byte, error) {
	var b bytes.Buffer
	err := t.Execute(&b, data)
	return b.Bytes(), err
}

func funnelBars(m manifest.Manifest) []funnelBar {
	rows, without, largest := ranSteps(m.RecordCounts), unjudgedItems(m.GateCounts), int64(1)
	for _, r := range rows {
		largest = max(largest, r.Out)
	}
	out := make([]funnelBar, len(rows))
	for i, r := range rows {
		out[i] = funnelBar{RecordCounts: r, Percent: 100 * float64(r.Out) / float64(largest), Says: saysOfStep(m, r), Main: manifest.MainReason(r.Reasons), Unjudged: without[r.Step], Noted: joinCounts(r.Notes)}
	}
	return out
}

func (rel Release) title() string { return cmp.Or(rel.Manifest.Title, rel.Manifest.Name) }

// shownToSolver returns the tables that a solver is shown something of besides the
// question, and says what: media and sessions as far as the release has them, else the
// scenario of the task. Beside sessions the media of a question are those that answer
// it, which a solver has to find.
func (rel Release) shownToSolver() (tables, rules []string) {
	media, talks := rel.rows(pipeline.TableMedia) > 0, rel.rows("turns") > 0
	question := "The question: `question_mcq` or `question`"
	if media {
		question += ", with the files of its `question_media`"
	}
	rules = []string{question + "."}
	if talks {
		rules = append(rules, "If its task has sessions: their rows in `sessions` and `turns`, in order, with the files that the `attachments` of the turns name.")
		if rel.rows("checkpoints") > 0 {
			rules = append(rules, "If it has a `checkpoint_id`: of these sessions only those that its row in `checkpoints` lists.")
		}
		tables = []string{"sessions", "turns"}
	}
	switch {
	case media && talks:
		rules = append(rules, "If its task has no sessions: the files of its `media`, in that order. Beside sessions `media` are the pictures that answer it: do not show them.")
	case media:
		rules = append(rules, "The files of its `media`, in that order.")
	case !talks:
		rules, tables = append(rules, "The `scenario` of its task in table `tasks`."), []string{pipeline.TableTasks}
	}
	if media {
		tables = append([]string{pipeline.TableMedia}, tables...)
	}
	return tables, rules
}

// splitPath returns the path of the only file of a split, or a pattern of all.
func splitPath(shards []manifest.SplitInfo) string {
	if len(shards) == 1 {
		return shards[0].Path
	}
	return strings.Replace(shards[0].Path, "-00000-of-", "-*-of-", 1)
}

func splitPaths(t manifest.TableInfo) (out []manifest.SplitInfo) {
	for _, shards := range manifest.GroupBySplit(t.Splits) {
		out = append(out, manifest.SplitInfo{Split: shards[0].Split, Path: splitPath(shards)})
	}
	return out
}

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
		switch n := all[id].Media; {
		case rel.Manifest.References(id):
			fmt.Fprintf(&b, "\nThis licence forbids shipping. %s referenced by digest and recipe, and not part of the release; of the sources it holds ids, digests and names of files, and labels, no texts.\n", count(n, "media file"))
		case n > 0:
			fmt.Fprintf(&b, "- %s: column `license` of table `media` says which\n", count(n, "media file"))
		}
	}
	return b.String()
}

func (rel Release) changelog() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s## %s\n\n", changesHead, rel.Manifest.Version)
	if rel.Manifest.Previous == "" {
		fmt.Fprintf(&b, "First release: %s, %s, %s.\n", rel.countRows(pipeline.TableQuestions, "question"),
			rel.countRows(pipeline.TableTasks, "task"), rel.countRows(pipeline.TableMedia, "media file"))
		return b.String()
	}
	fmt.Fprintf(&b, "Compared with %s", rel.Manifest.Previous)
	if rel.Changes.Differs() {
		fmt.Fprintf(&b, "; the changes ask for a %s version", rel.Changes.Asks)
	}
	b.WriteString(":\n\n")
	for _, t := range rel.Changes.Tables {
		if how := rel.changedHow(t.Table); t.Before+t.After > 0 || how != "" {
			fmt.Fprintf(&b, "- %s: %d added, %d gone, %d changed%s, %d the same\n", t.Table, t.Added, t.Gone, t.Changed, how, t.Same)
		}
	}
	b.WriteString("\n" + rel.PreviousChanges)
	return b.String()
}

// changedHow says what changed in the rows of a table, and in its columns.
func (rel Release) changedHow(table string) string {
	var parts []string
	for _, c := range rel.Changes.Changes {
		if c.Table == table && c.Name() != string(c.Kind) {
			parts = append(parts, fmt.Sprintf("%s %d", c.Name(), c.Rows))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// markdown makes text safe in a table cell or paragraph of the card.
func markdown(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ", "<", "&lt;", ">", "&gt;", "&", "&amp;", "`", "'", "[", "\\[", "]", "\\]").Replace(s)
}

// plainLine makes text safe in a line of a code block.
func plainLine(s string) string {
	return strings.NewReplacer("\n", " ", "\r", " ", "`", "'", "<", "", ">", "").Replace(s)
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

func (rel Release) countRows(table, what string) string { return count(int(rel.rows(table)), what) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

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

// toolLines lists tools with their versions, sorted. Most versions begin with the tool's
// name.
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

const shownFiles = 500

type fileRow struct{ Source, Path, Code, Text, Step string }

type fileList struct {
	Rows []fileRow
	More int
}

func (l *fileList) add(r fileRow) {
	if len(l.Rows) == shownFiles {
		l.More++
		return
	}
	l.Rows = append(l.Rows, r)
}

// refusedFiles lists the files of sources that became nothing, or less than they might
// have. What a gate dropped is no fault of a file.
func (rel Release) refusedFiles() (list fileList) {
	kinds := map[string]string{}
	for _, row := range rel.Manifest.RecordCounts {
		kinds[row.Step] = row.Kind
	}
	all := slices.Clone(rel.Rejections)
	slices.SortFunc(all, func(a, b schemas.Rejection) int {
		return slices.Compare([]string{a.Source, a.Path, a.Stage, a.Code, a.ID}, []string{b.Source, b.Path, b.Stage, b.Code, b.ID})
	})
	for _, r := range all {
		if r.Path != "" && kinds[r.Stage] != "gate" {
			list.add(fileRow{r.Source, r.Path, r.Code, r.Reason, r.Stage})
		}
	}
	return list
}

func (rel Release) notedFiles() (list fileList) {
	all := slices.Clone(rel.Sources)
	slices.SortFunc(all, func(a, b schemas.Source) int { return slices.Compare([]string{a.ID, a.Path}, []string{b.ID, b.Path}) })
	for _, s := range all {
		for _, n := range s.Notes {
			list.add(fileRow{s.ID, s.Path, n.Code, n.Text, n.Item})
		}
	}
	return list
}

func joinCounts(counts []manifest.ReasonCount) string {
	parts := make([]string, len(counts))
	for i, c := range counts {
		parts[i] = fmt.Sprintf("%s %d", c.Code, c.Count)
	}
	return strings.Join(parts, ", ")
}
