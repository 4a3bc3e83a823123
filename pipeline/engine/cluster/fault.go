package cluster

import (
	"errors"
	"syscall"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/store/bucket"
	"github.com/memforge/memforge/pipeline/store/sharedstore"
)

// Fault is an error that happened on another machine.
type Fault struct {
	Node string `json:"node,omitempty"`
	Item string `json:"item,omitempty"`
	Text string `json:"text"`
	// Code is the exit code that a build on one machine would end with.
	Code int `json:"code"`
	// Rejection is what lost an item, if that is the cause.
	Rejection *pipeline.Rejection `json:"rejection,omitempty"`
}

func (f *Fault) Error() string { return f.Text }

// Unwrap returns what lost an item, or nil.
func (f *Fault) Unwrap() error {
	if f.Rejection == nil {
		return nil
	}
	return f.Rejection
}

func faultOf(err error, code func(error) int) *Fault {
	f := &Fault{Text: err.Error(), Code: code(err)}
	if t := (*pipeline.TaskError)(nil); errors.As(err, &t) {
		f.Node, f.Item, f.Text = t.Step, t.Item, t.Err.Error()
	}
	errors.As(err, &f.Rejection)
	return f
}

// err is the error of a task as the machine of the driver sees it.
func (f *Fault) err() error {
	if f.Node == "" {
		return f
	}
	return &pipeline.TaskError{Step: f.Node, Item: f.Item, Err: f}
}

// isMachineFault reports whether an error is that of the machine on which it happened, or of a
// connection: another attempt, or another machine, may do the same well.
func isMachineFault(err error) bool {
	return isUnfitWorker(err) || is[*postgres.OpenError](err) || is[*postgres.UnavailableError](err) || is[*bucket.UnavailableError](err)
}

// isUnfitWorker reports whether a machine had better do nothing more.
func isUnfitWorker(err error) bool {
	for _, own := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, sharedstore.ErrLeaseLost} {
		if errors.Is(err, own) {
			return true
		}
	}
	return is[*engine.ForeignError](err)
}

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}
