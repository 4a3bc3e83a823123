package visual

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/schemas"
)

// oneBlob is a store of one blob.
type oneBlob struct {
	pipeline.Store
	data []byte
}

func (s oneBlob) OpenBlob(context.Context, pipeline.Digest) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(s.data)), nil
}

// TestLook says what the gate finds against each kind of picture.
func TestLook(t *testing.T) {
	c, err := draw.NewStudio().NewCanvas(64, 48, draw.Hex(0x336699))
	if err != nil {
		t.Fatal(err)
	}
	data, err := c.PNG()
	if err != nil {
		t.Fatal(err)
	}
	sound := schemas.Media{Kind: "image", Mime: "image/png", Bytes: int64(len(data)), Width: 64, Height: 48}
	for name, tc := range map[string]struct {
		data   []byte
		change func(*schemas.Media)
		want   string
	}{
		"sound":          {data, func(*schemas.Media) {}, "pass"},
		"a video":        {data, func(m *schemas.Media) { m.Kind = "video" }, "no-picture"},
		"breaks off":     {data[:len(data)/2], func(m *schemas.Media) { m.Bytes = int64(len(data) / 2) }, "bad-picture"},
		"another format": {data, func(m *schemas.Media) { m.Mime = "image/jpeg" }, "bad-picture"},
		"wider":          {data, func(m *schemas.Media) { m.Width++ }, "bad-row"},
		"longer":         {append(bytes.Clone(data), 0), func(*schemas.Media) {}, "bad-row"},
	} {
		m := sound
		tc.change(&m)
		_, err := pipeline.RunInScope(pipeline.ScopeOptions{Store: oneBlob{data: tc.data}}, func(s *pipeline.Scope) error {
			got, err := judgePicture(t.Context(), s, m)
			if code := got.Code; code != tc.want && (tc.want != "pass" || got.Outcome != pipeline.Pass) {
				t.Errorf("%s: %+v, want %s", name, got, tc.want)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
