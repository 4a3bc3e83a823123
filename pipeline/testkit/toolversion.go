package testkit

import (
	"context"
	"sync"

	"github.com/memforge/memforge/pipeline"
)

// CacheVersion is how to learn a tool's version that asks the tool once, for all
// registries to which a package's tests add it: each registry would start it anew.
func CacheVersion(version pipeline.ToolVersion) pipeline.ToolVersion {
	once := sync.OnceValues(func() (string, error) { return version(context.Background()) })
	return func(context.Context) (string, error) { return once() }
}
