// Package httpfile is the source "http": videos at pinned URLs, each with the
// SHA-256 of its bytes.
package httpfile

import (
	"context"
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/sources/internal/filevideo"
)

// Config of a list of URLs.
type Config struct {
	Files          []File `json:"files" doc:"the files: url and sha256 of each; the labels sidecar is one of them"`
	Labels         string `json:"labels" doc:"file name of the sidecar among the files, .csv with a header or .jsonl: column file (a name), label columns, and the special columns title, category, description, license"`
	LabelsFromName string `json:"labels_from_name" doc:"regular expression with named groups, matched against the file name without extension; the sidecar overrides it"`
	License        string `json:"license" doc:"SPDX id of the videos' licence"`
	Category       string `json:"category" doc:"category of videos that the sidecar gives none"`
	MaxBytes       int64  `json:"max_bytes" doc:"size in bytes above which a file is refused"`
}

// File is one pinned URL.
type File struct {
	URL    string `json:"url" doc:"http or https address; its last part is the file's name"`
	SHA256 string `json:"sha256" doc:"SHA-256 of the bytes in lower-case hex"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.MaxBytes = filevideo.DefaultMaxBytes
}

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "http", "2", "videos at pinned URLs", New)
}

type source struct {
	needs  []pipeline.Need
	reader *filevideo.Reader
}

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	if len(c.Files) == 0 {
		return nil, errors.New("files: required; list url and sha256 of each file")
	}
	if c.MaxBytes <= 0 {
		return nil, fmt.Errorf("max_bytes: %d: must be above 0", c.MaxBytes)
	}
	reader, err := filevideo.New(filevideo.Options{
		Include: []string{"**"}, Labels: c.Labels, LabelsFromName: c.LabelsFromName,
		License: c.License, Category: c.Category,
	})
	if err != nil {
		return nil, err
	}
	names := map[string]int{}
	s := &source{reader: reader}
	for i, f := range c.Files {
		if err := fetch.CheckHTTP(f.URL, pipeline.Digest(f.SHA256)); err != nil {
			return nil, fmt.Errorf("files[%d]: %w", i, err)
		}
		name, err := fetch.FileName(f.URL)
		if err != nil {
			return nil, fmt.Errorf("files[%d]: %w", i, err)
		}
		if first, twice := names[name]; twice {
			return nil, fmt.Errorf("files[%d]: the name %q is that of files[%d]; put one of them in another source", i, name, first)
		}
		names[name] = i
		s.needs = append(s.needs, pipeline.Need{From: fetch.HTTP, URL: f.URL, SHA256: pipeline.Digest(f.SHA256), MaxBytes: c.MaxBytes, License: c.License})
	}
	if _, ok := names[c.Labels]; c.Labels != "" && !ok {
		return nil, fmt.Errorf("labels: no file named %q among files", c.Labels)
	}
	return s, nil
}

func (s *source) Spec() pipeline.Spec { return s.reader.Spec() }

func (s *source) Needs() []pipeline.Need { return s.needs }

func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	return s.reader.ReadScope(ctx, scope, assets, emit)
}
