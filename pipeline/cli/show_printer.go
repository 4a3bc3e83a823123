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
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/inspect"
)

// printer writes what is shown as text or as JSON lines, and media to a folder if
// one is named. It remembers the first failed write.
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
	p.printf("%s %s: %s %s%s\n%d records given, %d rejected\n", n.Identity.Kind, n.Name, n.Identity.Use, n.Identity.Version, of, given, lost)
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
	verb := "lost"
	if r.Flagged {
		verb = "flagged"
	}
	p.printf("\n%s  %s by %s: %s: %s\n", r.ID, verb, node, r.Code, r.Reason)
}

// printPlace says what a node had to do with the record.
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

// printRequest shows what is put to a model.
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
		p.printf("\n%s asks no model for what is shown\n", node)
	case waits:
		p.printf("\n%s would ask more once these are answered\n", node)
	}
}

// saveBlobs copies blobs to the folder for files, under a name that says what they are
// of and with the extension of their bytes.
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

// extension tells the formats that memforge puts into a store from their first
// bytes.
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

// fileName leaves only what is safe in the name of a file: ids may hold anything.
func fileName(id string) string {
	safe := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}
	return strings.Map(safe, id[:min(len(id), 100)])
}
