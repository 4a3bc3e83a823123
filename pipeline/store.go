package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// Blob names immutable bytes.
type Blob struct {
	Digest Digest `json:"digest"`
	Size   int64  `json:"size"`
}

// Store keeps blobs by digest and results by key. Implementations are safe for
// concurrent use, and whatever moment the process dies at, the next one finds
// a store that holds every committed result and no half of one.
type Store interface {
	// PutBlob stores the bytes of r and returns their digest. Storing known
	// bytes again is cheap and harmless.
	PutBlob(ctx context.Context, r io.Reader) (Blob, error)
	// PutFile stores a file. With move it may rename the file into the store.
	PutFile(ctx context.Context, path string, move bool) (Blob, error)
	// OpenBlob reads a blob. The last Read returns a *CorruptError instead of
	// io.EOF when the bytes do not have the digest.
	OpenBlob(ctx context.Context, d Digest) (io.ReadCloser, error)
	// BlobPath returns a read-only local file with the blob's verified bytes.
	BlobPath(ctx context.Context, d Digest) (string, error)
	// MissingBlobs reports which of the digests are absent.
	MissingBlobs(ctx context.Context, ds []Digest) ([]Digest, error)

	// Results returns those of the results that exist and whose blobs and
	// records do. An unknown key is simply not in the map.
	Results(ctx context.Context, keys []Key) (map[Key]Result, error)
	// Commit makes results and the records they output durable, all or none.
	// The blobs must have been put before.
	Commit(ctx context.Context, outcomes []Committed) error
	// Records returns the records with these digests, in order.
	Records(ctx context.Context, ds []Digest) ([]Record, error)

	// SaveBuild appends to the build history; Builds returns the newest first.
	SaveBuild(ctx context.Context, b Build) error
	Builds(ctx context.Context, limit int) ([]Build, error)
}

// Committed is a result together with the records it outputs.
type Committed struct {
	Result  Result
	Records []Record
	// Encoded, if set, is what Encode gives of each record: who made them had to
	// know their digests.
	Encoded [][]byte
	// Stored says that outputs which are not among Records are in the store: results
	// that were found there give them, or records that were read from it are handed
	// on. The result's Blobs name all of theirs.
	Stored bool
	// Instant says that the result comes again at once from recorded answers or by
	// rule: it must outlive the process and need not outlive a power cut.
	Instant bool
}

// Result of one task: what it gave, under its key.
type Result struct {
	Key Key `json:"key"`
	// Outputs are the records given, in the order given.
	Outputs []Ref `json:"outputs,omitempty"`
	// Rejections are the items lost on the way.
	Rejections []Rejection `json:"rejections,omitempty"`
	// Blobs are all blobs the result depends on: those its records name and
	// those put besides. Sorted.
	Blobs []Digest `json:"blobs,omitempty"`
	// Reused says that Execute found the result in the store.
	Reused bool `json:"-"`
}

// Build is one finished build, kept so that explain can compare two.
type Build struct {
	// Seq counts builds from 1; SaveBuild sets it.
	Seq int64 `json:"seq"`
	// Config is the digest of the plan.
	Config Digest `json:"config"`
	// Trial says why a build got no release: what it was confined to (some records,
	// some steps), or that it failed; empty for a whole one.
	Trial string      `json:"trial,omitempty"`
	Steps []BuildStep `json:"nodes"`
}

// BuildStep is one step of a finished build.
type BuildStep struct {
	Name string   `json:"name"`
	From []string `json:"from,omitempty"`
	// Identity is what every key of the step shares.
	Identity Identity `json:"identity"`
	// UnitList is the blob that lists the step's units, see Unit.
	UnitList Digest `json:"units"`
	// Reused and Built count units found in the store and units computed.
	Reused int `json:"reused"`
	Built  int `json:"built"`
}

// Unit is one cached piece of a step's work: a source's reading, one record
// through a map, a whole fold. Units of a step are sorted by In.ID.
type Unit struct {
	In         Ref         `json:"in"` // zero for sources, folds and whole gates
	Key        Key         `json:"key"`
	Out        []Ref       `json:"out,omitempty"`
	Rejections []Rejection `json:"rejections,omitempty"`
}

// Digest is a SHA-256 in lower-case hex.
type Digest string

// Key names everything that can change a task's output and nothing else. It is
// a SHA-256 in lower-case hex.
type Key string

// DigestOf returns the digest of b.
func DigestOf(b []byte) Digest {
	return DigestOfSum(sha256.Sum256(b))
}

// ParseDigest checks that s is a digest.
func ParseDigest(s string) (Digest, error) {
	if len(s) != 64 {
		return "", fmt.Errorf("digest %q: want 64 hex digits, have %d characters", s, len(s))
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return "", fmt.Errorf("digest %q: %q is not a lower-case hex digit", s, c)
		}
	}
	return Digest(s), nil
}

// RawDigest returns the bytes of a digest or key.
func RawDigest[S Digest | Key | string](s S) (raw [sha256.Size]byte, err error) {
	upper := byte(0)
	for i := range len(s) {
		upper |= s[i] & 0x40 &^ (s[i] & 0x20 << 1) // only lower case has both bits
	}
	if len(s) == 2*len(raw) && upper == 0 {
		if _, err = hex.Decode(raw[:], []byte(s)); err == nil {
			return raw, nil
		}
	}
	_, err = ParseDigest(string(s))
	return raw, err
}

// DigestOfSum returns the digest of bytes whose SHA-256 is known.
func DigestOfSum(raw [sha256.Size]byte) Digest {
	var text [2 * sha256.Size]byte
	hex.Encode(text[:], raw[:])
	return Digest(text[:])
}

// CorruptError says that stored bytes do not have their digest.
type CorruptError struct {
	Digest Digest
	Got    Digest
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("blob %s is corrupt: its bytes have digest %s; run `memforge store check` and build again", e.Digest, e.Got)
}

// ErrNoBlob is returned for a digest the store does not hold.
var ErrNoBlob = errors.New("no such blob in the store")
