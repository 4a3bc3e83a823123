package release

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"path/filepath"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// filesKey is the last member of a manifest: the list that is too long to be encoded
// and decoded at once.
const filesKey = "files"

// readManifest reads the manifest of a release.
func readManifest(dir string) (Manifest, error) {
	return readManifestAs(dir, func(f FileInfo) (FileInfo, bool) { return f, true })
}

// readManifestAs reads a manifest and keeps of its files what keep gives, if that is
// true.
func readManifestAs(dir string, keep func(FileInfo) (FileInfo, bool)) (m Manifest, err error) {
	f, err := atomicfile.Open(filepath.Join(dir, manifestName))
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return m, err
	}
	if info.Size() > maxManifest {
		return m, fmt.Errorf("manifest: %d bytes; at most %d are read", info.Size(), int64(maxManifest))
	}
	return parseManifest(f, keep)
}

// parseManifest reads a manifest strictly and checks what it says of itself.
func parseManifest(from io.Reader, keep func(FileInfo) (FileInfo, bool)) (Manifest, error) {
	p := manifestParser{sum: sha256.New(), keep: keep}
	p.dec = json.NewDecoder(&valueLimit{from: from})
	p.dec.DisallowUnknownFields()
	m, err := p.parse()
	if err != nil {
		return m, fmt.Errorf("manifest: %w", err)
	}
	return m, nil
}

// valueLimit ends a reading that finds more values than a manifest may have.
type valueLimit struct {
	from   io.Reader
	values int
}

func (f *valueLimit) Read(b []byte) (int, error) {
	n, err := f.from.Read(b)
	if f.values += bytes.Count(b[:n], []byte(",")); f.values > maxEntries {
		return 0, fmt.Errorf("%d values and more; at most %d are read", f.values, maxEntries)
	}
	return n, err
}

// manifestParser reads the members of a manifest one by one, and its files too.
type manifestParser struct {
	dec   *json.Decoder
	keep  func(FileInfo) (FileInfo, bool)
	sum   hash.Hash // of SHA256SUMS as the files make it
	last  string    // path
	files []FileInfo
}

func (p *manifestParser) parse() (m Manifest, err error) {
	rest, err := p.members()
	if err != nil {
		return m, err
	}
	dec := json.NewDecoder(bytes.NewReader(rest))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return m, err
	}
	if m.Files != nil {
		return m, errors.New("its files stand under two names")
	}
	m.Files = p.files
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		return m, errors.Join(errors.New("data after the JSON value"), err)
	}
	return m, m.check(hexDigest(p.sum))
}

// members takes the files in and gives all other members, as one object.
func (p *manifestParser) members() ([]byte, error) {
	if err := p.delim('{'); err != nil {
		return nil, err
	}
	rest := []byte("{")
	for p.dec.More() {
		key, err := p.dec.Token()
		if err != nil {
			return nil, err
		}
		if key == filesKey {
			if err := p.list(); err != nil {
				return nil, err
			}
			continue
		}
		var value json.RawMessage
		if err := p.dec.Decode(&value); err != nil {
			return nil, err
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = append(append(append(rest, name...), ':'), value...)
	}
	return append(rest, '}'), p.delim('}')
}

func (p *manifestParser) list() error {
	if err := p.delim('['); err != nil {
		return err
	}
	for p.dec.More() {
		var f FileInfo
		if err := p.dec.Decode(&f); err != nil {
			return err
		}
		if err := p.file(f); err != nil {
			return err
		}
	}
	return p.delim(']')
}

func (p *manifestParser) file(f FileInfo) error {
	if err := checkPath(f.Path); err != nil {
		return err
	}
	if f.Path <= p.last {
		return fmt.Errorf("file %q is out of order", f.Path)
	}
	p.last = f.Path
	if _, err := pipeline.ParseDigest(string(f.SHA256)); err != nil || f.Size < 0 {
		return fmt.Errorf("file %s: %w", f.Path, errors.Join(err, sizeError(f.Size)))
	}
	if kept, ok := p.keep(f); ok {
		p.files = append(p.files, kept)
	}
	return writeSums(p.sum, []FileInfo{f})
}

func (p *manifestParser) delim(want json.Delim) error {
	got, err := p.dec.Token()
	if err == nil && got != want {
		err = fmt.Errorf("%v where %v belongs", got, want)
	}
	return err
}

// encode writes the manifest as JSON, a file at a time.
func (m Manifest) encode(w io.Writer) error {
	files := m.Files
	m.Files = []FileInfo{}
	whole, err := indented(m, "")
	if err != nil {
		return fmt.Errorf("encode manifest: %w", err)
	}
	head, ok := bytes.CutSuffix(whole, []byte("]\n}"))
	if !ok {
		return errors.New("encode manifest: the list of files is not its last member")
	}
	out := bufio.NewWriter(w)
	out.Write(head) // Flush has the error
	for i, f := range files {
		one, err := indented(f, "    ")
		if err != nil {
			return fmt.Errorf("encode manifest: %w", err)
		}
		if i > 0 {
			out.WriteString(",")
		}
		out.WriteString("\n    ")
		out.Write(one)
	}
	if len(files) > 0 {
		out.WriteString("\n  ")
	}
	out.WriteString("]\n}\n")
	return out.Flush()
}

// indented is a value as JSON, of which the lines but the first begin with a prefix.
func indented(v any, prefix string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, "  ")
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// comparer compares what is written with what can be read.
type comparer struct {
	from  *bufio.Reader
	line  int  // of the first difference, or the last that was read
	other bool // there is one
	buf   []byte
}

func compareWith(from io.Reader) *comparer { return &comparer{from: bufio.NewReader(from), line: 1} }

func (m *comparer) Write(want []byte) (int, error) {
	if m.other {
		return len(want), nil
	}
	m.buf = append(m.buf[:0], want...)
	n, err := io.ReadFull(m.from, m.buf)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, err
	}
	same := 0
	for same < n && m.buf[same] == want[same] {
		same++
	}
	m.line += bytes.Count(want[:same], []byte("\n"))
	m.other = same < len(want)
	return len(want), nil
}

// differs reports whether something else was written than could be read.
func (m *comparer) differs() bool {
	if m.other {
		return true
	}
	_, err := m.from.ReadByte()
	return err == nil
}
