package video

import (
	"context"
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
	spans "github.com/memforge/memforge/stages/video/segments"
)

// InterleaveConfig configures video.interleave.
type InterleaveConfig struct {
	Segments   int      `json:"segments" doc:"into how many segments each video is cut (M3Eval: 10); a video that was joined of clips is cut between these"`
	MinSegment float64  `json:"min_segment" doc:"shortest segment in seconds; a pair with a shorter one is rejected"`
	Orders     []string `json:"orders" doc:"whose segment comes first, one video each: AB (A1 B1 A2 B2 ...), BA (B1 A1 B2 A2 ...)"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *InterleaveConfig) SetDefaults() {
	*c = InterleaveConfig{Segments: 10, MinSegment: 1, Orders: []string{orderAB, orderBA}}
}

// interleaveStage cuts both videos of a pair into segments and plays these in turn
// (M3Eval 3.1.3), without encoding the picture again. Each video has segments
// of its own length, so both begin and end together whatever they last.
type interleaveStage struct {
	cfg   InterleaveConfig
	tools *media.Tools
}

// maxSegments bounds the segments of a video.
const maxSegments = 1000

func newInterleave(c InterleaveConfig) (pipeline.Stage, error) {
	if c.Segments < 2 || c.Segments > maxSegments {
		return nil, fmt.Errorf("segments is %d; want 2 to %d", c.Segments, maxSegments)
	}
	if !(c.MinSegment >= 0 && c.MinSegment <= 600) {
		return nil, fmt.Errorf("min_segment is %g; want 0 to 600 seconds", c.MinSegment)
	}
	if err := checkOrders(c.Orders, []string{orderAB, orderBA}); err != nil {
		return nil, err
	}
	return &interleaveStage{c, media.Lazy()}, nil
}

func (*interleaveStage) Spec() pipeline.Spec { return composeSpec() }

func (s *interleaveStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	p, err := pipeline.Decode[schemas.Pair](in)
	if err != nil {
		return nil, err
	}
	if why := checkSameFormat(p.A, p.B); why != nil {
		return nil, why
	}
	var cs []schemas.Composition
	for _, order := range s.cfg.Orders {
		pieces, err := s.alternatePieces(videosInOrder(p, order)...)
		if err != nil {
			return nil, err
		}
		pieces = namePieces(pieces, strings.Split(strings.Repeat(order, s.cfg.Segments), ""))
		m, err := joinPieces(ctx, scope, s.tools, schemas.LayoutInterleaved, pieces...)
		if err != nil {
			return nil, err
		}
		cs = append(cs, schemas.Composition{Pair: p, Media: m, Order: order, Segments: int32(s.cfg.Segments)})
	}
	return pairRecords(p, schemas.LayoutInterleaved,
		fmt.Sprintf("Two similar videos in %d segments each, which alternate.", s.cfg.Segments), cs)
}

// alternatePieces takes the first segment of each video, then the second of each,
// and so on. The error is a *pipeline.Rejection.
func (s *interleaveStage) alternatePieces(vs ...schemas.Video) ([]piece, error) {
	n := s.cfg.Segments
	out := make([]piece, n*len(vs))
	for i, v := range vs {
		starts, err := s.segmentStarts(v)
		if err != nil {
			return nil, err
		}
		for j, p := range cutPieces(v, starts) {
			if long := float64(p.to-p.from) / float64(v.Normalised.FPS); long < s.cfg.MinSegment {
				return nil, pipeline.Reject("short-segment", "segment %d of %d of a video lasts %.2f s, less than min_segment %g: nobody could tell what it shows; cut into fewer segments, use longer videos or lower min_segment", j+1, n, long, s.cfg.MinSegment)
			}
			out[j*len(vs)+i] = p
		}
	}
	return out, nil
}

// segmentStarts are the frames at which the segments of a video begin: where clips
// begin in one that was joined of several, for a segment that ends within a clip
// belongs to neither of its neighbours.
func (s *interleaveStage) segmentStarts(v schemas.Video) ([]int64, error) {
	if len(v.Parts) < 2 {
		return spans.CutUniformly(*v.Normalised, s.cfg.Segments)
	}
	begins := make([]int64, len(v.Parts))
	for i, p := range v.Parts {
		begins[i] = p.At
	}
	return spans.CutAtClips(begins, v.Normalised.Frames, s.cfg.Segments)
}
