package forecast

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/glob"
	"github.com/memforge/memforge/pipeline/media"
)

// sampled is how many files of a folder are looked into; the others are taken
// to be like these, byte for byte.
const sampled = 32

// MeasureFiles looks into folders: all files a need wants are counted, and the headers
// of a few, evenly spread, are read. base is the folder that relative roots
// start at.
func MeasureFiles(base string, tools *media.Tools) Measure {
	return func(ctx context.Context, need pipeline.Need) (pipeline.Amount, bool, error) {
		files, total, err := matchingFiles(ctx, joinRoot(base, need.Root), need)
		if err != nil || len(files) == 0 {
			return pipeline.Amount{}, err == nil, err
		}
		if !slices.ContainsFunc(files, isMedia) {
			return pipeline.Amount{Records: float64(len(files)), Bytes: total}, true, nil
		}
		seen, err := probeFiles(ctx, tools, files)
		if err != nil || seen.Bytes == 0 {
			return pipeline.Amount{}, false, err
		}
		amount := seen.Times(total / seen.Bytes)
		amount.Records = float64(len(files))
		return amount, true, nil
	}
}

// CountFiles only counts the files that a need wants: enough to tell whether there
// are too few, and cheap.
func CountFiles(base string) Measure {
	return func(ctx context.Context, need pipeline.Need) (pipeline.Amount, bool, error) {
		files, total, err := matchingFiles(ctx, joinRoot(base, need.Root), need)
		return pipeline.Amount{Records: float64(len(files)), Bytes: total}, err == nil, err
	}
}

func joinRoot(base, root string) string {
	if root = filepath.FromSlash(root); filepath.IsAbs(root) {
		return root
	}
	return filepath.Join(base, root)
}

// isMedia reports a file that may be a video: only these are looked into. Pictures and
// texts are as many as there are of them.
func isMedia(file string) bool {
	return !slices.Contains([]string{".json", ".png", ".jpg", ".jpeg", ".webp"}, strings.ToLower(filepath.Ext(file)))
}

// tables returns the extensions of files that say something about videos and are
// none.
func tables() []string { return []string{".csv", ".jsonl"} }

// matchingFiles lists the videos of a need in order, and the sum of their sizes.
func matchingFiles(ctx context.Context, root string, need pipeline.Need) (files []string, total float64, err error) {
	set, err := glob.Compile(need.Include, need.Exclude)
	if err != nil {
		return nil, 0, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, 0, fmt.Errorf("%w; the path is relative to pipeline.yaml", err)
	}
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return ctx.Err() // what cannot be read is for the build to report
		}
		rel, err := filepath.Rel(root, p)
		if err != nil || !d.Type().IsRegular() || !set.Match(filepath.ToSlash(rel)) || slices.Contains(tables(), strings.ToLower(filepath.Ext(p))) {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Size() > need.MaxBytes && need.MaxBytes > 0 {
			return nil
		}
		files, total = append(files, p), total+float64(info.Size())
		return nil
	})
	slices.Sort(files)
	return files, total, err
}

// probeFiles adds up what some of the files say of themselves.
func probeFiles(ctx context.Context, tools *media.Tools, files []string) (pipeline.Amount, error) {
	var sum pipeline.Amount
	step := max(1, len(files)/sampled)
	for i := 0; i < len(files); i += step {
		a, ok, err := tools.EstimateAmount(ctx, files[i], media.DefaultLimits())
		if err != nil {
			return sum, err
		}
		if ok {
			sum = sum.Plus(a)
		}
	}
	return sum, nil
}
