package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // formats of pictures
	_ "image/png"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	_ "golang.org/x/image/webp"

	"github.com/memforge/memforge/pipeline"
)

// Codes of what Read finds. Upstream's loader takes all of it in silence, or stops at it.
const (
	CodeFile       = "bad-file"        // no JSON of the layout, too large, with further keys or a null
	CodeStray      = "stray-json"      // a JSON file that is no sample: it stops the whole load
	CodeSample     = "bad-sample"      // a sample whose id is not the name of its file, or twice
	CodeSession    = "bad-session"     // a session without id, with one twice, or empty
	CodeTurn       = "bad-turn"        // a role that there is not, nothing said or shown, time running back
	CodePicture    = "bad-picture"     // a path that leads to no picture of the sample
	CodeCaption    = "no-caption"      // a picture that nothing can stand for
	CodeID         = "bad-id"          // an id of another form, or twice
	CodePoint      = "bad-point"       // a point without content, or of a session that is not there
	CodeUpdate     = "bad-update"      // an update of nothing, or of what no earlier point says
	CodeCheckpoint = "never-asked"     // a checkpoint over nothing or over an unknown session
	CodeFuture     = "future-evidence" // evidence from behind the checkpoint
	CodeQuestion   = "bad-question"    // no question, no answer, or no type
	CodeEvidence   = "bad-evidence"    // evidence that leads nowhere, or none
	CodeSmall      = "bad-small"       // a list of the small split that names unknown samples
)

// Fault is something that the loader would swallow.
type Fault struct {
	Code  string
	Where string
	Text  string
}

func (f Fault) String() string { return f.Code + ": " + f.Where + ": " + f.Text }

// largestFile is how many bytes of JSON a sample may have.
const largestFile = 64 << 20

// Sample is what Read found in a file, in counts.
type Sample struct {
	ID, Dir                             string
	Sessions, Turns, Pictures           int
	Points, Updates, Interference, Asks int
}

// Read reads a folder in the layout, with all that is wrong in it. It shares no code
// with what writes one. The error is for folders that cannot be read at all.
func Read(root fs.FS) ([]Sample, []Fault, error) {
	r := reader{root: root, samples: map[string]bool{}}
	err := fs.WalkDir(root, ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || path.Ext(p) != ".json" || path.Dir(p) == "." {
			return err
		}
		r.where = p
		if !slices.Contains(sampleDirectories(), path.Dir(p)) {
			r.add(CodeStray, "only samples may be JSON files below the root")
			return nil
		}
		r.readSample(p)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read a folder in WorldMemArena's layout: %w", err)
	}
	if len(r.found) == 0 {
		return nil, nil, errors.New("read a folder in WorldMemArena's layout: it holds no sample")
	}
	r.checkSmallSplit()
	return r.found, r.faults, nil
}

// sampleDirectories are the directories of samples.
func sampleDirectories() []string {
	return strings.Fields(`lifelong/personal lifelong/project/academic lifelong/project/education lifelong/project/finance lifelong/project/health
		lifelong/project/software lifelong/project/startup agent/gui/excel agent/gui/file_mgmt agent/gui/image_edit agent/gui/web agent/gui/word_docs
		agent/gui/css agent/gui/mobile agent/gui/webarena_lite agent/embodied/eb_alfred_base agent/embodied/eb_alfred_common_sense
		agent/embodied/eb_alfred_complex_instruction agent/embodied/eb_alfred_long_horizon agent/embodied/eb_alfred_visual_appearance
		agent/embodied/eb_nav_base agent/embodied/eb_nav_common_sense agent/embodied/eb_nav_complex_instruction agent/embodied/eb_nav_long_horizon
		agent/embodied/eb_nav_visual_appearance agent/embodied/minecraft agent/embodied/omnigibson`)
}

type reader struct {
	root    fs.FS
	where   string
	found   []Sample
	faults  []Fault
	samples map[string]bool
}

func (r *reader) add(code, format string, args ...any) {
	r.faults = append(r.faults, Fault{code, r.where, fmt.Sprintf(format, args...)})
}

// decode reads one JSON value without unknown keys and without null, which upstream
// turns into the text None.
func (r *reader) decode(name string, v any) bool {
	f, err := r.root.Open(name)
	if err != nil {
		r.add(CodeFile, "%v", err)
		return false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, largestFile+1))
	if err == nil && len(data) > largestFile {
		err = fmt.Errorf("it has more than %d bytes", largestFile)
	}
	if err == nil {
		dec := json.NewDecoder(strings.NewReader(string(data)))
		dec.DisallowUnknownFields()
		err = pipeline.DecodeSingle(dec, v)
	}
	if err == nil && hasNull(data) {
		err = errors.New("a value is null, which becomes the text None")
	}
	if err != nil {
		r.add(CodeFile, "%v", err)
	}
	return err == nil
}

func hasNull(data []byte) bool {
	dec := json.NewDecoder(strings.NewReader(string(data)))
	for {
		token, err := dec.Token()
		if err != nil {
			return false
		}
		if token == nil {
			return true
		}
	}
}

// checkSmallSplit holds the list of the small split against the samples.
func (r *reader) checkSmallSplit() {
	r.where = "small_ids.json"
	var list []string
	if !r.decode(r.where, &list) {
		return
	}
	seen := map[string]bool{}
	for _, id := range list {
		if !r.samples[id] || seen[id] {
			r.add(CodeSmall, "%q is no sample, or there twice", id)
		}
		seen[id] = true
	}
	if len(list) == 0 {
		r.add(CodeSmall, "it names no sample")
	}
}

// The forms of ids, padded, so that none is a part of another.
var (
	sessionID = regexp.MustCompile(`^S\d\d$`)
	pictureID = regexp.MustCompile(`^(S\d\d)_img_\d\d+$`)
	pointID   = regexp.MustCompile(`^mp_(S\d\d)_\d{3,}$`)
	clock     = regexp.MustCompile(`^\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?`)
)

// checkPicture looks at the head of a picture, which lies in the folder of its sample.
func (r *reader) checkPicture(dir, sample, file string) {
	want := "images/" + sample + "/"
	full := path.Join(dir, file)
	if !strings.HasPrefix(file, want) || !fs.ValidPath(full) || path.Dir(full) != path.Join(dir, "images", sample) {
		r.add(CodePicture, "%q is no path below %s", file, want)
		return
	}
	f, err := r.root.Open(full)
	if err != nil {
		r.add(CodePicture, "%v", err)
		return
	}
	defer f.Close()
	if _, _, err := image.DecodeConfig(f); err != nil {
		r.add(CodePicture, "%s: %v", file, err)
	}
}
