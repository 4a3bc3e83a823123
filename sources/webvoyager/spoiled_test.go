package webvoyager_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/sources/internal/trajectory"
	"github.com/memforge/memforge/sources/webvoyager"
)

// TestGoldenSpoiled pins what is read of a run, and of it with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	golden.CheckSpoiled(t, "spoiled", json.RawMessage(`[
		{"role": "system", "content": "Imagine you are a robot."},
		{"role": "user", "content": "Now given a task: Find a mug. Please interact with https://shop.example and get the answer. Observation: please analyze the attached screenshot and give the Thought. I've provided the tag name and textual information.\n[1]: \"Search\"; [2]: \"Cart\";"},
		{"role": "assistant", "content": "Thought: I search.\n\nAction: Type [1]; mug"},
		{"role": "user", "content": [{"type": "text", "text": "Observation: (Omitted in context.)"}, {"type": "image_url"}]},
		{"role": "assistant", "content": "Thought: No.\n\nAction: Click [7]"},
		{"role": "user", "content": "The action failed."},
		{"role": "assistant", "content": "I am stuck."},
		{"role": "tool", "content": "x"},
		{"role": "user", "content": [{"type": "text", "text": "Observation: it moved. please analyze the attached screenshot and give the Thought. I've provided the tag name and textual information.\n[3]: \"Back\";"}, {"type": "image_url"}]},
		{"role": "assistant", "content": [{"type": "text", "text": "Thought: Done.\n\nAction: Click [4]"}]}
	]`), func(doc []byte) string {
		f := &trajectory.File{Path: "results/taskShop--1/interact_messages.json", Text: doc, Pictures: []string{"screenshot1.png", "screenshot2_no_box.png", "screenshot3.png", "screenshot3_no_box.png", "screenshot9.png", "agent.log"}}
		runs, err := webvoyager.Parse(f)
		if err != nil {
			return err.Error()
		}
		out := fmt.Sprintf("%+v", *f)
		for _, r := range runs {
			out += fmt.Sprintf("\n%+v", *r)
		}
		return strings.NewReplacer(fmt.Sprint(doc), "", "} {", "}\n{", " losses:", "\nlosses:", " Steps:", "\nSteps:", " Facts:", "\nFacts:").Replace(out)
	})
}
