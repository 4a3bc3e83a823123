package gates

import (
	"fmt"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/pipelinetest"
	"github.com/memforge/memforge/schemas"
)

// goldens are the gates' versions and the digests of what they give.
var goldens = map[string]string{
	"interference-roles": "1 934753024ab8e8565f577c36887c8e5756258b639e15c9c8c19287fe4d90f997",
	"mirror-pairs":       "1 a87ad39e2ff0735deb1149afe27bf9d6b1eebc368822212f317c5513a43dbb68",
	"nback-balance":      "1 3e0d41392ca5cfa7b615ae9044feb12eca2e0ee537840b984ed3122292036261",
	"nback-leak":         "1 f84bcab2a5d5e524a4bc6e4effa5c06503997df6d36dc9fc263271d1822496e0",
	"answer-position":    "1 4b982b55d210275bb79055c73986198d72ce9fa2a035b08ef5685e4c5f0f3a72",
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
	for i := range questions {
		questions[i].QuestionID = fmt.Sprintf("q%03d", i)
	}
	for _, use := range []string{"interference-roles", "mirror-pairs", "nback-balance", "nback-leak", "answer-position"} {
		s := pipelinetest.Subject{Register: Register, Use: use, Golden: goldens[use]}
		for _, q := range questions {
			r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
			if err != nil {
				t.Fatal(err)
			}
			s.Inputs = append(s.Inputs, r)
		}
		t.Run(use, func(t *testing.T) { pipelinetest.Gate(t, s) })
	}
}
