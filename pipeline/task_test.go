package pipeline

import (
	"encoding/json"
	"errors"
	"testing"
)

func exampleTask() Task {
	return Task{
		Step: "probe",
		Identity: Identity{
			Kind: KindStage, Use: "video.probe", Version: "1", Config: RawConfig(`{"b":2,"a":1}`),
			Seed: 7, Tools: map[string]string{"ffmpeg": "5.1"},
		},
		Each:   true,
		Inputs: []Ref{{ID: "r1", Schema: "video", Digest: DigestOf([]byte("one"))}},
	}
}

// The golden keys pin how keys are composed. A change here forgets every
// result that users have: bump keyFormat and say so in docs/decisions/engine.md.
func TestKeysAreStable(t *testing.T) {
	source := Task{Step: "films", Identity: Identity{Name: "films", Kind: KindSource, Use: "dir", Version: "1", Config: RawConfig(`{}`)},
		Assets: []Asset{{Path: "a.mp4", Blob: DigestOf([]byte("a")), Size: 1}}}
	fold := exampleTask()
	fold.Each = false
	gate := exampleTask()
	gate.Identity.Kind = KindGate
	golden := []struct {
		name string
		task Task
		want Key
	}{
		{"map", exampleTask(), "452c0ceb77e0d53689b5eb465768a874e8985af03bd16152ce870f75042d5cc2"},
		{"fold", fold, "452c0ceb77e0d53689b5eb465768a874e8985af03bd16152ce870f75042d5cc2"},
		{"gate", gate, "42b6e8e779d04fe327d2c87bf8dc421252563a21eeefde8f4bdb0d70eb744a91"},
		{"source", source, "9f9d81779d5b6f6e5b4c2d2b668f3b604d85cbe2d177c91931f230d805a34f24"},
	}
	for _, g := range golden {
		key, err := g.task.Key()
		if err != nil {
			t.Fatal(err)
		}
		if key != g.want {
			t.Errorf("%s: key %s, want %s", g.name, key, g.want)
		}
	}
}

func TestKeyDependsOnWhatChangesTheOutput(t *testing.T) {
	base, err := exampleTask().Key()
	if err != nil {
		t.Fatal(err)
	}
	changes := map[string]func(*Task){
		"plugin":  func(t *Task) { t.Identity.Use = "video.other" },
		"version": func(t *Task) { t.Identity.Version = "2" },
		"config":  func(t *Task) { t.Identity.Config = RawConfig(`{"a":1,"b":3}`) },
		"seed":    func(t *Task) { t.Identity.Seed = 8 },
		"tool":    func(t *Task) { t.Identity.Tools = map[string]string{"ffmpeg": "6.0"} },
		"input":   func(t *Task) { t.Inputs[0].Digest = DigestOf([]byte("two")) },
		"on_fail": func(t *Task) { t.Identity.OnFail = "keep" },
		"name":    func(t *Task) { t.Identity.Name = "gate-a" },
	}
	for name, change := range changes {
		task := exampleTask()
		change(&task)
		if key, err := task.Key(); err != nil || key == base {
			t.Errorf("%s: key %s err %v; want another key than %s", name, key, err, base)
		}
	}
}

func TestKeyIgnoresWhatDoesNotChangeTheOutput(t *testing.T) {
	base, _ := exampleTask().Key()
	task := exampleTask()
	task.Step = "another name"
	task.Identity.Config = RawConfig(`{"a":1,  "b":2}`)
	if key, err := task.Key(); err != nil || key != base {
		t.Errorf("key %s err %v, want %s", key, err, base)
	}
}

func TestTaskSurvivesAJSONRoundTrip(t *testing.T) {
	task := exampleTask()
	b, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	var back Task
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	want, _ := task.Key()
	if got, err := back.Key(); err != nil || got != want {
		t.Errorf("key after the round trip %s (%v), want %s", got, err, want)
	}
}

func TestKeyOfABatchIsRefused(t *testing.T) {
	task := exampleTask()
	task.Inputs = append(task.Inputs, Ref{ID: "r2"})
	if _, err := task.Key(); err == nil {
		t.Error("want an error: a batch has one key per input")
	}
	keys, err := task.Keys()
	if err != nil || len(keys) != 2 || keys[0] == keys[1] {
		t.Errorf("keys %v, %v; want two different ones", keys, err)
	}
}

// TestInputsKeyIsTheKeyOfTheWholeTask that has the same inputs.
func TestInputsKeyIsTheKeyOfTheWholeTask(t *testing.T) {
	task := Task{Step: "n", Identity: Identity{Kind: KindStage, Use: "fold", Version: "1", Config: RawConfig(`{}`), Seed: 7}}
	for n := range 3 {
		want, err := task.Key()
		if err != nil {
			t.Fatal(err)
		}
		got, err := task.Identity.InputsKey(func(yield func(Digest, error) bool) {
			for _, in := range task.Inputs {
				if !yield(in.Digest, nil) {
					return
				}
			}
		})
		if err != nil || got != want {
			t.Errorf("%d inputs: %s, %v, want %s", n, got, err, want)
		}
		task.Inputs = append(task.Inputs, Ref{ID: string(rune('a' + n)), Digest: DigestOf([]byte{byte(n)})})
	}
	wrong := errors.New("cut off")
	if _, err := task.Identity.InputsKey(func(yield func(Digest, error) bool) { yield("", wrong) }); !errors.Is(err, wrong) {
		t.Errorf("%v", err)
	}
}
