// Package dir is the source "dir": videos in a local folder, with labels from
// file names or a sidecar.
package dir

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/kit/glob"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/filevideo"
)

// Config of a folder of videos.
type Config struct {
	Path           string   `json:"path" doc:"folder with the videos, relative to pipeline.yaml"`
	Include        []string `json:"include" doc:"patterns of the videos to take; ** stands for any number of folders; empty: every file with a video extension"`
	Exclude        []string `json:"exclude" doc:"patterns of files to leave out"`
	Labels         string   `json:"labels" doc:"sidecar below path, .csv with a header or .jsonl: column file, label columns, and the special columns title, category, description, license"`
	LabelsFile     string   `json:"labels_file" doc:"the same sidecar in another folder, relative to pipeline.yaml: for a folder of videos that nothing can be put into; not together with labels"`
	LabelsFromName string   `json:"labels_from_name" doc:"regular expression with named groups, matched against the file name without extension; the sidecar overrides it"`
	License        string   `json:"license" doc:"SPDX id of the videos' licence"`
	Category       string   `json:"category" doc:"category of videos that the sidecar gives none"`
	MaxBytes       int64    `json:"max_bytes" doc:"size in bytes above which a file is refused"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() { c.MaxBytes = filevideo.DefaultMaxBytes }

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "dir", "2", "videos in a local folder, with labels from names or a sidecar", New)
}

type source struct {
	needs  []pipeline.Need
	reader *filevideo.Reader
}

// New checks the configuration.
func New(c Config) (pipeline.Source, error) {
	if c.Path == "" {
		return nil, errors.New("path: required; name the folder with the videos")
	}
	if c.MaxBytes <= 0 {
		return nil, fmt.Errorf("max_bytes: %d: must be above 0", c.MaxBytes)
	}
	sidecar := c.Labels
	if c.LabelsFile != "" {
		if c.Labels != "" {
			return nil, errors.New("labels and labels_file name a sidecar each; keep one")
		}
		sidecar = path.Base(c.LabelsFile)
	}
	reader, err := filevideo.New(filevideo.Options{
		Include: c.Include, Exclude: c.Exclude, Labels: sidecar, LabelsFromName: c.LabelsFromName,
		License: c.License, Category: c.Category,
	})
	if err != nil {
		return nil, err
	}
	videos := pipeline.Need{
		From: fetch.Local, Root: c.Path, Include: reader.Include(), Exclude: c.Exclude,
		MaxBytes: c.MaxBytes, License: c.License,
	}
	if c.LabelsFile == "" {
		return &source{reader: reader, needs: []pipeline.Need{videos}}, nil
	}
	videos.Exclude = append(slices.Clone(c.Exclude), glob.Escape(sidecar))
	table := pipeline.Need{
		From: fetch.Local, Root: path.Dir(c.LabelsFile), Include: []string{glob.Escape(sidecar)},
		MaxBytes: c.MaxBytes, License: c.License,
	}
	return &source{reader: reader, needs: []pipeline.Need{videos, table}}, nil
}

func (s *source) Spec() pipeline.Spec { return s.reader.Spec() }

func (s *source) Needs() []pipeline.Need { return slices.Clone(s.needs) }

func (s *source) Read(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	return s.reader.ReadScope(ctx, scope, assets, emit)
}

// Forecast implements pipeline.Forecaster: every file becomes a video.
func (*source) Forecast(in pipeline.Volume) pipeline.Forecast {
	files := in[pipeline.VolumeFile]
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameVideo: files}, CPU: media.ReadingCPU(files), Bytes: files.Bytes}
}
