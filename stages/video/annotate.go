package video

import (
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

const taskAnnotate = "video.annotate"

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
	Scene  givenLabel `json:"scene"`
	Action givenLabel `json:"action"`
	// Cannot says why there is no label.
	Cannot string `json:"cannot"`
}

type givenLabel struct {
	Label  string `json:"label"`
	Reused bool   `json:"reused"`
}

// labelling labels the sections of a video with scene and action, in temporal
// order and with the labels so far in view (M3Eval C.2).
type labelling struct {
	cfg  AnnotateConfig
	task *model.Task[labelInput, labelAnswer]
}

func newAnnotate(c AnnotateConfig) (pipeline.Stage, error) {
	if err := checkRequest(c.Frames, c.CaptionChars); err != nil {
		return nil, err
	}
	if err := checkAttempts(c.Attempts); err != nil {
		return nil, err
	}
	if err := cliplabels.CheckVocabulary(cliplabels.Scene, c.Scenes); err != nil {
		return nil, err
	}
	if err := cliplabels.CheckVocabulary(cliplabels.Action, c.Actions); err != nil {
		return nil, err
	}
	t, err := model.NewTask[labelInput, labelAnswer](taskAnnotate)
	if err != nil {
		return nil, err
	}
	return &labelling{c, t}, nil
}

// maxAttempts bounds attempts.
const maxAttempts = 5

func checkAttempts(n int) error {
	return pipeline.Between("attempts", n, 1, maxAttempts)
}

func (s *labelling) Spec() pipeline.Spec {
	return pipeline.Spec{
		Accepts: []string{schemas.NameVideo}, Emits: []string{schemas.NameVideo}, Resource: pipeline.Model,
		Asks: []pipeline.Ask{s.task.For(roleCaptioner)},
	}
}

func (s *labelling) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	v, err := sectioned(in)
	if err != nil {
		return nil, err
	}
	scenes, actions := list(s.cfg.Scenes), list(s.cfg.Actions)
	for i := range v.Sections {
		given, by, err := s.label(ctx, scope, &v, i, scenes, actions)
		if err != nil {
			return nil, pipeline.About(err, "label section %d of %d", i+1, len(v.Sections))
		}
		v.Sections[i].Labels, v.Sections[i].LabelledBy = given, by
	}
	v.LabelUse = map[string]schemas.LabelUse{cliplabels.Scene: scenes.Use(), cliplabels.Action: actions.Use()}
	return one(pipeline.NewRecord(schemas.NameVideo, in.ID, v, in.Blobs...))
}

func list(vocabulary []string) *cliplabels.List {
	if len(vocabulary) > 0 {
		return cliplabels.Closed(vocabulary)
	}
	return cliplabels.Open()
}

// label gives section i its labels: those known by construction, and the
// captioner's for the rest. by names the model that gave these.
func (s *labelling) label(ctx context.Context, scope *pipeline.Scope, v *schemas.Video, i int, scenes, actions *cliplabels.List) (out, by map[string]string, err error) {
	in, frames := request(*v, i, s.cfg.Frames, s.cfg.CaptionChars)
	out = map[string]string{}
	lists := map[string]*cliplabels.List{cliplabels.Scene: scenes, cliplabels.Action: actions}
	for name, l := range lists {
		known := cliplabels.Of(*v, name, in.Start, in.End)
		if s.cfg.UseKnown && l.Accepts(known) == nil {
			out[name] = known
			l.Know(known)
		}
	}
	if len(out) == len(lists) {
		return out, nil, nil
	}
	ask := labelInput{sectionInput: in}
	for range s.cfg.Attempts {
		ask.Scenes, ask.ScenesClosed = scenes.Names(), scenes.IsClosed()
		ask.Actions, ask.ActionsClosed = actions.Names(), actions.IsClosed()
		got, err := s.task.Ask(ctx, scope, roleCaptioner, ask, 0, frames...)
		if err != nil {
			return nil, nil, err
		}
		if got.Value.Cannot != "" {
			return nil, nil, declined(got.Model, got.Value.Cannot)
		}
		v.Annotator = got.Model
		known := maps.Clone(out)
		if ask.Problem = take(got.Value, lists, out); ask.Problem == "" {
			return out, givenBy(got.Model, known, out), nil
		}
	}
	return nil, nil, pipeline.Reject("bad-label", "%s, after %d attempts", ask.Problem, s.cfg.Attempts)
}

// givenBy names the model of each label that was not known before.
func givenBy(model string, known, all map[string]string) map[string]string {
	by := map[string]string{}
	for name := range all {
		if known[name] == "" {
			by[name] = model
		}
	}
	return by
}

// take adds the labels of an answer to those that are there already, all or
// none. What is wrong with the answer is returned in words.
func take(a labelAnswer, lists map[string]*cliplabels.List, out map[string]string) string {
	given := map[string]givenLabel{cliplabels.Scene: a.Scene, cliplabels.Action: a.Action}
	missing := []string{}
	for _, name := range []string{cliplabels.Scene, cliplabels.Action} {
		if out[name] != "" {
			continue
		}
		if err := lists[name].Accepts(given[name].Label); err != nil {
			return name + " " + err.Error()
		}
		missing = append(missing, name)
	}
	for _, name := range missing {
		out[name] = lists[name].Give(given[name].Label, given[name].Reused)
	}
	return ""
}

// labelByLooks is the built-in annotator: it labels by colour, brightness and
// movement. Of a closed list it understands nothing.
func labelByLooks(_ context.Context, _ *pipeline.Scope, in labelInput, _ []pipeline.Digest) (labelAnswer, error) {
	if in.ScenesClosed || in.ActionsClosed {
		return labelAnswer{}, pipeline.Reject("closed-list", "the built-in model cannot tell which label of a closed list fits; give the role captioner to a model, or leave scenes and actions empty")
	}
	if in.Looks == nil {
		return labelAnswer{}, pipeline.Reject("not-measured", "the section has no measured looks; put video.segment before this stage")
	}
	return labelAnswer{
		Scene:  given(appearance.Scene(*in.Looks), in.Scenes),
		Action: given(appearance.Motion(*in.Looks), in.Actions),
	}, nil
}

func given(label string, known []string) givenLabel {
	for _, k := range known {
		if k == cliplabels.Normal(label) {
			return givenLabel{k, true}
		}
	}
	return givenLabel{label, false}
}
