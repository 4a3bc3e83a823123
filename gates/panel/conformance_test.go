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
	"option-only":         "7 dee2bff05d81cc711c2940d079b032d595513d8e27b6a94c5b545aaabaaba0dc",
	"text-only":           "7 48896ea81a1c8e308ffc84f458843b89d5e57728564e97f7fbfda9899fc315db",
	"caption-bypass":      "7 8fba11ea4462b49502c4b36637172402106a911fc3bd067da4986db0b83a83f8",
	"single-frame-bypass": "7 2e5941d89ed5dc24e3d2ce20c5f84cc944c5265d24e2fd9b3397165ef5884150",
	"oracle":              "7 4150102dd21252e9e8df001b36ce97059954d1a7297ac799e675a73ac2d470b3",
	"correctness":         "7 ddf3b229313d028b4f7820e797f633370e7005fa0b3afe9c9ae77f553d5735cb",
	"evidence-necessity":  "7 f0e181388e26630818f07ad5c77a07439d116cf1a2fe45f999a23a312ec09b41",
	"source-necessity":    "7 1074d730ddca129759602ee612efeb149919c13831bd38994dcedaa912b4abe2",
	"modality-necessity":  "7 fd2e37b0c1360253289874263eeb08317927eadf0c9e0a5c2ec8314336489c63",
	"answerable-alone":    "7 fdceee4f510a9f0ca119a225c632e81670a410f46e24c8c9d595798c92318f00",
	"taxonomy-y1":         "7 2478d5c866f3f7a92f0cb1cf542357071cac767093a342f5d031babd4bb8aeba",
	"taxonomy-y2":         "7 f0afd5aa6dfa4ee385d4be0dbdda8a1e07819d70a7f254ceb2b49cf953978f2f",
	"taxonomy-y3":         "7 0993155589383877cfa14f0ac00332aeacf5b3653c6a618fbed3c9ae5bd97648",
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
		Unpinned: "the port of the server is in its keys",
	})
}
