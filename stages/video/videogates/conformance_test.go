package videogates_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// goldens are the gates' versions and the digests of what they give.
var goldens = map[string]string{
	"interference-roles": "3 349f58be399176aecc8397afb830ab472dff2a9bd0444c54278e9f30bf480f42",
	"mirror-pairs":       "2 abceae083c10776bb05508a0e51f47f2568ba018e0ae14d709d66ef20c8fdf54",
	"option-roles":       "3 ed340961cb33f79200ed968f9ae8c1e0a3e858e213fa9bb07a009baebc45bb94",
	"source-answers":     "2 94cf1aed5f95748945aad6d0b58cc12e78ab4feeda9ade5da3318b6358a9e6b1",
	"nback-balance":      "2 39d04ef3c6e1a2bcaa68022dacef727c1778c6e696c1e0c62442cf8fb6b81286",
	"nback-leak":         "2 edcad2f09035aeeb45b462677539a1c6f670922939c85ef66d849c11651c4ebf",
	"answer-position":    "3 7d9bc6e253855edeb4cc37db13055056e7c318bdb739da2ed9efab6d9d9aa8a9",
}

func TestConformance(t *testing.T) {
	mirrored := interference("q2")
	mirrored.Labels["interference_direction"] = "retroactive"
	wrong := interference("q3")
	wrong.Options[0].Role = schemas.RoleCorrect
	questions := []schemas.Question{interference("q1"), mirrored, wrong}
	questions = append(questions, answers(9, even, func(i int) map[string]string {
		return map[string]string{"clip_count": fmt.Sprint(2 + i/4)}
	})...)
	for i := range 24 {
		questions = append(questions, recalled("", []string{"A", "both", "neither"}[i%3]))
	}
	for i := range questions {
		questions[i].QuestionID = fmt.Sprintf("q%03d", i)
		questions[i].Question = strings.TrimPrefix(questions[i].Question, fmt.Sprintf("Trial %d?", i-3)) // so some are copies
	}
	for use := range goldens {
		s := testkit.Subject{Register: register, Use: use, Golden: goldens[use]}
		for _, q := range questions {
			r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
			if err != nil {
				t.Fatal(err)
			}
			s.Inputs = append(s.Inputs, r)
		}
		t.Run(use, func(t *testing.T) {
			testkit.ConformGate(t, s)
			s.CheckSpoiledInput(t, pipeline.KindGate, "spoiled-"+use, 0)
		})
	}
}
