package media

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// Tags lists every tag of a video file and of its streams, chapters and
// programs, as "place: name=value", sorted: all that a player would show of
// what the file says about itself in words.
func (t *Tools) Tags(ctx context.Context, path string) ([]string, error) {
	in, err := inputURL(path)
	if err != nil {
		return nil, fmt.Errorf("read tags: %w", err)
	}
	out := &limitedBuffer{max: maxHeader}
	args := append([]string{"-v", "error", "-protocol_whitelist", "file,pipe", "-format_whitelist", containers},
		"-show_entries", "format_tags:stream_tags:chapter_tags:program_tags", "-of", "json", in)
	c := command{op: "read tags", probe: true, args: args, stdout: out, timeout: DefaultLimits().Timeout, hide: []string{in[len("file:"):]}}
	if err := t.run(ctx, c); err != nil {
		return nil, err
	}
	return parseTags(out.kept.Bytes())
}

func parseTags(b []byte) ([]string, error) {
	type tagged struct {
		Tags map[string]any `json:"tags"`
	}
	var all struct {
		Format                      tagged
		Streams, Chapters, Programs []tagged
	}
	if err := json.NewDecoder(bytes.NewReader(b)).Decode(&all); err != nil {
		return nil, fmt.Errorf("read tags: ffprobe output: %w", err)
	}
	var tags []string
	add := func(place string, list ...tagged) {
		for _, one := range list {
			for name, value := range one.Tags {
				tags = append(tags, fmt.Sprintf("%s: %s=%v", place, name, value))
			}
		}
	}
	add("file", all.Format)
	add("stream", all.Streams...)
	add("chapter", all.Chapters...)
	add("program", all.Programs...)
	slices.Sort(tags)
	return tags, nil
}
