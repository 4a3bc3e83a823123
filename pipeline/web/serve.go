package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline/kit/safetext"
)

// Service is pages with who may see them and where.
type Service struct {
	Pages http.Handler
	// Tokens and Post are those of Access.
	Tokens map[string]string
	Post   bool
	// Listen is the address of the server, DefaultListen if it is empty, Names are those under
	// which browsers reach it beyond this machine.
	Listen string
	Names  []string
	// Log takes what goes wrong with connections.
	Log io.Writer
}

// AddressError is an address at which pages cannot be served.
type AddressError struct{ error }

func (e *AddressError) Unwrap() error { return e.error }

// Serve serves pages until the context ends. It calls started with the URL of the server,
// without a slash at its end, as soon as it answers.
func (s Service) Serve(ctx context.Context, started func(url string) error) error {
	if s.Listen == "" {
		s.Listen = DefaultListen
	}
	l, hosts, err := listen(ctx, s.Listen, s.Names)
	if err != nil {
		return &AddressError{err}
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return errors.Join(fmt.Errorf("address of the server: %w", err), l.Close())
	}
	access := Access{Hosts: hosts, Tokens: s.Tokens, Cookie: "memforge-" + port, Post: s.Post}
	server := &http.Server{
		Handler: access.Protect(s.Pages), ErrorLog: log.New(safetext.NewWriter(s.Log), "", 0),
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := started("http://" + hosts[0]); err != nil {
		return errors.Join(err, l.Close())
	}
	if err := server.Serve(l); ctx.Err() == nil {
		return fmt.Errorf("serve pages: %w", err)
	}
	return nil
}

// DefaultListen is where pages are served unless another address is given.
const DefaultListen = "127.0.0.1:8360"

// listen opens the address and returns with it the hosts under which browsers reach it. An
// address beyond this machine needs names. DefaultListen may be in use, as by another
// release; then a free port is taken.
func listen(ctx context.Context, address string, names []string) (net.Listener, []string, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, nil, fmt.Errorf("--listen %s: %w; want ADDRESS:PORT, as %s", address, err, DefaultListen)
	}
	ip := net.ParseIP(host)
	local := host == "localhost" || ip != nil && ip.IsLoopback()
	if !local && len(names) == 0 {
		return nil, nil, fmt.Errorf("--listen %s reaches beyond this machine; add --host NAME, the name or address that browsers open, and a proxy that speaks TLS", address)
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil && address == DefaultListen {
		l, err = config.Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("--listen %s: %w; choose another port", address, err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return nil, nil, fmt.Errorf("address of the server: %w", err)
	}
	hosts := []string{}
	for _, name := range names {
		name = strings.ToLower(name)
		hosts = append(hosts, name, net.JoinHostPort(strings.Trim(name, "[]"), port))
	}
	for _, name := range []string{"127.0.0.1", "localhost", "::1"} {
		hosts = append(hosts, net.JoinHostPort(name, port))
	}
	return l, hosts, nil
}
