package signing_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/memforge/memforge/pipeline/release/signing"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// The files in testdata were made by minisign 0.11: plain.key without a
// password, locked.key with "secret", and signatures of both kinds over
// SHA256SUMS. quick.key is locked.key again, encrypted so that it opens with 16 MiB.

func file(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func publicKey(t testing.TB, name string) signing.PublicKey {
	t.Helper()
	k, err := signing.ParsePublicKey(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestSignaturesOfMinisignHold(t *testing.T) {
	k := publicKey(t, "plain.pub")
	for _, name := range []string{"hashed.minisig", "legacy.minisig"} {
		if err := signing.Verify(k, file(t, "SHA256SUMS"), file(t, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if id, err := signing.SignedBy(file(t, name)); err != nil || id != k.String() || id != "B242C79C2EE57380" {
			t.Errorf("%s names key %s, the key is %s", name, id, k)
		}
	}
	lines := strings.Fields(string(file(t, "plain.pub")))
	same, err := signing.ParsePublicKey(lines[len(lines)-1])
	if err != nil || !same.Equal(k) {
		t.Errorf("the key itself: %v, %v", same, err)
	}
}

// TestWhatIsSignedCannotChange changes each line of a signature and the bytes
// below it.
func TestWhatIsSignedCannotChange(t *testing.T) {
	k, sums, signature := publicKey(t, "plain.pub"), file(t, "SHA256SUMS"), file(t, "hashed.minisig")
	other, err := signing.ParsePublicKey(filepath.Join("testdata", "locked.pub"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(signature), "\n")
	changed := func(i int, from, to string) []byte {
		out := append([]string(nil), lines...)
		if out[i] = strings.Replace(out[i], from, to, 1); out[i] == lines[i] {
			t.Fatalf("line %d has no %q", i, from)
		}
		return []byte(strings.Join(out, ""))
	}
	for name, tc := range map[string]struct {
		key             signing.PublicKey
		sums, signature []byte
		want            string
	}{
		"another byte":     {k, bytes.Replace(sums, []byte("README"), []byte("README2"), 1), signature, "not one of key"},
		"a byte more":      {k, append(bytes.Clone(sums), '\n'), signature, "not one of key"},
		"another key":      {other, sums, signature, "not with AA537CC992513D9B"},
		"none":             {k, sums, nil, "is missing"},
		"an empty file":    {k, sums, []byte{}, "is empty"},
		"no signature":     {k, sums, []byte("trust me\n"), "no signature of minisign"},
		"signature bits":   {k, sums, changed(1, "j3oVAp", "j3oVAq"), "not one of key"},
		"trusted comment":  {k, sums, changed(2, "by test", "by all"), "not one of key"},
		"comment's bits":   {k, sums, changed(3, "gfXc41", "gfXc42"), "not one of key"},
		"truncated":        {k, sums, signature[:len(signature)/2], "no signature of minisign"},
		"of another text":  {k, []byte("x"), signature, "not one of key"},
		"of an empty text": {k, nil, signature, "not one of key"},
	} {
		err := signing.Verify(tc.key, tc.sums, tc.signature)
		var wrong *signing.Error
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

func TestOwnSignaturesAreTheSameEachTime(t *testing.T) {
	k, err := signing.LoadKey(filepath.Join("testdata", "plain.key"), "")
	if err != nil {
		t.Fatal(err)
	}
	one, err := k.Sign([]byte("sums"), "demo@1.0.0+ab")
	two, again := k.Sign([]byte("sums"), "demo@1.0.0+ab")
	if err = errors.Join(err, again); err != nil || !bytes.Equal(one, two) {
		t.Errorf("%v\n%s\n%s", err, one, two)
	}
	if err := signing.Verify(publicKey(t, "plain.pub"), []byte("sums"), one); err != nil {
		t.Error(err)
	}
	if !strings.Contains(string(one), "\ntrusted comment: memforge release demo@1.0.0+ab\n") {
		t.Errorf("%s", one)
	}
}

func TestKeysThatDoNotOpen(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, make([]byte, 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"testdata/locked.key": "no password is given",
		"testdata/plain.pub":  "invalid private key",
		"testdata/gone":       "no such file",
		large:                 "larger than 4096 bytes",
	} {
		_, err := signing.LoadKey(name, "")
		var wrong *signing.KeyError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"RWS":                      "there is no such file, and it is not the key itself",
		"nosuch.pub":               "there is no such file",
		strings.Repeat("xy", 28):   "neither a public key file of minisign nor the key itself",
		strings.Repeat("RW", 9999): "there is no such file",
		"testdata/plain.key":       "neither a public key file",
		"testdata":                 "is a folder",
		pipe:                       "is a named pipe",
	} {
		_, err := signing.ParsePublicKey(name)
		var wrong *signing.KeyError
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30s: %v, want %q", name, err, want)
		}
	}
}

// TestLockedKeys opens keys that are encrypted: one that asks for 16 MiB and, at full
// size, the same as minisign encrypted it, which takes 1 GiB.
func TestLockedKeys(t *testing.T) {
	for _, name := range testsize.Choose([]string{"quick.key"}, []string{"quick.key", "locked.key"}) {
		k, err := signing.LoadKey(filepath.Join("testdata", name), "secret")
		if err != nil || !k.Public().Equal(publicKey(t, "locked.pub")) {
			t.Errorf("%s: %v, %v", name, k.Public(), err)
		}
	}
}

func TestGeneratedKeysSign(t *testing.T) {
	secret, public, err := signing.Generate(rand.Reader, "")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "key")
	if err := errors.Join(os.WriteFile(name, secret, 0o600), os.WriteFile(name+".pub", public, 0o600)); err != nil {
		t.Fatal(err)
	}
	k, err := signing.LoadKey(name, "")
	if err != nil {
		t.Fatal(err)
	}
	p, err := signing.ParsePublicKey(name + ".pub")
	if err != nil || !p.Equal(k.Public()) {
		t.Fatalf("%v, %v", p, err)
	}
	signature, err := k.Sign([]byte("sums"), "r")
	if err != nil {
		t.Fatal(err)
	}
	if err := signing.Verify(p, []byte("sums"), signature); err != nil {
		t.Error(err)
	}
}

// FuzzCheck: no bytes but those of the key's owner pass for a signature.
func FuzzCheck(f *testing.F) {
	k, sums, signature := publicKey(f, "plain.pub"), file(f, "SHA256SUMS"), file(f, "hashed.minisig")
	f.Add(signature)
	f.Add(file(f, "legacy.minisig"))
	f.Add([]byte("untrusted comment: \n\ntrusted comment: \n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := signing.SignedBy(b); err != nil {
			return
		}
		if signing.Verify(k, append(sums, 'x'), b) == nil {
			t.Error("a signature over other bytes holds")
		}
	})
}
