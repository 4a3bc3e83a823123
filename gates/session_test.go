package gates

import (
	"errors"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

func draw01(s string) float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s))
	return float64(h.Sum64()*0x9e3779b97f4a7c15>>11) / (1 << 53)
}

var sessionGates = []string{"point-coverage", "caption-coverage", "interference-detectability", "update-chain"}

// perDefect is how often each defect is planted, cleanLives how many lives have
// none.
const (
	perDefect  = 10
	cleanLives = 40
)

// planted is a generated set of sessions.
type planted struct {
	all   []schemas.Session
	blobs map[string][]byte
	// what says which defect a session has; nothing for a sound one.
	what map[string]defect
}

// sessionsOnce holds the set that is shared: nobody changes it.
var sessionsOnce struct {
	sync.Once
	planted
}

func plantSessions(t testing.TB) planted {
	t.Helper()
	sessionsOnce.Do(func() { sessionsOnce.planted = plantThem(t) })
	if sessionsOnce.all == nil {
		t.Fatal("the sessions that tests share were not made; the first of them says why")
	}
	return sessionsOnce.planted
}

func plantThem(t testing.TB) planted {
	t.Helper()
	p := planted{blobs: map[string][]byte{}, what: map[string]defect{}}
	for n := range cleanLives {
		first, second := newLife(t, n, p.blobs).live()
		p.all = append(p.all, first, second)
	}
	for i, d := range defects {
		for n := range perDefect {
			_, s := newLife(t, cleanLives+i*perDefect+n, p.blobs).live()
			d.plant(&s)
			p.what[s.SessionID] = d
			p.all = append(p.all, s)
		}
	}
	return p
}

// TestPlantedSessions lets a competent judge, that sees the requests alone, find
// exactly the planted defects.
func TestPlantedSessions(t *testing.T) {
	if testing.Short() {
		t.Skip("judges 370 sessions through a server; run without -short")
	}
	t.Parallel()
	set := plantSessions(t)
	if len(set.all) < 200 {
		t.Fatalf("only %d sessions", len(set.all))
	}
	server := testkit.NewModelServer(t, competent)
	b := newBench(t, server, set.all, set.blobs)
	calls := 0
	for _, gate := range sessionGates {
		verdicts := b.must(gate)
		for _, s := range set.all {
			d, v := set.what[s.SessionID], verdicts[s.SessionID]
			want := schemas.Pass
			if d.gate == gate {
				want = schemas.Fail
			}
			if v.Outcome != want || want == schemas.Fail && !strings.HasPrefix(v.Reason, d.code+": ") {
				t.Errorf("%s under %s with %q: %s %s, want %s %s", s.SessionID, gate, d.name, v.Outcome, v.Reason, want, d.code)
			}
			if asked := gate != "update-chain" && (d.gate != gate || !d.structural); asked != (v.CallsMade == 1) || len(v.probes) != int(v.CallsMade) {
				t.Errorf("%s under %s with %q: %d calls, %d probes", s.SessionID, gate, d.name, v.CallsMade, len(v.probes))
			}
			calls += int(v.CallsMade)
		}
	}
	if n := server.Counts(); n.Requests > calls || n.Repeated > 0 || n.Requests < calls/2 {
		t.Errorf("%d calls, the server saw %+v", calls, n)
	}
	t.Logf("%d sessions, %d defects of %d kinds, %d calls", len(set.all), len(set.what), len(defects), calls)
}

// TestStructureAsksNobody counts requests where the structure decides.
func TestStructureAsksNobody(t *testing.T) {
	t.Parallel()
	set := plantSessions(t)
	for _, gate := range sessionGates {
		server := testkit.NewModelServer(t, competent)
		var mine []schemas.Session
		for _, s := range set.all {
			if d := set.what[s.SessionID]; d.gate == gate && d.structural {
				mine = append(mine, s)
			}
		}
		verdicts := newBench(t, server, mine, set.blobs).must(gate)
		for id, v := range verdicts {
			if v.Outcome != schemas.Fail {
				t.Errorf("%s under %s: %+v", id, gate, v.Verdict)
			}
		}
		if n := server.Counts().Requests; n != 0 || len(verdicts) < 20 {
			t.Errorf("%s: %d requests about %d sessions that are wrong in themselves", gate, n, len(verdicts))
		}
	}
}

// wrongShare is how often the noisy judge is wrong about a statement.
const wrongShare = 0.02

// TestNoisyJudgeOfSessions reports how well a judge does who is wrong about one
// statement in fifty, and gives its verdicts again from its probes.
func TestNoisyJudgeOfSessions(t *testing.T) {
	if testing.Short() {
		t.Skip("judges 370 sessions through a server; run without -short")
	}
	t.Parallel()
	set := plantSessions(t)
	b := newBench(t, testkit.NewModelServer(t, noisy(wrongShare)), set.all, set.blobs)
	for _, gate := range sessionGates[:3] {
		verdicts := b.must(gate)
		t.Run(gate, func(t *testing.T) { precisionAndRecall(t, set, gate, verdicts) })
		t.Run(gate+" again", func(t *testing.T) { recompute(t, gate, verdicts) })
	}
}

func precisionAndRecall(t *testing.T, set planted, gate string, verdicts map[string]verdictOf) {
	var precision, recall []agreement.Score
	wrongly, expected, variance := 0.0, 0.0, 0.0
	score := map[bool]float64{true: 1}
	for id, v := range verdicts {
		flagged, bad := v.Outcome == schemas.Fail, set.what[id].gate == gate
		if flagged {
			precision = append(precision, agreement.Score{Cluster: id, Value: score[bad]})
		}
		if bad {
			recall = append(recall, agreement.Score{Cluster: id, Value: score[flagged]})
			continue
		}
		wrongly += score[flagged]
		p := 1 - math.Pow(1-wrongShare, float64(decisive(v)))
		expected, variance = expected+p, variance+p*(1-p)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	p, err := agreement.MeanInterval(sorted(precision), rnd)
	if err != nil {
		t.Fatal(err)
	}
	r, err := agreement.MeanInterval(sorted(recall), rnd)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("precision %.3f (%.3f to %.3f), recall %.3f (%.3f to %.3f), %g sound ones flagged, %.1f expected",
		p.Value, p.Low, p.High, r.Value, r.Low, r.High, wrongly, expected)
	if math.Abs(wrongly-expected) > 3.5*math.Sqrt(variance) {
		t.Errorf("%g sound sessions flagged, expected %.1f", wrongly, expected)
	}
	if r.Value < 0.9 {
		t.Errorf("recall %+v: the judge misses one in fifty of what only it can find", r)
	}
}

func sorted(s []agreement.Score) []agreement.Score {
	slices.SortFunc(s, func(a, b agreement.Score) int { return strings.Compare(a.Cluster, b.Cluster) })
	return s
}

// decisive counts the statements of a verdict that decide.
func decisive(v verdictOf) (n int) {
	for _, p := range v.probes {
		n += strings.Count(p.Answer, `"want":`)
	}
	return n
}

func judgeOf(t *testing.T, name string) pipeline.Recomputer {
	t.Helper()
	r := pipeline.NewRegistry()
	Register(r)
	p, _ := r.Plugin(pipeline.KindGate, name)
	g, err := p.Build(p.NewConfig())
	if err != nil {
		t.Fatal(err)
	}
	return g.(pipeline.Recomputer)
}

// recompute gives every verdict again from its probes alone, and finds probes
// that were changed.
func recompute(t *testing.T, gate string, verdicts map[string]verdictOf) {
	g, spoilt := judgeOf(t, gate), 0
	for _, v := range verdicts {
		j, err := g.Recompute(nil, v.probes, int(v.CallsFull))
		if v.CallsMade == 0 {
			if !errors.Is(err, pipeline.ErrNeedsItem) {
				t.Errorf("%s, nobody asked: %v", v.Item, err)
			}
			continue
		}
		if err != nil || string(j.Outcome) != v.Outcome || j.Reason != v.Reason || j.CallsFull != int(v.CallsFull) {
			t.Errorf("%s: %+v, %v; the verdict is %+v", v.Item, j, err, v.Verdict)
		}
		for name, edit := range spoil {
			probes := slices.Clone(v.probes)
			if !edit(&probes) {
				continue
			}
			spoilt++
			if j, err := g.Recompute(nil, probes, int(v.CallsFull)); err == nil {
				t.Errorf("%s with %s: %+v", v.Item, name, j)
			}
		}
	}
	if spoilt < 1000 {
		t.Errorf("only %d spoilt", spoilt)
	}
}

// spoil changes probes; it reports whether it could.
var spoil = map[string]func(*[]schemas.Probe) bool{
	"another mark": func(ps *[]schemas.Probe) bool {
		p := &(*ps)[len(*ps)-1]
		p.Mark = map[string]string{schemas.MarkRight: schemas.MarkWrong, schemas.MarkWrong: schemas.MarkRight}[p.Mark]
		return true
	},
	"another answer": func(ps *[]schemas.Probe) bool {
		p := &(*ps)[0]
		old := p.Answer
		p.Answer = strings.Replace(p.Answer, `"answer":"yes"`, `"answer":"no"`, 1)
		return p.Answer != old
	},
	"another response": func(ps *[]schemas.Probe) bool {
		p := &(*ps)[0]
		old := p.Response
		p.Response = strings.Replace(p.Response, `"answer":"yes"`, `"answer":"no"`, 1)
		return p.Response != old
	},
	"a probe too many": func(ps *[]schemas.Probe) bool {
		p := (*ps)[0]
		p.Sample++
		*ps = append(*ps, p)
		return true
	},
	"a probe twice":  func(ps *[]schemas.Probe) bool { *ps = append(*ps, (*ps)[0]); return true },
	"another run":    func(ps *[]schemas.Probe) bool { (*ps)[0].Sample = 1; return true },
	"another view":   func(ps *[]schemas.Probe) bool { (*ps)[0].View = "oracle"; return true },
	"another role":   func(ps *[]schemas.Probe) bool { (*ps)[0].Role = "author"; return true },
	"failed instead": func(ps *[]schemas.Probe) bool { (*ps)[0].Mark = schemas.MarkFailed; return true },
	"no answer":      func(ps *[]schemas.Probe) bool { (*ps)[0].Answer = ""; return true },
	"unknown mark":   func(ps *[]schemas.Probe) bool { (*ps)[0].Mark = "x"; return true },
}
