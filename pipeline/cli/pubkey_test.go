package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/signing"
	"github.com/memforge/memforge/pipeline/testkit/videorelease"
)

// pubkeyCase is a command line, how it ends, and what it says.
type pubkeyCase struct {
	args []string
	code int
	want string
}

// TestNothingUncheckedEndsWell: a key or a signature that is none, and a place that
// is no release, each end with their code and say what they are.
func TestNothingUncheckedEndsWell(t *testing.T) {
	t.Parallel()
	dir, err := videorelease.Write(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	at := t.TempDir()
	file := filepath.Join(at, "file")
	pipe := filepath.Join(at, "pipe")
	link := filepath.Join(at, "link")
	if err := errors.Join(os.WriteFile(file, nil, 0o644), syscall.Mkfifo(pipe, 0o644), os.Symlink(dir, link)); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []pubkeyCase{
		{[]string{"verify", link}, exitOK, "signature: not signed"},
		{[]string{"audit", link}, exitDiffers, "signature: not signed"},
		{[]string{"verify", "--pubkey=", dir}, exitUsage, "--pubkey is empty"},
		{[]string{"audit", "--pubkey", "", dir}, exitUsage, "--pubkey is empty"},
		{[]string{"verify", "--pubkey", "nosuch.pub", dir}, exitSignature, "key nosuch.pub: there is no such file"},
		{[]string{"audit", "--pubkey", pipe, dir}, exitSignature, "is a named pipe and no file"},
		{[]string{"verify", file}, exitVerify, "is no folder"},
		{[]string{"audit", file}, exitVerify, "is no folder"},
		{[]string{"sample", file}, exitVerify, "is no folder"},
		{[]string{"shortcuts", pipe}, exitVerify, "is no folder"},
		{[]string{"export", "--format", "m3eval", file, at}, exitVerify, "is no folder"},
		{[]string{"verify", filepath.Join(file, "below")}, exitVerify, "there is no folder"},
	} {
		tc.run(t)
	}
}

func (tc pubkeyCase) run(t *testing.T) {
	t.Helper()
	var out, errs bytes.Buffer
	code := Main(pipeline.NewRegistry(), tc.args, strings.NewReader(""), &out, &errs, os.Getenv)
	if all := out.String() + errs.String(); code != tc.code || !strings.Contains(all, tc.want) {
		t.Errorf("%v: exit code %d, want %d and %q\n%s", tc.args, code, tc.code, tc.want, all)
	}
}

// TestABrokenSignatureIsAFinding without a key as well.
func TestABrokenSignatureIsAFinding(t *testing.T) {
	t.Parallel()
	dir, err := videorelease.Write(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	secret, public, err := signing.Generate(strings.NewReader(strings.Repeat("0123456789", 100)), "")
	if err != nil {
		t.Fatal(err)
	}
	keys := filepath.Join(t.TempDir(), "key")
	if err := errors.Join(os.WriteFile(keys, secret, 0o600), os.WriteFile(keys+".pub", public, 0o644)); err != nil {
		t.Fatal(err)
	}
	k, err := signing.LoadKey(keys, "")
	if err != nil {
		t.Fatal(err)
	}
	signature, err := k.Sign([]byte("sums"), "sample")
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range []struct {
		data []byte
		want string
	}{
		{nil, "SHA256SUMS.minisig is empty"}, {signature[:len(signature)/2], "no signature of minisign"}, {[]byte("x"), "no signature of minisign"},
	} {
		if err := os.WriteFile(filepath.Join(dir, release.SignatureName), broken.data, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"verify", "audit"} {
			pubkeyCase{[]string{command, dir}, exitSignature, broken.want}.run(t)
			pubkeyCase{[]string{command, "--pubkey", keys + ".pub", dir}, exitSignature, broken.want}.run(t)
		}
	}
}
