package video

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/phrasebook"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/cliplabels"
	"github.com/memforge/memforge/stages/video/nback"
	"github.com/memforge/memforge/stages/video/wordings"
)

// NBackConfig configures video.nback, which has nothing to set.
type NBackConfig struct{}

// nbackStage renders planned trials and asks about them: one video serves all
// lags.
type nbackStage struct{ tools *media.Tools }

func newNBack(NBackConfig) (pipeline.Stage, error) { return &nbackStage{media.Lazy()}, nil }

func (*nbackStage) Spec() pipeline.Spec {
	spec := ffmpegSpec(schemas.NameTrial, schemas.NameMedia, schemas.NameTask, schemas.NameStatements, schemas.NameQuestion)
	spec.Types = []string{schemas.TypeNBack}
	return spec
}

func (s *nbackStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	t, err := pipeline.Decode[schemas.Trial](in)
	if err != nil {
		return nil, err
	}
	if why := checkTrial(t); why != nil {
		return nil, why
	}
	m, err := joinPieces(ctx, scope, s.tools, schemas.LayoutNBack, namePieces(wholePieces(t.Clips...), clipNumbers(t))...)
	if err != nil {
		return nil, err
	}
	return trialRecords(in.ID, t, m)
}

// trialRecords returns the records of a rendered trial: its medium, the task of
// its questions, what its clips show, and a question for each lag.
func trialRecords(id string, t schemas.Trial, m schemas.Media) ([]pipeline.Record, error) {
	task := schemas.Task{
		TaskID: contentID("task", id), Family: family, Domain: t.Clips[0].Category, Scenario: schemas.LayoutNBack,
		Summary: fmt.Sprintf("%d clips one after the other.", t.K), SourceRecords: sourceIDs(t.Clips...), Media: []string{m.MediaID},
	}
	var out recordList
	out.add(mediaRecord(m))
	out.add(pipeline.NewRecord(schemas.NameTask, task.TaskID, task))
	out.add(statementsRecord(t.Clips...))
	for _, lag := range t.Lags {
		q := trialQuestion(t, lag, m, task.TaskID)
		out.add(pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q))
	}
	return out.records, out.err
}

func clipNumbers(t schemas.Trial) []string {
	out := make([]string, len(t.Clips))
	for i := range out {
		out[i] = strconv.Itoa(i + 1)
	}
	return out
}

// checkTrial rejects a trial that contradicts itself: the answers must be those
// of the clips' labels.
func checkTrial(t schemas.Trial) *pipeline.Rejection {
	if t.K < 2 || int(t.K) != len(t.Clips) || len(t.Lags) == 0 {
		return pipeline.Reject("bad-trial", "k is %d over %d clips with %d lags; want k = clips, at least 2, and a lag", t.K, len(t.Clips), len(t.Lags))
	}
	if why := checkSameFormat(t.Clips...); why != nil {
		return why
	}
	for i, lag := range t.Lags {
		if lag.N < 1 || lag.N >= t.K || (i > 0 && lag.N <= t.Lags[i-1].N) {
			return pipeline.Reject("bad-trial", "lag %d stands at place %d of a trial of %d clips; want lags from 1 to k-1, ascending", lag.N, i, t.K)
		}
		last, asked := t.Clips[t.K-1].Labels[t.Attribute], askedClip(t, lag).Labels[t.Attribute]
		if last == "" || asked == "" || (last == asked) != lag.Match {
			return pipeline.Reject("bad-trial", "the last clip is %q and the one %d before %q, which is not match=%v", last, lag.N, asked, lag.Match)
		}
	}
	return nil
}

func askedClip(t schemas.Trial, lag schemas.Lag) schemas.Video { return t.Clips[t.K-1-lag.N] }

func trialQuestion(t schemas.Trial, lag schemas.Lag, m schemas.Media, taskID string) schemas.Question {
	sentences := wordings.Sentences(wordings.Trial)
	text := phrasebook.Fill(sentences[(words.Hash(taskID)+uint64(lag.N))%uint64(len(sentences))], map[string]string{
		"k": fmt.Sprint(t.K), "attribute": attributeNoun(t.Attribute), "back": positionsText(lag.N),
	})
	options := []schemas.Option{
		{Key: "A", Text: "Yes", Role: schemas.RoleDistractor},
		{Key: "B", Text: "No", Role: schemas.RoleDistractor},
	}
	right := &options[1]
	if lag.Match {
		right = &options[0]
	}
	right.Role = schemas.RoleCorrect
	return schemas.Question{
		QuestionID: contentID("q", taskID, schemas.TypeNBack, fmt.Sprint(lag.N)), Family: family, TaskID: taskID,
		Question: text, QuestionMCQ: schemas.MCQ(text, options), Options: options,
		AnswerKey: right.Key, AnswerText: right.Text, Type: schemas.TypeNBack,
		Labels: trialLabels(t, lag), Evidence: trialEvidence(t, lag, m.MediaID), Media: []string{m.MediaID}, Split: "test",
		Setting: trialSetting(t),
		Explanation: fmt.Sprintf("Clip %d shows the %s %q, clip %d the %s %q.",
			t.K-lag.N, t.Attribute, askedClip(t, lag).Labels[t.Attribute], t.K, t.Attribute, t.Clips[t.K-1].Labels[t.Attribute]),
	}
}

// attributeNoun returns what a question calls an attribute. A scene is a kind
// of place: the same park by day and by night has one label, and so have two
// kitchens.
func attributeNoun(attribute string) string {
	if attribute == cliplabels.Scene {
		return "kind of place"
	}
	return attribute
}

func positionsText(n int32) string {
	if n == 1 {
		return "1 position"
	}
	return fmt.Sprintf("%d positions", n)
}

func trialLabels(t schemas.Trial, lag schemas.Lag) map[string]string {
	kind := nback.NoMatch
	switch {
	case lag.Match && footageID(t.Clips[t.K-1]) == footageID(askedClip(t, lag)):
		kind = nback.SameClip
	case lag.Match:
		kind = nback.OtherClip
	}
	fact := []string{t.Attribute, fmt.Sprint(lag.N)}
	var frames int64
	for _, c := range t.Clips {
		frames += c.Normalised.Frames
		fact = append(fact, footageID(c))
	}
	return map[string]string{
		"n_value": fmt.Sprint(lag.N), "clip_count": fmt.Sprint(t.K), "attribute": t.Attribute,
		"match_kind": kind, "sequence": t.Sequence, "lure": lureDistance(t, lag),
		"first_clip": contentID("clip", footageID(t.Clips[0])), "frames": fmt.Sprint(frames),
		schemas.LabelFact: contentID("fact", fact...),
	}
}

// lureDistance returns whether the last clip's label stands beside the asked
// position (near), elsewhere before it (far), or nowhere else (none).
func lureDistance(t schemas.Trial, lag schemas.Lag) string {
	label, at := t.Clips[t.K-1].Labels[t.Attribute], int(t.K-1-lag.N)
	found := "none"
	for i, c := range t.Clips[:t.K-1] {
		switch {
		case i == at || c.Labels[t.Attribute] != label:
		case i == at-1 || i == at+1:
			return "near"
		default:
			found = "far"
		}
	}
	return found
}

func trialSetting(t schemas.Trial) string {
	var total float64
	var starts []float64
	for _, c := range t.Clips {
		starts = append(starts, total)
		total += playSeconds(c.Normalised)
	}
	return fmt.Sprintf("The whole video lasts %.2f s and plays %d clips; they begin at %s s.", total, t.K, joinTimes(starts))
}

func trialEvidence(t schemas.Trial, lag schemas.Lag, mediaID string) []schemas.Evidence {
	var out []schemas.Evidence
	var start float64
	for i, c := range t.Clips {
		end := start + playSeconds(c.Normalised)
		if i == int(t.K-1-lag.N) || i == int(t.K-1) {
			out = append(out, schemas.Evidence{
				Kind: "media", Ref: mediaFragment(mediaID, start, end), Role: schemas.RoleClue,
				SourceID: singleSource(c), Order: int32(len(out) + 1), Modality: schemas.ModalityVideo,
			})
		}
		start = end
	}
	return out
}

// NBackPlanConfig configures video.nback-plan.
type NBackPlanConfig struct {
	Attribute         string `json:"attribute" doc:"the label that is compared: action or scene"`
	Sequences         int    `json:"sequences" doc:"clip sequences; an even number, so that yes and no can be equal in each cell (M3Eval: 32 an attribute)"`
	ClipsPerSequence  int    `json:"clips_per_sequence" doc:"clips that the videos of a sequence are made of, at least the largest k"`
	LabelsPerSequence int    `json:"labels_per_sequence" doc:"different labels of a sequence; more where their clips do not suffice (M3Eval: 4, of three clips each)"`
	N                 []int  `json:"n" doc:"lags; only n below k make a trial"`
	K                 []int  `json:"k" doc:"numbers of clips of a trial"`
	Independent       bool   `json:"independent" doc:"draw each answer by itself, so that the questions of a sequence do not answer each other; a label of a sequence then has a clip more than there are lags"`
	AllowRepeat       bool   `json:"allow_repeat" doc:"let a clip come again where its label has too few clips; such matches are marked same-clip"`
}

// SetDefaults implements pipeline.Defaulter. The grid gives M3Eval's 26 cells.
func (c *NBackPlanConfig) SetDefaults() {
	*c = NBackPlanConfig{
		Attribute: "action", Sequences: 2, ClipsPerSequence: 12, LabelsPerSequence: 4,
		N: []int{1, 2, 3, 4}, K: []int{2, 3, 4, 5, 6, 8, 10, 12},
	}
}

type nbackPlanStage struct {
	cfg    NBackPlanConfig
	design nback.Design
}

func newNBackPlan(c NBackPlanConfig) (pipeline.Stage, error) {
	switch {
	case c.Attribute == "":
		return nil, fmt.Errorf("attribute is empty; name the label to compare, for example action or scene")
	case c.Sequences < 2 || c.Sequences > 10000 || c.Sequences%2 != 0:
		return nil, fmt.Errorf("sequences is %d; want an even number from 2 to 10000, so that each cell has as many yes as no", c.Sequences)
	case c.ClipsPerSequence < 2 || c.ClipsPerSequence > 100:
		return nil, fmt.Errorf("clips_per_sequence is %d; want 2 to 100", c.ClipsPerSequence)
	case c.LabelsPerSequence < 2:
		return nil, fmt.Errorf("labels_per_sequence is %d; yes and no need at least 2", c.LabelsPerSequence)
	}
	if err := checkGrid(c); err != nil {
		return nil, err
	}
	return &nbackPlanStage{c, nback.Design{
		Sequences: c.Sequences, Length: c.ClipsPerSequence, LabelsPerSequence: c.LabelsPerSequence,
		N: c.N, K: c.K, Independent: c.Independent, AllowRepeat: c.AllowRepeat,
	}}, nil
}

func checkGrid(c NBackPlanConfig) error {
	if !distinctPositive(c.N) || !distinctPositive(c.K) {
		return fmt.Errorf("n is %v and k is %v; want different numbers from 1 in each", c.N, c.K)
	}
	if most := slices.Max(c.K); most > c.ClipsPerSequence {
		return fmt.Errorf("k goes to %d and clips_per_sequence is %d; a trial cannot be longer than its sequence", most, c.ClipsPerSequence)
	}
	if slices.Min(c.N) >= slices.Max(c.K) {
		return fmt.Errorf("no n of %v is below a k of %v, so there is no trial", c.N, c.K)
	}
	return nil
}

func distinctPositive(list []int) bool {
	sorted := slices.Sorted(slices.Values(list))
	return len(sorted) > 0 && sorted[0] >= 1 && len(slices.Compact(sorted)) == len(list)
}

func (*nbackPlanStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameVideo}, Emits: []string{schemas.NameTrial}}
}

func (s *nbackPlanStage) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	clips, err := collectVideos(ctx, scope, in, s.cfg.Attribute)
	if err != nil || len(clips) == 0 {
		return err
	}
	labels, design := make([]string, len(clips)), s.design
	for i, c := range clips {
		labels[i] = c.video.Labels[s.cfg.Attribute]
		design.Sources = append(design.Sources, c.video.Media)
	}
	plan, err := nback.Plan(labels, design, scope.Rand)
	var short *nback.ShortageError
	if errors.As(err, &short) {
		for _, c := range clips {
			scope.Reject(c.id, pipeline.Reject("too-few-clips", "no balanced %s trials: %v", s.cfg.Attribute, short))
		}
		return nil
	}
	if err != nil {
		return err
	}
	for _, row := range plan {
		if err := s.emitSequence(clips, row, emit); err != nil {
			return err
		}
	}
	return nil
}

func (s *nbackPlanStage) emitSequence(clips []videoEntry, row []nback.Trial, emit func(pipeline.Record) error) error {
	parts := []string{s.cfg.Attribute}
	for _, t := range row {
		for _, i := range t.Clips {
			parts = append(parts, clips[i].id)
		}
	}
	sequence := contentID("seq", parts...)
	for _, t := range row {
		trial := schemas.Trial{Sequence: sequence, Attribute: s.cfg.Attribute, K: int32(t.K)}
		for _, i := range t.Clips {
			trial.Clips = append(trial.Clips, clips[i].video)
		}
		for _, q := range t.Lags {
			trial.Lags = append(trial.Lags, schemas.Lag{N: int32(q.N), Match: q.Match})
		}
		id := contentID("trial", sequence, fmt.Sprint(t.K))
		rec, err := pipeline.NewRecord(schemas.NameTrial, id, trial, normalisedBlobs(trial.Clips...)...)
		if err != nil {
			return err
		}
		if err := emit(rec); err != nil {
			return err
		}
	}
	return nil
}
