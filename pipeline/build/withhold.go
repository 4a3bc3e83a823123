package build

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// withhold leaves out media that a gate dropped, with every question that shows
// or cites one: such media stand among the records of the stage that made them,
// whatever a later gate says. Tasks stay, without the media. The questions lost
// are named in rejections.
func withhold(recs []pipeline.Record, gates map[[2]string]string) ([]pipeline.Record, []schemas.Rejection, error) {
	media := map[string]string{}
	for _, r := range recs {
		if gate := gates[[2]string{r.Schema, r.ID}]; gate != "" && r.Schema == schemas.NameMedia {
			media[r.ID] = gate
		}
	}
	if len(media) == 0 {
		return recs, nil, nil
	}
	var kept []pipeline.Record
	var lost []schemas.Rejection
	for _, r := range recs {
		if _, gone := media[r.ID]; gone {
			continue
		}
		r, why, err := without(r, media)
		if err != nil {
			return nil, nil, fmt.Errorf("withhold media: %w", err)
		}
		if why != nil {
			lost = append(lost, *why)
			continue
		}
		kept = append(kept, r)
	}
	return kept, lost, nil
}

// without returns a task without the media, or why a question is lost.
func without(r pipeline.Record, media map[string]string) (pipeline.Record, *schemas.Rejection, error) {
	switch r.Schema {
	case schemas.NameQuestion:
		q, err := pipeline.Decode[schemas.Question](r)
		if err != nil {
			return r, nil, err
		}
		for _, id := range shows(q) {
			if gate, gone := media[id]; gone {
				return r, &schemas.Rejection{ID: r.ID, Stage: gate, Code: schemas.WithheldMedia, Reason: "it shows the medium " + id + ", which this gate dropped"}, nil
			}
		}
	case schemas.NameTask:
		t, err := pipeline.Decode[schemas.Task](r)
		if err != nil {
			return r, nil, err
		}
		left := slices.DeleteFunc(slices.Clone(t.Media), func(id string) bool { _, gone := media[id]; return gone })
		if len(left) == len(t.Media) {
			return r, nil, nil
		}
		t.Media = left
		r, err = pipeline.NewRecord(r.Schema, r.ID, t, r.Blobs...)
		return r, nil, err
	}
	return r, nil, nil
}

// shows lists the media of a question and of its evidence.
func shows(q schemas.Question) []string {
	ids := slices.Clone(q.Media)
	for _, e := range q.Evidence {
		id, _, _ := strings.Cut(e.Ref, "#")
		ids = append(ids, id)
	}
	return ids
}
