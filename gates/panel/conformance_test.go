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
	"option-only":         "12 c069f10d42b7ee8df48d72773bc1b08fa407d7bdb3745f36a7ab566323d18068",
	"text-only":           "13 63787ca86facf5a379ed6b2d83627e38b757312c5926eb7f159ef7e1c5fa98e6",
	"caption-bypass":      "13 ae24b04ea08842ede83967529bed38951c7e51427fac567208e3baa85d54b33e",
	"single-frame-bypass": "12 8698e4d9c074c6c7e50e89dbbbc760bfc7cde64eb947d7064f2ba0d63388b8d7",
	"oracle":              "13 9d2f8108839a5d1d232bdbf0a36c31b0405fe26d95f49f0f2801a3cf6370127a",
	"correctness":         "12 377f2f28bcb185a7f5034427c8754a32df249fe6de7617ed018b71eb7fec4f4c",
	"evidence-necessity":  "13 0c9d4e0f998e814298b18ab61a5fc2001fe5198edc053a62bcded5be32635657",
	"source-necessity":    "13 5b1cf0e08f3bc5900f47d6246784a6a2f3d609398521c248362d938bc9221ab8",
	"modality-necessity":  "13 90835d76100e027859e6169485d469e76d504c646302558b52031c1fb481a23b",
	"answerable-alone":    "13 3f173fb81e026f2328e72e009715ae5514e0bf5132d8bfeff9543e4ba07e980e",
	"oracle-call":         "5 ce65c555e75d9cf2e30af634b19aff8c01c15a68ab6c64411c0c2cde6490915c", "oracle-open": "5 7a8e169eef87f5f6753c374aee952de839470e261dea9bedb92d9636f076448d", "label-reasoning": "2 2f6375ed2bb73d73dc2bab3b0114dc9bdb29d5bb386f7571953b722601d4851c",
	"label-granularity": "2 7a1dd4cdd177e8bb4b6ac073dbaaf03eb48827d6af08d6b875ac49362240b11f",
	"as-shipped":        "2 ba5bb0739fa7b7c9a2badbe77362dc08cb83635548f09adc55fe22749b5d9dd9",
	"taxonomy-y1":       "13 5c92327c2c06f7ce38d165ec5f299c8f686e5dfc550b975964f1574682e03aab",
	"taxonomy-y2":       "13 c3f8afc514f34a33a4d0199c5f235812a7525d2c314ea81d50f6b36af46cc064",
	"taxonomy-y3":       "13 2b69b69153b91a137ca604befcde16e7442f887452df1e4c5335e187505f93fe",
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
