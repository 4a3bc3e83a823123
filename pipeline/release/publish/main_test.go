//go:build !clouds

package publish_test

import "testing"

func runTests(m *testing.M) int { return m.Run() }
