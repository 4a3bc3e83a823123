//go:build !clouds

package bucket

import (
	"context"
	"strings"
)

func openCloud(_ context.Context, url string) (objects, error) {
	scheme, _, _ := strings.Cut(url, "://")
	return nil, &NoDriverError{scheme}
}
