//go:build !clouds

package store

// clouds are kinds of stores whose buckets need drivers of clouds: none.
func clouds(kind) []kind { return nil }
