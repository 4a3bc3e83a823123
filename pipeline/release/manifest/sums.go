package manifest

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// digestWidth is where the path begins in a line of SHA256SUMS: behind a digest and
// two blanks.
const digestWidth = 66

// Sums is SHA256SUMS: its text, which is sorted by path and thus an index, and where
// its lines begin. Paths and digests are parts of the text, so that a hundred thousand
// files take little more memory than it.
type Sums struct {
	text string
	at   []int32
}

// ParseSums is the strict inverse of WriteSums; sizes are not known to it.
func ParseSums(text string) (s Sums, err error) {
	if int64(len(text)) > MaxBytes {
		return s, fmt.Errorf("%s: %d bytes; at most %d are read", SumsName, len(text), int64(MaxBytes))
	}
	if !strings.HasSuffix(text, "\n") {
		return s, fmt.Errorf("%s: its last line has no end", SumsName)
	}
	s = Sums{text: text, at: make([]int32, 0, strings.Count(text, "\n"))}
	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:], '\n')
		if err := checkSum(text[at:end]); err != nil {
			return Sums{}, fmt.Errorf("%s: line %d %w", SumsName, len(s.at)+1, err)
		}
		if n := len(s.at); n > 0 && text[at+digestWidth:end] <= s.Path(n-1) {
			return Sums{}, fmt.Errorf("%s: line %d: %q is out of order", SumsName, n+1, text[at+digestWidth:end])
		}
		s.at = append(s.at, int32(at))
		at = end + 1
	}
	return s, nil
}

// checkSum refuses a line that WriteSums would not write.
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
	if err := CheckPath(line[digestWidth:]); err != nil {
		return fmt.Errorf("leads nowhere: %w", err)
	}
	return nil
}

// Path returns the path in a line.
func (s Sums) Path(i int) string {
	from := int(s.at[i])
	return s.text[from+digestWidth : from+strings.IndexByte(s.text[from:], '\n')]
}

// Len returns how many files are listed.
func (s Sums) Len() int { return len(s.at) }

// Find returns the line of a path.
func (s Sums) Find(path string) (line int, ok bool) {
	return sort.Find(len(s.at), func(i int) int { return strings.Compare(path, s.Path(i)) })
}

// HasFolder reports whether a path in a folder is listed.
func (s Sums) HasFolder(folder string) bool {
	i := sort.Search(len(s.at), func(i int) bool { return s.Path(i) >= folder+"/" })
	return i < len(s.at) && strings.HasPrefix(s.Path(i), folder+"/")
}

// Digest returns the digest of a path, empty where it is not listed.
func (s Sums) Digest(path string) pipeline.Digest {
	i, ok := s.Find(path)
	if !ok {
		return ""
	}
	return pipeline.Digest(s.text[s.at[i] : s.at[i]+digestWidth-2])
}

// Intern returns a file whose path and digest are parts of the text, where it lists both.
func (s Sums) Intern(f FileInfo) FileInfo {
	if i, ok := s.Find(f.Path); ok && s.Digest(f.Path) == f.SHA256 {
		return FileInfo{Path: s.Path(i), SHA256: s.Digest(f.Path), Size: f.Size}
	}
	return f
}

// WriteSums writes SHA256SUMS as sha256sum does. The files are sorted by path.
func WriteSums(w io.Writer, files []FileInfo) error {
	out := bufio.NewWriter(w)
	for _, f := range files {
		fmt.Fprintf(out, "%s  %s\n", f.SHA256, f.Path) // Flush has the error
	}
	return out.Flush()
}

// WithManifest returns the files of a release with its manifest in its place.
func WithManifest(files []FileInfo, digest pipeline.Digest) []FileInfo {
	i, _ := slices.BinarySearchFunc(files, FileName, func(f FileInfo, path string) int { return strings.Compare(f.Path, path) })
	return slices.Insert(slices.Clone(files), i, FileInfo{Path: FileName, SHA256: digest})
}
