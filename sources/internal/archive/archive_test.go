package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memforge/memforge/sources/internal/archive"
)

var limits = archive.Limits{Members: 100, MemberBytes: 1 << 20, TotalBytes: 8 << 20}

// entry is one member of either kind of archive.
type entry struct {
	name, text string
	kind       byte // a tar type, 0 for a regular file
}

func makeZip(t testing.TB, entries []entry, change func(*zip.FileHeader)) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.kind == tar.TypeSymlink {
			h.SetMode(fs.ModeSymlink | 0o777)
		}
		if change != nil {
			change(h)
		}
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = io.WriteString(f, e.text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func makeTar(t testing.TB, entries []entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Mode: 0o644}
		if e.kind == tar.TypeSymlink {
			h.Linkname = "/etc/passwd"
		} else {
			h.Size = int64(len(e.text))
		}
		err := w.WriteHeader(h)
		if err == nil && h.Size > 0 {
			_, err = io.WriteString(w, e.text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gz(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(b)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// walk reads everything and returns a line a member.
func walk(kind string, b []byte, lim archive.Limits) (string, error) {
	var out strings.Builder
	visit := func(m archive.Member, content io.Reader) error {
		text, err := io.ReadAll(content)
		if err != nil {
			fmt.Fprintf(&out, "%s !%s\n", m.Name, m.Code)
			return nil
		}
		fmt.Fprintf(&out, "%s %d %.8s\n", m.Name, m.Size, text)
		return nil
	}
	var err error
	if kind == "zip" {
		err = archive.Zip(bytes.NewReader(b), int64(len(b)), lim, visit)
	} else {
		err = archive.Tar(bytes.NewReader(b), lim, visit)
	}
	return out.String(), err
}

func members() []entry {
	return []entry{
		{"./a.mp4", "alpha", 0}, {"dir/b.mp4", "beta", 0}, {"dir/empty", "", 0}, {"link.mp4", "", tar.TypeSymlink},
		{"__MACOSX/dir/._b.mp4", "junk", 0}, {"dir/.DS_Store", "junk", 0},
		{"../out.mp4", "x", 0}, {"/abs.mp4", "x", 0}, {"dir/../../x.mp4", "x", 0}, {`dir\b.mp4`, "x", 0}, {"bad\xff\n.mp4", "x", 0},
		{"big.mp4", noise(2 << 20), 0},
	}
}

// noise is text that does not compress to nothing, as films do not.
func noise(n int) string {
	b := make([]byte, n)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = "0123456789abcdef"[rnd.IntN(16)]
	}
	return string(b)
}

const wanted = `a.mp4 5 alpha
dir/b.mp4 4 beta
dir/empty 0 
../out.mp4 !unsafe-name
/abs.mp4 !unsafe-name
dir/../../x.mp4 !unsafe-name
dir\b.mp4 !unsafe-name
bad\xff\n.mp4 !bad-name
big.mp4 !too-large
`

func TestMembers(t *testing.T) {
	plain := makeTar(t, members())
	for kind, b := range map[string][]byte{"zip": makeZip(t, members(), nil), "tar": plain, "tar.gz": gz(t, plain), "two gzip streams": append(gz(t, plain[:1000]), gz(t, plain[1000:])...)} {
		got, err := walk(kind, b, limits)
		if err != nil || got != wanted {
			t.Errorf("%s: error %v, members\n%swant\n%s", kind, err, got, wanted)
		}
	}
}

func TestSkipAllEndsTheWalk(t *testing.T) {
	seen := 0
	visit := func(archive.Member, io.Reader) error { seen++; return fs.SkipAll }
	b := makeZip(t, members(), nil)
	err := archive.Zip(bytes.NewReader(b), int64(len(b)), limits, visit)
	err2 := archive.Tar(bytes.NewReader(makeTar(t, members())), limits, visit)
	if err != nil || err2 != nil || seen != 2 {
		t.Errorf("saw %d, errors %v, %v", seen, err, err2)
	}
}

func TestHostileZips(t *testing.T) {
	one := []entry{{"a.mp4", strings.Repeat("film", 1000), 0}}
	whole := makeZip(t, one, nil)
	lying := bytes.Clone(whole)
	// The directory says the member is shorter than it is.
	at := bytes.LastIndex(lying, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(lying[at+24:], 10)
	flipped := bytes.Clone(whole)
	flipped[60] ^= 0x55
	claims := bytes.Clone(whole)
	binary.LittleEndian.PutUint32(claims[bytes.LastIndex(claims, []byte("PK\x05\x06"))+12:], 1<<31)
	tests := map[string]struct {
		b    []byte
		want string
	}{
		"encrypted":           {makeZip(t, one, func(h *zip.FileHeader) { h.Flags |= 1 }), "a.mp4 !unreadable"},
		"bomb":                {makeZip(t, []entry{{"a.mp4", strings.Repeat("\x00", 4<<20), 0}}, nil), "a.mp4 !too-large"},
		"longer than it says": {lying, "a.mp4 !"},
		"flipped":             {flipped, "a.mp4 !"},
		"cut":                 {whole[:len(whole)/2], "error"},
		"directory too large": {claims, "error"},
		"empty":               {nil, "error"},
		"page":                {[]byte("<html>"), "error"},
	}
	roomy := limits
	roomy.MemberBytes = 1 << 30
	for name, tt := range tests {
		got, err := walk("zip", tt.b, roomy)
		if err != nil {
			got = "error"
		}
		if !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %q (error %v), want %q", name, got, err, tt.want)
		}
	}
}

func TestLimits(t *testing.T) {
	many := make([]entry, 101)
	for i := range many {
		many[i] = entry{fmt.Sprintf("%03d.mp4", i), "x", 0}
	}
	zeros := []entry{{"zeros.mp4", strings.Repeat("\x00", 4<<20), 0}}
	total := archive.Limits{MemberBytes: 1 << 20, TotalBytes: 20_000}
	noise := noise(9600)
	for name, err := range map[string]error{
		"zip, members":  second(walk("zip", makeZip(t, many, nil), limits)),
		"tar, members":  second(walk("tar", makeTar(t, many), limits)),
		"tar.gz, ratio": second(walk("tar.gz", gz(t, makeTar(t, zeros)), limits)),
		"tar.gz, total": second(walk("tar.gz", gz(t, makeTar(t, []entry{{"a", noise, 0}, {"b", noise, 0}, {"c", noise, 0}})), total)),
	} {
		if !errors.Is(err, archive.ErrRefused) {
			t.Errorf("%s: error %v, want a refusal", name, err)
		}
	}
	got, err := walk("zip", makeZip(t, []entry{{"a", noise, 0}, {"b", noise, 0}, {"c", noise, 0}}, nil), total)
	if err != nil || !strings.HasSuffix(got, "c !\n") {
		t.Errorf("zip, total: %q, %v", got, err)
	}
}

func second(_ string, err error) error { return err }

func TestDamagedTars(t *testing.T) {
	plain := makeTar(t, []entry{{"a.mp4", strings.Repeat("film", 1000), 0}, {"b.mp4", "x", 0}})
	packed := gz(t, plain)
	flipped := bytes.Clone(packed)
	flipped[len(flipped)-6] ^= 1 // in the checksum
	for name, b := range map[string][]byte{
		"cut in a member": plain[:2000], "cut gzip": packed[:len(packed)-20], "empty": nil, "noise": []byte(strings.Repeat("noise", 300)), "sum": flipped,
	} {
		if _, err := walk("tar", b, limits); err == nil && name != "sum" {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzZip(f *testing.F) {
	f.Add(makeZip(f, []entry{{"a.mp4", "alpha", 0}, {"../b", "beta", 0}}, nil))
	f.Fuzz(func(t *testing.T, b []byte) { check(t, "zip", b) })
}

func FuzzTar(f *testing.F) {
	f.Add(makeTar(f, []entry{{"a.mp4", "alpha", 0}, {"../b", "beta", 0}}))
	f.Add(gz(f, makeTar(f, []entry{{"a.mp4", "alpha", 0}})))
	f.Fuzz(func(t *testing.T, b []byte) { check(t, "tar", b) })
}

// check holds what must be true of every archive: a readable member has a name
// below the root and exactly the bytes it announces.
func check(t *testing.T, kind string, b []byte) {
	visit := func(m archive.Member, content io.Reader) error {
		n, err := io.Copy(io.Discard, content)
		if err == nil && (m.Code != "" || n != m.Size || !fs.ValidPath(m.Name)) || n > limits.MemberBytes {
			t.Fatalf("member %+v gave %d bytes, error %v", m, n, err)
		}
		return nil
	}
	if kind == "zip" {
		_ = archive.Zip(bytes.NewReader(b), int64(len(b)), limits, visit)
		return
	}
	_ = archive.Tar(bytes.NewReader(b), limits, visit)
}
