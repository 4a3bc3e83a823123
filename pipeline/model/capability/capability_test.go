package capability_test

import (
	"bytes"
	"fmt"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/capability"
	"github.com/memforge/memforge/pipeline/model/server"
	"github.com/memforge/memforge/pipeline/model/wire"
	"github.com/memforge/memforge/pipeline/testkit"
)

// answerSchema bounds what its strict form does not.
const answerSchema = `{"type":"object","properties":{"colour":{"type":"string","maxLength":3}},"required":["colour"],"additionalProperties":false}`

// capable answers each test as a server does that can all.
func capable(a testkit.ChatRequest) testkit.ChatReply {
	switch {
	case len(a.Images) > 0:
		img, err := png.Decode(bytes.NewReader(a.Images[0]))
		if err != nil || img.Bounds().Dx() != 64 || img.Bounds().Dy() != 64 {
			return testkit.ChatReply{Text: "no picture"}
		}
		for _, at := range []int{0, 63} {
			if r, g, b, _ := img.At(at, at).RGBA(); r>>8 != 220 || g>>8 != 20 || b>>8 != 20 {
				return testkit.ChatReply{Text: "blue"}
			}
		}
		return testkit.ChatReply{Text: "Red."}
	case len(a.Schema) > 0:
		return testkit.ChatReply{Text: " {\"colour\":\"strawberry red\"}\n"}
	case a.Seed != nil:
		return testkit.ChatReply{Text: fmt.Sprint("ready with ", *a.Seed)}
	}
	return testkit.ChatReply{Text: "ready"}
}

// TestFindings holds what a server does against what is found of it.
func TestFindings(t *testing.T) {
	refuse := func(match string, status int) testkit.ModelFault {
		return testkit.ModelFault{Kind: testkit.FaultStatus, Match: match, Status: status, Body: `{"error":{"message":"no such thing","type":"invalid_request_error"}}`}
	}
	for name, tc := range map[string]struct {
		answer func(testkit.ChatRequest) testkit.ChatReply
		faults []testkit.ModelFault
		want   string
	}{
		"it can all": {capable, nil, "chat json_schema seed images embeddings"},
		"prose in spite of a schema": {func(a testkit.ChatRequest) testkit.ChatReply {
			if len(a.Schema) > 0 {
				return testkit.ChatReply{Text: "Ripe strawberries are red."}
			}
			return capable(a)
		}, nil, "chat json_schema:followed seed images embeddings"},
		"another shape": {func(a testkit.ChatRequest) testkit.ChatReply {
			if len(a.Schema) > 0 {
				return testkit.ChatReply{Text: `{"color":"red"}`}
			}
			return capable(a)
		}, nil, "chat json_schema:followed seed images embeddings"},
		"it does not see": {func(a testkit.ChatRequest) testkit.ChatReply {
			if len(a.Images) > 0 {
				return testkit.ChatReply{Text: "green"}
			}
			return capable(a)
		}, nil, "chat json_schema seed images:followed embeddings"},
		"it refuses seeds":           {capable, []testkit.ModelFault{refuse(`"seed":1`, http.StatusBadRequest)}, "chat json_schema seed:thing images embeddings"},
		"pictures crash it":          {capable, []testkit.ModelFault{refuse("image_url", http.StatusInternalServerError)}, "chat json_schema seed images:thing embeddings"},
		"it has no embeddings":       {capable, []testkit.ModelFault{{Kind: testkit.FaultStatus, Path: "embeddings", Status: http.StatusBadRequest, Body: `{"error":{"message":"no such thing","type":"invalid_request_error"}}`}}, "chat json_schema seed images embeddings:thing"},
		"it does nothing but embed":  {capable, []testkit.ModelFault{refuse("", http.StatusBadRequest)}, "chat:thing json_schema:thing seed:thing images:thing embeddings"},
		"the key is not accepted":    {capable, []testkit.ModelFault{refuse("", http.StatusUnauthorized)}, "error"},
		"it fails on the first chat": {capable, []testkit.ModelFault{refuse("", http.StatusInternalServerError)}, "error"},
		"it fails on all but a chat": {capable, []testkit.ModelFault{
			{Kind: testkit.FaultStatus, Match: "json_schema", Status: http.StatusInternalServerError, Body: "no such thing"},
			{Kind: testkit.FaultStatus, Match: `"seed"`, Status: http.StatusInternalServerError, Body: "no such thing"},
			{Kind: testkit.FaultStatus, Match: "image_url", Status: http.StatusInternalServerError, Body: "no such thing"},
			{Kind: testkit.FaultStatus, Path: "embeddings", Status: http.StatusInternalServerError, Body: "no such thing"},
		}, "chat json_schema:thing seed:thing images:thing embeddings:thing"},
	} {
		t.Run(name, func(t *testing.T) {
			m := testkit.NewModelServer(t, tc.answer)
			for _, f := range tc.faults {
				m.AddFault(f)
			}
			schema, err := model.CompileSchema([]byte(answerSchema))
			if err != nil {
				t.Fatal(err)
			}
			seed := 5
			found, err := capability.Run(t.Context(), capability.Server{
				Client: wire.New(wire.Options{Name: "m", Host: "h", BaseURL: m.URL}), Task: "gate.colour", Schema: schema,
				Endpoint: wire.Endpoint{Name: "m", Model: server.Model{BaseURL: m.URL, Model: "m-1", Sampling: server.Sampling{Seed: &seed}}},
			})
			var got []string
			for i, f := range found {
				word := string(f.Kind)
				if f.Kind != capability.All[i] || f.Works != (f.Detail == "") {
					t.Errorf("finding %d: %+v", i, f)
				}
				if words := strings.Fields(f.Detail); !f.Works {
					word += ":" + strings.Trim(words[len(words)-1], `"`)
				}
				got = append(got, word)
			}
			if err != nil {
				got = append(got, "error")
			}
			if text := strings.Join(got, " "); text != tc.want {
				t.Errorf("found %s, %v; want %s", text, err, tc.want)
			}
		})
	}
}
