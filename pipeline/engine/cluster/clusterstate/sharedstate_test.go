package clusterstate

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
)

func TestMain(m *testing.M) { os.Exit(testpostgres.RunTests(m)) }

func open(t *testing.T) *SharedState {
	t.Helper()
	b, err := Open(t.Context(), testpostgres.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// One driver has a build; who held still loses it to the next, and changes nothing more.
func TestOneDriverABuild(t *testing.T) {
	b, ctx := open(t), t.Context()
	if err := b.Submit(ctx, "x", "films", "q", []byte("body")); err != nil {
		t.Fatal(err)
	}
	first, err := b.TakeLease(ctx, "x", "one", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.TakeLease(ctx, "x", "two", time.Hour); !errors.Is(err, ErrHeld) {
		t.Errorf("taken while it is held: %v", err)
	}
	if err := b.Submit(ctx, "x", "films", "q", []byte("other")); err != nil {
		t.Fatal(err)
	}
	if now, err := b.Build(ctx, "x"); err != nil || now.State != Running || now.Driver != "one" {
		t.Errorf("ordered while it runs: %+v, %v", now, err)
	}
	if _, err := first.Renew(ctx, []byte("half")); err != nil {
		t.Fatal(err)
	}
	if _, err := b.db.Exec(ctx, `UPDATE ordered SET until = clock_timestamp() - interval '1 second'`); err != nil {
		t.Fatal(err)
	}
	second, err := b.TakeLease(ctx, "x", "two", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Renew(ctx, []byte("late")); !errors.Is(err, ErrLost) {
		t.Errorf("the first driver renewed: %v", err)
	}
	if err := first.End(ctx, Failed, nil, nil); !errors.Is(err, ErrLost) {
		t.Errorf("the first driver ended the build: %v", err)
	}
	if err := first.Yield(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := b.TakeLease(ctx, "x", "three", time.Hour); !errors.Is(err, ErrHeld) {
		t.Errorf("the first driver gave away what the second has: %v", err)
	}
	if err := second.End(ctx, Done, []byte("all"), []byte("outcome")); err != nil {
		t.Fatal(err)
	}
	now, err := b.Build(ctx, "x")
	if err != nil || now.State != Done || string(now.Progress) != "all" || string(now.Outcome) != "outcome" {
		t.Errorf("%+v, %v", now, err)
	}
	if _, err := b.TakeLease(ctx, "x", "three", time.Hour); !errors.Is(err, ErrEnded) {
		t.Errorf("taken after its end: %v", err)
	}
}

func TestCancel(t *testing.T) {
	b, ctx := open(t), t.Context()
	if err := b.Cancel(ctx, "x"); !errors.As(err, new(*UnknownError)) {
		t.Errorf("an unknown build: %v", err)
	}
	for _, id := range []string{"driven", "waits"} {
		if err := b.Submit(ctx, id, "films", "q", []byte("body")); err != nil {
			t.Fatal(err)
		}
	}
	l, err := b.TakeLease(ctx, "driven", "one", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"driven", "waits"} {
		if err := b.Cancel(ctx, id); err != nil {
			t.Fatal(err)
		}
	}
	if cancel, err := l.Renew(ctx, nil); err != nil || !cancel {
		t.Errorf("its driver is told %t, %v", cancel, err)
	}
	if err := l.End(ctx, Cancelled, nil, nil); err != nil {
		t.Fatal(err)
	}
	all, err := b.Builds(ctx)
	if err != nil || len(all) != 2 || all[0].State != Cancelled || all[1].State != Cancelled {
		t.Errorf("%+v, %v", all, err)
	}
	if err := b.Submit(ctx, "driven", "films", "q", []byte("body")); err != nil {
		t.Fatal(err)
	}
	if l, err = b.TakeLease(ctx, "driven", "two", time.Hour); err != nil {
		t.Fatal(err)
	}
	if cancel, err := l.Renew(ctx, nil); err != nil || cancel {
		t.Errorf("ordered again, its driver is told %t, %v", cancel, err)
	}
}

// A build that is cancelled while its driver dies is over, and can be ordered again.
func TestCancelOfADeadDriver(t *testing.T) {
	b, ctx := open(t), t.Context()
	if err := b.Submit(ctx, "x", "films", "q", []byte("body")); err != nil {
		t.Fatal(err)
	}
	if _, err := b.TakeLease(ctx, "x", "one", time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := b.Cancel(ctx, "x"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []BuildState{Running, Cancelled} {
		if now, err := b.Build(ctx, "x"); err != nil || now.State != want {
			t.Errorf("%+v, %v; want %s", now, err, want)
		}
		if _, err := b.db.Exec(ctx, `UPDATE ordered SET until = clock_timestamp() - interval '1 second'`); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Submit(ctx, "x", "films", "q", []byte("body")); err != nil {
		t.Fatal(err)
	}
	l, err := b.TakeLease(ctx, "x", "two", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if cancel, err := l.Renew(ctx, nil); err != nil || cancel || l.Times != 2 {
		t.Errorf("ordered again, its driver is told %t, %v; ordered %d times", cancel, err, l.Times)
	}
}

// Builds that ended long ago are not kept for good.
func TestOldBuildsGo(t *testing.T) {
	b, ctx := open(t), t.Context()
	for _, id := range []string{"old", "new", "runs"} {
		if err := b.Submit(ctx, id, "films", "q", []byte("body")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.db.Exec(ctx, `UPDATE ordered SET state = 'done', outcome = 'x', ended = clock_timestamp() - CASE WHEN id = 'old' THEN interval '31 days' ELSE interval '29 days' END WHERE id <> 'runs'`); err != nil {
		t.Fatal(err)
	}
	if err := b.Submit(ctx, "runs", "films", "q", []byte("body")); err != nil {
		t.Fatal(err)
	}
	all, err := b.Builds(ctx)
	if err != nil || len(all) != 2 || len(all[0].Outcome)+len(all[1].Outcome) > 0 {
		t.Errorf("%+v, %v", all, err)
	}
	if x, err := b.Build(ctx, "new"); err != nil || string(x.Outcome) != "x" {
		t.Errorf("%+v, %v", x, err)
	}
}

func TestParcels(t *testing.T) {
	b, ctx := open(t), t.Context()
	d, err := b.PutBatch(ctx, []byte("tasks"))
	if err != nil || d != pipeline.DigestOf([]byte("tasks")) {
		t.Fatalf("%s, %v", d, err)
	}
	if _, err := b.Reply(ctx, d); !errors.Is(err, ErrNoBatch) {
		t.Errorf("a reply that nobody gave: %v", err)
	}
	for _, text := range []string{"first", "second"} {
		if r, err := b.PutReply(ctx, d, []byte(text)); err != nil || r != pipeline.DigestOf([]byte(text)) {
			t.Fatalf("%s, %v", r, err)
		}
	}
	if again, err := b.PutBatch(ctx, []byte("tasks")); err != nil || again != d {
		t.Fatalf("%s, %v", again, err)
	}
	body, err := b.Batch(ctx, d)
	if err != nil || string(body) != "tasks" {
		t.Errorf("%q, %v", body, err)
	}
	if r, err := b.Reply(ctx, d); err != nil || string(r) != "second" {
		t.Errorf("%q, %v", r, err)
	}
	if err := b.DropBatch(ctx, d); err != nil {
		t.Fatal(err)
	}
	if _, err := b.PutReply(ctx, d, nil); !errors.Is(err, ErrNoBatch) {
		t.Errorf("answered although it was taken back: %v", err)
	}
}

func TestWorkersThatLive(t *testing.T) {
	b, ctx := open(t), t.Context()
	w := Worker{ID: "b", Program: "p", Versions: map[string]string{"tool ffmpeg": "7.1"}, Slots: map[pipeline.Resource]int{pipeline.CPU: 2}, Drives: true}
	for _, id := range []string{"b", "a", "gone"} {
		w.ID = id
		lasts := time.Hour
		if id == "gone" {
			lasts = -time.Second
		}
		if err := b.Announce(ctx, w, lasts); err != nil {
			t.Fatal(err)
		}
	}
	all, err := b.Workers(ctx)
	if err != nil || len(all) != 2 || all[0].ID != "a" || all[1].Slots[pipeline.CPU] != 2 || !all[1].Drives {
		t.Errorf("%+v, %v", all, err)
	}
	if err := b.Leave(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if all, err = b.Workers(ctx); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
}
