package model_test

import (
	"math"
	"testing"

	"github.com/memforge/memforge/pipeline/model"
)

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestBuiltInVector(t *testing.T) {
	cook := model.BuiltInVector("A cook chops onions in a red pan.")
	if len(cook) != 512 || math.Abs(cosine(cook, cook)-1) > 1e-6 {
		t.Fatalf("%d dimensions, length %g; want 512 and 1", len(cook), cosine(cook, cook))
	}
	near, far := cosine(cook, model.BuiltInVector("Cooks chopping an onion, pans are red")), cosine(cook, model.BuiltInVector("Boats leave the harbour at dawn"))
	if near < 0.3 || far > 0.2 {
		t.Errorf("forms of the same words %.2f, other words %.2f", near, far)
	}
	if got := cosine(model.BuiltInVector("ÉTÉ ｋitchen"), model.BuiltInVector("e\u0301te\u0301 kitchen")); math.Abs(got-1) > 1e-6 {
		t.Errorf("two spellings of one text: %g, want 1", got)
	}
	if got := cosine(model.BuiltInVector("猫が魚を食べる"), model.BuiltInVector("猫が魚を焼く")); got < 0.3 {
		t.Errorf("Japanese texts that share half: %g", got)
	}
	for _, empty := range []string{"", " ", "!?", "\xff\xfe"} {
		if v := model.BuiltInVector(empty); cosine(v, v) != 0 {
			t.Errorf("%q has length %g, want 0", empty, cosine(v, v))
		}
	}
}
