package format_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/memforge/memforge/stages/visual/format"
)

// broken are exports with one thing wrong each. MemEye's loader takes most of them
// without a word.
func broken() map[string]breakage {
	out := brokenDialogues()
	for name, b := range brokenQuestions() {
		out[name] = b
	}
	for name, b := range brokenFiles() {
		out[name] = b
	}
	return out
}

func brokenDialogues() map[string]breakage {
	return map[string]breakage{
		"session twice": in(format.CodeSession, choice, func(d, s, _, _ object) {
			d["multi_session_dialogues"] = append(d["multi_session_dialogues"].([]any), s)
		}),
		"no day":         in(format.CodeSession, choice, func(_, s, _, _ object) { s["date"] = "yesterday" }),
		"day runs back":  in(format.CodeSession, choice, func(_, s, _, _ object) { s["date"] = "2099-01-01" }),
		"empty session":  in(format.CodeSession, choice, func(_, s, _, _ object) { s["dialogues"] = []any{} }),
		"foreign round":  in(format.CodeRound, choice, func(_, _, r, _ object) { r["round"] = "D99:1" }),
		"round twice":    in(format.CodeRound, choice, func(_, s, r, _ object) { s["dialogues"] = append(s["dialogues"].([]any), r) }),
		"nobody answers": in(format.CodeRound, choice, func(_, _, r, _ object) { delete(r, "assistant") }),
		"no caption":     in(format.CodeCaption, choice, func(_, _, r, _ object) { delete(r, "image_caption") }),
		"empty caption":  in(format.CodeCaption, choice, func(_, _, r, _ object) { r["image_caption"] = []any{" "} }),
		"two captions":   in(format.CodeCaption, choice, func(_, _, r, _ object) { r["image_caption"] = []any{"a", "b"} }),
		"missing picture": in(format.CodePicture, choice, func(_, _, r, _ object) {
			r["input_image"] = []any{"../image/Brand_Memory_0000/none.png"}
		}),
		"folder as picture": in(format.CodePicture, choice, func(_, _, r, _ object) { r["input_image"] = []any{"../image/Brand_Memory_0000"} }),
		"empty path":        in(format.CodePicture, choice, func(_, _, r, _ object) { r["input_image"] = []any{""} }),
		"leads out":         in(format.CodePicture, choice, func(_, _, r, _ object) { r["input_image"] = []any{"../image/../../etc/passwd"} }),
	}
}

func brokenQuestions() map[string]breakage {
	rotation := func(q object, n int) object { return q["options"].([]any)[n].(object) }
	return map[string]breakage{
		"unknown clue":       in(format.CodeClue, choice, func(_, _, _, q object) { q["clue"] = []any{"D99:9"} }),
		"no clue":            in(format.CodeClue, choice, func(_, _, _, q object) { q["clue"] = []any{} }),
		"unknown session":    in(format.CodeClue, choice, func(_, _, _, q object) { q["session_id"] = []any{"D99"} }),
		"no such cell":       in(format.CodePoint, choice, func(_, _, _, q object) { q["point"] = []any{[]any{"X5"}, []any{"Y1"}} }),
		"two cells":          in(format.CodePoint, choice, func(_, _, _, q object) { q["point"] = []any{[]any{"X1", "X2"}, []any{"Y1"}} }),
		"three rotations":    in(format.CodeOptions, choice, func(_, _, _, q object) { q["options"] = q["options"].([]any)[:3] }),
		"swapped answer":     in(format.CodeOptions, choice, func(_, _, _, q object) { rotation(q, 1)["answer"] = "C" }),
		"another right text": in(format.CodeOptions, choice, func(_, _, _, q object) { rotation(q, 2)["C"] = "none of these" }),
		"lower-case letters": in(format.CodeOptions, choice, func(_, _, _, q object) {
			o := rotation(q, 0)
			o["a"] = o["A"]
			delete(o, "A")
		}),
		"two options alike": in(format.CodeOptions, choice, func(_, _, _, q object) {
			for n := range 4 {
				o := rotation(q, n)
				for _, key := range []string{"A", "B", "C", "D"} {
					o[key] = strings.Repeat("x", 1+len(key))
				}
			}
		}),
		"own answer":        in(format.CodeOptions, choice, func(_, _, _, q object) { q["answer"] = "A" }),
		"open with options": in(format.CodeOptions, open, func(_, _, _, q object) { q["options"] = []any{object{"A": "x", "answer": "A"}} }),
		"open answer":       in(format.CodeOpenForm, open, func(_, _, _, q object) { q["answer"] = "something else" }),
		"no words":          in(format.CodeFile, choice, func(_, _, _, q object) { q["question"] = " " }),
	}
}

func brokenFiles() map[string]breakage {
	return map[string]breakage{
		"one name":       file(format.CodeName, "dialog/brand-memory 0000.json", []byte("{}")),
		"no dialogue":    file(format.CodeFile, "dialog/README.md", []byte("read me")),
		"broken JSON":    file(format.CodeFile, choice, []byte(`{"multi_session_dialogues": [`)),
		"two documents":  file(format.CodeFile, choice, []byte(`{} {}`)),
		"no open form":   {format.CodeOpenForm, func(_ *testing.T, root fstest.MapFS) { delete(root, open) }},
		"no choice form": {format.CodeOpenForm, func(_ *testing.T, root fstest.MapFS) { delete(root, choice) }},
		"text as picture": {format.CodePicture, func(_ *testing.T, root fstest.MapFS) {
			for name := range root {
				if strings.HasPrefix(name, "image/Brand_Memory_0000/") {
					root[name] = &fstest.MapFile{Data: []byte("no picture"), Mode: 0o644}
				}
			}
		}},
		"one base name": {format.CodeBaseName, func(t *testing.T, root fstest.MapFS) {
			for name := range root {
				if strings.HasPrefix(name, "image/Brand_Memory_0000/") {
					root["image/Other/"+name[strings.LastIndex(name, "/")+1:]] = root[name]
					in("", choice, func(d, s, r, _ object) {
						base := name[strings.LastIndex(name, "/")+1:]
						r["input_image"] = []any{"../image/Brand_Memory_0000/" + base, "../image/Other/" + base}
						r["image_caption"] = []any{"a", "b"}
					}).change(t, root)
					return
				}
			}
		}},
	}
}
