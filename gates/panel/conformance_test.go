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
	"option-only":         "9 4244184a577f9982f8e0e69a53bc6ed6161f24025cd7ed1f92b7d9873ecf1e54",
	"text-only":           "9 20fb70f0212cf7421657ec664215f087bae55dbdbc0e6f6835946fdfac5ae0ef",
	"caption-bypass":      "9 b0ae39293d59907f33ab29bff90638b94159c4b049e935124cb19cca020376df",
	"single-frame-bypass": "9 dd7a9113e51fab920618dbe2914ce8302d435010f71bf9f0ba1f9b67932c9dfd",
	"oracle":              "9 28d929ae559add72a52e33b4e392d7f069ea0496c1657b316696cd1796beb4ab",
	"correctness":         "9 2d73b0b09442622398e92f13b83d5a8190e23d0cba545089238b147551d664d3",
	"evidence-necessity":  "9 7b0f70b665b1cc79a17ad609231f5bf909d6117f2db5cab5e334850c9996959d",
	"source-necessity":    "9 2b60aeb95fc3c8c9a2b183c11367bc6c3a28c33fde529f37c9954e58a3e4059a",
	"modality-necessity":  "9 1605c5f430ffd62910bf9a6cb2f08e6d6e99473bbd7ec8855df6b1d3c750998f",
	"answerable-alone":    "9 6f1a530a7d694d1592545d8bcbb01136aa6967660d88558373152e47d2b7b5fb",
	"oracle-call":         "2 7625396850efdf893d639b053e9833d1feb42f7aaad096f5e106b84347185d49", "oracle-open": "2 748935165bec1168099f9552803059e3a6fe71ca1be48ad1014574c4e496f25a", "label-reasoning": "1 af57d48848e688a0622b92dbb9da131862c7e28446756f9395af999776b69918",
	"label-granularity": "1 2165cd9d08e5b54d3e0b3cd4383ddad61b0458f9abab4c649d14498257b5123c",
	"taxonomy-y1":       "9 b408baa22089fa41e3404c675d6241ea9761f0d4a433e848b2b66b5dd4591389",
	"taxonomy-y2":       "9 7e22c4c973fff3121cceb4447064ac8a1cb7f6ca1f55014ff1c7b2dd509d242d",
	"taxonomy-y3":       "9 4651e1a81e1bb16675e49ecb9788aebf997afc64e934769db4da32083df9e5e5",
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
	var forms []pipeline.Record
	for i, edit := range []func(*schemas.Question){calling, func(q *schemas.Question) { q.Options = nil }, func(*schemas.Question) {}} {
		forms = append(forms, record(t, edited(fmt.Sprintf("f%d", i), edit)))
	}
	for _, d := range definitions() {
		inputs, golden := inputs, goldens[d.Name]
		if d.Version != version {
			if golden == "" {
				continue // the definition of another gate, in one of the forms below
			}
			inputs = forms
		}
		t.Run(d.Name, func(t *testing.T) {
			pipelinetest.Gate(t, pipelinetest.Subject{Register: register, Use: d.Name, Inputs: inputs, Golden: golden})
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

// calling makes the answer a call of one of two tools.
func calling(q *schemas.Question) {
	q.Options, q.AnswerKey, q.AnswerText = nil, "", ""
	q.AnswerCall = `{"name": "paint", "arguments": {"colour": "green", "coats": 2}}`
	q.Tools = []schemas.Tool{
		{Name: "paint", Description: "Paints a kettle.", Parameters: `{"type":"object"}`},
		{Name: "sell", Description: "Sells a thing.", Parameters: `{"type":"object"}`},
	}
}
