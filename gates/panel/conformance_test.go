package panel

import (
	"fmt"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// goldens are the gates' versions and the digests of what they give with the
// built-in model.
var goldens = map[string]string{
	"option-only":         "10 d01f320d5f4962b0099025b0a45c981c9420c97628bfb86d015b10a8502c0e88",
	"text-only":           "11 ead78380a4b5dace4f2ba48a4241a67a225d38633465dea7d426dfc498ba8178",
	"caption-bypass":      "11 330905048e70ffa9237b98a3158c8cdf7ff22cf1a56ce8100d3276b9f366263a",
	"single-frame-bypass": "10 da76d89ac5fb3cfb1ca35ad9f2b9f4017420906ca2fa297e9eea2f119b19c101",
	"oracle":              "11 05cf7e950d42cf8effac236172448caba727efcd940f1874b055728aa398a375",
	"correctness":         "10 3af1333c902e956f01087e8c7c9959a5194bfdbbafe0dd7d9b74aca5829b8df9",
	"evidence-necessity":  "11 5acd1fd68cacededf7fb678bfb99a21c2bda03c7e851b4f3ee09b753df40242d",
	"source-necessity":    "11 70c337037a1c56798179a8cddeae9a430a6b39c4d1e37d5453a2ae3ad253ffda",
	"modality-necessity":  "11 ad3f9c5d157587361f96cf362f990f4d45045dd28b662656318a8d8324ba086f",
	"answerable-alone":    "11 c000b841bc1392adcf13c2537ec6a682cd1eed9e8aa9d40159603f5d89b7c36a",
	"oracle-call":         "4 6079068c073c93dfb4e9bd8daed68a6ca39bde66f12ba2604110e18c1aea6904", "oracle-open": "4 b4da0040a3fd63473fe85c3d02503839ff4ac36de62cca2f7cd1d9c12f95741c", "label-reasoning": "1 af57d48848e688a0622b92dbb9da131862c7e28446756f9395af999776b69918",
	"label-granularity": "1 2165cd9d08e5b54d3e0b3cd4383ddad61b0458f9abab4c649d14498257b5123c",
	"taxonomy-y1":       "11 d58b670a8de7de2ce018ff9ae91df2da46ea6815f9b8ea1387c6c74acd00bc61",
	"taxonomy-y2":       "11 6c2469ef31876e23fe9371135b470ab9e52977cdfde8f5bd371e491b5c792cba",
	"taxonomy-y3":       "11 f8e6846c392a54f24fdd7bd65e8967e334527b761fc48841772d3b4e79bd5fa8",
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
		if d.Version != versionOf(d.View) {
			if golden == "" {
				continue // the definition of another gate, in one of the forms below
			}
			inputs = forms
		}
		t.Run(d.Name, func(t *testing.T) {
			testkit.ConformGate(t, testkit.Subject{Register: register, Use: d.Name, Inputs: inputs, Golden: golden})
		})
	}
}

// TestConformanceLive runs the suite through a client and a ledger.
func TestConformanceLive(t *testing.T) {
	srv := testkit.NewModelServer(t, reader(t, "green", "Ann owns"))
	roles, models := srv.Live(t, roleA, roleB, roleJudge)
	testkit.ConformGate(t, testkit.Subject{
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
