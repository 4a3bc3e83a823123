package panel

import (
	"fmt"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/pipelinetest"
	"github.com/memforge/memforge/schemas"
)

// goldens are the gates' versions and the digests of what they give with the
// built-in model.
var goldens = map[string]string{}

func TestConformance(t *testing.T) {
	var inputs []pipeline.Record
	for i := range 6 {
		q := item(fmt.Sprintf("q%d", i))
		switch i % 3 {
		case 1:
			changing(&q)
		case 2:
			labelled(schemas.ReasonSingle)(&q)
			q.Evidence[1].Modality = schemas.ModalityTable
		}
		inputs = append(inputs, record(t, q))
	}
	for _, d := range definitions() {
		t.Run(d.name, func(t *testing.T) {
			pipelinetest.Gate(t, pipelinetest.Subject{Register: register, Use: d.name, Inputs: inputs, Golden: goldens[d.name]})
		})
	}
}

// TestConformanceLive runs the suite through a client and a ledger.
func TestConformanceLive(t *testing.T) {
	srv := pipelinetest.NewModelServer(t, reader(t, "green", "Ann owns"))
	roles, models := srv.Live(t, roleA, roleB, roleJudge)
	pipelinetest.Gate(t, pipelinetest.Subject{
		Register: register, Use: "evidence-necessity", Inputs: []pipeline.Record{record(t, item("q"))}, Roles: roles, Models: models,
	})
}
