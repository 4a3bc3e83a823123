package pipeline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/schemas"
)

type plainConfig struct {
	Size int `json:"size"`
}

func (c *plainConfig) SetDefaults() { c.Size = 3 }

// plainStage maps, and asks a model.
type plainStage struct{ asks []pipeline.Ask }

func (s plainStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{"a"}, Emits: []string{"b"}, Tools: []string{"ruler"}, Asks: s.asks, ChecksQuestions: true}
}

func (plainStage) Map(context.Context, *pipeline.Scope, pipeline.Record) ([]pipeline.Record, error) {
	return nil, nil
}

// oddStage is neither a map nor a fold.
type oddStage struct{}

func (oddStage) Spec() pipeline.Spec { return pipeline.Spec{} }

func answer(context.Context, *pipeline.Scope, pipeline.Request) (json.RawMessage, error) {
	return json.RawMessage(`"yes"`), nil
}

func noProblem(schemas.Question, schemas.Question, *schemas.Basis) []string {
	return []string{"as it was"}
}

// TestGoldenRegistry shows what a registry says of what is registered and asked for.
func TestGoldenRegistry(t *testing.T) {
	var out strings.Builder
	r := pipeline.NewRegistry()
	asks := []pipeline.Ask{{Role: "judge", Task: "grade", Prompt: "p", Version: "2", Otherwise: "leave it out"}}
	plain := func(c plainConfig) (pipeline.Stage, error) {
		if c.Size < 1 {
			return nil, errors.New("size is less than 1")
		}
		return plainStage{asks}, nil
	}
	pipeline.AddStage(r, "plain", "2", "does little", plain, func(c *plainConfig) { c.Size++ })
	pipeline.AddStage(r, "odd", "1", "does nothing", func(struct{}) (pipeline.Stage, error) { return oddStage{}, nil })
	r.AddTool("ruler", func(context.Context) (string, error) { return "30 cm", nil })
	r.AddTool("scale", func(context.Context) (string, error) { return "", errors.New("it is broken") })
	r.AddRule("grade", "7", answer)
	r.AddQuestionCheck("chess", "4", noProblem)
	fmt.Fprintln(&out, r.Err(), r.ToolNames(), r.Names(pipeline.KindStage), r.Names(pipeline.KindGate), r.HasRule("grade"), r.HasRule("other"))
	p, ok := r.Plugin(pipeline.KindStage, "plain")
	fmt.Fprintln(&out, ok, p.Name, p.Version, p.Summary, golden.JSON(t, p.NewConfig()))
	for _, raw := range []string{`{}`, `{"size":0}`, `{"width":1}`, `{"size":"x"}`} {
		built, err := p.BuildRaw(pipeline.RawConfig(raw))
		fmt.Fprintln(&out, raw, built != nil, err)
	}
	_, err := p.Build(3)
	fmt.Fprintln(&out, err)
	for _, name := range []string{"plain", "odd", "none"} {
		spec, ok := r.DefaultSpec(pipeline.KindStage, name)
		fmt.Fprintln(&out, name, spec.Accepts, spec.Emits, ok)
		id, err := r.Identify(t.Context(), pipeline.Identity{Kind: pipeline.KindStage, Use: name, Version: "2", Config: pipeline.RawConfig(`{}`), Tools: map[string]string{"old": "1"}})
		fmt.Fprintln(&out, golden.JSON(t, id), err)
	}
	live, err := r.Identify(t.Context(), pipeline.Identity{Kind: pipeline.KindStage, Use: "plain", Version: "2", Config: pipeline.RawConfig(`{}`), Models: map[string]pipeline.ModelIdentity{"judge": {Name: "m", Model: "m-1"}}})
	fmt.Fprintln(&out, golden.JSON(t, live), err)
	for _, spec := range []pipeline.Spec{{Tools: []string{"scale"}}, {Tools: []string{"compass"}}, {Asks: []pipeline.Ask{{Role: "judge", Task: "mark"}}}, {Asks: []pipeline.Ask{{Role: "judge", Task: "mark", Otherwise: "leave it out"}}}} {
		var id pipeline.Identity
		fmt.Fprintln(&out, r.Complete(t.Context(), &id, spec))
	}
	versions := r.Versions(t.Context())
	fmt.Fprintln(&out, golden.JSON(t, versions))
	r.Extend("card", "chess", 1)
	r.Extend("card", "go", 2)
	r.Extend("card", "ludo", "three")
	fmt.Fprintln(&out, pipeline.Extensions[int](r, "card"), pipeline.Extensions[string](r, "card"), pipeline.Extensions[int](r, "none"))
	broken := []func(r *pipeline.Registry){
		func(r *pipeline.Registry) { pipeline.AddStage(r, "plain", "2", "", plain) }, func(r *pipeline.Registry) { pipeline.AddStage(r, "", "2", "", plain) },
		func(r *pipeline.Registry) { pipeline.AddStage(r, "x", "", "", plain) }, func(r *pipeline.Registry) { pipeline.AddStage(r, "a b", "1", "", plain) }, func(r *pipeline.Registry) { pipeline.AddStage(r, "a:b", "1", "", plain) },
		func(r *pipeline.Registry) { r.AddTool("ruler", nil) }, func(r *pipeline.Registry) { r.AddRule("grade", "1", answer) }, func(r *pipeline.Registry) { r.AddRule("", "1", answer) },
		func(r *pipeline.Registry) { r.AddRule("x", "", answer) }, func(r *pipeline.Registry) { r.AddRule("x", "1", nil) },
		func(r *pipeline.Registry) { r.AddQuestionCheck("chess", "1", noProblem) }, func(r *pipeline.Registry) { r.AddQuestionCheck("", "1", noProblem) },
		func(r *pipeline.Registry) { r.AddQuestionCheck("x", "", noProblem) }, func(r *pipeline.Registry) { r.AddQuestionCheck("x", "1", nil) },
		func(r *pipeline.Registry) { r.Extend("card", "chess", 1) }, func(r *pipeline.Registry) { r.Extend("card", "", 1) },
		func(r *pipeline.Registry) { r.AddDerivation("x", pipeline.Derivation{Version: "1"}) }, func(r *pipeline.Registry) { r.AddDerivation("", whole("1")) }, func(r *pipeline.Registry) { r.AddDerivation("x", whole("")) },
	}
	for _, register := range broken {
		r := pipeline.NewRegistry()
		pipeline.AddStage(r, "plain", "2", "does little", plain)
		r.AddTool("ruler", nil)
		r.AddRule("grade", "7", answer)
		r.AddQuestionCheck("chess", "4", noProblem)
		r.Extend("card", "chess", 1)
		register(r)
		fmt.Fprintln(&out, r.Err())
	}
	golden.Check(t, "registry", out.String())
}

func whole(version string) pipeline.Derivation {
	return pipeline.Derivation{
		Version: version, Writers: []string{"chess.ask"}, Claims: func(m schemas.Media) bool { return m.License == "chess" },
		Question: func(schemas.Question, pipeline.Premises) (out pipeline.Derived[schemas.Question], err error) {
			return out, nil
		},
		Task: func(schemas.Task, pipeline.Premises) (out pipeline.Derived[schemas.Task], err error) { return out, nil },
	}
}

// TestFamilies: a family is found by its writers and by the media that it claims.
func TestFamilies(t *testing.T) {
	r := pipeline.NewRegistry()
	d := whole("5")
	r.AddDerivation("chess", d)
	d.Claims, d.Version = nil, "6"
	r.AddDerivation("board", d)
	d.Writers = []string{"go.ask"}
	r.AddDerivation("go", d)
	if got := fmt.Sprint(r.FamiliesOf("chess.ask"), r.FamiliesOf("none"), r.ClaimedBy(schemas.Media{License: "chess"}) == "chess", r.ClaimedBy(schemas.Media{}) == "", r.Derivations()); got != "[board chess] [] true true map[board:6 chess:5 go:6]" {
		t.Error(got)
	}
	if _, ok := r.Derivation("chess"); !ok {
		t.Error("the derivation of chess is not found")
	}
	if _, ok := r.Derivation("ludo"); ok {
		t.Error("a derivation of ludo is found")
	}
}

// TestGoldenScope shows what work in a scope is given and what it leaves.
func TestGoldenScope(t *testing.T) {
	var out strings.Builder
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	r := pipeline.NewRegistry()
	r.AddRule("grade", "1", answer)
	r.AddRule(pipeline.EmbedTask, "1", func(_ context.Context, _ *pipeline.Scope, q pipeline.Request) (json.RawMessage, error) {
		if strings.Contains(string(q.Input), "broken") {
			return json.RawMessage(`"no vectors"`), nil
		}
		if strings.Contains(string(q.Input), "wrong") {
			return nil, errors.New("it cannot be embedded")
		}
		return json.RawMessage(`[[1,2],[3,4]]`), nil
	})
	r.AddQuestionCheck("chess", "4", noProblem)
	options := pipeline.ScopeOptions{
		Identity: pipeline.Identity{Name: "films", Use: "plain", Version: "1", Seed: 7, Models: map[string]pipeline.ModelIdentity{"author": {Name: "m"}}},
		Step:     "step", Item: "item", Store: st, Registry: r, TempRoot: t.TempDir(),
		OnRequest: func(o pipeline.Origin, q pipeline.Request) {
			fmt.Fprintf(&out, "asked on behalf of %+v for %s\n", o, q.Task)
		},
	}
	derived := 0
	var temp string
	work := func(s *pipeline.Scope) error {
		ctx := t.Context()
		fmt.Fprintln(&out, s.Name(), s.Rand().IntN(1000), s.Rand("item").IntN(1000), s.Rand("a", "b").IntN(1000), s.Rand("ab").IntN(1000))
		b, err := s.PutBlob(ctx, strings.NewReader("hello"))
		fmt.Fprintf(&out, "%.8s %d %v\n", b.Digest, b.Size, err)
		dir, err := s.TempDir()
		if err != nil {
			return err
		}
		temp = dir
		again, err := s.TempDir()
		fmt.Fprintln(&out, again == dir, err)
		path := filepath.Join(dir, "x")
		if err := os.WriteFile(path, []byte("world"), 0o600); err != nil {
			return err
		}
		f, err := s.PutFile(ctx, path)
		fmt.Fprintf(&out, "%.8s %d %v\n", f.Digest, f.Size, err)
		for _, most := range []int64{3, 4, 5} {
			data, err := s.ReadBlob(ctx, b.Digest, most)
			fmt.Fprintf(&out, "at most %d: %q %v\n", most, data, err)
		}
		kept, err := s.BlobPath(ctx, b.Digest)
		data, err2 := os.ReadFile(kept)
		fmt.Fprintf(&out, "%q %v %v\n", data, err, err2)
		_, err = s.OpenBlob(ctx, pipeline.DigestOf([]byte("none")))
		fmt.Fprintln(&out, err != nil)
		for _, task := range []string{"grade", "mark"} {
			reply, err := s.Ask(ctx, pipeline.Request{Role: "judge", Task: task})
			fmt.Fprintf(&out, "%+v %v\n", reply, err)
		}
		_, err = s.Ask(ctx, pipeline.Request{Role: "author", Task: "grade"})
		fmt.Fprintln(&out, err)
		for _, texts := range [][]string{nil, {"a", "b"}, {"a"}, {"broken"}, {"wrong"}} {
			vectors, err := s.Embed(ctx, "search", texts)
			fmt.Fprintln(&out, vectors, err)
		}
		_, err = s.Embed(ctx, "author", []string{"a"})
		fmt.Fprintln(&out, err)
		fmt.Fprintln(&out, s.CheckQuestion(schemas.Question{Family: "chess"}, schemas.Question{}, nil), s.CheckQuestion(schemas.Question{Family: "go"}, schemas.Question{}, nil))
		for _, recipe := range []string{"a", "a", "b"} {
			blobs, err := s.DeriveBlobs(ctx, recipe, func() ([]pipeline.Digest, error) {
				derived++
				b, err := st.PutBlob(ctx, strings.NewReader(recipe))
				return []pipeline.Digest{b.Digest}, err
			})
			fmt.Fprintf(&out, "derived %d times: %.8s %v\n", derived, blobs[0], err)
		}
		_, err = s.DeriveBlobs(ctx, "c", func() ([]pipeline.Digest, error) { return nil, errors.New("nothing to derive") })
		fmt.Fprintln(&out, err)
		s.Reject("lost", pipeline.Reject("odd", "it is %s", "odd"))
		return nil
	}
	left, err := pipeline.RunInScope(options, work)
	_, gone := os.Stat(temp)
	fmt.Fprintf(&out, "%+v, %d blobs %v, scratch folder gone %t\n", left.Rejections, len(left.Blobs), err, os.IsNotExist(gone))
	left, err = pipeline.RunInScope(pipeline.ScopeOptions{}, func(s *pipeline.Scope) error {
		ctx := t.Context()
		_, put := s.PutBlob(ctx, strings.NewReader("x"))
		_, file := s.PutFile(ctx, "x")
		_, path := s.BlobPath(ctx, "x")
		_, read := s.ReadBlob(ctx, "x", 1)
		fmt.Fprintln(&out, errors.Is(put, pipeline.ErrNoStore), errors.Is(file, pipeline.ErrNoStore), errors.Is(path, pipeline.ErrNoStore), errors.Is(read, pipeline.ErrNoStore))
		_, err := s.Ask(ctx, pipeline.Request{Role: "judge", Task: "grade"})
		fmt.Fprintln(&out, err, s.CheckQuestion(schemas.Question{Family: "chess"}, schemas.Question{}, nil))
		return io.ErrUnexpectedEOF
	})
	fmt.Fprintln(&out, len(left.Blobs), err)
	options.KeepsNothing = true
	if _, err := pipeline.RunInScope(options, func(s *pipeline.Scope) error {
		for range 2 {
			if _, err := s.DeriveBlobs(t.Context(), "a", func() ([]pipeline.Digest, error) { derived++; return nil, nil }); err != nil {
				return err
			}
		}
		fmt.Fprintf(&out, "derived %d times\n", derived)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	_, err = pipeline.RunInScope(options, func(*pipeline.Scope) error { panic("boom") })
	first, _, _ := strings.Cut(fmt.Sprint(err), "\n")
	fmt.Fprintln(&out, first)
	golden.Check(t, "scope", out.String())
}

// TestGoldenTexts shows what errors say and names of derived steps.
func TestGoldenTexts(t *testing.T) {
	var out strings.Builder
	late := pipeline.Reject("late", "no answer from %d", 3)
	late.Transient = true
	waits := *late
	waits.Waiting, waits.ID, waits.Flagged = true, "w", true
	odd := pipeline.Reject("odd", "it is odd")
	for _, err := range []error{
		late, &waits, odd, pipeline.WithSubject(late, "question %d", 2), pipeline.WithSubject(io.EOF, "question %d", 2), &pipeline.ShortageError{Short: []string{"a", "b"}}, &pipeline.SettingError{Setting: "size", Problem: "is too large"},
		&pipeline.TaskError{Step: "s", Err: io.EOF}, &pipeline.TaskError{Step: "s", Item: "i", Err: odd}, &pipeline.PanicError{Value: "boom", Stack: []byte("at x")}, &pipeline.UnderivedError{Reason: "by hand"},
		&pipeline.CorruptError{Digest: "d"}, pipeline.CheckRange("size", 3, 1, 3), pipeline.CheckRange("size", 4, 1, 3), pipeline.CheckRange("size", 0, 1, 3), pipeline.CheckRange("size", 1, 1, 3),
	} {
		fmt.Fprintf(&out, "%v; transient %t, end of file %t\n", err, pipeline.IsTransient(err), errors.Is(err, io.EOF))
	}
	for _, lost := range [][]*pipeline.Rejection{nil, {odd}, {odd, late}, {late, &waits}, {&waits, odd}} {
		if first := pipeline.FirstTransient(lost); first != nil {
			fmt.Fprintln(&out, golden.JSON(t, first))
		} else {
			fmt.Fprintln(&out, "none")
		}
	}
	for _, reason := range []string{"bad: it is bad", "it is bad: so", "no colon", ": none", "two words: so"} {
		fmt.Fprintf(&out, "%q has the code %q\n", reason, pipeline.ReasonCode(reason))
	}
	long := strings.Repeat("a", 64)
	for _, name := range []string{"a", "a-b_3", "A", "-a", "", "a b", long, long + "a", "a~1", "revise~a~2", "gather~a~1", "flags~a~3", "other~a~1", "a~0", "a~x", "a~1234567"} {
		node, round := pipeline.SplitRound(name)
		head, of, reviser := pipeline.SplitReviser(name)
		fmt.Fprintf(&out, "%.20q written %t, step %t, %.20q round %d; reviser %.20q %d %t\n", name, pipeline.IsWrittenStepName(name), pipeline.IsStepName(name), node, round, head, of, reviser)
	}
	fmt.Fprintln(&out, pipeline.RoundName("a", 1), pipeline.ReviserName("a", 2), pipeline.GathererName("a", 3), pipeline.FlagsName("a", 4))
	for _, reason := range []string{pipeline.CopyReason("q1", "it leaks: so"), "it leaks"} {
		item, why, ok := pipeline.SplitCopyReason(reason)
		fmt.Fprintf(&out, "%q is of %q: %q %t\n", reason, item, why, ok)
	}
	q := pipeline.Request{Messages: pipeline.ChatMessages("be brief", "what?", []pipeline.Digest{"d"})}
	fmt.Fprintln(&out, q.System(), q.User(), q.Images(), pipeline.Request{}.System() == "", pipeline.Request{}.Images() == nil, pipeline.ReplyOutcome("invalid").Code())
	fmt.Fprintln(&out, pipeline.VolumeFileOf(2), golden.JSON(t, pipeline.Volume{"a": {Records: 1}}.Plus(pipeline.Volume{"a": {Records: 2, Rough: true}, "b": {Bytes: 3}})), golden.JSON(t, pipeline.Volume(nil).Plus(pipeline.Volume{"a": {Records: 2}})))
	golden.Check(t, "texts", out.String())
}
