// Package batch moves pending requests out as OpenAI Batch JSONL files and takes
// results in: for half the price, or to a model without a network. A person can
// answer a file too. Nothing here needs a network but Submit and Poll.
package batch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/wire"
)

// Limits of one file.
type Limits struct {
	Lines int
	Bytes int64
}

// DefaultLimits are OpenAI's.
var DefaultLimits = Limits{Lines: 50_000, Bytes: 200 << 20}

// File is a batch file that was written.
type File struct {
	Path string
	// Name of the model in pipeline.yaml.
	Name     string
	Requests int
}

// line is one request of a batch file.
type line struct {
	CustomID pipeline.Key    `json:"custom_id"`
	Method   string          `json:"method"`
	URL      string          `json:"url"`
	Body     json.RawMessage `json:"body"`
}

// Export writes what waits to files in dir, in the order of keys: per model and
// endpoint one file or, where the limits want it, several.
func Export(ctx context.Context, l *ledger.Ledger, dir string, limits Limits) ([]File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("export batch: %w", err)
	}
	x := exporter{dir: dir, limits: limits, open: map[string]*part{}}
	err := l.EachPending(ctx, x.add)
	for _, p := range x.open {
		err = errors.Join(err, p.close())
	}
	if err != nil {
		return nil, fmt.Errorf("export batch: %w", err)
	}
	return x.files(), nil
}

type exporter struct {
	dir    string
	limits Limits
	open   map[string]*part // by model and kind
	done   []*part
}

// part is one file being written.
type part struct {
	File
	file  *os.File
	buf   *bufio.Writer
	bytes int64
}

func (x *exporter) add(p ledger.Pending) error {
	url, kind := wire.ChatEndpoint, p.Name
	if p.Request.Task == pipeline.EmbedTask {
		url, kind = wire.EmbeddingEndpoint, p.Name+"-embeddings"
	}
	raw, err := json.Marshal(line{CustomID: p.Key, Method: "POST", URL: url, Body: p.Body})
	if err != nil {
		return err
	}
	size := int64(len(raw)) + 1
	if size > x.limits.Bytes {
		return fmt.Errorf("request %s for %s has %d bytes, more than a batch file may (%d); send fewer or smaller images", p.Key, p.Item, size, x.limits.Bytes)
	}
	out, err := x.part(kind, p.Name, size)
	if err != nil {
		return err
	}
	out.Requests++
	out.bytes += size
	_, err = out.buf.Write(append(raw, '\n'))
	return err
}

// part is the file that the next line of a kind goes to.
func (x *exporter) part(kind, name string, size int64) (*part, error) {
	p := x.open[kind]
	if p != nil && p.Requests < x.limits.Lines && p.bytes+size <= x.limits.Bytes {
		return p, nil
	}
	if p != nil {
		if err := p.close(); err != nil {
			return nil, err
		}
	}
	n := 1
	for _, d := range x.done {
		if d.Name == name {
			n++
		}
	}
	path := filepath.Join(x.dir, fmt.Sprintf("%s-%04d.jsonl", kind, n))
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	p = &part{File: File{Path: path, Name: name}, file: f, buf: bufio.NewWriter(f)}
	x.open[kind], x.done = p, append(x.done, p)
	return p, nil
}

func (p *part) close() error {
	return errors.Join(p.buf.Flush(), p.file.Sync(), p.file.Close())
}

func (x *exporter) files() []File {
	files := make([]File, len(x.done))
	for i, p := range x.done {
		files[i] = p.File
	}
	return files
}

// Imported counts what an import did.
type Imported struct {
	// Answered were recorded. Failed and expired ones stay pending, Unknown ones
	// are answers to requests that do not wait (any more).
	Answered, Failed, Unknown int
	// Reason of the first failure.
	Reason string
}

func (i *Imported) fail(reason string) {
	i.Failed++
	if i.Reason == "" {
		i.Reason = reason
	}
}

// result is one line of a batch's output or error file.
type result struct {
	CustomID string `json:"custom_id"`
	Response *struct {
		Status int             `json:"status_code"`
		Body   json.RawMessage `json:"body"`
	} `json:"response"`
	Error json.RawMessage `json:"error"`
}

// maxLine bounds a line of results.
const maxLine = 64 << 20

// Import records the answers of a results file, whatever their order. A line
// that is no result ends it; what stands before is kept.
func Import(ctx context.Context, l *ledger.Ledger, r io.Reader) (Imported, error) {
	var done Imported
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		raw := bytes.TrimSpace(lines.Bytes())
		if len(raw) == 0 {
			continue
		}
		var res result
		if err := json.Unmarshal(raw, &res); err != nil {
			return done, fmt.Errorf("import batch: line %d: %w", n, err)
		}
		if err := take(ctx, l, res, &done); err != nil {
			return done, fmt.Errorf("import batch: line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return done, fmt.Errorf("import batch: %w", err)
	}
	return done, nil
}

func take(ctx context.Context, l *ledger.Ledger, res result, done *Imported) error {
	if _, err := pipeline.ParseDigest(res.CustomID); err != nil {
		done.Unknown++
		return nil
	}
	p, ok, err := l.PendingOf(ctx, pipeline.Key(res.CustomID))
	if err != nil {
		return err
	}
	if !ok {
		done.Unknown++
		return nil
	}
	if res.Response == nil || res.Response.Status != 0 && res.Response.Status != 200 {
		done.fail(failure(res))
		return nil
	}
	reply, err := read(p.Request, res.Response.Body)
	if err != nil {
		done.fail(err.Error())
		return nil
	}
	done.Answered++
	return l.Put(ctx, ledger.Entry{Key: p.Key, Node: p.Node, Item: p.Item, Request: p.Request, Reply: reply})
}

func failure(res result) string {
	if res.Response != nil {
		return fmt.Sprintf("status %d: %s", res.Response.Status, clip(res.Response.Body))
	}
	return clip(res.Error)
}

func clip(b []byte) string {
	const most = 200
	if len(b) > most {
		b = b[:most]
	}
	return string(bytes.ToValidUTF8(b, []byte("?")))
}

func read(q ledger.Request, body []byte) (ledger.Reply, error) {
	if q.Task == pipeline.EmbedTask {
		vectors, usage, err := wire.ReadEmbeddings(body, 1)
		if err != nil {
			return ledger.Reply{}, err
		}
		return ledger.Reply{Outcome: model.OK, Vector: ledger.PackVector(vectors[0]), Usage: usage}, nil
	}
	said, err := wire.ReadBody(body)
	if err != nil {
		return ledger.Reply{}, err
	}
	return ledger.Reply{
		Outcome: said.Outcome, Text: said.Text, Detail: said.Detail,
		Model: said.Model, Fingerprint: said.Fingerprint, Usage: said.Usage,
	}, nil
}
