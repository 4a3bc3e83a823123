package release

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// digestWidth is where the path begins in a line of SHA256SUMS: behind a digest and
// two blanks.
const digestWidth = 66

// sums is SHA256SUMS: its text, which is sorted by path and thus an index, and where
// its lines begin. Paths and digests are parts of the text, so that a hundred thousand
// files take little more memory than it.
type sums struct {
	text string
	at   []int32
}

// parseSums is the strict inverse of writeSums; sizes are not known to it.
func parseSums(text string) (s sums, err error) {
	if int64(len(text)) > maxManifest {
		return s, fmt.Errorf("%s: %d bytes; at most %d are read", sumsName, len(text), int64(maxManifest))
	}
	if !strings.HasSuffix(text, "\n") {
		return s, fmt.Errorf("%s: its last line has no end", sumsName)
	}
	s = sums{text: text, at: make([]int32, 0, strings.Count(text, "\n"))}
	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:], '\n')
		if err := checkSum(text[at:end]); err != nil {
			return sums{}, fmt.Errorf("%s: line %d %w", sumsName, len(s.at)+1, err)
		}
		if n := len(s.at); n > 0 && text[at+digestWidth:end] <= s.path(n-1) {
			return sums{}, fmt.Errorf("%s: line %d: %q is out of order", sumsName, n+1, text[at+digestWidth:end])
		}
		s.at = append(s.at, int32(at))
		at = end + 1
	}
	return s, nil
}

// checkSum refuses a line that writeSums would not write.
func checkSum(line string) error {
	if len(line) <= digestWidth || line[digestWidth-2:digestWidth] != "  " {
		return fmt.Errorf("is not \"digest  path\"")
	}
	digest := line[:digestWidth-2]
	if _, err := hex.DecodeString(digest); err != nil {
		return fmt.Errorf("has no digest: %w", err)
	}
	if strings.ToLower(digest) != digest {
		return fmt.Errorf("is not in the form that releases have")
	}
	if err := checkPath(line[digestWidth:]); err != nil {
		return fmt.Errorf("leads nowhere: %w", err)
	}
	return nil
}

func (s sums) path(i int) string {
	from := int(s.at[i])
	return s.text[from+digestWidth : from+strings.IndexByte(s.text[from:], '\n')]
}

// find is the line of a path.
func (s sums) find(path string) (line int, ok bool) {
	return sort.Find(len(s.at), func(i int) int { return strings.Compare(path, s.path(i)) })
}

// hasFolder reports whether a path in a folder is listed.
func (s sums) hasFolder(folder string) bool {
	i := sort.Search(len(s.at), func(i int) bool { return s.path(i) >= folder+"/" })
	return i < len(s.at) && strings.HasPrefix(s.path(i), folder+"/")
}

// digest is that of a path, empty where it is not listed.
func (s sums) digest(path string) pipeline.Digest {
	i, ok := s.find(path)
	if !ok {
		return ""
	}
	return pipeline.Digest(s.text[s.at[i] : s.at[i]+digestWidth-2])
}

// intern is a file whose path and digest are parts of the text, where it lists both.
func (s sums) intern(f FileInfo) FileInfo {
	if i, ok := s.find(f.Path); ok && s.digest(f.Path) == f.SHA256 {
		return FileInfo{Path: s.path(i), SHA256: s.digest(f.Path), Size: f.Size}
	}
	return f
}

// writeSums writes SHA256SUMS as sha256sum does. The files are sorted by path.
func writeSums(w io.Writer, files []FileInfo) error {
	out := bufio.NewWriter(w)
	for _, f := range files {
		fmt.Fprintf(out, "%s  %s\n", f.SHA256, f.Path) // Flush has the error
	}
	return out.Flush()
}

// hexDigest is the digest of what a hash has taken in.
func hexDigest(h hash.Hash) pipeline.Digest { return pipeline.Digest(hex.EncodeToString(h.Sum(nil))) }

// withManifest are the files of a release with its manifest in its place.
func withManifest(files []FileInfo, digest pipeline.Digest) []FileInfo {
	i, _ := slices.BinarySearchFunc(files, manifestName, func(f FileInfo, path string) int { return strings.Compare(f.Path, path) })
	return slices.Insert(slices.Clone(files), i, FileInfo{Path: manifestName, SHA256: digest})
}
