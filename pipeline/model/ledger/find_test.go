package ledger

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
)

// itemsOf records calls for some items, in turn, and returns their keys by item.
func itemsOf(tb testing.TB, l *Ledger, items, calls int) [][]pipeline.Key {
	tb.Helper()
	keys := make([][]pipeline.Key, items)
	var all []Entry
	for c := range calls {
		for i := range items {
			e := Entry{Item: fmt.Sprint(i), Step: "gate", Request: pipeline.Request{Model: "m", Task: "t", Sample: c, Text: fmt.Sprint(i)}}
			e.Key = Key(e.Request)
			e.Reply = pipeline.Reply{Outcome: model.OK, Text: string(e.Key)}
			all = append(all, e)
			keys[i] = append(keys[i], e.Key)
		}
	}
	if _, err := l.Record(tb.Context(), all...); err != nil {
		tb.Fatal(err)
	}
	return keys
}

func openLedger(tb testing.TB) *Ledger {
	tb.Helper()
	return openAt(tb, tb.TempDir())
}

func demand(tb testing.TB, l *Ledger, key pipeline.Key) {
	tb.Helper()
	if got, ok, err := l.Find(tb.Context(), key); err != nil || !ok || got.Text != string(key) {
		tb.Errorf("call %s: %+v, %t, %v", key, got, ok, err)
	}
}

func TestFindInAnyOrder(t *testing.T) { EachKind(t, testFindInAnyOrder) }

func testFindInAnyOrder(t *testing.T, fresh func() string) {
	l := openAt(t, fresh())
	keys := itemsOf(t, l, 20, 20)
	var work sync.WaitGroup
	for worker := range 4 {
		work.Go(func() {
			for i := worker; i < len(keys); i += 4 {
				for _, key := range keys[i] {
					demand(t, l, key)
				}
			}
		})
	}
	work.Wait()
	if l.ahead.used < 20*20*9/10 {
		t.Errorf("%d of 400 answers were read ahead of their question", l.ahead.used)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		demand(t, l, keys[rnd.IntN(20)][rnd.IntN(20)])
	}
}

func TestReadingAheadStopsWhereItDoesNotPay(t *testing.T) {
	if testing.Short() {
		t.Skip("short: thousands of calls, one after another")
	}
	l := openLedger(t)
	keys := itemsOf(t, l, 400, 20)
	for _, of := range keys {
		demand(t, l, of[0])
	}
	if tried := triesOf(&l.ahead); tried > 1 {
		t.Errorf("%d of %d lookups read ahead where nobody asks for more", tried, tryEvery)
	}
	alone := openLedger(t)
	for _, of := range itemsOf(t, alone, 1500, 1) {
		demand(t, alone, of[0])
	}
	if tried := triesOf(&alone.ahead); tried > 1 {
		t.Errorf("%d of %d lookups read ahead where an item has one call", tried, tryEvery)
	}
}

// triesOf counts the next lookups that would read ahead.
func triesOf(a *readAheadCache) (tried int) {
	for range tryEvery {
		if a.rowsToRead() > 0 {
			tried++
		}
	}
	return tried
}

func TestDamagedRowReadAheadIsAbsent(t *testing.T) {
	l := openLedger(t)
	keys := itemsOf(t, l, 1, 3)[0]
	second, err := encodeKey(keys[1])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.write.Exec(`UPDATE calls SET sum = x'00' WHERE key = ?`, second); err != nil {
		t.Fatal(err)
	}
	demand(t, l, keys[0])
	if _, ok, err := l.Find(t.Context(), keys[1]); ok || err != nil {
		t.Errorf("a damaged reply was served: %t, %v", ok, err)
	}
	demand(t, l, keys[2])
	again := Entry{Key: keys[1], Request: pipeline.Request{Model: "m", Task: "t", Sample: 1, Text: "0"}, Reply: pipeline.Reply{Outcome: model.OK, Text: string(keys[1])}}
	if _, err := l.Record(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	demand(t, l, keys[1])
}

func TestAheadIsBounded(t *testing.T) {
	var a readAheadCache
	key := func(i int) (k [32]byte) {
		binary.LittleEndian.PutUint64(k[:], uint64(i))
		return k
	}
	const big = 1 << 20
	for i := range 100 {
		a.add(key(i), storedReply{reply: make([]byte, big)})
		if a.size > maxBytesHeld || len(a.answers) > maxBytesHeld/big {
			t.Fatalf("%d answers of %d bytes are held", len(a.answers), a.size)
		}
	}
	if _, ok := a.remove(key(0)); ok {
		t.Error("the oldest answer did not go first")
	}
	for i := 99; len(a.answers) > 0; i-- {
		if _, ok := a.remove(key(i)); !ok {
			t.Fatalf("answer %d went before older ones", i)
		}
		if _, ok := a.remove(key(i)); ok {
			t.Fatalf("answer %d was handed out twice", i)
		}
	}
	if a.size != 0 {
		t.Errorf("%d bytes are held by nothing", a.size)
	}
	for i := range 3 * maxBytesHeld / replyOverhead {
		a.add(key(i), storedReply{})
		a.remove(key(i))
	}
	if len(a.order) > maxBytesHeld/replyOverhead {
		t.Errorf("%d keys of answers that were taken are held", len(a.order))
	}
}

// BenchmarkFind asks for what was recorded, item by item and in a wild order.
func BenchmarkFind(b *testing.B) {
	l := openLedger(b)
	const items, calls = 1000, 20
	keys := itemsOf(b, l, items, calls)
	for _, order := range []struct {
		name string
		step int
	}{{"by item", 1}, {"wild", 7919}} {
		b.Run(order.name, func(b *testing.B) {
			for i := range b.N {
				n := i * order.step % (items * calls)
				demand(b, l, keys[n/calls][n%calls])
			}
		})
	}
}
