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
	"option-only":         "10 d01f320d5f4962b0099025b0a45c981c9420c97628bfb86d015b10a8502c0e88",
	"text-only":           "10 ba793420444fce3ef1a1c5790914929e9cf7369df43332100d5b5b24f2b4ef79",
	"caption-bypass":      "10 3a01df0b8031bfaa05b8252f35dde87a9f1c494fe95067e0d508c89e070a3a38",
	"single-frame-bypass": "10 da76d89ac5fb3cfb1ca35ad9f2b9f4017420906ca2fa297e9eea2f119b19c101",
	"oracle":              "11 05cf7e950d42cf8effac236172448caba727efcd940f1874b055728aa398a375",
	"correctness":         "10 3af1333c902e956f01087e8c7c9959a5194bfdbbafe0dd7d9b74aca5829b8df9",
	"evidence-necessity":  "10 378810d56004fcd9166077c784ce074a1fceccfb8f48b80ad989f90f6c05f19c",
	"source-necessity":    "10 f00c35058ab57be7bff71e06342c9a1fc6f7751d7ea5399cd1293d22463ae6db",
	"modality-necessity":  "10 c6e180d2a90a565691746c4ad678b8cd3a447c2e8f4d0b2be2bb69ebea8aa979",
	"answerable-alone":    "10 2fac6262ece9280eb6adbaeece1c2dab5b6c74363c5f92e871afaaae7a35c3cf",
	"oracle-call":         "4 6079068c073c93dfb4e9bd8daed68a6ca39bde66f12ba2604110e18c1aea6904", "oracle-open": "4 b4da0040a3fd63473fe85c3d02503839ff4ac36de62cca2f7cd1d9c12f95741c", "label-reasoning": "1 af57d48848e688a0622b92dbb9da131862c7e28446756f9395af999776b69918",
	"label-granularity": "1 2165cd9d08e5b54d3e0b3cd4383ddad61b0458f9abab4c649d14498257b5123c",
	"taxonomy-y1":       "10 d002a6a703791912fc553f01b54c423f6fc75443be450fe16249e4df5705e1b9",
	"taxonomy-y2":       "10 3ad2dde4809f5bf317eb818805d7644b3155f98ea8fb65569398a5b477603113",
	"taxonomy-y3":       "10 94c6a72ebd41b12b1797b7444aee46bc9916125c410fdf396ef333884b0fd1a6",
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
