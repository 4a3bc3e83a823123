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
	"option-only":         "1 12b11778fbac581394479d7b0a04e4a45d10ee6320792de9d3321279072b0a28",
	"text-only":           "1 33c13c8e927e6f4657d4cce9d7a1adf86ec07342b814420fd1f9b16305b3d145",
	"caption-bypass":      "1 d1e1c8e1700766e6b9ffc0c15d7b9a026d3676d0266e0f47659187a58116f269",
	"single-frame-bypass": "1 eec86c02fd0a9c27f741e99dca798896202738174bb627fd31f9b54f9ebe4957",
	"oracle":              "1 d85c8b8729dd222e3a1ef9eb5bc404b32d48c8bfcb31eeb995249ebfa8eec331",
	"correctness":         "1 5801702042b78c1f155c3eff97d17e8373911581c2422d232dcfd03d3502965a",
	"evidence-necessity":  "1 d34f2af18b2fa6113b467d09cd19230ab66e382622d1c8d79af6478744ca9dc1",
	"source-necessity":    "1 392a72bb7d338e742939a43b873996951c6c9d11327d2d54f7fb09c78844f6dd",
	"modality-necessity":  "1 b9f8f35960d10e4ddb925e310616df9b101b7ef3feeba3eba1a793dcb37587d3",
	"answerable-alone":    "1 7ba4c0f0972544120d254b066e7ea41c72ebe03af98c84a528dcf0842cee04fe",
	"taxonomy-y1":         "1 10ba7f94bddef1df5c80597f5ae9dcba1ac005ef480b256844fd04b6669c9749",
	"taxonomy-y2":         "1 96e45f5f2417ae66a4addf92a93e6cff02de4740d513133a7b83070ef817ba2e",
	"taxonomy-y3":         "1 8240fcd5f90f45ad82ff303c17df7eab9ad6715651c2997ef98812808c81eba9",
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
