package lifelong_test

import (
	"bytes"
	"image"
	idraw "image/draw"
	"image/png"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	letters "github.com/memforge/memforge/pipeline/draw/ocr"
	"github.com/memforge/memforge/pipeline/draw/widget"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong"
	"github.com/memforge/memforge/stages/lifelong/oracle"
	"github.com/memforge/memforge/stages/lifelong/oracle/screenreader"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// eyes read pictures, and find where on them a text stands.
type eyes struct {
	reader *screenreader.Reader
	sheets map[bool]*letters.Reader
	studio *draw.Studio
}

func newEyes(t *testing.T) eyes {
	t.Helper()
	r, err := screenreader.New()
	exhibits, err2 := letters.New(letters.PictureFonts)
	screens, err3 := letters.New(letters.ScreenFonts)
	if err != nil || err2 != nil || err3 != nil {
		t.Fatal(err, err2, err3)
	}
	return eyes{r, map[bool]*letters.Reader{false: exhibits, true: screens}, draw.NewStudio()}
}

// file is the encoded file of an exhibit.
func (e eyes) file(t *testing.T, theme widget.Theme, x simulate.Picture) []byte {
	t.Helper()
	c, err := lifelong.Paint(e.studio, theme, x)
	if err != nil {
		t.Fatal(err)
	}
	data, err := c.PNG()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// see is an exhibit as its encoded file shows it.
func (e eyes) see(t *testing.T, theme widget.Theme, x simulate.Picture) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(e.file(t, theme, x)))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// lines are all that stands on a picture, and where.
func (e eyes) lines(t *testing.T, img image.Image, kind string) []letters.Line {
	t.Helper()
	rows, err := e.sheets[kind == simulate.Screen].Lines(img)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(rows...)
}

// without is a picture on which a text is painted over, wherever it stands.
func without(t *testing.T, img image.Image, lines []letters.Line, text string) image.Image {
	t.Helper()
	out, n := image.NewRGBA(img.Bounds()), 0
	idraw.Draw(out, out.Rect, img, image.Point{}, idraw.Src)
	for _, l := range lines {
		if l.Text == text {
			n++
			idraw.Draw(out, l.Inset(-1), image.NewUniform(img.At(l.Min.X-3, l.Min.Y)), image.Point{}, idraw.Src)
		}
	}
	if n == 0 {
		t.Errorf("%q stands nowhere in %q", text, lines)
	}
	return out
}

// viewed is a task whose pictures were read from their pixels.
type viewed struct {
	eyes
	exhibits []simulate.Picture
	images   []image.Image
	// lines are those of the images that a question was about.
	lines map[int][]letters.Line
	ids   []string
	shown map[string]oracle.Picture
	all   []schemas.Session
}

// TestVisualAnswersAreReadFromPixels answers questions about pictures by what a reader
// makes out in their pixels, of 36 questions every one. When the detail is painted over
// wherever it is shown, nobody gives that answer.
func TestVisualAnswersAreReadFromPixels(t *testing.T) {
	t.Parallel()
	lives, runs := worldsOf(t)
	var lock sync.Mutex
	kinds, types, items := map[string]int{}, map[string]int{}, 0
	t.Run("of", func(t *testing.T) {
		for n, life := range slices.Concat(lives[:testsize.Choose(1, 2)], runs[:testsize.Choose(1, 2)]) {
			t.Run(life.ID, func(t *testing.T) {
				t.Parallel()
				task, album := viewedOf(t, n, life)
				asked := task.answers(t, album)
				lock.Lock()
				defer lock.Unlock()
				for _, x := range task.exhibits {
					kinds[x.Kind]++
				}
				for _, q := range asked {
					types[q.Type]++
				}
				items += len(asked)
			})
		}
	})
	if want := testsize.Choose(12, 30); items < want || len(types) != 4 || len(kinds) != 4 {
		t.Errorf("%d questions of types %v about pictures of kinds %v; want %d, and four of both", items, types, kinds, want)
	}
	t.Logf("%d questions of types %v about pictures of kinds %v", items, types, kinds)
}

// viewedOf reads the pictures of the nth life, each of which shows what it is to.
func viewedOf(t *testing.T, n int, life pipeline.Record) (viewed, pipeline.Record) {
	t.Helper()
	album, given := renderWithoutPixels(t, life)
	task := viewed{eyes: newEyes(t), shown: map[string]oracle.Picture{}, lines: map[int][]letters.Line{}}
	l, err := pipeline.Decode[lifelong.RenderedSimulation](album)
	if err != nil {
		t.Fatal(err)
	}
	task.exhibits, task.ids = l.Simulation.World.Pictures, l.MediaIDs
	theme := widget.Light(draw.Hex([]uint32{0x2563eb, 0x14805e, 0xb4442c}[n%3]))
	for i, x := range task.exhibits {
		task.images = append(task.images, task.see(t, theme, x))
		seen, err := task.reader.Read(task.images[i], x.Kind)
		p := oracle.Picture(seen)
		if want := given[task.ids[i]]; err != nil || p.Title != want.Title || !slices.Equal(p.Rows, want.Rows) {
			t.Errorf("%s of %s shows %q, and %q is read, %v", x.Kind, life.ID, want, p, err)
		}
		task.shown[task.ids[i]] = p
	}
	return task, album
}

// answers answers the first questions about pictures that are asked of an album: see needs.
func (k viewed) answers(t *testing.T, album pipeline.Record) (out []schemas.Question) {
	t.Helper()
	made := run(t, "lifelong.sessions", 31, nil, album)
	k.all = testkit.DecodeAll[schemas.Session](t, schemas.NameSession, made)
	ends := map[string]int{}
	for _, c := range testkit.DecodeAll[schemas.Checkpoint](t, schemas.NameCheckpoint, made) {
		ends[c.CheckpointID] = len(c.Sessions) - 1
	}
	for _, q := range testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, run(t, "lifelong.ask", 31, lifelong.AskConfig{Checkpoints: 5, PerType: 2}, album)) {
		if of := strings.TrimPrefix(q.Type, "lifelong_"); slices.Contains([]string{"vfr", "vu", "vs", "cmr"}, of) && len(out) < testsize.Choose(6, 8) {
			out = append(out, q)
			k.needs(t, q, ends[q.CheckpointID])
		}
	}
	return out
}

func worldsOf(t *testing.T) (lives, runs []pipeline.Record) {
	t.Helper()
	lives, _, err := testkit.Subject{Register: lifelong.Register, Use: "lifelong.worlds", Seed: 33, Config: config()}.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	runs, _, err = testkit.Subject{Register: lifelong.Register, Use: "lifelong.simulators", Seed: 33, Config: simulators()}.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	return lives, runs
}

// needs wants the answer to follow from what was read, and no longer when the value that
// its picture shows cannot be read.
func (k viewed) needs(t *testing.T, q schemas.Question, end int) {
	t.Helper()
	r, err := oracle.New(k.all, k.shown).Answer(q.Question, end)
	if err != nil || r.Right != q.AnswerText {
		t.Errorf("%s: by pixels the answer is %q, %v; want %q", q.QuestionID, r.Right, err, q.AnswerText)
		return
	}
	var last string
	for _, e := range q.Evidence {
		if e.Media != "" && (e.Role == schemas.RoleClue || e.Role == schemas.RoleUpdate) {
			last = e.Media
		}
	}
	at := slices.Index(k.ids, last)
	row := slices.IndexFunc(k.exhibits[at].Rows, func(r [2]string) bool {
		return r[1] == q.AnswerText || q.AnswerText == "the "+k.exhibits[at].Title && (strings.Contains(q.Question, r[1]+" as its "+r[0]) || strings.Contains(q.Question, " "+r[1]+" "+r[0]))
	})
	if row < 0 {
		t.Errorf("%s: the picture that it rests on does not show what is asked: %q", q.QuestionID, k.exhibits[at].Rows)
		return
	}
	detail, blind := k.exhibits[at].Rows[row], maps.Clone(k.shown)
	for i, x := range k.exhibits {
		if x.Title == k.exhibits[at].Title && slices.Contains(x.Rows, detail) {
			if k.lines[i] == nil {
				k.lines[i] = k.eyes.lines(t, k.images[i], x.Kind)
			}
			seen, err := k.reader.Read(without(t, k.images[i], k.lines[i], detail[1]), x.Kind)
			if err == nil && slices.Contains(seen.Rows, detail) {
				t.Errorf("%s: %q is read though it is painted over", q.QuestionID, detail)
			}
			blind[k.ids[i]] = oracle.Picture(seen)
		}
	}
	if r, err := oracle.New(k.all, blind).Answer(q.Question, end); err == nil && r.Right == q.AnswerText {
		t.Errorf("%s: %q is painted over wherever it is shown, and the answer is %q all the same", q.QuestionID, detail, r.Right)
	}
}

// TestTwoHoldersFitTheirScreen: the longest two names that may share something are read
// whole from the screen of each domain; in the small size from the narrowest.
func TestTwoHoldersFitTheirScreen(t *testing.T) {
	t.Parallel()
	r, err := screenreader.New()
	if err != nil {
		t.Fatal(err)
	}
	e, tried, apps := eyes{reader: r, studio: draw.NewStudio()}, 0, []string{"styles"}
	if testsize.Full() {
		apps = simulate.Agentic()
	}
	for _, app := range apps {
		x := simulate.Picture{Kind: simulate.Screen, App: app, Thing: "the Dune blog page", Title: "Dune blog page"}
		for i, aspect := range simulate.ToldAspects(app) {
			value := []string{"28 July", "Basel"}[i%2]
			if simulate.IsPerson(app, aspect) {
				value = "Flora Koch and Nora Lang"
				tried++
			}
			x.Rows = append(x.Rows, [2]string{aspect, value})
		}
		seen, err := e.reader.Read(e.see(t, widget.Theme{}, x), simulate.Screen)
		if err != nil || !slices.Equal(seen.Rows, x.Rows) {
			t.Errorf("%s: of %q is read %q, %v", app, x.Rows, seen.Rows, err)
		}
	}
	if tried < testsize.Choose(1, 10) {
		t.Errorf("%d domains have people", tried)
	}
}
