// Package rounds holds rounds of review: a sample of a release's questions, the annotators
// who answer them blind and decide about them, and what they did, durably. It knows no pages:
// pipeline/web/reviewing serves them.
package rounds

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// What a blind annotator is shown of the evidence.
const (
	// ShowClues shows what the answer rests on (MemEye B.3), ShowAll all media and texts.
	ShowClues = "clues"
	ShowAll   = "all"
)

// Config says who reviews what. It stands in round.json.
type Config struct {
	Format int `json:"format"`
	pipeline.ReviewSample
	Show   string   `json:"show"`
	People []Person `json:"people"`
}

// format is that of the files of a round.
const format = 1

// Person is an annotator. Data name a model reviewer as such.
type Person struct {
	Name  string `json:"name"`
	Model bool   `json:"model,omitempty"`
}

// DataName is the name that decisions carry.
func (p Person) DataName() string {
	if p.Model {
		return schemas.ModelReviewer + p.Name
	}
	return p.Name
}

// Item is a question of the sample.
type Item struct {
	schemas.Question
	// Digest is that of its content, Stratum what it was drawn from.
	Digest  string
	Stratum []string
	// Copies are the other questions of its mirror group, Cluster what it shares with others.
	Copies  []string
	Cluster string
	// Seconds are the durations of its media, by their ids.
	Seconds map[string]float64
	// ProposedBy are the annotators whose proposal it follows; they do not decide about it.
	ProposedBy []string
}

// NewItem returns a question as an item of a round.
func NewItem(q schemas.Question, stratum, copies []string, cluster string) (Item, error) {
	d, err := review.ContentDigest(q)
	it := Item{Question: q, Digest: string(d), Stratum: stratum, Copies: copies, Cluster: cluster}
	if by := q.Labels[schemas.LabelProposedBy]; by != "" {
		it.ProposedBy = strings.Split(by, ", ")
	}
	return it, err
}

// maxItems bounds a round: its questions are in memory.
const maxItems = 20_000

// personName is a name that may be the name of a file.
var personName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_@+-]{0,39}([.][A-Za-z0-9_@+-]{1,20}){0,3}$`)

// Check says what is wrong with a configuration.
func (c Config) Check() error {
	if err := review.CheckSample(c.ReviewSample); err != nil {
		return err
	}
	names := map[string]bool{}
	for _, p := range append(slices.Clone(c.People), c.keeper()...) {
		switch {
		case !personName.MatchString(p.Name):
			return fmt.Errorf("annotator %q: want letters, digits, _, @, + and -, at most 40, with single dots within", p.Name)
		case names[strings.ToLower(fileName(p))]:
			return fmt.Errorf("annotator %q is named twice; a keeper is no annotator, and a name stands for one person", p.Name)
		}
		names[strings.ToLower(fileName(p))] = true
	}
	switch {
	case !personName.MatchString(c.Name):
		return fmt.Errorf("draw %q: want letters, digits, _ and -, at most 40", c.Name)
	case c.Schema != schemas.NameQuestion:
		return fmt.Errorf("of is %q; pages show questions; let `memforge sample --of` list other records", c.Schema)
	case len(c.People) == 0:
		return errors.New("nobody reviews; name each annotator with --annotator NAME")
	case c.Annotators < 1 || c.Annotators > len(c.People):
		return fmt.Errorf("%d annotators an item, and there are %d; name more, or lower --per-item", c.Annotators, len(c.People))
	case c.Show != ShowClues && c.Show != ShowAll:
		return fmt.Errorf("show is %q; want %s or %s", c.Show, ShowClues, ShowAll)
	}
	return nil
}

func (c Config) keeper() []Person {
	if c.Keeper == "" {
		return nil
	}
	return []Person{{Name: c.Keeper}}
}

// fileName names the files of a person.
func fileName(p Person) string {
	if p.Model {
		return "model." + p.Name
	}
	return p.Name
}

// Round is one that is open: one process at a time has it.
type Round struct {
	Config
	dir   string
	items map[string]*Item
	ids   []string
	now   func() time.Time
	lock  *atomicfile.Lock

	mu       sync.Mutex
	journals map[string]*Journal // by the name that data carry
	orders   map[string][]string
	handles  map[string]map[string]string // by person and handle, the item
	figures  *Figures
}

// Files of a round.
const (
	configFile = "round.json"
	tokensFile = "tokens.json"
	journalDir = "journal"
)

// ReadConfig reads the configuration of the round in a folder. It is an fs.ErrNotExist where
// there is none.
func ReadConfig(dir string) (Config, error) {
	var c Config
	b, err := atomicfile.Read(filepath.Join(dir, configFile), 1<<20)
	if err != nil {
		return c, err
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := pipeline.DecodeSingle(dec, &c); err != nil {
		return c, fmt.Errorf("%s in %s: %w", configFile, dir, err)
	}
	if c.Format != format {
		return c, fmt.Errorf("%s in %s has format %d; this memforge reads %d", configFile, dir, c.Format, format)
	}
	return c, c.Check()
}

// Open opens the round in a folder over the items that its sample has in a release, or
// begins one. Decisions about other forms of items stay in the journals and do not count.
func Open(dir string, c Config, items []Item, now func() time.Time) (_ *Round, err error) {
	c.Format = format
	if err := c.Check(); err != nil {
		return nil, fmt.Errorf("round %s: %w", c.Name, err)
	}
	if len(items) == 0 || len(items) > maxItems {
		return nil, fmt.Errorf("round %s: the sample has %d questions; want 1 to %d, choose another --share", c.Name, len(items), maxItems)
	}
	if err := atomicfile.MakeFolder(filepath.Join(dir, journalDir), 0o755); err != nil {
		return nil, fmt.Errorf("round %s: %w", c.Name, err)
	}
	lock, err := atomicfile.TakeLock(filepath.Join(dir, ".lock"))
	if err != nil {
		return nil, fmt.Errorf("round %s is open elsewhere; end that memforge review first: %w", c.Name, err)
	}
	r := &Round{
		Config: c, dir: dir, items: map[string]*Item{}, now: now, lock: lock,
		journals: map[string]*Journal{}, orders: map[string][]string{}, handles: map[string]map[string]string{},
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	for i := range items {
		r.items[items[i].QuestionID] = &items[i]
	}
	r.ids = sortedKeys(r.items)
	if err := writeJSON(filepath.Join(dir, configFile), 0o644, c); err != nil {
		return nil, err
	}
	for _, p := range append(slices.Clone(c.People), c.keeper()...) {
		j, err := OpenJournal(filepath.Join(dir, journalDir, fileName(p)+".jsonl"))
		if err != nil {
			return nil, fmt.Errorf("round %s: %w", c.Name, err)
		}
		r.journals[p.DataName()] = j
	}
	r.order()
	return r, nil
}

func writeJSON(path string, mode fs.FileMode, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(path, mode, func(w io.Writer) error { _, err := w.Write(append(b, '\n')); return err })
}

// order decides who sees which items, and in which order. An item that a person has begun
// stays theirs when others join.
func (r *Round) order() {
	var names []string
	for _, p := range r.People {
		names = append(names, p.DataName())
	}
	digests := r.digests()
	for _, name := range names {
		began, _ := r.journals[name].progressByItem(digests)
		var mine []string
		for _, id := range r.ids {
			others := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(r.items[id].ProposedBy, n) })
			_, has := began[id]
			if slices.Contains(others, name) && (has || slices.Contains(assign(r.Seed, id, others, r.Annotators), name)) {
				mine = append(mine, id)
			}
		}
		r.orders[name] = orderFor(r.Seed, name, mine)
		r.handles[name] = map[string]string{}
		for _, id := range mine {
			r.handles[name][r.Handle(name, id)] = id
		}
	}
}

func (r *Round) digests() map[string]string {
	out := make(map[string]string, len(r.items))
	for id, it := range r.items {
		out[id] = it.Digest
	}
	return out
}

// Handle names an item to one person without telling its id.
func (r *Round) Handle(person, item string) string { return rank(r.Seed, "handle", person, item)[:16] }

// Find returns the item of a handle.
func (r *Round) Find(person, handle string) (*Item, bool) {
	id, ok := r.handles[person][handle]
	return r.items[id], ok
}

// Item returns an item by its id.
func (r *Round) Item(id string) (*Item, bool) {
	it, ok := r.items[id]
	return it, ok
}

// Close closes the journals and lets others open the round.
func (r *Round) Close() error {
	var errs []error
	for _, name := range sortedKeys(r.journals) {
		errs = append(errs, r.journals[name].Close())
	}
	return errors.Join(append(errs, r.lock.Release())...)
}

// Tokens returns a token for each person of the round, the keeper included; those there are
// stay. make gives new ones. The file is for its owner alone, and ignored by git.
func (r *Round) Tokens(make func() string) (map[string]string, error) {
	path := filepath.Join(r.dir, tokensFile)
	byName := map[string]string{}
	b, err := atomicfile.Read(path, 1<<20)
	if err == nil {
		err = json.Unmarshal(b, &byName)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s of round %s: %w; delete the file, then every annotator gets a new link", tokensFile, r.Name, err)
	}
	out := map[string]string{}
	for name := range r.journals {
		if len(byName[name]) < 16 {
			byName[name] = make()
		}
		out[byName[name]] = name
	}
	ignore := filepath.Join(r.dir, ".gitignore")
	if err := os.WriteFile(ignore, []byte(tokensFile+"\n.lock\n"), 0o644); err != nil {
		return nil, fmt.Errorf("round %s: %w", r.Name, err)
	}
	return out, writeJSON(path, 0o600, byName)
}

func parentOf(path string) string { return filepath.Dir(path) }
