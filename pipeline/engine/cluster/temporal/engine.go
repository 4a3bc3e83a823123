// Package temporal carries builds and parcels of tasks by a Temporal server: a workflow
// for each. A history holds names, digests and numbers. What went wrong stands there in
// fixed words, and in full in the log of the worker it went wrong at.
package temporal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"github.com/memforge/memforge/pipeline/engine/cluster"
)

// Options are how an engine behaves that is not in its URL.
type Options struct {
	// Log hears of the connection, of workers, and of what handlers returned in full. No
	// key or certificate is handed to it.
	Log slog.Handler
	// Drain is how long a worker that ends lets parcels go on that are at work. Builds
	// end at once: another worker drives them on.
	Drain time.Duration
}

// DialError says that a server could not be reached or used.
type DialError struct {
	Place string
	Err   error
}

func (e *DialError) Error() string {
	return fmt.Sprintf("connect to Temporal: %s: %v", e.Place, e.Err)
}

// Unwrap returns what went wrong.
func (e *DialError) Unwrap() error { return e.Err }

// Engine is a cluster.Engine by a Temporal server.
type Engine struct {
	client    client.Client
	namespace string
	log       *slog.Logger
	drain     time.Duration
	patience  time.Duration
	rhythm    rhythm
}

// rhythm is how often workers say that they live, and when silence counts as death.
type rhythm struct{ beat, silence time.Duration }

// defaultRhythm makes a worker dead after five beats that nobody heard.
func defaultRhythm() rhythm { return rhythm{beat: 4 * time.Second, silence: 20 * time.Second} }

// Dial connects to the server that a URL names: temporal://host:port/namespace. Keys and
// certificates come from the variables that Temporal's programs read. Errors are
// *DialError.
func Dial(ctx context.Context, raw string, getenv func(string) string, o Options) (*Engine, error) {
	p, err := parse(raw)
	if err != nil {
		return nil, &DialError{p.String(), err}
	}
	options, err := p.options(getenv)
	if err != nil {
		return nil, &DialError{p.String(), err}
	}
	if o.Log == nil {
		o.Log = slog.DiscardHandler
	}
	logger := slog.New(cluster.LimitRepeats(o.Log))
	options.Logger = log.NewStructuredLogger(logger)
	options.WorkerHeartbeatInterval = -1                                      // tells of machines, and nobody reads it
	options.ConnectionOptions.GrpcCompression = &client.GrpcCompressionNone{} // messages are digests
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	c, err := client.DialContext(ctx, options)
	if err != nil {
		return nil, &DialError{p.String(), err}
	}
	e := &Engine{client: c, namespace: p.namespace, log: logger, drain: o.Drain, patience: maxOutage, rhythm: defaultRhythm()}
	if err := e.checkNamespace(ctx); err != nil {
		c.Close()
		return nil, &DialError{p.String(), err}
	}
	return e, nil
}

// checkNamespace says that a namespace is not there, which a worker would not learn until
// it asks for work. Who may not ask for it may still use it.
func (e *Engine) checkNamespace(ctx context.Context) error {
	_, err := e.client.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: e.namespace})
	var none *serviceerror.NamespaceNotFound
	var refused *serviceerror.PermissionDenied
	if errors.As(err, &none) {
		return fmt.Errorf("it has no namespace %s; make it with: temporal operator namespace create --namespace %s", e.namespace, e.namespace)
	}
	if errors.As(err, &refused) {
		return nil
	}
	return err
}

// Close ends the connection.
func (e *Engine) Close() error {
	e.client.Close()
	return nil
}

var _ cluster.Engine = (*Engine)(nil)
