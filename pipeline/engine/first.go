package engine

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// FirstCall is the call that a gate of this identity made first about an item.
func FirstCall(id pipeline.Identity, g pipeline.FirstCaller, item *pipeline.Item) (call schemas.Probe, ok bool, err error) {
	grant := pipeline.ScopeOptions{Identity: id, Step: id.Name, Item: item.ID}
	_, err = pipeline.RunInScope(grant, func(s *pipeline.Scope) error { call, ok = g.FirstCall(s, item); return nil })
	return call, ok, err
}
