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
	"option-only":         "5 72c800bcdba725c47c272a8cb294a9c2fe64f31a1592db179f607c6e40b2542c",
	"text-only":           "5 8bb9b272adb28326ec6680af6e0404802a1a85910f9b7f75d754fe8d4af01078",
	"caption-bypass":      "5 3d86935545325283bd3a02ec8c4a5355a6aff13cb320d4859480cd6e0b110a57",
	"single-frame-bypass": "5 ca6ba4a6973bdba331a2c1aa0ac09ec3d9694cc5439d6720041ce0d5f3fd1144",
	"oracle":              "5 4bd84f1084f4cdfa0a2a972bda49d1324e3b409327afe97debd0d2f9c96f35ea",
	"correctness":         "5 89ae78bf4d7a73324d8c43a9e0d44dd94008717d6733e1beaadc34faa1fea0c9",
	"evidence-necessity":  "5 251159926b5001782c3976301612aa130ee591fafb2324c8dfa4fb6379ee2111",
	"source-necessity":    "5 a752266ffe35476b77d300fbc65b335590951de750fca74a6c6ace0d30bc7a50",
	"modality-necessity":  "5 ef12878673511495a44419938f2941b00383745a32e86995a831e6376ba2a1cf",
	"answerable-alone":    "5 67b37c19292da6c118cc32eb586f04830dc9d09542db9aa3425362b678c752d4",
	"taxonomy-y1":         "5 33bae9a9a1be45e7df82b7e44a093c6e416aeb93151f1f18e474d6abe0fd4755",
	"taxonomy-y2":         "5 4b3613ef3be75e8b2184976d07331b00ae47a370402ba4c04ae9ffe63055552e",
	"taxonomy-y3":         "5 1f82428cd6273734be73e2e2d9a9fd81b0bce823db87cfa71e16b9e1c31cf3b9",
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
