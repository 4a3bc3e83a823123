package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/diff"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

type diffCmd struct {
	releaseFlags `embed:""`

	Before   string `arg:"" optional:"" help:"Folder of a release, or a version in the folder of the configuration; by default the version before the newest."`
	After    string `arg:"" optional:"" help:"The release to compare with it; by default the newest."`
	JSON     bool   `name:"json" help:"Print all changes as JSON."`
	Page     string `placeholder:"FILE" help:"Write an HTML page, which opens offline."`
	Stat     bool   `help:"Print the counts alone."`
	Most     int    `default:"10" placeholder:"N" help:"Print so many changes of a class (${default}); 0 prints all."`
	ExitCode bool   `help:"End with code 12 if there is any change."`
}

func (diffCmd) Help() string {
	return `Compares two releases row by row: questions added, gone, with other gold, wording,
options, evidence, media, place or labels; likewise tasks, sessions, turns, memory points
and tables of plugins; and verdicts and calls of gates. Media are compared by digest.
Each change asks for a part of the version number, and the last line holds the version of
the second release against that: builds refuse one that is too small, see
release.version_rule.

Examples:
  memforge diff
  memforge diff 1.0.0 1.1.0
  memforge diff old/demo/1.0.0 out/releases/demo/1.1.0 --page changes.html
  memforge diff 1.0.0 --stat --exit-code`
}

func (c diffCmd) Run(e *env) error {
	if c.Most < 0 {
		return &usageError{fmt.Errorf("--most %d: want a number, or 0 for all", c.Most)}
	}
	if c.JSON && c.Stat {
		return &usageError{errors.New("--json and --stat exclude each other: the JSON ends with the counts")}
	}
	before, after, err := c.releases(e)
	if err != nil {
		return err
	}
	var page *diff.Page
	if c.Page != "" {
		page = &diff.Page{}
	}
	out := newDiffPrinter(e, c)
	sum, err := diff.Releases(e, before, after, func(ch diff.Change) error {
		if page != nil {
			return errors.Join(page.Add(ch), out.change(ch))
		}
		return out.change(ch)
	})
	if err = errors.Join(err, out.end(sum, err)); err != nil {
		return err
	}
	if page != nil {
		if err := writePage(c.Page, page, sum); err != nil {
			return err
		}
	}
	if c.ExitCode && sum.Differs() {
		return &differsError{fmt.Sprintf("the releases differ: %d kinds of change", len(sum.Changes))}
	}
	return nil
}

// differsError says that releases differ where that was asked.
type differsError struct{ text string }

func (e *differsError) Error() string { return e.text }

func writePage(name string, page *diff.Page, sum diff.Summary) error {
	f, err := os.Create(name)
	if err != nil {
		return &inputError{fmt.Errorf("--page: %w", err)}
	}
	w := bufio.NewWriter(f)
	return errors.Join(page.Write(w, sum), w.Flush(), f.Close())
}

// releases opens the two releases that are named.
func (c diffCmd) releases(e *env) (before, after diff.Release, err error) {
	dirs := []string{c.Before, c.After}
	if err := c.findVersions(e, dirs); err != nil {
		return before, after, err
	}
	opened := make([]diff.Release, len(dirs))
	for i, dir := range dirs {
		if err := checkReleaseDir("diff", dir); err != nil {
			return before, after, err
		}
		if opened[i], err = c.limits().OpenTables(e, dir); err != nil {
			return before, after, err
		}
	}
	return opened[0], opened[1], nil
}

// findVersions replaces versions by their folders, and fills in what is not named.
func (c diffCmd) findVersions(e *env, dirs []string) error {
	isVersion := func(s string) bool { _, err := manifest.ParseVersion(s); return err == nil || s == "" }
	if !isVersion(dirs[0]) && !isVersion(dirs[1]) {
		return nil
	}
	cfg, err := e.load()
	if err != nil {
		return err
	}
	home := filepath.Join(cfg.ReleasesDir(), cfg.Plan.Release.Name)
	for i, d := range dirs {
		if d != "" && isVersion(d) {
			dirs[i] = filepath.Join(home, d)
		}
	}
	if dirs[1] != "" {
		return nil
	}
	newest, err := newestReleases(cfg)
	if err != nil {
		return err
	}
	if need := 2; len(newest) < need && dirs[0] == "" || len(newest) == 0 {
		return &inputError{fmt.Errorf("diff: %s has %d %s of %s; name two releases, or build another", home, len(newest), map[bool]string{true: "version", false: "versions"}[len(newest) == 1], cfg.Plan.Release.Name)}
	}
	dirs[1] = newest[len(newest)-1].Dir
	if dirs[0] == "" {
		dirs[0] = newest[len(newest)-2].Dir
	}
	return nil
}

// newestReleases returns the releases of a configuration's name, the newest last.
func newestReleases(cfg *config.Config) (out []release.Info, err error) {
	all, err := release.List(cfg.ReleasesDir())
	for _, info := range all {
		if info.Manifest.Name == cfg.Plan.Release.Name {
			out = append(out, info)
		}
	}
	return out, err
}

// diffPrinter prints changes as they come, and the counts behind them.
type diffPrinter struct {
	diffCmd
	out   io.Writer
	shown map[string]int // by table and classes
	n     int
}

func newDiffPrinter(e *env, c diffCmd) *diffPrinter {
	return &diffPrinter{diffCmd: c, out: e.out, shown: map[string]int{}}
}

func (p *diffPrinter) change(ch diff.Change) error {
	switch {
	case p.JSON:
		return p.changeJSON(ch)
	case p.Stat:
		return nil
	}
	var names []string
	for _, class := range ch.Classes {
		names = append(names, diff.Name(ch.Kind, class))
	}
	kind := ch.Table + ": " + strings.Join(names, ", ")
	if p.shown[kind]++; p.Most > 0 && p.shown[kind] > p.Most {
		return nil
	}
	id := ch.ID
	if len(ch.Key) > 0 {
		id = strings.Trim(fmt.Sprint(ch.Key), "[]")
	}
	safetext.Fprintf(p.out, "%s  %s\n", kind, id)
	if ch.About != "" {
		safetext.Fprintf(p.out, "    %s\n", ch.About)
	}
	for _, f := range ch.Fields {
		safetext.Fprintf(p.out, "    %s: %s -> %s\n", f.Path, formatValue(f.Before), formatValue(f.After))
	}
	return nil
}

// formatValue returns a value as JSON, cut where it is long.
func formatValue(v any) string {
	const most = 300
	b, err := marshalPlain(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(b) > most {
		return string(bytes.ToValidUTF8(b[:most], nil)) + "…"
	}
	return string(b)
}

func marshalPlain(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

func (p *diffPrinter) changeJSON(ch diff.Change) error {
	b, err := marshalPlain(ch)
	if err != nil {
		return err
	}
	lead := ",\n"
	if p.n == 0 {
		lead = "{\"changes\": [\n"
	}
	p.n++
	_, err = fmt.Fprintf(p.out, "%s  %s", lead, b)
	return err
}

// end prints the counts, unless the comparison failed.
func (p *diffPrinter) end(sum diff.Summary, failed error) error {
	if failed != nil {
		return nil
	}
	rule, applies := sum.Rule()
	if p.JSON {
		return p.endJSON(sum, rule, applies)
	}
	if p.leftOut() {
		fmt.Fprintln(p.out, "... and more: --most 0 prints all changes, --json too")
	}
	if p.n = len(p.shown); p.n > 0 {
		fmt.Fprintln(p.out)
	}
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ASKS FOR\tTABLE\tCHANGE\tROWS")
	for _, c := range sum.Changes {
		safetext.Fprintf(w, "%s\t%s\t%s\t%d\n", c.Asks.String(), c.Table, c.Name(), c.Rows)
	}
	for _, t := range sum.Tables {
		if t.Same > 0 {
			safetext.Fprintf(w, "-\t%s\tthe same\t%d\n", t.Table, t.Same)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	safetext.Fprintf(p.out, "\n%s\n", verdictOnVersion(sum, rule, applies))
	return nil
}

func (p *diffPrinter) leftOut() bool {
	for _, n := range p.shown {
		if p.Most > 0 && n > p.Most {
			return true
		}
	}
	return false
}

func (p *diffPrinter) endJSON(sum diff.Summary, rule diff.Rule, applies bool) error {
	lead := "\n],\n"
	if p.n == 0 {
		lead = "{\"changes\": [],\n"
	}
	counts, err := marshalPlain(sum)
	if err != nil {
		return err
	}
	held := []byte("null")
	if applies {
		if held, err = marshalPlain(rule); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(p.out, "%s\"summary\": %s,\n\"rule\": %s}\n", lead, counts, held)
	return err
}

// verdictOnVersion says what the version rule makes of the two.
func verdictOnVersion(sum diff.Summary, rule diff.Rule, applies bool) string {
	pair := fmt.Sprintf("%s %s and %s", sum.Before.Name, sum.Before.Version, sum.After.Version)
	if sum.Before.Name != sum.After.Name {
		pair = fmt.Sprintf("%s %s and %s %s", sum.Before.Name, sum.Before.Version, sum.After.Name, sum.After.Version)
	}
	switch {
	case !sum.Differs():
		return pair + ": no change"
	case !applies:
		return fmt.Sprintf("%s: the changes ask for a %s version", pair, sum.Asks)
	case rule.Kept:
		return fmt.Sprintf("%s: the changes ask for %s", pair, rule.Least)
	}
	return fmt.Sprintf("%s: %s is too small, the changes ask for %s", pair, rule.Stated, rule.Least)
}
