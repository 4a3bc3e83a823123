package testkit

import (
	"bytes"
	"context"
	"sync"
	"time"
)

// SharedState is what processes share, in memory: limit.Board for tests without a database.
type SharedState struct {
	// Off is what its clock is ahead of this machine's.
	Off time.Duration
	// Latency of a change.
	Latency time.Duration
	// Again makes every so manieth change happen twice, as when the word that it was
	// done is lost.
	Again int

	mu      sync.Mutex
	kept    map[string][]byte
	changes int
	back    time.Time
}

// Delay keeps changes waiting for so long.
func (b *SharedState) Delay(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.back = time.Now().Add(d)
}

// Change implements limit.Board.
func (b *SharedState) Change(ctx context.Context, name string, change func([]byte, time.Time) ([]byte, error)) error {
	b.mu.Lock()
	away := time.Until(b.back)
	b.mu.Unlock()
	time.Sleep(max(0, away) + b.Latency/2)
	defer time.Sleep(b.Latency / 2)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept == nil {
		b.kept = map[string][]byte{}
	}
	b.changes++
	times := 1
	if b.Again > 0 && b.changes%b.Again == 0 {
		times = 2
	}
	for range times {
		next, err := change(bytes.Clone(b.kept[name]), time.Now().Add(b.Off).Round(0))
		if err != nil {
			return err
		}
		b.kept[name] = next
	}
	return ctx.Err()
}

// Conceal implements client.Board.
func (*SharedState) Conceal(secret string) string { return "concealed " + secret }

// Changes is how many there were.
func (b *SharedState) Changes() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changes
}
