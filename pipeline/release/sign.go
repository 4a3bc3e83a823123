package release

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

const (
	// SignatureName names the signature over SHA256SUMS. It may come later than all else
	// and stands in no list.
	SignatureName = manifest.SumsName + ".minisig"
	maxSignature  = 4 << 10
)

// SignedError says that a release has another signature already.
type SignedError struct{ Dir string }

func (e *SignedError) Error() string {
	return fmt.Sprintf("release %s has another signature already; remove %s from it to sign it anew", e.Dir, SignatureName)
}

// AddSignature puts a signature over SHA256SUMS into the release in dir. It
// changes no other file: no digest, no list and no id. The same signature again
// is nothing to do, another one a *SignedError.
func AddSignature(dir string, signature []byte) (err error) {
	have, err := atomicfile.Read(filepath.Join(dir, SignatureName), maxSignature)
	switch {
	case err == nil && bytes.Equal(have, signature):
		return nil
	case !errors.Is(err, os.ErrNotExist):
		return errors.Join(&SignedError{dir}, err)
	}
	home := filepath.Dir(dir)
	unlock, err := lockHome(home)
	if err != nil {
		return fmt.Errorf("sign release %s: %w", dir, err)
	}
	defer unlock()
	f, err := os.CreateTemp(home, partialPrefix)
	if err != nil {
		return fmt.Errorf("sign release %s: %w", dir, err)
	}
	if _, err = f.Write(signature); err != nil {
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	} else {
		err = atomicfile.Publish(f, filepath.Join(dir, SignatureName), 0o644)
	}
	if err != nil {
		return fmt.Errorf("sign release %s: %w", dir, err)
	}
	return nil
}
