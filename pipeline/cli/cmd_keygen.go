package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release/signing"
)

type keygenCmd struct {
	NoPassword bool   `help:"Write the secret key unencrypted."`
	File       string `arg:"" placeholder:"FILE" help:"File for the secret key; the public key is written to FILE.pub."`
}

func (keygenCmd) Help() string {
	return `Writes a pair of Ed25519 keys in the format of minisign. The password of the secret key
is read from the environment variable MEMFORGE_SIGN_PASSWORD; writing or reading an
encrypted key takes 1 GiB of memory for some seconds. Publish the public key where users
of the release find it independently of the release.

Examples:
  MEMFORGE_SIGN_PASSWORD=... memforge keygen ~/.minisign/benchmarks.key
  minisign -G -s ~/.minisign/benchmarks.key -p benchmarks.pub`
}

func (c keygenCmd) Run(e *env) error {
	password := e.getenv(signPassword)
	switch {
	case password == "" && !c.NoPassword:
		return &usageError{fmt.Errorf("keygen: set %s to the password of the new key, or use --no-password", signPassword)}
	case c.NoPassword:
		password = ""
	}
	secret, public, err := signing.Generate(rand.Reader, password)
	if err != nil {
		return err
	}
	if err := writeNew(c.File, secret, 0o600); err != nil {
		return fmt.Errorf("keygen: %w", err)
	}
	if err := writeNew(c.File+".pub", public, 0o644); err != nil {
		return fmt.Errorf("keygen: %w", errors.Join(err, os.Remove(c.File)))
	}
	_, err = fmt.Fprintf(e.out, "secret key in %s, public key in %s.pub\n%s", c.File, c.File, public)
	return err
}

// writeNew writes a file that must not exist.
func writeNew(name string, data []byte, mode os.FileMode) error {
	err := atomicfile.Create(name, mode, data)
	if errors.Is(err, os.ErrExist) {
		return &inputError{fmt.Errorf("%s already exists; keys are not overwritten", name)}
	}
	return err
}
