package engine

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

// keyOf returns the key of a task that is one unit.
func keyOf(t pipeline.Task) (pipeline.Key, error) {
	keys, err := TaskKeys(t)
	if err != nil {
		return "", err
	}
	return keys[0], nil
}

func exampleTask() pipeline.Task {
	return pipeline.Task{
		Step: "probe",
		Identity: pipeline.Identity{
			Kind: pipeline.KindStage, Use: "video.probe", Version: "1", Config: pipeline.RawConfig(`{"b":2,"a":1}`),
			Seed: 7, Tools: map[string]string{"ffmpeg": "5.1"},
		},
		Each:   true,
		Inputs: []pipeline.Ref{{ID: "r1", Schema: "video", Digest: pipeline.DigestOf([]byte("one"))}},
	}
}

// The golden keys pin how keys are composed. A change here forgets every
// result that users have: bump keyFormat and say so in docs/decisions/engine.md.
func TestKeysAreStable(t *testing.T) {
	source := pipeline.Task{Step: "films", Identity: pipeline.Identity{Name: "films", Kind: pipeline.KindSource, Use: "dir", Version: "1", Config: pipeline.RawConfig(`{}`)},
		Assets: []pipeline.Asset{{Path: "a.mp4", Blob: pipeline.DigestOf([]byte("a")), Size: 1}}}
	fold := exampleTask()
	fold.Each = false
	gate := exampleTask()
	gate.Identity.Kind = pipeline.KindGate
	golden := []struct {
		name string
		task pipeline.Task
		want pipeline.Key
	}{
		{"map", exampleTask(), "452c0ceb77e0d53689b5eb465768a874e8985af03bd16152ce870f75042d5cc2"},
		{"fold", fold, "452c0ceb77e0d53689b5eb465768a874e8985af03bd16152ce870f75042d5cc2"},
		{"gate", gate, "42b6e8e779d04fe327d2c87bf8dc421252563a21eeefde8f4bdb0d70eb744a91"},
		{"source", source, "9f9d81779d5b6f6e5b4c2d2b668f3b604d85cbe2d177c91931f230d805a34f24"},
	}
	for _, g := range golden {
		key, err := keyOf(g.task)
		if err != nil {
			t.Fatal(err)
		}
		if key != g.want {
			t.Errorf("%s: key %s, want %s", g.name, key, g.want)
		}
	}
}

func TestKeyDependsOnWhatChangesTheOutput(t *testing.T) {
	base, err := keyOf(exampleTask())
	if err != nil {
		t.Fatal(err)
	}
	changes := map[string]func(*pipeline.Task){
		"plugin":  func(t *pipeline.Task) { t.Identity.Use = "video.other" },
		"version": func(t *pipeline.Task) { t.Identity.Version = "2" },
		"config":  func(t *pipeline.Task) { t.Identity.Config = pipeline.RawConfig(`{"a":1,"b":3}`) },
		"seed":    func(t *pipeline.Task) { t.Identity.Seed = 8 },
		"tool":    func(t *pipeline.Task) { t.Identity.Tools = map[string]string{"ffmpeg": "6.0"} },
		"input":   func(t *pipeline.Task) { t.Inputs[0].Digest = pipeline.DigestOf([]byte("two")) },
		"on_fail": func(t *pipeline.Task) { t.Identity.OnFail = "keep" },
		"name":    func(t *pipeline.Task) { t.Identity.Name = "gate-a" },
	}
	for name, change := range changes {
		task := exampleTask()
		change(&task)
		if key, err := keyOf(task); err != nil || key == base {
			t.Errorf("%s: key %s err %v; want another key than %s", name, key, err, base)
		}
	}
}

func TestKeyIgnoresWhatDoesNotChangeTheOutput(t *testing.T) {
	base, _ := keyOf(exampleTask())
	task := exampleTask()
	task.Step = "another name"
	task.Identity.Config = pipeline.RawConfig(`{"a":1,  "b":2}`)
	if key, err := keyOf(task); err != nil || key != base {
		t.Errorf("key %s err %v, want %s", key, err, base)
	}
}

func TestTaskSurvivesAJSONRoundTrip(t *testing.T) {
	task := exampleTask()
	b, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	var back pipeline.Task
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	want, _ := keyOf(task)
	if got, err := keyOf(back); err != nil || got != want {
		t.Errorf("key after the round trip %s (%v), want %s", got, err, want)
	}
}

func TestABatchHasAKeyForEachInput(t *testing.T) {
	task := exampleTask()
	task.Inputs = append(task.Inputs, pipeline.Ref{ID: "r2"})
	keys, err := TaskKeys(task)
	if err != nil || len(keys) != 2 || keys[0] == keys[1] {
		t.Errorf("keys %v, %v; want two different ones", keys, err)
	}
}

// TestInputsKeyIsTheKeyOfTheWholeTask that has the same inputs.
func TestInputsKeyIsTheKeyOfTheWholeTask(t *testing.T) {
	task := pipeline.Task{Step: "n", Identity: pipeline.Identity{Kind: pipeline.KindStage, Use: "fold", Version: "1", Config: pipeline.RawConfig(`{}`), Seed: 7}}
	for n := range 3 {
		want, err := keyOf(task)
		if err != nil {
			t.Fatal(err)
		}
		got, err := InputsKey(task.Identity, func(yield func(pipeline.Digest, error) bool) {
			for _, in := range task.Inputs {
				if !yield(in.Digest, nil) {
					return
				}
			}
		})
		if err != nil || got != want {
			t.Errorf("%d inputs: %s, %v, want %s", n, got, err, want)
		}
		task.Inputs = append(task.Inputs, pipeline.Ref{ID: string(rune('a' + n)), Digest: pipeline.DigestOf([]byte{byte(n)})})
	}
	wrong := errors.New("cut off")
	if _, err := InputsKey(task.Identity, func(yield func(pipeline.Digest, error) bool) { yield("", wrong) }); !errors.Is(err, wrong) {
		t.Errorf("%v", err)
	}
}
