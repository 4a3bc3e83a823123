package temporal

import (
	"errors"
	"net"
	"net/url"
	"strings"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
)

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

// options are those of a client of the place, with what Temporal's own variables say of
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

// LookupEnv gives one that is set to something.
func (v variables) LookupEnv(name string) (string, bool) {
	s := v(name)
	return s, s != ""
}

// Environ gives none: there are no variables here whose names are not known.
func (v variables) Environ() []string { return nil }
