// Package encoding is what stores of all kinds have in common: the rows that they keep, what
// a commit may hold, what a build keeps alive, and how bytes are hashed and verified.
// It knows no database.
package encoding

import (
	"errors"

	"github.com/memforge/memforge/pipeline"
)

// ErrReadOnly is returned by writes to a store that is open for reading.
var ErrReadOnly = errors.New("the store is open for reading only")

// ErrNoRecord is returned for a record the store does not hold.
var ErrNoRecord = errors.New("no such record in the store")

// CheckReport says how much was looked at and what is wrong.
type CheckReport struct {
	Blobs     int
	BlobBytes int64
	Results   int
	Records   int
	Builds    int

	// Corrupt blobs do not have their digest. Strays are files among the blobs
	// that are no blob or not in their place, relative to the store.
	Corrupt []pipeline.Digest
	Strays  []string
	// Broken results miss a blob or a record; Damaged counts rows of results
	// and records that cannot be read any more. Both will be built again.
	Broken  []pipeline.Key
	Damaged int
	// BrokenBuilds lists builds that cannot be read or whose units are gone; GC
	// refuses them.
	BrokenBuilds []int64
	// Temp lists temporary files, which are in order while a build is running
	// and are otherwise removed by the next Open.
	Temp []string
	// Database holds what SQLite's integrity check found.
	Database []string
}

// OK reports whether nothing needs Repair.
func (r CheckReport) OK() bool {
	return len(r.Corrupt)+len(r.Strays)+len(r.Broken)+r.Damaged+len(r.BrokenBuilds)+len(r.Database) == 0
}
