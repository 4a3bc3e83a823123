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
	"option-only":         "8 76033cc70d79a0266e51a54d68fee26b8e1670381173cd8757b7ed7150d231fc",
	"text-only":           "8 586b2e04017ab09ab4ad38a6a195ddde33e7d6b358ccb35d9b9c731b23898d0f",
	"caption-bypass":      "8 d06f39aeaeca88ddaef1f9aaabdc7d34d4101677763773cfeb3796ad3e31e210",
	"single-frame-bypass": "8 6d745ba5363d5a5060bc9d1ca7b0250e195f5e496020e100c760e4c4ebf9c7ee",
	"oracle":              "8 2ff0e9d7b8eb71498765b43e1b46758934f8a55d2f1fbe94290eab11457a7fe1",
	"correctness":         "8 b029a433d439d71d48680bc7e3c7444d7827f9d1f1d1aac5130313f85dfd679e",
	"evidence-necessity":  "8 c67abb8051b1aeac11cffbe035e450088bb53be3fef654b8936e77c69e567f58",
	"source-necessity":    "8 85a122c8cd5643f88adccd1ab0fb663bd5d4baa3de5c34aae5d18e290e3b5329",
	"modality-necessity":  "8 0ed073744466084cdd88eb8808a2af1d4537999ecb1a36477f9e71d7c36c1b1e",
	"answerable-alone":    "8 074dd5af84c1bda88090eb025a890a0fab1b94910602017b140fdaeda14a22c5",
	"oracle-call":         "1 629aa5283c4fcf533018e5cf74ba1773f81803613fab02457803d690ed78cc5c", "oracle-open": "1 99cfb6bd0e16c948a7f0c4a4d9b4224933dd12baf1dcb78ad0109cae0d841703", "label-reasoning": "1 af57d48848e688a0622b92dbb9da131862c7e28446756f9395af999776b69918",
	"taxonomy-y1": "8 dc0bb3d9c4892665f8216ae8c31345b36b6ab3aeb59d92365630c39576cfe6cc",
	"taxonomy-y2": "8 1cf8669bfefdcefeddebb82b861b0fce1b394baf165b14e71646597233b14c3d",
	"taxonomy-y3": "8 253b5319dfc52e8897def13fcf8f9d5eb544f1ba8d1cc825a70036955376526a",
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
