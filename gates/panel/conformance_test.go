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
	"option-only":         "6 f64f9a5f33c836a802cf09cccd7dd9af26137539f2f228221695292b5aae8eeb",
	"text-only":           "6 be5c55b741729fb3b7da479a31c94505450ab6d9e262d0b4ddb766d896dd95e9",
	"caption-bypass":      "6 1017c5dda5f3dd62a4e7690aa586fa3a26447d7e8913a0c72b3f76bf9df025d6",
	"single-frame-bypass": "6 47fbf5dac2044d92022c0c5ff8dd33ee793b0e3dd8be822393c59649589f9d84",
	"oracle":              "6 436ac62034f5f6816dea6c2be258c2b59b0b3fa74a0a83b1ea421cc701a32cf5",
	"correctness":         "6 f20e805653c119a7901fda6c33ef55c39fd8819c116e9193af74337b95bced7c",
	"evidence-necessity":  "6 bf5152613d13b133c1ee1bf71a45b303d48db602a4b49e10cb2a0d1014659952",
	"source-necessity":    "6 a2a2a9aa0c75d0721390689c2b2e7c34cbb1792a3a132e556be842fd147894cb",
	"modality-necessity":  "6 313ff129fa6f8e2372ea88bcb3ec0ee3a81a754d6b78484985774a8ca450bba7",
	"answerable-alone":    "6 4121567b8874c8fab74f7e2d100e06b9c0522e4128945fd275120ed1aa5ce3e6",
	"taxonomy-y1":         "6 924e0d8074a1d505bfc9e6c77918e9285bfcf1bad2e67f05d17f443cbbb5ac16",
	"taxonomy-y2":         "6 6da0dd302e7295dee3ffaff921d547ec416697064c1c7941c7a08b7e60406148",
	"taxonomy-y3":         "6 0525a0bca5bdaba6d8379dfc644f7b8f1111b5081a8d5fb8a5b84647fba23e33",
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
