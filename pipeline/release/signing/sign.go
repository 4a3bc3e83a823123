// Package signing signs releases and checks their signatures: Ed25519 in the format
// of minisign (https://jedisct1.github.io/minisign/), so that the program of
// that name does the same without memforge. What is signed is SHA256SUMS, which
// names every other file of a release with its digest.
package signing

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"unicode"

	"aead.dev/minisign"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// keyLength is the length of a public key as text.
const keyLength = 56

const maxKeyFile = 4 << 10

// Error says why a release cannot be told to be of a key's owner.
type Error struct{ Detail string }

func (e *Error) Error() string { return e.Detail }

// KeyError says that a key cannot be used.
type KeyError struct {
	Key string // its file, or the key itself if it is a public one
	Err error
}

func (e *KeyError) Error() string { return fmt.Sprintf("key %s: %v", e.Key, e.Err) }
func (e *KeyError) Unwrap() error { return e.Err }

// PublicKey checks signatures.
type PublicKey struct{ key minisign.PublicKey }

// String is the key's id, as minisign shows it.
func (k PublicKey) String() string { return keyID(k.key.ID()) }

// Equal reports whether two keys are one.
func (k PublicKey) Equal(o PublicKey) bool { return k.key.Equal(o.key) }

func keyID(id uint64) string { return fmt.Sprintf("%016X", id) }

// ParsePublicKey takes the name of a public key file of minisign, or the key
// itself: the 56 characters of that file's last line.
func ParsePublicKey(fileOrKey string) (PublicKey, error) {
	text, err := readKey(fileOrKey)
	switch {
	case err == nil:
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENAMETOOLONG):
		return PublicKey{}, &KeyError{fileOrKey, err}
	case len(fileOrKey) != keyLength:
		return PublicKey{}, &KeyError{fileOrKey, fmt.Errorf("there is no such file, and it is not the key itself, which has %d characters", keyLength)}
	default:
		text = []byte(fileOrKey)
	}
	var k PublicKey
	if err := k.key.UnmarshalText(bytes.TrimSpace(text)); err != nil {
		return k, &KeyError{fileOrKey, fmt.Errorf("it is neither a public key file of minisign nor the key itself: %w", err)}
	}
	return k, nil
}

// SecretKey signs.
type SecretKey struct{ key minisign.PrivateKey }

// LoadKey reads a secret key file of minisign. The password is for an encrypted
// one and may else be empty.
func LoadKey(name, password string) (SecretKey, error) {
	text, err := readKey(name)
	if err != nil {
		return SecretKey{}, &KeyError{name, err}
	}
	var k SecretKey
	switch {
	case !minisign.IsEncrypted(text):
		err = k.key.UnmarshalText(text)
	case password == "":
		err = errors.New("it is encrypted, and no password is given")
	default:
		if k.key, err = minisign.DecryptKey(password, text); err != nil {
			err = fmt.Errorf("the password does not open it: %w", err)
		}
	}
	if err != nil {
		return SecretKey{}, &KeyError{name, err}
	}
	return k, nil
}

// Public is the key that checks what this one signs.
func (k SecretKey) Public() PublicKey {
	public, _ := k.key.Public().(minisign.PublicKey)
	return PublicKey{public}
}

// Sign gives the signature file over the bytes of SHA256SUMS. The release's id
// is its trusted comment, so that the same key signs the same release with the
// same bytes.
func (k SecretKey) Sign(sums []byte, release string) ([]byte, error) {
	r, err := hashedReader(sums)
	if err != nil {
		return nil, err
	}
	return r.SignWithComments(k.key, comment(release), "signature of a memforge release, key "+k.Public().String()), nil
}

func comment(release string) string { return "memforge release " + release }

// Verify reports whether a signature file is the key's over the bytes of
// SHA256SUMS. What does not hold is an *Error.
func Verify(k PublicKey, sums, signature []byte) error {
	if signature == nil {
		return &Error{"the release has no signature: SHA256SUMS.minisig is missing"}
	}
	s, err := parse(signature)
	if err != nil {
		return err
	}
	if s.KeyID != k.key.ID() {
		return &Error{fmt.Sprintf("the release is signed with key %s, not with %s", keyID(s.KeyID), k)}
	}
	r, err := hashedReader(sums)
	if err != nil {
		return err
	}
	if s.Algorithm == minisign.HashEdDSA && r.Verify(k.key, signature) || minisign.Verify(k.key, sums, signature) {
		return nil
	}
	return &Error{fmt.Sprintf("the signature is not one of key %s over this SHA256SUMS: the release was changed after it was signed, or the signature is forged", k)}
}

// SignedBy is the id of the key that a signature file names: a hint that
// nothing proves. A file that is none, such as a cut one, is an *Error.
func SignedBy(signature []byte) (string, error) {
	s, err := parse(signature)
	return keyID(s.KeyID), err
}

func parse(signature []byte) (s minisign.Signature, err error) {
	if len(signature) == 0 {
		return s, &Error{"SHA256SUMS.minisig is empty"}
	}
	if err := s.UnmarshalText(signature); err != nil {
		return s, &Error{fmt.Sprintf("SHA256SUMS.minisig is no signature of minisign: %v", err)}
	}
	return s, nil
}

// Generate makes a pair of keys as text: the secret one encrypted unless the
// password is empty, and the public one.
func Generate(random io.Reader, password string) (secret, public []byte, err error) {
	pub, priv, err := minisign.GenerateKey(random)
	if err != nil {
		return nil, nil, fmt.Errorf("make a key: %w", err)
	}
	if password == "" {
		secret, err = priv.MarshalText()
	} else {
		secret, err = minisign.EncryptKey(password, priv)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("write a key: %w", err)
	}
	public, err = pub.MarshalText()
	return append(secret, '\n'), append(public, '\n'), err
}

// hashedReader returns a reader that has read the message, which hashed signatures need.
func hashedReader(message []byte) (*minisign.Reader, error) {
	r := minisign.NewReader(bytes.NewReader(message))
	_, err := io.Copy(io.Discard, r)
	return r, err
}

func readKey(name string) ([]byte, error) {
	text, err := atomicfile.Read(name, maxKeyFile)
	if err != nil {
		return nil, err
	}
	return []byte(strings.TrimRightFunc(string(text), unicode.IsSpace)), nil
}
