package video

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/segments"
)

// joinProfile returns the profile of a join by copy: only size and frame rate
// of the normalised videos count, nothing is encoded again.
func joinProfile(m *schemas.NormalisedVideo) media.Profile {
	p := media.DefaultProfile()
	p.Width, p.Height, p.FPS = m.Width, m.Height, m.FPS
	return p
}

// localFiles returns the paths of a normalised video's files. The files of a
// clip hold more than the clip.
func localFiles(ctx context.Context, scope *pipeline.Scope, m *schemas.NormalisedVideo) (media.NormalisedVideo, error) {
	picture, err := scope.BlobPath(ctx, pipeline.Digest(m.Video))
	if err != nil {
		return media.NormalisedVideo{}, fmt.Errorf("normalised video: %w", err)
	}
	sound, err := scope.BlobPath(ctx, pipeline.Digest(m.Audio))
	if err != nil {
		return media.NormalisedVideo{}, fmt.Errorf("sound of the normalised video: %w", err)
	}
	return media.NormalisedVideo{Video: picture, Audio: sound, Frames: m.Frames, HasAudio: m.HasAudio}, nil
}

// joinPieces plays pieces of videos one after the other, stores the result and
// describes it as a media row of the given layout.
func joinPieces(ctx context.Context, scope *pipeline.Scope, tools *media.Tools, layout string, pieces ...piece) (schemas.Media, error) {
	vs := make([]schemas.Video, len(pieces))
	for i, p := range pieces {
		vs[i] = p.video
	}
	if why := checkSameFormat(vs...); why != nil {
		return schemas.Media{}, why
	}
	clips := make([]media.Clip, len(pieces))
	for i, p := range pieces {
		m, err := localFiles(ctx, scope, p.video.Normalised)
		if err != nil {
			return schemas.Media{}, err
		}
		clips[i] = media.Clip{Video: m.Video}
		clips[i].From, clips[i].To = p.fileSpan()
		if m.HasAudio {
			clips[i].Audio = m.Audio
		}
	}
	format := vs[0].Normalised
	out, err := joinClips(ctx, scope, tools, layout, format, clips)
	if err != nil {
		return schemas.Media{}, err
	}
	return storeComposed(ctx, scope, out, recipeOf(layout, pieces), format.FPS, combinedLicense(vs...))
}

func joinClips(ctx context.Context, scope *pipeline.Scope, tools *media.Tools, what string, format *schemas.NormalisedVideo, clips []media.Clip) (media.Output, error) {
	dir, err := scope.TempDir()
	if err != nil {
		return media.Output{}, err
	}
	out, err := tools.Join(ctx, clips, joinProfile(format), dir, media.DefaultLimits())
	if err != nil {
		return out, rejectUnplayable("join", what, err)
	}
	return out, nil
}

func storeComposed(ctx context.Context, scope *pipeline.Scope, out media.Output, r schemas.Recipe, fps int32, license string) (schemas.Media, error) {
	blob, err := scope.PutFile(ctx, out.Path)
	if err != nil {
		return schemas.Media{}, fmt.Errorf("store composed video: %w", err)
	}
	return schemas.Media{
		MediaID: string(blob.Digest), Kind: "video", Mime: "video/mp4", Bytes: blob.Size,
		Width: out.Width, Height: out.Height, Duration: out.Duration, FPS: float64(fps), Frames: out.Frames,
		HasAudio: out.HasAudio, Recipe: r, License: license,
	}, nil
}

// mediaRecord names a medium by its digest alone, so equal videos are one
// record and the name tells nothing about the content. Besides the video the
// record keeps the blobs that the recipe names, so that a gate can compare the
// two; a release takes the video only.
func mediaRecord(m schemas.Media) (pipeline.Record, error) {
	blobs := []pipeline.Digest{pipeline.Digest(m.MediaID)}
	for _, s := range m.Recipe.Segments {
		blobs = append(blobs, pipeline.Digest(s.Source))
		if s.Audio != "" {
			blobs = append(blobs, pipeline.Digest(s.Audio))
		}
	}
	return pipeline.NewRecord(schemas.NameMedia, m.MediaID, m, distinct(blobs)...)
}

func compositionRecord(c schemas.Composition) (pipeline.Record, error) {
	parts := []string{pairID(c.Pair), c.Media.Recipe.Layout, c.Order, fmt.Sprint(c.Swaps)}
	if c.Segments > 0 {
		parts = append(parts, fmt.Sprint(c.Segments))
	}
	id := contentID("composition", parts...)
	blobs := append(normalisedBlobs(c.Pair.A, c.Pair.B), pipeline.Digest(c.Media.MediaID))
	return pipeline.NewRecord(schemas.NameComposition, id, c, blobs...)
}

// pairRecords returns the records of a pair composed in one layout: its
// compositions, their media, the one task of their questions, and what both
// videos show.
func pairRecords(p schemas.Pair, layout, summary string, cs []schemas.Composition) ([]pipeline.Record, error) {
	t := schemas.Task{
		TaskID: taskID(p, layout), Family: family, Domain: p.A.Category, Scenario: layout,
		Summary: summary + separabilityText(p), SourceRecords: sourceIDs(p.A, p.B),
	}
	var out recordList
	for _, c := range cs {
		t.Media = append(t.Media, c.Media.MediaID)
		out.add(compositionRecord(c))
		out.add(mediaRecord(c.Media))
	}
	out.add(pipeline.NewRecord(schemas.NameTask, t.TaskID, t))
	out.add(statementsRecord(p.A, p.B))
	return out.records, out.err
}

type recordList struct {
	records []pipeline.Record
	err     error
}

func (l *recordList) add(r pipeline.Record, err error) {
	if l.err == nil {
		l.err = err
	}
	l.records = append(l.records, r)
}

// ConcatConfig configures video.concat.
type ConcatConfig struct {
	Orders []string `json:"orders" doc:"orders to play each pair in, one video each: AB, BA, and with one video repeated AAB, ABB, BAA, BBA; keep all orders of a pair in one stage"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *ConcatConfig) SetDefaults() { c.Orders = []string{orderAB, orderBA} }

const (
	orderAB = "AB"
	orderBA = "BA"
)

// repeatOrders are the orders that play one video twice (M3Eval 4.2).
var repeatOrders = []string{"AAB", "ABB", "BAA", "BBA"}

// concatStage plays the videos of a pair one after the other (M3Eval 3.1.2),
// without encoding the picture again.
type concatStage struct {
	orders []string
	tools  *media.Tools
}

func newConcat(c ConcatConfig) (pipeline.Stage, error) {
	if err := checkOrders(c.Orders, append([]string{orderAB, orderBA}, repeatOrders...)); err != nil {
		return nil, err
	}
	return &concatStage{c.Orders, media.Lazy()}, nil
}

func checkOrders(orders, allowed []string) error {
	if len(orders) == 0 {
		return fmt.Errorf("orders is empty; want one or more of %s", strings.Join(allowed, ", "))
	}
	for i, o := range orders {
		if !slices.Contains(allowed, o) {
			return fmt.Errorf("orders holds %q; want some of %s", o, strings.Join(allowed, ", "))
		}
		if slices.Contains(orders[:i], o) {
			return fmt.Errorf("orders holds %s twice; name each order once", o)
		}
	}
	return nil
}

func (*concatStage) Spec() pipeline.Spec { return composeSpec() }

func composeSpec() pipeline.Spec {
	return ffmpegSpec(schemas.NamePair, schemas.NameComposition, schemas.NameMedia, schemas.NameTask, schemas.NameStatements)
}

func (s *concatStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	p, err := decodePair(in)
	if err != nil {
		return nil, err
	}
	var cs []schemas.Composition
	for _, order := range s.orders {
		m, err := joinPieces(ctx, scope, s.tools, schemas.LayoutConcat, namePieces(wholePieces(videosInOrder(p, order)...), strings.Split(order, ""))...)
		if err != nil {
			return nil, err
		}
		cs = append(cs, schemas.Composition{Pair: p, Media: m, Order: order})
	}
	return pairRecords(p, schemas.LayoutConcat, "Two similar videos one after the other"+describeOrders(s.orders)+".", cs)
}

// decodePair returns a pair whose videos can be joined.
func decodePair(in pipeline.Record) (schemas.Pair, error) {
	p, err := pipeline.Decode[schemas.Pair](in)
	if err != nil {
		return p, err
	}
	if why := checkSameFormat(p.A, p.B); why != nil {
		return p, why
	}
	return p, nil
}

func videosInOrder(p schemas.Pair, order string) []schemas.Video {
	var out []schemas.Video
	for _, side := range order {
		if side == 'A' {
			out = append(out, p.A)
		} else {
			out = append(out, p.B)
		}
	}
	return out
}

func describeOrders(orders []string) string {
	var parts []string
	if slices.Contains(orders, orderAB) && slices.Contains(orders, orderBA) {
		parts = append(parts, "in both orders")
	}
	if slices.ContainsFunc(orders, func(o string) bool { return slices.Contains(repeatOrders, o) }) {
		parts = append(parts, "with one of them repeated")
	}
	if len(parts) == 0 {
		return ""
	}
	return ", " + strings.Join(parts, " and ")
}

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

const maxSegments = 1000

func newInterleave(c InterleaveConfig) (pipeline.Stage, error) {
	if err := cmp.Or(pipeline.CheckRange("segments", c.Segments, 2, maxSegments), checkWithin("min_segment", c.MinSegment, 0, 600),
		checkOrders(c.Orders, []string{orderAB, orderBA})); err != nil {
		return nil, err
	}
	return &interleaveStage{c, media.Lazy()}, nil
}

func (*interleaveStage) Spec() pipeline.Spec { return composeSpec() }

func (s *interleaveStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	p, err := decodePair(in)
	if err != nil {
		return nil, err
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

// alternatePieces returns the first segment of each video, then the second of
// each, and so on. The error is a *pipeline.Rejection.
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
				return nil, pipeline.Reject("short-segment", "segment %d of %d of a video lasts %.2f s, less than min_segment %g, too short to show anything; cut into fewer segments, use longer videos or lower min_segment", j+1, n, long, s.cfg.MinSegment)
			}
			out[j*len(vs)+i] = p
		}
	}
	return out, nil
}

// segmentStarts returns the frames at which the segments of a video begin. A
// video joined of clips is cut between clips, because a segment that ends
// within one belongs to neither of its neighbours.
func (s *interleaveStage) segmentStarts(v schemas.Video) ([]int64, error) {
	if len(v.Parts) < 2 {
		return segments.CutUniformly(*v.Normalised, s.cfg.Segments)
	}
	begins := make([]int64, len(v.Parts))
	for i, p := range v.Parts {
		begins[i] = p.At
	}
	return segments.CutAtClips(begins, v.Normalised.Frames, s.cfg.Segments)
}

// SplitConfig configures video.split.
type SplitConfig struct {
	Swaps   int    `json:"swaps" doc:"how often left and right are exchanged in the swapped variant (M3Eval: 10)"`
	Preset  string `json:"preset" doc:"libx264 preset"`
	CRF     int32  `json:"crf" doc:"libx264 quality, 0 (lossless) to 51"`
	Threads int32  `json:"threads" doc:"encoder threads; they change the bytes"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *SplitConfig) SetDefaults() {
	p := media.DefaultProfile()
	*c = SplitConfig{Swaps: 10, Preset: p.Preset, CRF: p.CRF, Threads: p.Threads}
}

// splitStage shows the videos of a pair side by side, without and with periodic
// exchange of sides (M3Eval 3.1.1).
type splitStage struct {
	cfg   SplitConfig
	tools *media.Tools
}

func newSplit(c SplitConfig) (pipeline.Stage, error) {
	if err := pipeline.CheckRange("swaps", c.Swaps, 1, 1000); err != nil {
		return nil, err
	}
	p := media.DefaultProfile()
	p.Preset, p.CRF, p.Threads = c.Preset, c.CRF, c.Threads
	if err := p.Check(); err != nil {
		return nil, err
	}
	return &splitStage{c, media.Lazy()}, nil
}

func (*splitStage) Spec() pipeline.Spec { return composeSpec() }

func (s *splitStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	p, err := decodePair(in)
	if err != nil {
		return nil, err
	}
	if n := min(p.A.Normalised.Frames, p.B.Normalised.Frames); int64(s.cfg.Swaps) >= n {
		return nil, pipeline.Reject("too-short", "%d swaps do not fit into %d frames; use longer videos or lower swaps", s.cfg.Swaps, n)
	}
	out, err := s.renderScreens(ctx, scope, p)
	if err != nil {
		return nil, err
	}
	plain, err := s.storeVariant(ctx, scope, p, out.Plain, nil)
	if err != nil {
		return nil, err
	}
	swapped, err := s.storeVariant(ctx, scope, p, out.Swapped, out.SwapFrames)
	if err != nil {
		return nil, err
	}
	return pairRecords(p, schemas.LayoutSplit, "Two similar videos side by side, with and without exchange of sides.",
		[]schemas.Composition{
			{Pair: p, Media: plain, Order: orderAB, SideSwapFrames: out.SwapFrames},
			{Pair: p, Media: swapped, Order: orderAB, Swaps: int32(s.cfg.Swaps), SideSwapFrames: out.SwapFrames},
		})
}

func (s *splitStage) renderScreens(ctx context.Context, scope *pipeline.Scope, p schemas.Pair) (media.Split, error) {
	a, err := standaloneFiles(ctx, scope, s.tools, p.A.Normalised)
	if err != nil {
		return media.Split{}, err
	}
	b, err := standaloneFiles(ctx, scope, s.tools, p.B.Normalised)
	if err != nil {
		return media.Split{}, err
	}
	dir, err := scope.TempDir()
	if err != nil {
		return media.Split{}, err
	}
	profile := joinProfile(p.A.Normalised)
	profile.Preset, profile.CRF, profile.Threads = s.cfg.Preset, s.cfg.CRF, s.cfg.Threads
	out, err := s.tools.SplitScreen(ctx, a, b, s.cfg.Swaps, profile, dir, media.DefaultLimits())
	if err != nil {
		return media.Split{}, rejectUnplayable("split-screen", pairID(p), err)
	}
	return out, nil
}

func (s *splitStage) storeVariant(ctx context.Context, scope *pipeline.Scope, p schemas.Pair, out media.Output, swaps []int64) (schemas.Media, error) {
	return storeComposed(ctx, scope, out, splitRecipe(p, out.Frames, swaps), p.A.Normalised.FPS, combinedLicense(p.A, p.B))
}

// splitRecipe is the recipe of A on the left and B on the right, exchanged at
// each of the swap frames.
func splitRecipe(p schemas.Pair, frames int64, swaps []int64) schemas.Recipe {
	return schemas.Recipe{
		Layout: schemas.LayoutSplit, SwapFrames: swaps,
		Segments: append(segmentsOf(piece{p.A, 0, frames, "A"}, regionLeft, 0), segmentsOf(piece{p.B, 0, frames, "B"}, regionRight, 0)...),
	}
}
