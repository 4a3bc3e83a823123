//go:build !clouds

package bucket

import (
	"context"
	"errors"
)

func openCloud(context.Context, string) (objects, error) {
	return nil, errors.New("this program has no drivers of clouds; build it with -tags clouds, or give a folder as file:///FOLDER")
}
