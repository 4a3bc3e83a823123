package video

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
	"github.com/memforge/memforge/stages/video/question"
)

// statementsRecord records what videos are known to show, original by original:
// their events, labels, titles and categories. Gold answers can be derived from
// these rows of a release.
func statementsRecord(vs ...schemas.Video) (pipeline.Record, error) {
	var f schemas.Statements
	for _, v := range vs {
		for _, r := range stretchesOf(v) {
			f.Events = append(f.Events, r.statedEvents(v)...)
			f.Labels = append(f.Labels, r.statedLabels(v)...)
		}
	}
	return statementRecord(f)
}

// statementRecord is named after its content: equal statements are one record.
func statementRecord(f schemas.Statements) (pipeline.Record, error) {
	text, err := pipeline.Canonical(f)
	if err != nil {
		return pipeline.Record{}, err
	}
	return pipeline.NewRecord(schemas.NameStatements, contentID("statements", string(text)), f)
}

// stretch is a part of a video that shows one original: seconds [at, at+to-from)
// of the video are [from, to) of the original.
type stretch struct {
	original, source string
	from, to, at     float64
	// whole says that the video is all of the original.
	whole bool
}

func stretchesOf(v schemas.Video) []stretch {
	m := v.Normalised
	fps := float64(m.FPS)
	if len(v.Parts) == 0 {
		return []stretch{{v.Media, v.SourceID, float64(m.From) / fps, float64(m.From+m.Frames) / fps, 0, m.Of == 0}}
	}
	out := make([]stretch, len(v.Parts))
	for i, p := range v.Parts {
		out[i] = stretch{p.Original, p.SourceID, float64(p.From) / fps, float64(p.To) / fps, float64(p.At) / fps, false}
	}
	return out
}

// statedEvents returns the events that happen within the stretch. Those of a
// joined video are cut at its joints.
func (r stretch) statedEvents(v schemas.Video) []schemas.StatedEvent {
	var out []schemas.StatedEvent
	end := r.at + r.to - r.from
	for _, e := range v.Events {
		from, to := max(e.Start, 0), e.End
		if len(v.Parts) > 0 {
			from, to = max(from, r.at), min(to, end)
			if from >= end || to < from || to-from < 1/ticksPerSecond && e.End-e.Start > 1/ticksPerSecond {
				continue // of another stretch, or of this by a rounding
			}
		}
		f := schemas.StatedEvent{
			Original: r.original, From: roundToTick(r.from + from - r.at), To: roundToTick(r.from + to - r.at), Kind: e.Kind,
			Actors: optionalList(e.Subject), Objects: optionalList(e.Object), SourceID: r.source, StatedBy: cmp.Or(e.StatedBy, statedBy(v)),
		}
		if e.Kind == groundtruth.SignChanges {
			f.Actors, f.Objects, f.Text = nil, optionalList(e.Subject), e.Object
		}
		out = append(out, f)
	}
	return out
}

// statedLabels returns the labels of the whole video, which hold for each of
// its stretches.
func (r stretch) statedLabels(v schemas.Video) []schemas.StatedLabel {
	var out []schemas.StatedLabel
	for _, name := range slices.Sorted(maps.Keys(v.Labels)) {
		out = append(out, r.statedLabel(name, v.Labels[name], cmp.Or(v.LabelledBy[name], statedBy(v))))
	}
	if v.Title != "" {
		out = append(out, r.statedLabel(schemas.AttributeTitle, v.Title, statedBy(v)))
	}
	if v.Category != "" {
		out = append(out, r.statedLabel(schemas.AttributeCategory, v.Category, statedBy(v)))
	}
	return out
}

func (r stretch) statedLabel(attribute, value, by string) schemas.StatedLabel {
	l := schemas.StatedLabel{Original: r.original, Attribute: attribute, Value: value, SourceID: r.source, StatedBy: by}
	if !r.whole {
		l.From, l.To = roundToTick(r.from), roundToTick(r.to)
	}
	return l
}

// statedBy returns who states what happens in a video, unless an event or label
// names somebody else.
func statedBy(v schemas.Video) string {
	if v.Script != "" {
		return schemas.StatedByScript
	}
	return schemas.StatedBySource
}

// assertedRecord records what questions about a pair rest on besides what its
// videos show: the phrases that name untitled ones, the noun for what is shown,
// and the values that are in neither.
func assertedRecord(p schemas.Pair, names map[question.Side]string, noun string, absent []string) (pipeline.Record, error) {
	var f schemas.Statements
	absent = distinct(slices.Clone(absent))
	for _, side := range []question.Side{question.A, question.B} {
		v := sideVideo(p, side)
		all := stretchesOf(v)
		if v.Title == "" && names[side] != "" {
			f.Labels = append(f.Labels, all[0].statedLabel(schemas.AttributeName, names[side], statedBy(v)))
		}
		if slices.ContainsFunc(v.Events, func(e schemas.Event) bool { return e.Kind == groundtruth.Shows }) {
			f.Labels = append(f.Labels, all[0].statedLabel(schemas.AttributeNoun, noun, statedBy(v)))
		}
		for _, r := range all {
			for _, value := range absent {
				f.Labels = append(f.Labels, r.statedLabel(schemas.AttributeAbsent, value, statedBy(v)))
			}
		}
	}
	return statementRecord(f)
}

// ticksPerSecond are how many parts of a second statements tell apart.
const ticksPerSecond = 1e6

// roundToTick rounds seconds to ticks, so that times computed on two clocks
// give one row.
func roundToTick(seconds float64) float64 { return math.Round(seconds*ticksPerSecond) / ticksPerSecond }

func optionalList(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
