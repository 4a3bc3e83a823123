package engine

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// FirstCall is the call that a gate of this identity made first about an item.
func FirstCall(id pipeline.Identity, g pipeline.Starter, item *pipeline.Item) (call schemas.Probe, ok bool, err error) {
	grant := pipeline.Grant{Identity: id, Node: id.Name, Item: item.ID}
	_, err = pipeline.Within(grant, func(s *pipeline.Scope) error { call, ok = g.First(s, item); return nil })
	return call, ok, err
}
