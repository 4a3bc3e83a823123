// Package batch moves pending requests out as OpenAI Batch JSONL files and takes
// results in: for half the price, or to a model without a network. A person can
// answer a file too. Nothing here needs a network but Submit and Poll.
package batch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
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

type line struct {
	CustomID pipeline.Key    `json:"custom_id"`
	Method   string          `json:"method"`
	URL      string          `json:"url"`
	Body     json.RawMessage `json:"body"`
}

// Exported is what an export wrote.
type Exported struct {
	Files []File
	// Index is the file that says what each request is about.
	Index string
	// Pictures is how many files with pictures there are.
	Pictures int
	// PerStep counts the requests of each step.
	PerStep map[string]int
	// TooLarge are requests that fit into no file; they were left out.
	TooLarge []TooLarge
}

// TooLarge is a request that is larger than a file may be.
type TooLarge struct {
	Key   pipeline.Key
	Item  string
	Bytes int64
}

// Export writes what waits and is in no batch to files in dir, in the order of
// keys: per model and endpoint one file or, where the limits want it, several.
// Beside them stand an index that people can read and the pictures as files.
func Export(ctx context.Context, l *ledger.Ledger, dir string, limits Limits) (Exported, error) {
	if err := atomicfile.MakeFolder(dir, 0o755); err != nil {
		return Exported{}, fmt.Errorf("export batch: %w", err)
	}
	x := exporter{dir: dir, limits: limits, open: map[string]*outputFile{}, steps: map[string]int{}, index: index{dir: dir}}
	err := l.EachPending(ctx, x.add)
	for _, p := range x.open {
		err = errors.Join(err, p.close())
	}
	if err = errors.Join(err, x.index.close()); err != nil {
		return Exported{}, fmt.Errorf("export batch: %w", err)
	}
	return Exported{Files: x.files(), Index: x.index.path(), Pictures: len(x.index.pictures), PerStep: x.steps, TooLarge: x.large}, nil
}

type exporter struct {
	dir    string
	limits Limits
	open   map[string]*outputFile // by model and kind
	done   []*outputFile
	large  []TooLarge
	steps  map[string]int
	index  index
}

type outputFile struct {
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
		x.large = append(x.large, TooLarge{Key: p.Key, Item: p.Item, Bytes: size})
		return nil
	}
	out, err := x.outputFor(kind, p.Name, size)
	if err != nil {
		return err
	}
	out.Requests++
	x.steps[p.Step]++
	out.bytes += size
	if _, err = out.buf.Write(append(raw, '\n')); err != nil {
		return err
	}
	return x.index.add(p, filepath.Base(out.Path), out.Requests)
}

func (x *exporter) outputFor(kind, name string, size int64) (*outputFile, error) {
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
	p = &outputFile{File: File{Path: path, Name: name}, file: f, buf: bufio.NewWriter(f)}
	x.open[kind], x.done = p, append(x.done, p)
	return p, nil
}

func (p *outputFile) close() error {
	return errors.Join(p.buf.Flush(), atomicfile.Close(p.file))
}

func (x *exporter) files() []File {
	files := make([]File, len(x.done))
	for i, p := range x.done {
		files[i] = p.File
	}
	return files
}
