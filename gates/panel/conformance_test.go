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
	"option-only":         "4 60d5a0621a7ae256a8029f320952d8c320b3ec17ce64a9a65fb311f0ff4a4012",
	"text-only":           "4 90b956ee89aeac92b6b0f21f8e059a440fba5b5960d1cb4b98b1db6c44256203",
	"caption-bypass":      "4 708930f0b1027c5d1264197b510a1eef84d8546d81bd154781b2c4006955f9bd",
	"single-frame-bypass": "4 3a9de73b6a04b1e956ca69f5acc8be145a3669042eb80f51e03c7b560a61f041",
	"oracle":              "4 140fe96bc0e50cfc9221b3d745de2fed319603bb418de8832e4410d70d617073",
	"correctness":         "4 0e929f4ba9dd7f98fb0c1a273c99c2b6478c8af2f26a604463f2f0980c2ed656",
	"evidence-necessity":  "4 01a234d02f862b2ea83e3163feb4c08c5dcc11eac8757c66f61cdc4b2ceac24e",
	"source-necessity":    "4 6521f83c62209a78c6d58eb7f62c05320b851a14cf913f2629639d0079937fa7",
	"modality-necessity":  "4 a8f8aa02f156652d697f6d6a966c378cf05c59d61e2240a31fc5dac637f87c35",
	"answerable-alone":    "4 bf0585d75d7b6c1cc207e0f206219b5b17edfc1ec7ca8ee367bfc214bf9e57c8",
	"taxonomy-y1":         "4 c732f9df0237e6de419aa6f786cfd8514504ac0d00469057619c018bd6cce986",
	"taxonomy-y2":         "4 41e96246c66c8a34d373751d054c7707466420ade976126d99e25f294fd974a8",
	"taxonomy-y3":         "4 2f3f114ed33cde12d5fce51095d5229135eacea3b08f2dff9da486a8a38d5692",
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
