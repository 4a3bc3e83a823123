package batch

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/model/ledger"
)

// Names beside the files of an export. The index must not look like one of them
// to who submits *.jsonl.
const (
	Index    = "index.ndjson"
	Pictures = "pictures"
)

type indexEntry struct {
	CustomID pipeline.Key `json:"custom_id"`
	File     string       `json:"file"`
	Line     int          `json:"line"`
	Model    string       `json:"model"`
	Node     string       `json:"node"`
	Task     string       `json:"task"`
	Item     string       `json:"item"`
	// Question is what is asked: all but the system message, or the text to embed.
	Question string `json:"question"`
	// Pictures are the files that are shown, in order.
	Pictures []string `json:"pictures"`
}

type index struct {
	dir      string
	file     *os.File
	buf      *bufio.Writer
	pictures map[string]bool
}

func (x *index) path() string { return filepath.Join(x.dir, Index) }

func (x *index) add(p ledger.Pending, file string, line int) error {
	if x.file == nil {
		if err := x.open(); err != nil {
			return err
		}
	}
	e := indexEntry{
		CustomID: p.Key, File: file, Line: line, Model: p.Name, Node: p.Step, Task: p.Request.Task, Item: p.Item,
		Question: requestText(p.Request), Pictures: []string{},
	}
	images, err := imageURLs(p)
	if err != nil {
		return err
	}
	for _, url := range images {
		name, err := x.writePicture(url)
		if err != nil {
			return fmt.Errorf("request %s for %s: %w", p.Key, p.Item, err)
		}
		e.Pictures = append(e.Pictures, name)
	}
	enc := json.NewEncoder(x.buf)
	enc.SetEscapeHTML(false)
	return enc.Encode(e)
}

func (x *index) open() error {
	if err := atomicfile.MakeFolder(filepath.Join(x.dir, Pictures), 0o755); err != nil {
		return err
	}
	f, err := os.Create(x.path())
	if err != nil {
		return err
	}
	x.file, x.buf, x.pictures = f, bufio.NewWriter(f), map[string]bool{}
	return nil
}

func (x *index) close() error {
	if x.file == nil {
		return nil
	}
	return errors.Join(x.buf.Flush(), atomicfile.Close(x.file))
}

func requestText(r pipeline.Request) string {
	if r.Task == pipeline.EmbedTask {
		return r.Text
	}
	var texts []string
	for _, m := range r.Messages {
		if m.Role != "system" {
			texts = append(texts, m.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// imageURLs are the pictures in a request's body, as data URLs.
func imageURLs(p ledger.Pending) (urls []string, err error) {
	images := 0
	for _, m := range p.Request.Messages {
		images += len(m.Images)
	}
	if images == 0 {
		return nil, nil
	}
	var body struct {
		Messages []struct {
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(p.Body, &body); err != nil {
		return nil, fmt.Errorf("body of request %s: %w", p.Key, err)
	}
	for _, m := range body.Messages {
		var parts []struct {
			Image struct {
				URL string `json:"url"`
			} `json:"image_url"`
		}
		if json.Unmarshal(m.Content, &parts) != nil {
			continue // a text
		}
		for _, part := range parts {
			if part.Image.URL != "" {
				urls = append(urls, part.Image.URL)
			}
		}
	}
	return urls, nil
}

// writePicture writes a picture under its digest and returns its name.
func (x *index) writePicture(url string) (string, error) {
	kind, data, ok := strings.Cut(strings.TrimPrefix(url, "data:image/"), ";base64,")
	if !ok || kind != "png" && kind != "jpeg" {
		return "", errors.New("a picture is no PNG or JPEG in base64")
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return "", fmt.Errorf("a picture: %w", err)
	}
	name := path.Join(Pictures, string(pipeline.DigestOf(raw))+"."+strings.Replace(kind, "jpeg", "jpg", 1))
	if x.pictures[name] {
		return name, nil
	}
	x.pictures[name] = true
	return name, os.WriteFile(filepath.Join(x.dir, filepath.FromSlash(name)), raw, 0o644)
}
