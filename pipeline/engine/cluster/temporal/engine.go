//go:build temporal

// Package temporal carries builds and batches of tasks by a Temporal server: a workflow
// for each. A history holds names, digests and numbers. What went wrong stands there in
// fixed words, and in full in the log of the worker it went wrong at.
package temporal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster"
)

// Options are how an engine behaves that is not in its URL.
type Options struct {
	// Log hears of the connection, of workers, and of what handlers returned in full. No
	// key or certificate is handed to it.
	Log slog.Handler
	// Drain is how long a worker that ends lets batches go on that are at work. Builds
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

// defaultRhythm makes a worker dead after five beats that were missed.
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
	options.WorkerHeartbeatInterval = -1                                      // about machines, and unused
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

const scheme = "temporal://"

// IsURL reports whether a URL names a server of this kind.
func IsURL(place string) bool { return strings.HasPrefix(place, scheme) }

// address is a server and a namespace of it.
type address struct {
	address, namespace string
	tls                string // "true", "false", or "" for what the environment says
}

func (p address) String() string { return scheme + p.address + "/" + p.namespace }

// parse reads temporal://host:port/namespace?tls=true. Configurations are shared, so
// what could be a secret is refused, and no message repeats it: with an error the place is
// what may be shown.
func parse(raw string) (address, error) {
	u, err := url.Parse(raw)
	if err != nil || !IsURL(raw) || u.Hostname() == "" {
		return address{address: "host:port", namespace: "namespace"}, errors.New("the URL is not valid; write one of this form")
	}
	port, namespace := u.Port(), strings.Trim(u.Path, "/")
	if port == "" {
		port = "7233"
	}
	if namespace == "" {
		namespace = client.DefaultNamespace
	}
	p := address{address: net.JoinHostPort(u.Hostname(), port), namespace: namespace}
	if u.User != nil || u.Fragment != "" {
		return p, errors.New("the URL holds a name or a secret; set TEMPORAL_API_KEY, or TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH")
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return p, errors.New("its parameters are not valid")
	}
	for name := range q {
		if name != "tls" {
			return p, errors.New("of parameters there is only tls; keys and certificates come from variables such as TEMPORAL_API_KEY and TEMPORAL_TLS_CLIENT_CERT_PATH")
		}
	}
	switch p.tls = q.Get("tls"); p.tls {
	case "", "true", "false":
		return p, nil
	}
	return p, errors.New("tls is true or false")
}

// options returns those of a client of the place, with what Temporal's own variables say of
// keys and certificates. Its file of profiles is not read: one URL is one server.
func (p address) options(getenv func(string) string) (client.Options, error) {
	profile := envconfig.ClientConfigProfile{}
	if err := profile.ApplyEnvVars(variables(getenv)); err != nil {
		return client.Options{}, err
	}
	profile.Address, profile.Namespace = p.address, p.namespace
	if p.tls != "" && profile.TLS == nil {
		profile.TLS = &envconfig.ClientConfigTLS{}
	}
	if p.tls != "" {
		profile.TLS.Disabled = p.tls == "false"
	}
	if profile.APIKey != "" && profile.TLS != nil && profile.TLS.Disabled {
		return client.Options{}, errors.New("an API key is not sent without TLS; leave out tls=false and TEMPORAL_TLS=false")
	}
	return profile.ToClientOptions(envconfig.ToClientOptionsRequest{})
}

// variables are those of a process, one at a time.
type variables func(string) string

// LookupEnv returns one that is set to something.
func (v variables) LookupEnv(name string) (string, bool) {
	s := v(name)
	return s, s != ""
}

// Environ gives none: there are no variables here whose names are not known.
func (v variables) Environ() []string { return nil }

// maxOutage is how long a server may be away before a call fails.
const maxOutage = 10 * time.Minute

// stepLasts is after how long a worker that was to take a workflow a step on counts as
// lost. A step takes a millisecond; one that stands still takes up to two of them with it.
const stepLasts = 5 * time.Second

// Names of workflows: a batch's is its queue and digest, so whatever has the same name
// is the same work. Digests are of one length, so no two pairs give one name.
func batchName(queue string, batch pipeline.Digest) string {
	return "memforge-parcel:" + queue + ":" + string(batch)
}

func buildName(build string) string { return "memforge-build:" + build }

// Start begins a build unless it runs.
func (e *Engine) Start(ctx context.Context, queue, build string) error {
	_, err := e.begin(ctx, buildFlow, buildName(build), queue, build)
	if err != nil {
		return fmt.Errorf("start build %s on queue %s: %w", build, queue, err)
	}
	return nil
}

// Cancel asks that a build ends.
func (e *Engine) Cancel(ctx context.Context, build string) error {
	err := e.retry(ctx, func() error { return e.client.CancelWorkflow(ctx, buildName(build), "") })
	var none *serviceerror.NotFound
	if err != nil && !errors.As(err, &none) {
		return fmt.Errorf("cancel build %s: %w", build, err)
	}
	return nil
}

// SendBatch has a worker of the queue handle a batch. When ctx ends the batch is given up,
// unless it ends because the driver moves to another worker (cluster.ErrMoved): that one
// finds the batch on its way.
func (e *Engine) SendBatch(ctx context.Context, queue string, batch pipeline.Digest) (pipeline.Digest, error) {
	name := batchName(queue, batch)
	return cluster.SendUntilAnswered(ctx, queue, batch, func() (cluster.BatchAnswer, error) {
		a, err := e.runWorkflow(ctx, queue, name, batch)
		if by := refusedBy(err); by != "" {
			return cluster.BatchAnswer{Refused: by}, nil
		}
		if stopped(err) {
			// Another driver that had the same batch on its way was cancelled, or the
			// server lost what it knew.
			e.log.Warn("a batch was stopped; it is sent again", "batch", batch, "queue", queue, "error", err)
			return cluster.BatchAnswer{}, nil
		}
		return a, err
	}, func(ctx context.Context) error { return e.client.CancelWorkflow(ctx, name, "") })
}

func (e *Engine) runWorkflow(ctx context.Context, queue, name string, batch pipeline.Digest) (a cluster.BatchAnswer, err error) {
	run, err := e.begin(ctx, batchFlow, name, queue, string(batch))
	if err != nil {
		return a, err
	}
	err = e.retry(ctx, func() error { return e.client.GetWorkflow(ctx, name, run).Get(ctx, &a) })
	return a, err
}

// stopped reports whether a workflow ended without a word of its own.
func stopped(err error) bool {
	var cancelled *temporal.CanceledError
	var terminated *temporal.TerminatedError
	var none *serviceerror.NotFound
	return errors.As(err, &cancelled) || errors.As(err, &terminated) || errors.As(err, &none)
}

// begin starts a workflow, or finds the one of the name that runs. One that is something
// else is refused.
func (e *Engine) begin(ctx context.Context, flow, name, queue, subject string) (run string, err error) {
	o := client.StartWorkflowOptions{
		ID: name, TaskQueue: queue,
		WorkflowTaskTimeout:                      stepLasts,
		WorkflowIDReusePolicy:                    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowIDConflictPolicy:                 enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
	}
	var runs *serviceerror.WorkflowExecutionAlreadyStarted
	err = e.retry(ctx, func() error {
		began, err := e.client.ExecuteWorkflow(ctx, o, flow, order{Name: subject, Silence: e.rhythm.silence.Seconds()})
		if err == nil {
			run = began.GetRunID()
		}
		return err
	})
	if !errors.As(err, &runs) {
		return run, err
	}
	return runs.RunId, e.recognise(ctx, flow, name, runs.RunId)
}

func (e *Engine) recognise(ctx context.Context, flow, name, run string) error {
	return e.retry(ctx, func() error {
		d, err := e.client.DescribeWorkflow(ctx, name, run)
		if err != nil {
			return err
		}
		if is := d.WorkflowType.Name; is != flow {
			return &cluster.PermanentError{Err: fmt.Errorf("the name %s is taken by a workflow of type %s, not %s", name, is, flow)}
		}
		return nil
	})
}

// retry calls try again while the server is away. A call may wait for hours and then
// find that the server restarts, so patience is counted from when it began to fail: a
// call to a server that is away ends within a minute.
func (e *Engine) retry(ctx context.Context, try func() error) error {
	var since time.Time
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		began := time.Now()
		err := try()
		if err == nil || ctx.Err() != nil || !isTransient(err) {
			return err
		}
		if since.IsZero() || time.Since(began) > 90*time.Second {
			since, pause = time.Now(), 100*time.Millisecond
		}
		if time.Since(since) > e.patience {
			return fmt.Errorf("the server is away for %s: %w", time.Since(since).Round(time.Second), err)
		}
		e.log.Warn("the server is away", "error", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// isTransient reports whether an error says that the same may go well later.
func isTransient(err error) bool {
	var away *serviceerror.Unavailable
	var late *serviceerror.DeadlineExceeded
	var busy *serviceerror.ResourceExhausted
	var broken *serviceerror.Internal
	var aborted *serviceerror.Aborted
	return errors.As(err, &away) || errors.As(err, &late) || errors.As(err, &busy) || errors.As(err, &broken) ||
		errors.As(err, &aborted) || errors.Is(err, context.DeadlineExceeded)
}
