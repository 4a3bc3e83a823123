package video

import (
	"context"
	"fmt"
	"strconv"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/cliplabels"
	"github.com/memforge/memforge/stages/video/nback"
)

// NBackConfig configures video.nback, which has nothing to set.
type NBackConfig struct{}

// nbackStage renders planned trials and asks about them: one video serves all
// lags.
type nbackStage struct{ tools *media.Tools }

func newNBack(NBackConfig) (pipeline.Stage, error) { return &nbackStage{media.Lazy()}, nil }

func (*nbackStage) Spec() pipeline.Spec {
	return pipeline.Spec{
		Accepts:  []string{schemas.NameTrial},
		Emits:    []string{schemas.NameMedia, schemas.NameTask, schemas.NameStatements, schemas.NameQuestion},
		Types:    []string{schemas.TypeNBack},
		Resource: pipeline.FFmpeg, Tools: []string{ffmpeg},
	}
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

// trialRecords are what a rendered trial gives: its medium, the task of its
// questions, what its clips show, and a question for each lag.
func trialRecords(id string, t schemas.Trial, m schemas.Media) ([]pipeline.Record, error) {
	task := schemas.Task{
		TaskID: contentID("task", id), Family: family, Domain: t.Clips[0].Category, Scenario: schemas.LayoutNBack,
		Summary: fmt.Sprintf("%d clips one after the other.", t.K), SourceRecords: sourceIDs(t.Clips...), Media: []string{m.MediaID},
	}
	mediaRec, err := mediaRecord(m)
	if err != nil {
		return nil, err
	}
	taskRec, err := pipeline.NewRecord(schemas.NameTask, task.TaskID, task)
	if err != nil {
		return nil, err
	}
	told, err := statementsRecord(t.Clips...)
	if err != nil {
		return nil, err
	}
	out := []pipeline.Record{mediaRec, taskRec, told}
	for _, lag := range t.Lags {
		q := trialQuestion(t, lag, m, task.TaskID)
		rec, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
		if err != nil {
			return nil, err
		}
		out = append(out, rec)
	}
	return out, nil
}

// clipNumbers are the numbers of a trial's clips, from 1.
func clipNumbers(t schemas.Trial) []string {
	out := make([]string, len(t.Clips))
	for i := range out {
		out[i] = strconv.Itoa(i + 1)
	}
	return out
}

// checkTrial refuses a trial that contradicts itself: the answers must be those
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

// askedClip is the clip that a lag asks about.
func askedClip(t schemas.Trial, lag schemas.Lag) schemas.Video { return t.Clips[t.K-1-lag.N] }

// trialQuestion asks whether the last clip matches the one N positions before.
func trialQuestion(t schemas.Trial, lag schemas.Lag, m schemas.Media, taskID string) schemas.Question {
	text := fmt.Sprintf("You see %d clips, one after the other. Does the last clip show the same %s as the clip %s before it?",
		t.K, attributeNoun(t.Attribute), positionsText(lag.N))
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

// attributeNoun is what a question calls an attribute. A scene is a kind of place:
// the same park by day and by night has one label, and so have two kitchens.
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

// lureDistance says whether the last clip's label stands beside the asked position
// (near), elsewhere before (far), or nowhere else (none).
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

// trialSetting says when each clip of a trial begins.
func trialSetting(t schemas.Trial) string {
	var total float64
	var starts []float64
	for _, c := range t.Clips {
		starts = append(starts, total)
		total += playSeconds(c.Normalised)
	}
	return fmt.Sprintf("The whole video lasts %.2f s and plays %d clips; they begin at %s s.", total, t.K, joinTimes(starts))
}

// trialEvidence points at the asked clip and the last one.
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
