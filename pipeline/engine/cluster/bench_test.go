package cluster

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/local"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit"
)

// BenchmarkRecords builds 100,000 trivial records: alone, as one machine does that has
// its store in a folder, and with two workers, a database and a bucket.
func BenchmarkRecords(b *testing.B) {
	const count = 100_000
	b.Run("alone", func(b *testing.B) {
		for b.Loop() {
			st, err := store.Open(b.Context(), b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			plan := testkit.NumbersPlan(testkit.NumbersConfig{Count: count, Changed: -1})
			reg := testkit.NumbersRegistry(&testkit.NumbersHooks{})
			steps, err := plan.Resolve(b.Context(), reg)
			if err != nil {
				b.Fatal(err)
			}
			rt := engine.Runtime{Registry: reg, Store: st, TempRoot: b.TempDir()}
			limits := map[pipeline.Resource]int{pipeline.CPU: 2}
			if _, err := local.Execute(b.Context(), rt, steps, testkit.NoFetch{}, local.Options{Limits: limits}); err != nil {
				b.Fatal(err)
			}
			if err := st.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cluster", func(b *testing.B) {
		for b.Loop() {
			h := newHouse(b)
			one := func(o *WorkerOptions) { o.Slots = map[pipeline.Resource]int{pipeline.CPU: 1} }
			ends := []func() error{h.counter(&testkit.NumbersHooks{}, one), h.counter(&testkit.NumbersHooks{}, one)}
			c := h.client()
			o := counting(b, c, count)
			sum, out := h.counted(c, o, h.order(c, o))
			if out.Fault != nil || sum != (count-10)*(count-11) {
				b.Fatalf("sum %d, %v", sum, out.Fault)
			}
			for _, end := range ends {
				if err := end(); err != nil {
					b.Error(err)
				}
			}
		}
	})
}
