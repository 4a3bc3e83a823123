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
	"interference-roles": "1 433fa92c33de1ba037bfed796f843ec9637d2bea197d9a069a7dc01e60d85528",
	"mirror-pairs":       "1 86380e0b391a8630ad0209168bba028f0060167f285b0de447b2f0860d2b023c",
	"option-roles":       "1 cb0fa3af90100accd91b4a5488faa8430b5345433e876651d8dbd0dccd86854a",
	"source-answers":     "1 55cd7ef1b7a0e0439d09380cba8464878ce04880e91da7f357666ed96fb03bda",
	"nback-balance":      "1 a9e53088cfaeab5f132f2d5d1a67fcdbb80c2f7cc9b9c471583ff1b1bfb642ac",
	"nback-leak":         "1 fd9986536d11ee013dc72368d29952b62b9b641f5bc720e3918d23f9571bc444",
	"answer-position":    "1 e4cac024a8e95d4f6499df9e45bcadaaee246f453b87cf3b3d45b0876d02442d",
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
	}
	for use := range goldens {
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
