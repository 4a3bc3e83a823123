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
var goldens = map[string]string{
	"option-only":         "2 3863f45e7bddc340161b5af6d48b46c52cbb7ccabb0f8a3f6fd2891717214254",
	"text-only":           "2 023eb4013a368d8149e193e3f92fac54abd2cf8205bf1ac0597103e9a43ad3cb",
	"caption-bypass":      "2 0b4fdf7d62c28e1e93121942bce2457ddbd6bae6dbfb2045ebd88009f2fb3c5d",
	"single-frame-bypass": "2 f4c276279e190e655a04ef02f96d82520cb8ef97604f567f2045a8d4e95c08cd",
	"oracle":              "2 74ab34ad2a498e7020ada1e9337ea17f0d6367b4f716f0214d9fd69c443c9a6e",
	"correctness":         "2 d07a48ba36e22d396f568c574fa18b5eb80d8cdbe13e73540b7bb1542c81116f",
	"evidence-necessity":  "2 7e7a49fc2645b87c452169034aa53d8305007dbff54ccb2500685172ba695b0c",
	"source-necessity":    "2 0609248c133aba73eae8fb0d50579b673f101445ef1562fa28f7812cfd340c24",
	"modality-necessity":  "2 defeac161932719ccd2f4f712fe744a5d6cecd4678b79414a8543e59ae5e6048",
	"answerable-alone":    "2 8510262aaae00caed3f54726623bb4942e71f00dde10651c7028902fb48d6685",
	"taxonomy-y1":         "2 784104f4015bd9bf5639660ea1ceda71bdb4e35beeb320b5e13ed684cad935b5",
	"taxonomy-y2":         "2 0ebc2de5b8a6eaf84273f5a73082a155a0701d14624e4eb5e6156ee136ea6799",
	"taxonomy-y3":         "2 8d92e359b09da0df1a6c7fe20bbb8bbbcf575521db4ee249b5f7457cfed25819",
}

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
