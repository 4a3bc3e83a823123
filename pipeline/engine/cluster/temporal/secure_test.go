//go:build temporal

package temporal

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
)

// guarded is a server that lets in who has a certificate and a key, and knows one
// namespace.
type guarded struct {
	workflowservice.UnimplementedWorkflowServiceServer
	key string
}

func (g guarded) check(ctx context.Context) error {
	said, _ := metadata.FromIncomingContext(ctx)
	if !slices.Contains(said.Get("authorization"), "Bearer "+g.key) {
		return serviceerror.NewPermissionDenied("no key", "")
	}
	return nil
}

func (g guarded) GetSystemInfo(ctx context.Context, _ *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{}, serviceerror.ToStatus(g.check(ctx)).Err()
}

func (g guarded) DescribeNamespace(ctx context.Context, r *workflowservice.DescribeNamespaceRequest) (*workflowservice.DescribeNamespaceResponse, error) {
	err := g.check(ctx)
	if err == nil && r.GetNamespace() != "films" {
		err = serviceerror.NewNamespaceNotFound(r.GetNamespace())
	}
	return &workflowservice.DescribeNamespaceResponse{}, serviceerror.ToStatus(err).Err()
}

// certificate writes one for 127.0.0.1 that vouches for itself, and its key.
func certificate(t *testing.T) (pair tls.Certificate, certPath, keyPath string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certPEM, keyPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
	dir := t.TempDir()
	certPath, keyPath = filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	if err := errors.Join(os.WriteFile(certPath, certPEM, 0o600), os.WriteFile(keyPath, keyPEM, 0o600)); err != nil {
		t.Fatal(err)
	}
	pair, err = tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		t.Fatal(err)
	}
	return pair, certPath, keyPath
}

// Certificates and keys come from Temporal's variables, and no log or error has them.
func TestDialSecurely(t *testing.T) {
	pair, certPath, keyPath := certificate(t)
	pool := x509.NewCertPool()
	pool.AddCert(pair.Leaf)
	s := grpc.NewServer(grpc.Creds(credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool})))
	workflowservice.RegisterWorkflowServiceServer(s, guarded{key: "hush"})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.Serve(listener) }()
	defer s.Stop()
	for _, tc := range []struct {
		namespace, without, key, want string
	}{
		{"films", "", "hush", ""},
		{"films", "", "hush-hush", "no key"},
		{"plays", "", "hush", "it has no namespace plays"},
		{"films", "TEMPORAL_TLS_SERVER_CA_CERT_PATH", "hush", "certificate"},
		{"films", "TEMPORAL_TLS_CLIENT_CERT_PATH", "hush", "cert"},
	} {
		variables := map[string]string{
			"TEMPORAL_API_KEY": tc.key, "TEMPORAL_TLS_SERVER_CA_CERT_PATH": certPath,
			"TEMPORAL_TLS_CLIENT_CERT_PATH": certPath, "TEMPORAL_TLS_CLIENT_KEY_PATH": keyPath,
		}
		delete(variables, tc.without)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		var log bytes.Buffer
		o := Options{Log: slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})}
		e, err := Dial(ctx, scheme+listener.Addr().String()+"/"+tc.namespace, func(name string) string { return variables[name] }, o)
		cancel()
		if (err == nil) != (tc.want == "") || err != nil && (!strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hush")) {
			t.Errorf("%+v: %v", tc, err)
		}
		if strings.Contains(log.String(), "hush") {
			t.Errorf("%+v: the log has the key:\n%s", tc, log.String())
		}
		if e != nil {
			_ = e.Close()
		}
	}
}
