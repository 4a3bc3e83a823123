package video

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// ClipConfig configures video.clip.
type ClipConfig struct {
	Attributes  []string `json:"attributes" doc:"labels that a section must have to become a clip, for example [action, scene]"`
	MinSeconds  float64  `json:"min_seconds" doc:"least length of a clip; shorter sections are passed over"`
	MaxSeconds  float64  `json:"max_seconds" doc:"greatest length of a clip; longer sections are passed over, because a part of one may not show its label"`
	MaxClips    int      `json:"max_clips" doc:"most clips of one video"`
	MaxPerLabel int      `json:"max_per_label" doc:"most clips of one video that have a label in common"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *ClipConfig) SetDefaults() {
	*c = ClipConfig{Attributes: []string{"action"}, MinSeconds: 2, MaxSeconds: 30, MaxClips: 50, MaxPerLabel: 3}
}

// clipStage makes videos of their own out of a video's labelled sections (M3Eval
// C.2). They share the files of its normalised video: nothing is encoded or copied.
type clipStage struct{ cfg ClipConfig }

func newClip(c ClipConfig) (pipeline.Stage, error) {
	switch {
	case len(c.Attributes) == 0 || slices.Contains(c.Attributes, ""):
		return nil, fmt.Errorf("attributes is %q; name the labels that a clip must have, for example [action]", c.Attributes)
	case !(c.MinSeconds >= 0) || !(c.MaxSeconds > 0) || c.MaxSeconds < c.MinSeconds:
		return nil, fmt.Errorf("min_seconds is %g and max_seconds %g; want 0 <= min <= max", c.MinSeconds, c.MaxSeconds)
	case c.MaxClips < 1 || c.MaxPerLabel < 1:
		return nil, fmt.Errorf("max_clips is %d and max_per_label %d; both must be at least 1", c.MaxClips, c.MaxPerLabel)
	}
	return &clipStage{c}, nil
}

func (*clipStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameVideo}, Emits: []string{schemas.NameVideo}}
}

func (s *clipStage) Map(_ context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	v, err := decodeNormalised(in)
	if err != nil {
		return nil, err
	}
	fit, lost := s.eligibleSections(v)
	if len(fit) == 0 {
		return nil, pipeline.Reject("no-clips", "none of its %d sections makes a clip: %s; annotate them or change the limits", len(v.Sections), lost)
	}
	rnd := scope.Rand()
	rnd.Shuffle(len(fit), func(i, j int) { fit[i], fit[j] = fit[j], fit[i] })
	chosen := s.chooseSections(fit)
	slices.SortFunc(chosen, func(a, b schemas.Section) int { return int(a.From - b.From) })
	out := make([]pipeline.Record, len(chosen))
	for i, section := range chosen {
		c := clipVideo(v, section)
		if out[i], err = pipeline.NewRecord(schemas.NameVideo, contentID("clip", footageID(c)), c, normalisedBlobs(c)...); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// eligibleSections returns the sections that can be clips, and why the others
// cannot.
func (s *clipStage) eligibleSections(v schemas.Video) (fit []schemas.Section, lost string) {
	keys := keyframes(v)
	counts := map[string]int{}
	for _, section := range v.Sections {
		length := float64(section.To-section.From) / float64(v.Normalised.FPS)
		unlabelled := slices.ContainsFunc(s.cfg.Attributes, func(a string) bool { return section.Labels[a] == "" })
		_, keyed := slices.BinarySearch(keys, section.From)
		switch {
		case section.From < 0 || section.To <= section.From || section.To > v.Normalised.Frames:
			counts["not within the video"]++
		case unlabelled:
			counts[fmt.Sprintf("without a label of %v", s.cfg.Attributes)]++
		case length < s.cfg.MinSeconds:
			counts[fmt.Sprintf("under %g s", s.cfg.MinSeconds)]++
		case length > s.cfg.MaxSeconds:
			counts[fmt.Sprintf("over %g s", s.cfg.MaxSeconds)]++
		case !keyed:
			counts["not at a keyframe"]++
		default:
			fit = append(fit, section)
		}
	}
	var reasons []string
	for _, why := range slices.Sorted(maps.Keys(counts)) {
		reasons = append(reasons, fmt.Sprintf("%d %s", counts[why], why))
	}
	if len(reasons) == 0 {
		reasons = []string{"it has none"}
	}
	return fit, strings.Join(reasons, ", ")
}

func (s *clipStage) chooseSections(fit []schemas.Section) (chosen []schemas.Section) {
	used := map[[2]string]int{}
	for _, section := range fit {
		full := slices.ContainsFunc(s.cfg.Attributes, func(a string) bool {
			return used[[2]string{a, section.Labels[a]}] >= s.cfg.MaxPerLabel
		})
		if full || len(chosen) >= s.cfg.MaxClips {
			continue
		}
		for _, a := range s.cfg.Attributes {
			used[[2]string{a, section.Labels[a]}]++
		}
		chosen = append(chosen, section)
	}
	return chosen
}

// clipVideo returns a section as a video of its own. It has no title: only the
// whole video shows that.
func clipVideo(v schemas.Video, section schemas.Section) schemas.Video {
	p := piece{video: v, from: section.From, to: section.To}
	m := *v.Normalised
	m.Frames = p.to - p.from
	m.From, _ = p.fileSpan()
	m.Of = max(v.Normalised.Of, v.Normalised.Frames)
	m.KeyEvery, m.Keyframes = 0, nil
	for _, k := range keyframes(v) {
		if k > p.from && k < p.to {
			m.Keyframes = append(m.Keyframes, k-p.from)
		}
	}
	c := schemas.Video{
		Media: v.Media, Name: fmt.Sprintf("%s[%d,%d)", v.Name, p.from, p.to), SourceID: v.SourceID, License: v.License,
		Category: v.Category, Labels: section.Labels, LabelledBy: section.LabelledBy, Normalised: &m,
		Describer: v.Describer, Script: v.Script,
	}
	if d := section.Description; d != nil {
		c.Description = d.MainStoryline
	}
	if len(v.Parts) > 0 {
		c.Parts = segmentsOf(p, regionFull, 0)
	}
	c.Events, c.Captions = contentWithin(v, p)
	return c
}

// contentWithin returns the events that a piece shows completely and the
// captions that overlap it, on the clock of the piece.
func contentWithin(v schemas.Video, p piece) (events []schemas.Event, captions []schemas.Caption) {
	fps := float64(v.Normalised.FPS)
	from, to := float64(p.from)/fps, float64(p.to)/fps
	for _, e := range v.Events {
		if e.Start >= from && e.End <= to {
			e.Start, e.End = e.Start-from, e.End-from
			events = append(events, e)
		}
	}
	for _, c := range v.Captions {
		if c.Start < to && c.End > from {
			c.Start, c.End = max(c.Start-from, 0), min(c.End, to)-from
			captions = append(captions, c)
		}
	}
	return events, captions
}
