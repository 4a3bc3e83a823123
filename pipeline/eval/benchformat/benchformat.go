// Package benchformat holds what the layouts of published benchmarks share: a reader of an
// export that collects all faults, logs in JSON lines, and counts of retrieved evidence.
package benchformat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg" // formats of pictures
	_ "image/png"
	"io"
	"io/fs"
	"os"
	"slices"

	_ "golang.org/x/image/webp"

	"github.com/memforge/memforge/pipeline"
)

// Fault is a part of an export that the benchmark's own programs would misread or stop at.
type Fault struct {
	Code  string
	Where string // file, and what in it
	Text  string
}

func (f Fault) String() string { return f.Code + ": " + f.Where + ": " + f.Text }

// CheckFaults returns an error that names the first fault of an export, if it has any:
// figures over it would be of another benchmark.
func CheckFaults(dir, benchmark string, faults []Fault) error {
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("%s breaks %d of the rules of %s's layout, first %v", dir, len(faults), benchmark, faults[0])
}

// OpenRoot opens the folder of a layout: a folder itself, or the one of that name in it.
func OpenRoot(dir, name string) (fs.FS, error) {
	root := os.DirFS(dir)
	if info, err := fs.Stat(root, name); err == nil && info.IsDir() {
		return fs.Sub(root, name)
	}
	return root, nil
}

// Reader reads the files of an export and collects its faults.
type Reader struct {
	Root   fs.FS
	Where  string // the file at hand
	Faults []Fault
}

// AddFault notes a fault of the file at hand.
func (r *Reader) AddFault(code, format string, args ...any) {
	r.Faults = append(r.Faults, Fault{code, r.Where, fmt.Sprintf(format, args...)})
}

// ReadFile returns the content of a file of at most so many bytes.
func (r *Reader) ReadFile(name string, most int64) ([]byte, error) {
	f, err := r.Root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("it has more than %d bytes", most)
	}
	return data, err
}

// DecodeStrict decodes one JSON value without any key that v does not have.
func DecodeStrict(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	return pipeline.DecodeSingle(dec, v)
}

// CheckPicture reports a file that is missing or does not begin as a picture.
func (r *Reader) CheckPicture(name string) error {
	f, err := r.Root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file", name)
	}
	if _, _, err := image.DecodeConfig(f); err != nil {
		return fmt.Errorf("%s is no PNG, JPEG or WebP: %w", name, err)
	}
	return nil
}

// ReadLines reads a log of JSON lines. Parse gives the id of a line, which no other line
// may have, and what is kept of it. An error names the log and the line; repeated is what
// it says of an id that comes again, in the form of fmt.
func ReadLines(in io.Reader, log, repeated string, maxLine int, parse func(line []byte) (id, value string, err error)) (map[string]string, error) {
	out := map[string]string{}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 1<<16), maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		id, value, err := parse(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", log, n, err)
		}
		if _, twice := out[id]; twice {
			return nil, fmt.Errorf("%s: line %d: "+repeated, log, n, id)
		}
		out[id] = value
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", log, err)
	}
	return out, nil
}

// CountFound returns how many wanted things some item matches.
func CountFound[Wanted, Item any](wanted []Wanted, items []Item, matches func(Wanted, Item) bool) int {
	n := 0
	for _, w := range wanted {
		if slices.ContainsFunc(items, func(i Item) bool { return matches(w, i) }) {
			n++
		}
	}
	return n
}

// BoolScore returns 1 for true and 0 for false.
func BoolScore(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
