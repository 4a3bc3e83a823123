package reviews_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/reviews"
)

func subject(golden string, files ...string) testkit.Subject {
	cfg := reviews.Config{Path: "reviews"}
	cfg.SetDefaults()
	s := testkit.Subject{Register: reviews.Register, Use: "reviews", Config: &cfg, Golden: golden}
	for i, text := range files {
		data := []byte(text)
		s.Assets = append(s.Assets, pipeline.Asset{Path: string(rune('a'+i)) + ".jsonl", Blob: pipeline.DigestOf(data), Size: int64(len(data))})
		s.Blobs = append(s.Blobs, data)
	}
	return s
}

const (
	ann = `{"item":"q1","annotator":"ann","draw":"d","decision":"accept"}` + "\n" + `{"item":"q2","annotator":"ann","draw":"d","decision":"accept"}` + "\n"
	bea = `{"item":"q1","annotator":"bea","draw":"d","decision":"reject","note":"no"}` + "\n" + `{"item":"q1","annotator":"ann","draw":"d","decision":"reject"}` + "\n"
)

func TestConformance(t *testing.T) { testkit.ConformSource(t, subject(golden, ann, bea)) }

const golden = "1 081ae43a6794821440e5fbb7a7abf75edc9aeefe2bd01f685a7853f469da08ec"

func TestTheLastDecisionStandsOverAllFiles(t *testing.T) {
	recs, lost, err := subject("", ann, bea).Read(t)
	if err != nil || len(lost) != 0 || len(recs) != 3 {
		t.Fatalf("%v, %v, %v", recs, lost, err)
	}
	said := map[string]string{}
	for _, rec := range recs {
		r, err := pipeline.Decode[schemas.Review](rec)
		if err != nil {
			t.Fatal(err)
		}
		said[r.Item+" "+r.Annotator] = r.Decision
	}
	if said["q1 ann"] != schemas.DecisionReject || said["q1 bea"] != schemas.DecisionReject || said["q2 ann"] != schemas.DecisionAccept {
		t.Errorf("%v", said)
	}
}

func TestAWrongLineEndsTheBuild(t *testing.T) {
	_, _, err := subject("", ann, bea+"{}\n").Read(t)
	var at *review.LineError
	if !errors.As(err, &at) || at.Line != 3 || !strings.Contains(err.Error(), "b.jsonl:3: ") {
		t.Errorf("%v", err)
	}
}

// TestForecastCountsDecisionsByBytes: to within a factor of two of what the lines hold.
func TestForecastCountsDecisionsByBytes(t *testing.T) {
	cfg := reviews.Config{Path: "reviews"}
	cfg.SetDefaults()
	s, err := reviews.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	lines := float64(strings.Count(ann+bea, "\n"))
	f := s.(pipeline.Forecaster).Forecast(pipeline.Volume{pipeline.VolumeFile: {Records: 2, Bytes: float64(len(ann + bea))}})
	if got := f.Out[schemas.NameReview]; got.Records < lines/2 || got.Records > 2*lines || !got.Rough {
		t.Errorf("%+v for %v lines", got, lines)
	}
}

func TestProposalsConform(t *testing.T) {
	cfg := reviews.ProposalsConfig{}
	cfg.SetDefaults()
	const line = `{"item":"q1","annotator":"ann","draw":"d","digest":"` + digest + `","changes":[{"field":"question","old":"What?","new":"Which?"}]}` + "\n"
	s := subject(goldenProposals, strings.Replace(line, "Which", "Why", 1), line)
	s.Use, s.Config = "reviews.proposals", &cfg
	testkit.ConformSource(t, s)
	recs, _, err := s.Read(t)
	if err != nil || len(recs) != 1 {
		t.Fatalf("%v, %v", recs, err)
	}
	if p, err := pipeline.Decode[schemas.Proposal](recs[0]); err != nil || p.Changes[0].New != "Which?" {
		t.Errorf("the last proposal is %+v, %v", p, err)
	}
}

const (
	digest          = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	goldenProposals = "1 0f0e7658997e0486fb1c88f5b1b7aee71f20177666d447ca11891d773c6012b7"
)
