// Package prompts holds what language models are asked, one file a prompt, in
// our own words. A prompt file has a front matter and two parts:
//
//	---
//	task: video.describe
//	version: "1"
//	schema: video_description
//	roles: [captioner]
//	---
//	# System
//	what the model is to do, and that data is data
//	# User
//	{{data "captions" .Captions}}
//
// The system part is plain text: no input can reach it. The user part is a text
// template over the typed input of the task. Text that comes from a source
// enters it through data only, which quotes a value as JSON between tags that
// the value cannot close.
package prompts

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/goccy/go-yaml"
)

//go:embed *.md
var files embed.FS

// Prompt is a parsed prompt file.
type Prompt struct {
	// Task is what the prompt asks for; the file is named after it.
	Task    string
	Version string
	// Schema names the JSON Schema of the answer, see schemas.Answer.
	Schema string
	// Roles that may be asked.
	Roles []string
	// Digest is the SHA-256 of the file in lower-case hex.
	Digest string
	system string
	user   *template.Template
}

type frontMatter struct {
	Task    string   `yaml:"task"`
	Version string   `yaml:"version"`
	Schema  string   `yaml:"schema"`
	Roles   []string `yaml:"roles"`
}

// Names lists the tasks of the embedded prompts, sorted.
func Names() []string {
	list, err := fs.Glob(files, "*.md")
	if err != nil {
		return nil
	}
	var names []string
	for _, f := range list {
		if f != "README.md" {
			names = append(names, strings.TrimSuffix(f, ".md"))
		}
	}
	slices.Sort(names)
	return names
}

// Get parses the embedded prompt of a task.
func Get(task string) (Prompt, error) {
	b, err := files.ReadFile(task + ".md")
	if err != nil {
		return Prompt{}, fmt.Errorf("prompt %q: there is no such file among the embedded prompts", task)
	}
	return Parse(task+".md", b)
}

// Text returns the file of a task's embedded prompt, of which Prompt.Digest is the digest.
func Text(task string) ([]byte, error) {
	b, err := files.ReadFile(task + ".md")
	return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), err
}

// Parse reads a prompt file; name is what messages call it, and without .md it
// must be the task.
func Parse(name string, b []byte) (Prompt, error) {
	p, err := parse(b)
	if err != nil {
		return Prompt{}, fmt.Errorf("prompt %s: %w", name, err)
	}
	if want := strings.TrimSuffix(path.Base(name), ".md"); p.Task != want {
		return Prompt{}, fmt.Errorf("prompt %s: its task is %q; name the file after the task", name, p.Task)
	}
	return p, nil
}

var promptLayout = regexp.MustCompile(`(?s)\A---\n(.*?)\n---\n# System\n(.*?)\n# User\n(.*)\z`)

func parse(b []byte) (Prompt, error) {
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	m := promptLayout.FindSubmatch(b)
	if m == nil {
		return Prompt{}, errors.New(`want a front matter between two lines "---", then "# System" and "# User"`)
	}
	var h frontMatter
	if err := yaml.UnmarshalWithOptions(m[1], &h, yaml.Strict()); err != nil {
		return Prompt{}, fmt.Errorf("front matter: %w", err)
	}
	if h.Task == "" || h.Version == "" || h.Schema == "" || len(h.Roles) == 0 {
		return Prompt{}, errors.New("front matter: task, version, schema and roles are all needed")
	}
	system := strings.TrimSpace(string(m[2]))
	if strings.Contains(system, "{{") {
		return Prompt{}, errors.New("the system part has a placeholder; only the user part may, so that no input can reach the instructions")
	}
	user, err := template.New("user").Option("missingkey=error").Funcs(template.FuncMap{"data": quoteData}).Parse(strings.TrimSpace(string(m[3])))
	if err != nil {
		return Prompt{}, fmt.Errorf("user part: %w", err)
	}
	sum := sha256.Sum256(b)
	return Prompt{
		Task: h.Task, Version: h.Version, Schema: h.Schema, Roles: h.Roles,
		Digest: hex.EncodeToString(sum[:]), system: system, user: user,
	}, nil
}

// Size is how many characters the prompt has without its input.
func (p Prompt) Size() int {
	if p.user == nil {
		return 0
	}
	return len(p.system) + len(p.user.Root.String())
}

// Render fills the prompt with the typed input of its task.
func (p Prompt) Render(input any) (system, user string, err error) {
	if p.user == nil {
		return "", "", errors.New("render prompt: it was not parsed")
	}
	var b strings.Builder
	if err := p.user.Execute(&b, input); err != nil {
		return "", "", fmt.Errorf("render prompt %s: %w", p.Task, err)
	}
	return p.system, b.String(), nil
}

var tagName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// quoteData quotes a value as JSON between tags. encoding/json writes < and > as
// escapes, so no text can close the tag it stands in.
func quoteData(tag string, v any) (string, error) {
	if !tagName.MatchString(tag) {
		return "", fmt.Errorf("data %q: want a tag of a-z, 0-9 and _", tag)
	}
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return "", fmt.Errorf("data %s: %w", tag, err)
	}
	return "<" + tag + ">\n" + string(b) + "\n</" + tag + ">", nil
}
