package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memforge/memforge/pipeline/engine/assemble"
)

// site is what tasks of one build are executed with.
type site struct {
	*assemble.Site
	ready chan struct{} // closed once opened
	err   error
	users int
	idle  *time.Timer
}

// siteIdle is how long a site that nobody uses stays open.
const siteIdle = time.Minute

// site opens what a run of a build needs, once for all of its parcels. Whoever has it
// leaves it.
func (w *Worker) site(ctx context.Context, p parcel) (*site, error) {
	w.mu.Lock()
	s := w.sites[p.Run]
	if s == nil {
		s = &site{ready: make(chan struct{})}
		w.sites[p.Run] = s
		go w.open(context.WithoutCancel(ctx), p, s)
	}
	s.users++
	if s.idle != nil {
		s.idle.Stop()
		s.idle = nil
	}
	w.mu.Unlock()
	select {
	case <-s.ready:
	case <-ctx.Done():
		w.leave(p.Run, s, siteIdle)
		return nil, ctx.Err()
	}
	if s.err != nil {
		w.leave(p.Run, s, 0)
		return nil, s.err
	}
	return s, nil
}

func (w *Worker) open(ctx context.Context, p parcel, s *site) {
	defer close(s.ready)
	order, err := w.order(ctx, p.Build)
	if err == nil {
		s.Site, err = order.Open(ctx, w.Registry, w.Store, w.Ledger, assemble.Options{Getenv: w.Getenv, Run: p.Run, Drain: w.leaving})
	}
	s.err = err
}

func (w *Worker) order(ctx context.Context, id string) (assemble.Order, error) {
	body, err := w.Board.Body(ctx, id)
	if err != nil {
		return assemble.Order{}, err
	}
	if idOf(body) != id {
		return assemble.Order{}, fmt.Errorf("the order of build %s was changed in the database", id)
	}
	return assemble.DecodeOrder(body)
}

// leave gives a site up. Once nobody has it, it is closed after a while.
func (w *Worker) leave(run string, s *site, after time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.users--; s.users == 0 {
		s.idle = time.AfterFunc(after, func() { w.shut(run, s) })
	}
}

// shut closes a site that nobody uses.
func (w *Worker) shut(run string, s *site) {
	<-s.ready
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.users > 0 || w.sites[run] != s {
		return
	}
	delete(w.sites, run)
	if s.Site == nil {
		return
	}
	if err := s.Close(); err != nil {
		w.Log.Warn("close the ledger", "run", run, "error", err)
	}
}

// close closes all sites. Nobody uses any.
func (w *Worker) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var errs []error
	for id, s := range w.sites {
		<-s.ready
		if s.idle != nil {
			s.idle.Stop()
		}
		if s.Site != nil {
			errs = append(errs, s.Close())
		}
		delete(w.sites, id)
	}
	return errors.Join(errs...)
}
