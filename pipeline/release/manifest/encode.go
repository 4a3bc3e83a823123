package manifest

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/memforge/memforge/pipeline"
)

// filesKey is the last member of a manifest: the list that is too long to be encoded
// and decoded at once.
const filesKey = "files"

// Parse reads a manifest strictly and checks what it says of itself.
func Parse(from io.Reader, keep func(FileInfo) (FileInfo, bool)) (Manifest, error) {
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
	if f.values += bytes.Count(b[:n], []byte(",")); f.values > MaxEntries {
		return 0, fmt.Errorf("%d values and more; at most %d are read", f.values, MaxEntries)
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
	return m, m.check(pipeline.DigestOfSum([sha256.Size]byte(p.sum.Sum(nil))))
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
	if err := CheckPath(f.Path); err != nil {
		return err
	}
	if f.Path <= p.last {
		return fmt.Errorf("file %q is out of order", f.Path)
	}
	p.last = f.Path
	_, err := pipeline.ParseDigest(string(f.SHA256))
	if f.Size < 0 {
		err = errors.Join(err, fmt.Errorf("size %d", f.Size))
	}
	if err != nil {
		return fmt.Errorf("file %s: %w", f.Path, err)
	}
	if kept, ok := p.keep(f); ok {
		p.files = append(p.files, kept)
	}
	return WriteSums(p.sum, []FileInfo{f})
}

func (p *manifestParser) delim(want json.Delim) error {
	got, err := p.dec.Token()
	if err == nil && got != want {
		err = fmt.Errorf("%v where %v belongs", got, want)
	}
	return err
}

// Encode writes the manifest as JSON, a file at a time.
func (m Manifest) Encode(w io.Writer) error {
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
