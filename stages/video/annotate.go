package video

import (
	"cmp"
	"context"
	"maps"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/appearance"
	"github.com/memforge/memforge/stages/video/cliplabels"
)

// AnnotateConfig configures video.annotate.
type AnnotateConfig struct {
	Scenes       []string `json:"scenes" doc:"closed list of scene labels, so that videos agree; empty lets the captioner find its own"`
	Actions      []string `json:"actions" doc:"closed list of action labels; empty lets the captioner find its own"`
	UseKnown     bool     `json:"use_known" doc:"whether a label that the source itself gives (the video's label, an event that fills the section) is taken instead of asking"`
	Frames       int      `json:"frames" doc:"most pictures of a section that the captioner sees, of those that video.segment took; 0 shows none"`
	CaptionChars int      `json:"caption_chars" doc:"most characters of a section's captions that the captioner reads"`
	Attempts     int      `json:"attempts" doc:"how often a section is asked about before its video is rejected"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *AnnotateConfig) SetDefaults() {
	*c = AnnotateConfig{Scenes: []string{}, Actions: []string{}, UseKnown: true, Frames: 8, CaptionChars: 1000, Attempts: 2}
}

const jobAnnotate = "video.annotate"

// labelInput is what a clip is labelled from: the section, and the labels that
// earlier clips of the video were given.
type labelInput struct {
	sectionInput
	Scenes        []string `json:"scenes"`
	Actions       []string `json:"actions"`
	ScenesClosed  bool     `json:"scenes_closed"`
	ActionsClosed bool     `json:"actions_closed"`
	// Problem says what was wrong with the last answer to this clip, if any.
	Problem string `json:"problem"`
}

type labelAnswer struct {
	Scene  proposedLabel `json:"scene"`
	Action proposedLabel `json:"action"`
	// Cannot says why there is no label.
	Cannot string `json:"cannot"`
}

type proposedLabel struct {
	Label  string `json:"label"`
	Reused bool   `json:"reused"`
}

// annotateStage labels the sections of a video with scene and action, in temporal
// order and with the labels so far in view (M3Eval C.2).
type annotateStage struct {
	cfg AnnotateConfig
	job *model.Job[labelInput, labelAnswer]
}

func newAnnotate(c AnnotateConfig) (pipeline.Stage, error) {
	if err := cmp.Or(checkRequest(c.Frames, c.CaptionChars), checkAttempts(c.Attempts),
		cliplabels.CheckVocabulary(cliplabels.Scene, c.Scenes), cliplabels.CheckVocabulary(cliplabels.Action, c.Actions)); err != nil {
		return nil, err
	}
	t, err := model.NewJob[labelInput, labelAnswer](jobAnnotate)
	if err != nil {
		return nil, err
	}
	return &annotateStage{c, t}, nil
}

const maxAttempts = 5

func checkAttempts(n int) error {
	return pipeline.CheckRange("attempts", n, 1, maxAttempts)
}

func (s *annotateStage) Spec() pipeline.Spec {
	return pipeline.Spec{
		Accepts: []string{schemas.NameVideo}, Emits: []string{schemas.NameVideo}, Resource: pipeline.Model,
		Asks: []pipeline.Ask{s.job.For(roleCaptioner)},
	}
}

func (s *annotateStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	v, err := decodeSectioned(in)
	if err != nil {
		return nil, err
	}
	scenes, actions := newLabelList(s.cfg.Scenes), newLabelList(s.cfg.Actions)
	for i := range v.Sections {
		given, by, err := s.labelSection(ctx, scope, &v, i, scenes, actions)
		if err != nil {
			return nil, pipeline.WithSubject(err, "label section %d of %d", i+1, len(v.Sections))
		}
		v.Sections[i].Labels, v.Sections[i].LabelledBy = given, by
	}
	v.LabelUse = map[string]schemas.LabelUse{cliplabels.Scene: scenes.Usage(), cliplabels.Action: actions.Usage()}
	return singleRecord(pipeline.NewRecord(schemas.NameVideo, in.ID, v, in.Blobs...))
}

func newLabelList(vocabulary []string) *cliplabels.List {
	if len(vocabulary) > 0 {
		return cliplabels.NewClosed(vocabulary)
	}
	return cliplabels.NewOpen()
}

// labelSection returns the labels of section i: those known by construction,
// and the captioner's for the rest. by names the model of each label that the
// captioner gave.
func (s *annotateStage) labelSection(ctx context.Context, scope *pipeline.Scope, v *schemas.Video, i int, scenes, actions *cliplabels.List) (out, by map[string]string, err error) {
	in, frames := sectionRequest(*v, i, s.cfg.Frames, s.cfg.CaptionChars)
	out = map[string]string{}
	lists := map[string]*cliplabels.List{cliplabels.Scene: scenes, cliplabels.Action: actions}
	for name, l := range lists {
		known := cliplabels.KnownLabel(*v, name, in.Start, in.End)
		if s.cfg.UseKnown && l.Check(known) == nil {
			out[name] = known
			l.AddKnown(known)
		}
	}
	if len(out) == len(lists) {
		return out, nil, nil
	}
	ask := labelInput{sectionInput: in}
	for range s.cfg.Attempts {
		ask.Scenes, ask.ScenesClosed = scenes.Names(), scenes.IsClosed()
		ask.Actions, ask.ActionsClosed = actions.Names(), actions.IsClosed()
		got, err := s.job.Ask(ctx, scope, roleCaptioner, ask, 0, frames...)
		if err != nil {
			return nil, nil, err
		}
		if got.Value.Cannot != "" {
			return nil, nil, rejectDeclined(got.Model, got.Value.Cannot)
		}
		v.Annotator = got.Model
		known := maps.Clone(out)
		if ask.Problem = acceptLabels(got.Value, lists, out); ask.Problem == "" {
			return out, modelsByLabel(got.Model, known, out), nil
		}
	}
	return nil, nil, pipeline.Reject("bad-label", "%s, after %d attempts", ask.Problem, s.cfg.Attempts)
}

func modelsByLabel(model string, known, all map[string]string) map[string]string {
	by := map[string]string{}
	for name := range all {
		if known[name] == "" {
			by[name] = model
		}
	}
	return by
}

// acceptLabels adds the labels of an answer to those known already, all or
// none. It returns what is wrong with the answer, or "".
func acceptLabels(a labelAnswer, lists map[string]*cliplabels.List, out map[string]string) string {
	given := map[string]proposedLabel{cliplabels.Scene: a.Scene, cliplabels.Action: a.Action}
	missing := []string{}
	for _, name := range []string{cliplabels.Scene, cliplabels.Action} {
		if out[name] != "" {
			continue
		}
		if err := lists[name].Check(given[name].Label); err != nil {
			return name + " " + err.Error()
		}
		missing = append(missing, name)
	}
	for _, name := range missing {
		out[name] = lists[name].Assign(given[name].Label, given[name].Reused)
	}
	return ""
}

// labelByAppearance is the built-in annotator: it labels by colour, brightness
// and movement and cannot choose from a closed list.
func labelByAppearance(_ context.Context, _ *pipeline.Scope, in labelInput, _ []pipeline.Digest) (labelAnswer, error) {
	if in.ScenesClosed || in.ActionsClosed {
		return labelAnswer{}, pipeline.Reject("closed-list", "the built-in model cannot tell which label of a closed list fits; give the role captioner to a model, or leave scenes and actions empty")
	}
	if in.Looks == nil {
		return labelAnswer{}, pipeline.Reject("not-measured", "the section has no measured looks; put video.segment before this stage")
	}
	return labelAnswer{
		Scene:  proposeLabel(appearance.SceneLabel(*in.Looks), in.Scenes),
		Action: proposeLabel(appearance.MotionLabel(*in.Looks), in.Actions),
	}, nil
}

func proposeLabel(label string, known []string) proposedLabel {
	for _, k := range known {
		if k == cliplabels.Normalise(label) {
			return proposedLabel{k, true}
		}
	}
	return proposedLabel{label, false}
}
