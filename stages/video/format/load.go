package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// Task is one of M3Eval's four tasks.
type Task string

// The tasks, named as in lmms-eval.
const (
	Split        Task = "m3eval_split_screen"
	Interference Task = "m3eval_memory_interference"
	Interleaved  Task = "m3eval_interleaved"
	NBack        Task = "m3eval_nback"
	// Repeated is no task of M3Eval's: interference over videos of which one is
	// played twice (paper, section 4.2, figure 8).
	Repeated Task = "memory_interference_repeated"
	// Control is no task of M3Eval's: split screen where the video tells its side.
	Control Task = "split_screen_control"
)

// taskFile is a file of questions, from the root of the layout.
type taskFile struct {
	task Task
	path string
}

// beside says that M3Eval does not ask the questions of a task.
func (t Task) beside() bool { return t == Repeated || t == Control }

// files lists what the tasks load, below data/m3eval, and the files beside it.
func files() []taskFile {
	return []taskFile{
		{Split, fileSplit}, {Interference, fileInterference}, {Interleaved, fileInterleaved}, {NBack, fileNBack},
		{Repeated, path.Join("..", path.Base(besideFolder), fileRepeated)},
		{Control, path.Join("..", path.Base(besideFolder), fileControl)},
	}
}

// Doc is one question as a task sees it. An absent field is an empty string,
// which is how M3Eval treats one.
type Doc struct {
	Task     Task
	ID       string
	Video    string
	Question string
	Options  []string
	Answer   string

	Group, Direction, Detail, ErrorType, Dimension string
	// Roles is nil when the row has none. The role of a letter that only other
	// rows have is "none": a loader fills it in.
	Roles     map[string]string
	Intrusion string

	// Repetition says which video is played twice, for questions of Repeated.
	Repetition string

	Attribute string
	// N and K are what the row says; K is k_value where clip_count is absent.
	N, K Number
}

// Set is all questions of an export, by task in the order of their files.
type Set struct {
	Docs []Doc
}

// LoadError says which file of an export cannot be read.
type LoadError struct {
	File string
	Err  error
}

func (e *LoadError) Error() string { return fmt.Sprintf("read %s: %v", e.File, e.Err) }
func (e *LoadError) Unwrap() error { return e.Err }

const maxFile = 1 << 30

// Load reads the questions below dir: a folder that holds data/m3eval, or that
// folder itself. A task whose file is missing has no questions; all missing is
// an error.
func Load(dir string) (Set, error) {
	root := filepath.Join(dir, "data", "m3eval")
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		root = dir
	}
	set, err := load(root, func(name string) ([]byte, error) { return atomicfile.Read(name, maxFile) })
	if errors.Is(err, errNone) {
		err = &LoadError{dir, err}
	}
	return set, err
}

var errNone = errors.New("it holds none of the four question files of M3Eval; name the folder given to `memforge export`")

func load(root string, read func(name string) ([]byte, error)) (Set, error) {
	var set Set
	found := 0
	for _, f := range files() {
		name := filepath.Join(root, filepath.FromSlash(f.path))
		data, err := read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Set{}, &LoadError{name, err}
		}
		if !f.task.beside() {
			found++
		}
		docs, err := parseFile(f.task, data)
		if err != nil {
			return Set{}, &LoadError{name, err}
		}
		set.Docs = append(set.Docs, docs...)
	}
	if found == 0 {
		return Set{}, errNone
	}
	return set, set.check()
}

func (s Set) check() error {
	seen := map[string]bool{}
	for _, d := range s.Docs {
		if d.ID == "" || seen[d.ID] {
			return fmt.Errorf("%s: id %q is empty or occurs twice", d.Task, d.ID)
		}
		seen[d.ID] = true
	}
	return nil
}

func parseFile(task Task, data []byte) ([]Doc, error) {
	rows, err := parseRows(data)
	if err != nil {
		return nil, err
	}
	letters := map[string]bool{}
	docs := make([]Doc, len(rows))
	for i, r := range rows {
		if docs[i], err = docOf(task, r); err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
		for l := range docs[i].Roles {
			letters[l] = true
		}
	}
	for _, d := range docs {
		for l := range letters {
			if _, has := d.Roles[l]; d.Roles != nil && !has {
				d.Roles[l] = nullText
			}
		}
	}
	return docs, nil
}

// nullText is what M3Eval makes of a role that a loader filled in.
const nullText = "none"

type object = map[string]any

func parseRows(data []byte) ([]object, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var rows []object
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		if err := dec.Decode(&rows); err != nil {
			return nil, err
		}
		if _, err := dec.Token(); !errors.Is(err, io.EOF) {
			return nil, errors.New("data after the list")
		}
		return rows, nil
	}
	for {
		var r object
		err := dec.Decode(&r)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
}

func docOf(task Task, r object) (Doc, error) {
	d := Doc{
		Task: task, ID: fieldText(r, "id"), Video: fieldText(r, "video"), Question: fieldText(r, "question"), Answer: fieldText(r, "answer"),
		Group: fieldText(r, "paper_v4_metric_group"), Direction: fieldText(r, "interference_direction"),
		Detail: fieldText(r, "paper_v4_metric_detail"), ErrorType: fieldText(r, "storyline_error_type"),
		Dimension: fieldText(r, "source_dimension"), Intrusion: fieldText(r, "intrusion_option_letter"),
		Repetition: fieldText(r, "repetition"),
		Attribute:  fieldText(r, "attribute"), N: parseNumber(r, "n_value"), K: parseNumber(r, "clip_count"),
	}
	if d.ID == "" {
		d.ID = fieldText(r, "question_id")
	}
	if falsy(r["clip_count"]) {
		d.K = parseNumber(r, "k_value")
	}
	switch list := r["options"].(type) {
	case nil: // M3Eval's scoring takes such rows
	case []any:
		for _, o := range list {
			d.Options = append(d.Options, pythonText(o))
		}
	default:
		return d, fmt.Errorf("the options of question %q are no list", d.ID)
	}
	if roles, ok := r["option_role_by_letter"].(object); ok {
		d.Roles = map[string]string{}
		for l, role := range roles {
			d.Roles[l] = strings.ToLower(pythonText(role))
		}
	}
	return d, nil
}

func fieldText(r object, key string) string {
	if r[key] == nil {
		return ""
	}
	return stripSpace(pythonText(r[key]))
}

// pythonText returns a value as Python's str gives it, for what occurs in such
// files.
func pythonText(v any) string {
	switch v := v.(type) {
	case nil:
		return nullText
	case string:
		return v
	case json.Number:
		return numberText(v)
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	}
	return fmt.Sprint(v)
}

// Number is a number of clips or a lag as a row gives it: 3, 3.0, "3" or true.
type Number struct {
	// Text is the value as Python's str gives it, empty where there is none.
	Text string
	// exact is the value of a whole number, whatever its form; truncated is what
	// Python's int makes of it, which also takes 2.7 for 2.
	exact, truncated *int
}

// toInt returns the number by the rules of a variant, nil where it is none.
func (n Number) toInt(v Variant) *int {
	if v == Upstream {
		return n.truncated
	}
	return n.exact
}

// breakdownKey returns the number as the breakdown of a variant names it:
// M3Eval prints what stands in the row, so that 3.0 and 3 are two keys there.
func (n Number) breakdownKey(v Variant) (string, bool) {
	if v == Upstream {
		return n.Text, n.Text != ""
	}
	if n.exact == nil {
		return "", false
	}
	return strconv.Itoa(*n.exact), true
}

func parseNumber(r object, key string) Number {
	n := Number{Text: fieldText(r, key)}
	switch v := r[key].(type) {
	case bool:
		one := map[bool]int{true: 1, false: 0}[v]
		n.exact, n.truncated = &one, &one
	case string:
		if i, err := strconv.Atoi(stripSpace(v)); err == nil {
			n.exact, n.truncated = &i, &i
		}
	case json.Number:
		f, err := v.Float64()
		if err != nil || math.Abs(f) > 1e9 {
			return n
		}
		i := int(math.Trunc(f))
		n.truncated = &i
		if f == math.Trunc(f) {
			n.exact = &i
		}
	}
	return n
}

// numberText returns a JSON number as Python's str gives it: 3.0 stays 3.0.
func numberText(v json.Number) string {
	f, err := v.Float64()
	if err != nil || !strings.ContainsAny(v.String(), ".eE") {
		return v.String()
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// falsy reports a value that Python takes for none.
func falsy(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case json.Number:
		f, err := v.Float64()
		return err == nil && f == 0
	}
	return false
}
