package video

import (
	"context"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

type videoEntry struct {
	id    string
	video schemas.Video
}

// collectVideos reads the videos of a collection. It rejects those that are not
// normalised, repeat an earlier one, or have no value for one of the labels.
func collectVideos(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, labels ...string) ([]videoEntry, error) {
	var out []videoEntry
	first := map[string]string{}
	for rec, err := range in.All {
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, err := pipeline.Decode[schemas.Video](rec)
		if err != nil {
			return nil, err
		}
		if why := checkUsable(v, labels); why != nil {
			scope.Reject(rec.ID, why)
			continue
		}
		if earlier, known := first[footageID(v)]; known {
			scope.Reject(rec.ID, pipeline.Reject("duplicate", "its picture is that of %s; list each video once", earlier))
			continue
		}
		first[footageID(v)] = rec.ID
		out = append(out, videoEntry{rec.ID, v})
	}
	return out, nil
}

func checkUsable(v schemas.Video, labels []string) *pipeline.Rejection {
	if why := checkNormalised(v); why != nil {
		return why
	}
	for _, name := range labels {
		if v.Labels[name] == "" {
			return pipeline.Reject("no-label", "it has no label %q; give it one or leave it out", name)
		}
	}
	return nil
}

func decodeNormalised(in pipeline.Record) (schemas.Video, error) {
	v, err := pipeline.Decode[schemas.Video](in)
	if err != nil {
		return v, err
	}
	if why := checkNormalised(v); why != nil {
		return v, why
	}
	return v, nil
}

func checkNormalised(v schemas.Video) *pipeline.Rejection {
	if m := v.Normalised; m == nil || m.Frames <= 0 || m.FPS <= 0 {
		return pipeline.Reject("not-normalised", "it is not normalised; put video.normalise before this stage")
	}
	return nil
}

// checkSameFormat rejects normalised videos that cannot be joined by copy.
func checkSameFormat(vs ...schemas.Video) *pipeline.Rejection {
	for _, v := range vs {
		if why := checkNormalised(v); why != nil {
			return why
		}
	}
	a := vs[0].Normalised
	for _, v := range vs[1:] {
		if b := v.Normalised; a.Width != b.Width || a.Height != b.Height || a.FPS != b.FPS {
			return pipeline.Reject("mixed-profiles", "normalised videos of %dx%d at %d and %dx%d at %d frames a second cannot be joined; normalise all with one profile",
				a.Width, a.Height, a.FPS, b.Width, b.Height, b.FPS)
		}
	}
	return nil
}
