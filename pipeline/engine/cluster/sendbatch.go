package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memforge/memforge/pipeline"
)

// BatchAnswer says what came of a parcel, and of which, so that an answer that was mixed up
// is seen. One without a reply says that the parcel was stopped.
type BatchAnswer struct {
	Batch pipeline.Digest `json:"parcel,omitempty"`
	Reply pipeline.Digest `json:"reply,omitempty"`
	// Refused says which worker refused it, if one did.
	Refused string `json:"refused,omitempty"`
}

// SendUntilAnswered is Engine.Carry by an engine that sends a parcel once and waits. What is stopped
// is sent again: another driver that waited for the same gave it up. giveUp stops it; that
// it fails costs work that nobody needs.
func SendUntilAnswered(ctx context.Context, queue string, parcel pipeline.Digest, send func() (BatchAnswer, error), giveUp func(context.Context) error) (pipeline.Digest, error) {
	if _, err := pipeline.ParseDigest(string(parcel)); err != nil {
		return "", &PermanentError{fmt.Errorf("carry a parcel: %w", err)}
	}
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 30*time.Second) {
		a, err := send()
		switch {
		case ctx.Err() != nil:
			if !errors.Is(context.Cause(ctx), ErrMoved) {
				last, end := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
				defer end()
				_ = giveUp(last)
			}
			return "", fmt.Errorf("carry parcel %s: %w", parcel, context.Cause(ctx))
		case err != nil:
			return "", fmt.Errorf("carry parcel %s on queue %s: %w", parcel, queue, err)
		case a.Refused != "":
			return "", &PermanentError{fmt.Errorf("parcel %s on queue %s: %s refused it; its log says why", parcel, queue, a.Refused)}
		case a.Reply != "" && a.Batch != parcel:
			return "", &PermanentError{fmt.Errorf("carry parcel %s on queue %s: the answer is that of parcel %s", parcel, queue, a.Batch)}
		case a.Reply != "":
			return a.Reply, nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}
