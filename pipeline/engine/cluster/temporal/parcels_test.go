//go:build temporal

package temporal

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster"
	"github.com/memforge/memforge/pipeline/testkit/enginetest"
	"github.com/memforge/memforge/pipeline/testkit/temporalserver"
)

func TestCarryByTwoWorkers(t *testing.T) { enginetest.CarryByTwoWorkers(t, started(t)) }

func TestCarryWhenWorkersFail(t *testing.T) { enginetest.CarryWhenWorkersFail(t, started(t)) }

func TestCarryWhenTheServerRestarts(t *testing.T) {
	enginetest.CarryWhenTheServerRestarts(t, started(t))
}

func TestCarryTheSameTwice(t *testing.T) { enginetest.CarryTheSameTwice(t, started(t)) }

func TestCarryMoves(t *testing.T) { enginetest.CarryMoves(t, started(t)) }

func TestDriverFails(t *testing.T) { enginetest.DriverFails(t, started(t)) }

func TestBuildIsCancelled(t *testing.T) { enginetest.BuildIsCancelled(t, started(t)) }

func TestDriverOutlivesTheServer(t *testing.T) { enginetest.DriverOutlivesTheServer(t, started(t)) }

func TestCarryErrors(t *testing.T) {
	s := temporalserver.Start(t)
	for _, p := range enginetest.CarryErrors(t, site(s)) {
		checkHistory(t, dial(t, s), batchName(enginetest.Queue(t), p))
	}
}

// A name that somebody else's workflow has is refused.
func TestCarryTakenName(t *testing.T) {
	e := dial(t, temporalserver.Start(t))
	p := pipeline.DigestOf([]byte(t.Name()))
	o := client.StartWorkflowOptions{ID: batchName(t.Name(), p), TaskQueue: "elsewhere"}
	if _, err := e.client.ExecuteWorkflow(t.Context(), o, "somebody-elses"); err != nil {
		t.Fatal(err)
	}
	var permanent *cluster.PermanentError
	if _, err := e.SendBatch(t.Context(), t.Name(), p); !errors.As(err, &permanent) || !strings.Contains(err.Error(), "somebody-elses") {
		t.Errorf("a name that is taken: %v", err)
	}
}

// checkHistory wants nothing in what a server keeps of a batch but digests, numbers and
// fixed words.
func checkHistory(t testing.TB, e *Engine, name string) {
	t.Helper()
	count := 0
	for all := e.client.GetWorkflowHistory(t.Context(), name, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); all.HasNext(); count++ {
		event, err := all.Next()
		if err != nil {
			t.Fatal(err)
		}
		text, err := protojson.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		var parts any
		if err := json.Unmarshal(text, &parts); err != nil {
			t.Fatal(err)
		}
		checkPart(t, parts)
	}
	if count != 11 {
		t.Errorf("the history of %s has %d events, want 11", name, count)
	}
}

// What a payload and a message may be.
var (
	digestsOnly = regexp.MustCompile(`^("[0-9a-f]{64}"|\{"name":"[0-9a-f]{64}","silence":\d+\}|\{"parcel":"[0-9a-f]{64}","reply":"[0-9a-f]{64}"\})$`)
	fixedWords  = regexp.MustCompile(`^(activity error|trying again cannot mend it; the worker's log says what|it failed; the worker's log says why)$`)
)

func checkPart(t testing.TB, part any) {
	t.Helper()
	switch part := part.(type) {
	case []any:
		for _, p := range part {
			checkPart(t, p)
		}
	case map[string]any:
		for key, p := range part {
			text, _ := p.(string)
			if raw, err := base64.StdEncoding.DecodeString(text); key == "data" && (err != nil || !digestsOnly.Match(raw)) {
				t.Errorf("a history has the payload %s (%v)", raw, err)
			}
			if slices.Contains([]string{"message", "stackTrace", "details"}, key) && !fixedWords.MatchString(text) {
				t.Errorf("a history says %s: %v", key, p)
			}
			checkPart(t, p)
		}
	}
}
