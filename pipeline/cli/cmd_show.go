package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/inspect"
)

type showCmd struct {
	What    string `arg:"" name:"step|id" completion:"steps" help:"Name of a step, or id of a record."`
	Most    int    `default:"3" placeholder:"N" help:"Show so many records and rejections, and the prompts for so many records (${default}); 0 shows all."`
	Prompts bool   `help:"Show the current prompts for models. Nothing is sent or recorded."`
	Save    string `placeholder:"DIR" help:"Write the pictures and other media of shown records to this folder."`
	JSON    bool   `name:"json" help:"Print JSON lines: records, rejections and requests."`
}

func (showCmd) Help() string {
	return `For a step, shows its output and its rejections in the newest build that ran it. For a
record, shows its contents, and which steps emitted, read or rejected it. With --prompts
the step runs once more over its input, to collect its prompts: the built-in model
answers its roles, for other models only recorded answers are used. So a step that was
never built can be inspected, if its inputs were built.

To inspect prompts before paying, for example:
  memforge build --only segment --limit 2
  memforge show describe --prompts --save /tmp/seen

Examples:
  memforge show pair
  memforge show q-0123456789abcdef --prompts
  memforge show blind --json --most 0`
}

// viewer is one run of the command.
type viewer struct {
	*showCmd
	e     *env
	cfg   *config.Config
	book  *inspect.Inspector
	store pipeline.Store
	print printer
}

func (c showCmd) Run(e *env) (err error) {
	if c.Most < 0 {
		return &usageError{fmt.Errorf("--most %d: want a number, or 0 for all", c.Most)}
	}
	cfg, err := e.load()
	if err != nil {
		return err
	}
	st, err := readStore(e, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	book, err := inspect.Open(e, st)
	if err != nil {
		return err
	}
	s := viewer{showCmd: &c, e: e, cfg: cfg, book: book, store: st, print: newPrinter(e.out, c.JSON, c.Save)}
	planned := slices.ContainsFunc(cfg.Plan.Steps, func(n engine.Step) bool { return n.Name == c.What })
	if made, ok := book.Step(c.What); ok {
		return s.showStep(made)
	}
	if planned && c.Prompts {
		return s.showPrompts(c.What, s.readInputs)
	}
	if planned {
		return &inputError{fmt.Errorf("no build has run step %s; `memforge build --only %s` does, and --prompts shows its prompts", c.What, c.What)}
	}
	return s.showRecord()
}

func limitShown[T any](c *showCmd, all []T) []T {
	if c.Most == 0 {
		return all
	}
	return all[:min(c.Most, len(all))]
}

func (s *viewer) showStep(n inspect.Step) error {
	given, err := s.book.Outputs(s.e, n.Name)
	if err != nil {
		return err
	}
	lost, err := s.book.Rejections(s.e, n.Name)
	if err != nil {
		return err
	}
	s.print.printStep(n, len(given), len(lost))
	recs, err := s.book.Records(s.e, limitShown(s.showCmd, given))
	if err != nil {
		return err
	}
	for _, r := range recs {
		if err := s.print.printRecord(s.e, s.store, r); err != nil {
			return err
		}
	}
	s.print.printMore(len(given)-len(recs), "records")
	shown := limitShown(s.showCmd, lost)
	for _, r := range shown {
		s.print.printRejection(n.Name, r)
	}
	s.print.printMore(len(lost)-len(shown), "rejections")
	if !s.Prompts {
		return s.print.err
	}
	return s.showPrompts(n.Name, s.readInputs)
}

func (s *viewer) showRecord() error {
	places, err := s.book.PlacesOf(s.e, s.What)
	if err != nil {
		return err
	}
	seen := map[pipeline.Digest]bool{}
	for _, p := range places {
		s.print.printPlace(p)
		if p.Given == nil || seen[p.Given.Digest] {
			continue
		}
		seen[p.Given.Digest] = true
		recs, err := s.book.Records(s.e, []pipeline.Ref{*p.Given})
		if err != nil {
			return err
		}
		if err := s.print.printRecord(s.e, s.store, recs[0]); err != nil {
			return err
		}
	}
	for _, p := range places {
		if !s.Prompts || len(p.Node.Identity.Prompts) == 0 {
			continue
		}
		inputs := s.readInputs
		if p.Unit.In.ID != "" {
			inputs = func(engine.Step) ([]pipeline.Ref, error) { return []pipeline.Ref{p.Unit.In}, nil }
		}
		if err := s.showPrompts(p.Node.Name, inputs); err != nil {
			return err
		}
	}
	return s.print.err
}

// readInputs returns the records that a step reads, as far as they are shown.
func (s *viewer) readInputs(step engine.Step) ([]pipeline.Ref, error) {
	var in []pipeline.Ref
	for _, up := range step.From {
		if _, ok := s.book.Step(up); !ok {
			return nil, &inputError{fmt.Errorf("step %s reads %s, which no build has run; run `memforge build --only %s` first", step.Name, up, up)}
		}
		given, err := s.book.Outputs(s.e, up)
		if err != nil {
			return nil, err
		}
		for _, r := range given {
			if slices.Contains(step.Spec.Accepts, r.Schema) && !slices.Contains(in, r) {
				in = append(in, r)
			}
		}
	}
	if step.Each {
		in = limitShown(s.showCmd, in)
	}
	slices.SortFunc(in, func(a, b pipeline.Ref) int { return strings.Compare(a.ID, b.ID) })
	return in, nil
}

// showPrompts shows what a step asks models for its inputs.
func (s *viewer) showPrompts(node string, inputs func(engine.Step) ([]pipeline.Ref, error)) (err error) {
	r, err := assemble.DryRun(s.e, s.e.reg, s.cfg, s.store, node, inputs, assemble.Options{Getenv: s.e.getenv})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for i, q := range r.Requests {
		if err := s.print.printRequest(s.e, r.Store, node, i, q); err != nil {
			return err
		}
	}
	s.print.printAsked(node, len(r.Requests), r.Waits)
	return s.print.err
}

// printer writes text or JSON lines, and media to a folder if one is named. It
// remembers the first failed write.
type printer struct {
	out   io.Writer
	json  bool
	files string
	err   error
}

func newPrinter(out io.Writer, asJSON bool, files string) printer {
	return printer{out: out, json: asJSON, files: files}
}

func (p *printer) printf(format string, args ...any) {
	if _, err := fmt.Fprintf(p.out, format, args...); p.err == nil {
		p.err = err
	}
}

// printJSON writes one JSON line: v under its kind.
func (p *printer) printJSON(kind string, v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]any{kind: v}); err != nil {
		p.err = errors.Join(p.err, err)
		return
	}
	p.printf("%s", b.Bytes())
}

func (p *printer) printStep(n inspect.Step, given, lost int) {
	if p.json {
		p.printJSON("node", map[string]any{"name": n.Name, "kind": n.Identity.Kind, "use": n.Identity.Use, "version": n.Identity.Version, "trial": n.Trial, "given": given, "rejected": lost})
		return
	}
	of := ""
	if n.Trial != "" {
		of = " (of a build without a release: " + n.Trial + ")"
	}
	p.printf("%s %s: %s %s%s\n%d records emitted, %d rejected\n", n.Identity.Kind, n.Name, n.Identity.Use, n.Identity.Version, of, given, lost)
}

func (p *printer) printMore(n int, what string) {
	if n > 0 && !p.json {
		p.printf("\n... and %d more %s (--most 0 shows all)\n", n, what)
	}
}

func (p *printer) printRecord(ctx context.Context, st pipeline.Store, r pipeline.Record) error {
	if p.json {
		p.printJSON("record", r)
		return p.saveBlobs(ctx, st, r.ID, r.Blobs)
	}
	var data bytes.Buffer
	if err := json.Indent(&data, r.Data, "", "  "); err != nil {
		return fmt.Errorf("record %s: %w", r.ID, err)
	}
	p.printf("\n%s  %s\n%s\n", r.ID, r.Schema, data.Bytes())
	return p.saveBlobs(ctx, st, r.ID, r.Blobs)
}

func (p *printer) printRejection(node string, r pipeline.Rejection) {
	if p.json {
		p.printJSON("rejection", map[string]any{"node": node, "id": r.ID, "code": r.Code, "reason": r.Reason, "flagged": r.Flagged})
		return
	}
	verb := "rejected"
	if r.Flagged {
		verb = "flagged"
	}
	p.printf("\n%s  %s by %s: %s\n", r.ID, verb, node, r.Message())
}

// printPlace says what a step did with the record.
func (p *printer) printPlace(at inspect.Place) {
	if at.Lost != nil {
		p.printRejection(at.Node.Name, *at.Lost)
		return
	}
	verb := "read"
	if at.Given != nil {
		verb = "given"
	}
	if p.json {
		p.printJSON("place", map[string]any{"node": at.Node.Name, "did": verb, "trial": at.Node.Trial})
		return
	}
	p.printf("%s by %s %s\n", verb, at.Node.Identity.Kind, at.Node.Name)
}

func (p *printer) printRequest(ctx context.Context, st pipeline.Store, node string, i int, q assemble.PlannedRequest) error {
	name := fmt.Sprintf("%s-request-%d", node, i+1)
	if p.json {
		p.printJSON("request", map[string]any{"node": node, "item": q.Item, "role": q.Role, "task": q.Task, "model": q.Model,
			"system": q.System(), "user": q.User(), "images": q.Images(), "schema": q.Schema, "sample": q.Sample})
		return p.saveBlobs(ctx, st, name, q.Images())
	}
	p.printf("\n--- request %d of %s", i+1, node)
	if q.Item != "" {
		p.printf(", record %s", q.Item)
	}
	p.printf(": %s asks %s (%s), %d pictures\n", q.Task, q.Model, q.Role, len(q.Images()))
	if q.System() != "" {
		p.printf("[system]\n%s\n", strings.TrimSpace(q.System()))
	}
	p.printf("[user]\n%s\n", strings.TrimSpace(q.User()))
	return p.saveBlobs(ctx, st, name, q.Images())
}

func (p *printer) printAsked(node string, n int, waits bool) {
	switch {
	case p.json:
	case n == 0:
		p.printf("\n%s asks no model about what is shown\n", node)
	case waits:
		p.printf("\n%s asks more once these are answered\n", node)
	}
}

// saveBlobs copies blobs to the folder for files, named after their record and with the
// extension of their bytes.
func (p *printer) saveBlobs(ctx context.Context, st pipeline.Store, name string, blobs []pipeline.Digest) error {
	if p.files == "" {
		return p.err
	}
	if err := os.MkdirAll(p.files, 0o755); err != nil {
		return fmt.Errorf("--save: %w", err)
	}
	for i, d := range blobs {
		f, err := st.OpenBlob(ctx, d)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		path, err := saveAs(f, filepath.Join(p.files, fmt.Sprintf("%s-%d", fileName(name), i+1)))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !p.json {
			p.printf("file %s\n", shortPath(path))
		}
	}
	return p.err
}

// saveAs writes to base and an extension that fits the bytes.
func saveAs(r io.ReadCloser, base string) (path string, err error) {
	defer func() { err = errors.Join(err, r.Close()) }()
	head := make([]byte, 12)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return "", err
	}
	path = base + extension(head[:n])
	out, err := os.Create(path)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, io.MultiReader(bytes.NewReader(head[:n]), r))
	return path, errors.Join(err, out.Close())
}

// extension tells the formats in a store from their first bytes.
func extension(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG")):
		return ".png"
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return ".jpg"
	case len(head) >= 8 && string(head[4:8]) == "ftyp":
		return ".mp4"
	case bytes.HasPrefix(head, []byte("\x1a\x45\xdf\xa3")):
		return ".mkv"
	case bytes.HasPrefix(head, []byte("RIFF")):
		return ".avi"
	case bytes.HasPrefix(head, []byte("{")), bytes.HasPrefix(head, []byte("[")):
		return ".json"
	}
	return ".bin"
}

// fileName replaces what is unsafe in the name of a file: ids may hold anything.
func fileName(id string) string {
	safe := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}
	return strings.Map(safe, id[:min(len(id), 100)])
}
