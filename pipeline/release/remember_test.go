package release_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/cli/plugins"
)

// remembering is all that is registered, for audits of many forgeries of one release:
// gates that look at pictures keep what they said. Such a gate judges each record alone,
// by what the record says and the bytes of its picture, which are read every time: of the
// same two it says the same. So a forgery has those looked at that it changed, and no
// other picture is read again for each.
func remembering(t *testing.T) *pipeline.Registry {
	t.Helper()
	reg := plugins.Registry()
	for _, use := range []string{"exhibit-legible", "trace-legible", "visual.picture"} {
		p, ok := reg.Plugin(pipeline.KindGate, use)
		if !ok {
			t.Fatalf("no gate is called %s", use)
		}
		remember(t, p)
	}
	return reg
}

// remember exchanges a plugin for one that keeps what it said. Its configuration is as
// it stands in a release, so no file of a build can be read with it.
func remember(t *testing.T, p *pipeline.Plugin) {
	t.Helper()
	own, said, reg := *p, &sync.Map{}, pipeline.NewRegistry()
	pipeline.AddGate(reg, own.Name, own.Version, own.Summary, func(raw pipeline.RawConfig) (pipeline.Gate, error) {
		built, err := own.BuildRaw(raw)
		if err != nil {
			return nil, err
		}
		return remembered{built.(pipeline.Gate), string(raw), said}, nil
	}, func(raw *pipeline.RawConfig) {
		var err error
		if *raw, err = json.Marshal(own.NewConfig()); err != nil {
			t.Error(err)
		}
	})
	exchanged, _ := reg.Plugin(pipeline.KindGate, own.Name)
	*p = *exchanged
}

// remembered is a gate that keeps what it said.
type remembered struct {
	pipeline.Gate
	config string
	said   *sync.Map // pipeline.Judgement by what it follows from
}

// Judge implements pipeline.Gate. A picture that cannot be read is the gate's to judge.
func (g remembered) Judge(ctx context.Context, scope *pipeline.Scope, items []pipeline.Record) (out []pipeline.Judgement, err error) {
	const largest = 64 << 20
	for i, r := range items {
		var row struct {
			MediaID pipeline.Digest `json:"media_id"`
		}
		if err := json.Unmarshal(r.Data, &row); err != nil {
			return nil, err
		}
		data, unread := scope.ReadBlob(ctx, row.MediaID, largest)
		key := fmt.Sprintf("%s\n%s %s\n%s\n%s", g.config, r.Schema, r.ID, r.Data, pipeline.DigestOf(data))
		if j, ok := g.said.Load(key); ok && unread == nil {
			out = append(out, j.(pipeline.Judgement))
			continue
		}
		one, err := g.Gate.Judge(ctx, scope, items[i:i+1])
		if err != nil || len(one) != 1 {
			return append(out, one...), err
		}
		if unread == nil {
			g.said.Store(key, one[0])
		}
		out = append(out, one...)
	}
	return out, nil
}
