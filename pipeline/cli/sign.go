package cli

import (
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/signing"
)

// signPassword names the environment variable with the password of a secret key.
const signPassword = "MEMFORGE_SIGN_PASSWORD"

// signer loads the key of --sign, or returns nil without one.
func (e *env) signer(file string) (*signing.SecretKey, error) {
	if file == "" {
		return nil, nil
	}
	k, err := signing.LoadKey(file, e.getenv(signPassword))
	if err != nil {
		return nil, fmt.Errorf("--sign: %w; the password of an encrypted key is read from the environment variable %s", err, signPassword)
	}
	return &k, nil
}

// sign verifies a release and signs it. A release that the key has signed already stays
// as it is.
func sign(e *env, k *signing.SecretKey, dir string) error {
	report, err := release.Limits{Inflated: release.Unlimited}.Verify(e, dir)
	if err != nil {
		return err
	}
	if report.Signature == nil {
		signature, err := k.Sign([]byte(report.Sums), report.Manifest.ID)
		if err != nil {
			return fmt.Errorf("sign release %s: %w", dir, err)
		}
		if err := release.AddSignature(dir, signature); err != nil {
			return err
		}
	} else if err := signing.Verify(k.Public(), []byte(report.Sums), report.Signature); err != nil {
		return errors.Join(&release.SignedError{Dir: dir}, err)
	}
	return e.emit(e.out, "signed", map[string]any{"key": fmt.Sprint(k.Public())}, fmt.Sprintf("signed with key %s\n", k.Public()))
}

// checkSignature checks the signature of a release with the key of --pubkey and says
// what was checked. Without a key nothing is checked, except that the file is a
// signature.
func checkSignature(pubkey *string, sums, signature []byte) (said string, err error) {
	switch {
	case pubkey == nil && signature == nil:
		return "not signed", nil
	case pubkey == nil:
		id, err := signing.SignedBy(signature)
		if err != nil {
			return "", fmt.Errorf("%w; download the release again, or remove that file from it", err)
		}
		return fmt.Sprintf("not checked: it names key %s; --pubkey checks it", id), nil
	case *pubkey == "":
		return "", &usageError{errors.New("--pubkey is empty; name a public key file of minisign, or the key itself")}
	}
	k, err := signing.ParsePublicKey(*pubkey)
	if err != nil {
		return "", fmt.Errorf("--pubkey: %w", err)
	}
	if err := signing.Verify(k, sums, signature); err != nil {
		return "", fmt.Errorf("--pubkey: %w; do not rely on the release, and ask whoever published it", err)
	}
	return fmt.Sprintf("valid: key %s signed this SHA256SUMS", k), nil
}
