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
	"option-only":         "11 9ca9d32061250f51661c4861d4378d113e0673227d434e8640ae8e28dadb4644",
	"text-only":           "12 b540972ee56ab8357bc81935bd112824405bbcedb3af320548a04d37ad4e9f46",
	"caption-bypass":      "12 6a9de5a8ced7f3def6933857fb8b544229d9ac1b378aafddfaf86ff9846752be",
	"single-frame-bypass": "11 6671c2bd1f93cdeb9d211075c68395f696d85b336bfa2f52f0ce5783e3fa4c6a",
	"oracle":              "12 e1787209e4bcd4d56a3bade718adfa13e673dde54bc44f79a93b73e50fa148bb",
	"correctness":         "11 a10d62fcaf6adb11a7d0d6203af9be09a0540f2086e2117da6eb68c29c328011",
	"evidence-necessity":  "12 66b2f6f1f73d61376246d9728afc2f2a85b2a77d8b2ca5d6aeb25d9ecd12ca4c",
	"source-necessity":    "12 91a7f45bea56ee7d3cd76fc163f2eaddb7ce8f83783f61cdff6c600f3d4e6243",
	"modality-necessity":  "12 fc23a21ba3131b02b8ddd5a250d5ad0644284b675671c5bb9d4d76aa42fcd970",
	"answerable-alone":    "12 25dcede89b0757d5ae7df38d167a5401195172a677b2435dd28427bae5ecbce2",
	"oracle-call":         "4 6079068c073c93dfb4e9bd8daed68a6ca39bde66f12ba2604110e18c1aea6904", "oracle-open": "4 b4da0040a3fd63473fe85c3d02503839ff4ac36de62cca2f7cd1d9c12f95741c", "label-reasoning": "1 af57d48848e688a0622b92dbb9da131862c7e28446756f9395af999776b69918",
	"label-granularity": "1 2165cd9d08e5b54d3e0b3cd4383ddad61b0458f9abab4c649d14498257b5123c",
	"as-shipped":        "1 4dab4f0b3ce7940b3d9c381fcbee5066945d426686206f35a0910998407712f7",
	"taxonomy-y1":       "12 2ea689c09eac730b05a921acfa2a9c83a0e2a66f519c034ebfb1cc37f4f871b0",
	"taxonomy-y2":       "12 c35408b9d27237f01f724d04f0cff5ac5eff67c97390f16b8a34bcee930ee181",
	"taxonomy-y3":       "12 7db2c7a5232411fc191e0ee76b14f8b1cd3a07218fd3306fbcef81de9fa0ec46",
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
