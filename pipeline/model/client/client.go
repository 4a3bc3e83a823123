// Package client answers typed requests through language models: from the
// ledger where an answer is recorded, else from the server behind the role.
// Every answer is recorded before it is used, paced by the server's limits,
// counted against the budget and checked against its schema.
package client

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/limit"
	"github.com/memforge/memforge/pipeline/model/server"
	"github.com/memforge/memforge/pipeline/model/wire"
)

// Options of a client.
type Options struct {
	// Models by name, and the name of the model behind each role.
	Models map[string]server.Model
	Roles  map[string]string
	Ledger ledger.Interface
	// Offline answers from the ledger alone; a request that is not there is a
	// *model.MissError.
	Offline bool
	// Collect records what is not in the ledger as pending instead of asking, and
	// rejects the item as model.Pending: how a batch is made.
	Collect bool
	// MaxCost bounds what is spent, in the currency of the prices: nothing at 0; nil
	// is no bound.
	MaxCost *float64
	// Shared, where set, is shared with clients of other processes: the limits of a
	// server, key and model are one allowance for all of them. MaxCost bounds what the
	// clients of one Run spend together; without a name it is this client's alone.
	Shared SharedState
	Run    string
	// Getenv reads the keys.
	Getenv func(string) string
	// FirstPause is the first pause after a failure; 0 means half a second.
	FirstPause time.Duration
	// Drain, when closed, lets no further request out: calls that would need one
	// end with context.Canceled. Requests on their way may be paid for, so they
	// have Grace to be answered, and their answers are recorded.
	Drain <-chan struct{}
	Grace time.Duration
}

// Client implements pipeline.Models.
type Client struct {
	opts         Options
	roles        map[string]*endpoint
	account      *account
	servedCounts servedCounter
	batchesMet   batchIDs
	inFlight     singleflight.Group
	sending      atomic.Int64 // requests on their way
	schemas      sync.Map     // JSON Schema text to model.Schema
}

type endpoint struct {
	wire.Endpoint
	host     string
	sampling json.RawMessage
	form     json.RawMessage
	limiter  *limit.Limiter
	wire     *wire.Client
	keyless  bool // key_env names a variable that is not set
	answered atomic.Int64
	refusals refusals
}

// New makes a client. It does no I/O. A budget without a price for every model
// that plays a role is a *model.BudgetError.
func New(o Options, identities map[string]pipeline.ModelIdentity) (*Client, error) {
	if o.FirstPause == 0 {
		o.FirstPause = 500 * time.Millisecond
	}
	c := &Client{opts: o, roles: map[string]*endpoint{}}
	byName := map[string]*endpoint{}
	for _, role := range slices.Sorted(maps.Keys(o.Roles)) {
		name := o.Roles[role]
		m, ok := o.Models[name]
		if !ok {
			return nil, fmt.Errorf("role %s: no model is called %q", role, name)
		}
		if byName[name] == nil {
			byName[name] = newEndpoint(name, m, identities[role], o)
		}
		c.roles[role] = byName[name]
	}
	shareLimits(byName)
	var err error
	c.account, err = newAccount(byName, o)
	return c, err
}

func newEndpoint(name string, m server.Model, id pipeline.ModelIdentity, o Options) *endpoint {
	key := keyOf(m, o.Getenv)
	limits := limit.Config{
		RequestsPerMinute: m.Limits.RequestsPerMinute, TokensPerMinute: m.Limits.TokensPerMinute, Concurrency: m.Limits.Concurrency,
	}
	if o.Shared != nil {
		limits.Shared, limits.Name = o.Shared, "limits\n"+id.Host+"\n"+m.Model+"\n"+o.Shared.Conceal(key)
	}
	return &endpoint{
		Endpoint: wire.Endpoint{Name: name, Model: m}, host: id.Host, sampling: id.Sampling, form: id.Form,
		keyless: m.KeyEnv != "" && key == "",
		limiter: limit.New(limits),
		wire:    wire.New(wire.Options{Name: name, Host: id.Host, BaseURL: m.BaseURL, Key: key, Timeout: m.Limits.Timeout}),
	}
}

func keyOf(m server.Model, getenv func(string) string) string {
	if m.KeyEnv == "" || getenv == nil {
		return ""
	}
	return getenv(m.KeyEnv)
}

// Wire returns a bare connection to a model, for batches and probes; maxAnswer
// bounds what it may send, 0 is the usual bound. A key that is named and not
// set is a *model.ServerError.
func Wire(name string, m server.Model, getenv func(string) string, maxAnswer int64) (*wire.Client, error) {
	if err := CheckKey(name, m, getenv); err != nil {
		return nil, err
	}
	return wire.New(wire.Options{Name: name, Host: m.Host(), BaseURL: m.BaseURL, Key: keyOf(m, getenv), Timeout: m.Limits.Timeout, MaxAnswer: maxAnswer}), nil
}

// CheckKey returns a *model.ServerError if the key of a model is named and not set.
func CheckKey(name string, m server.Model, getenv func(string) string) error {
	if m.KeyEnv == "" || keyOf(m, getenv) != "" {
		return nil
	}
	return keylessError(name, m)
}

func keylessError(name string, m server.Model) error {
	return &model.ServerError{
		Reason: model.Unauthorised, Model: name, Host: m.Host(),
		Detail: "the environment variable " + m.KeyEnv + " is not set", Advice: "set it, build with --offline from the ledger, or let `memforge batch export` write what the model is to be asked",
	}
}

// shareLimits gives endpoints of one model on one server one limiter.
func shareLimits(byName map[string]*endpoint) {
	type server struct{ url, key, model string }
	first := map[server]*endpoint{}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		e := byName[name]
		at := server{e.BaseURL, e.KeyEnv, e.Model.Model}
		if other, ok := first[at]; ok {
			e.limiter = other.limiter
			continue
		}
		first[at] = e
	}
}

func (c *Client) compileSchema(raw json.RawMessage) (model.Schema, error) {
	if known, ok := c.schemas.Load(string(raw)); ok {
		return known.(model.Schema), nil
	}
	s, err := model.CompileSchema(raw)
	if err == nil {
		c.schemas.Store(string(raw), s)
	}
	return s, err
}

// Total is what was asked so far and what it cost.
func (c *Client) Total() Total {
	t := c.account.total()
	t.Waiting = int(c.sending.Load())
	return t
}

// Close gives back what the client holds of a budget that is shared. It is used no
// more.
func (c *Client) Close() { c.account.close() }

// PerStep returns the total of each step.
func (c *Client) PerStep() map[string]Total { return c.account.perStep() }

// TakeUnreported returns the total of each step since it was called last.
func (c *Client) TakeUnreported() map[string]Total { return c.account.takeUnreported() }
