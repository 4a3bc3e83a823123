// Package repository is the sources "hf" and "github": videos in a dataset of
// the Hugging Face hub or in a GitHub repository, pinned to a commit. They
// differ in the protocol that package fetch speaks, and in nothing here.
package repository

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/sources/internal/filevideo"
)

// Config of one repository.
type Config struct {
	Repo           string   `json:"repo" doc:"owner/name; files kept by Git LFS are resolved"`
	Revision       string   `json:"revision" doc:"branch, tag or commit; the lock file pins the commit"`
	Include        []string `json:"include" doc:"patterns of the videos to take; ** stands for any number of folders; empty: every file with a video extension but .ts"`
	Exclude        []string `json:"exclude" doc:"patterns of files to leave out"`
	Labels         string   `json:"labels" doc:"sidecar in the repository, .csv with a header or .jsonl: column file, label columns, and the special columns title, category, description, license"`
	LabelsFromName string   `json:"labels_from_name" doc:"regular expression with named groups, matched against the file name without extension; the sidecar overrides it"`
	License        string   `json:"license" doc:"SPDX id of the videos' licence; empty: what the repository states"`
	Category       string   `json:"category" doc:"category of videos that the sidecar gives none"`
	MaxBytes       int64    `json:"max_bytes" doc:"size in bytes above which a file is refused"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.Revision = "main"
	c.MaxBytes = filevideo.DefaultMaxBytes
}

// Register adds both sources to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "hf", "2", "videos in a dataset of the Hugging Face hub", func(c Config) (pipeline.Source, error) {
		return build(c, fetch.Hub, fetch.CheckHub)
	})
	pipeline.AddSource(r, "github", "2", "videos in a GitHub repository", func(c Config) (pipeline.Source, error) {
		return build(c, fetch.GitHub, fetch.CheckGitHub)
	})
}

type source struct {
	need   pipeline.Need
	reader *filevideo.Reader
}

// build checks the configuration; check knows the host's names.
func build(c Config, from string, check func(repo, revision string) error) (pipeline.Source, error) {
	if err := check(c.Repo, c.Revision); err != nil {
		return nil, err
	}
	if c.MaxBytes <= 0 {
		return nil, fmt.Errorf("max_bytes: %d: must be above 0", c.MaxBytes)
	}
	reader, err := filevideo.New(filevideo.Options{
		Include: c.Include, Exclude: c.Exclude, Labels: c.Labels, LabelsFromName: c.LabelsFromName,
		License: c.License, Category: c.Category, Code: true,
	})
	if err != nil {
		return nil, err
	}
	return &source{reader: reader, need: pipeline.Need{
		From: from, Repo: c.Repo, Revision: c.Revision, Include: reader.Include(), Exclude: c.Exclude,
		MaxBytes: c.MaxBytes, License: c.License,
	}}, nil
}

func (s *source) Spec() pipeline.Spec { return s.reader.Spec() }

func (s *source) Needs() []pipeline.Need { return []pipeline.Need{s.need} }

func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	return s.reader.ReadScope(ctx, scope, assets, emit)
}
