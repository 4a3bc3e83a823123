package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/mattn/go-isatty"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release/license"
)

// initCmd writes a starter of the registry as a configuration.
type initCmd struct {
	starters []pipeline.Starter

	Family  string   `placeholder:"NAME" completion:"families" help:"What to build: ${families}."`
	Name    string   `placeholder:"NAME" help:"Name of the release; by default that of the folder."`
	License string   `placeholder:"SPDX" completion:"licenses" help:"Licence of the release; by default the strictest of its parts."`
	Size    string   `placeholder:"SIZE" completion:"sizes" help:"small, medium or large; small by default."`
	URL     string   `name:"url" placeholder:"URL" help:"OpenAI-compatible server to ask, such as https://api.openai.com/v1; by default no model is asked."`
	Model   []string `placeholder:"ID" help:"What the server calls its model. Give it twice, so that two models sit on panels."`
	KeyEnv  string   `placeholder:"VAR" help:"Environment variable that holds the server's key."`
	Dir     string   `arg:"" default:"." placeholder:"DIR" help:"Folder to write to; made if it is not there."`
}

func (c initCmd) Help() string {
	var each strings.Builder
	for _, s := range c.starters {
		fmt.Fprintf(&each, "  %-12s %s\n", s.Name, s.Summary)
	}
	return `Writes pipeline.yaml with comments, its JSON Schema for editors, and .gitignore. In a
terminal it asks what the flags leave open; elsewhere it takes the defaults and needs
--family. What it writes builds as it stands, without a network unless --url names a
server. It overwrites nothing.

Families:
` + each.String() + `
Examples:
  memforge init mybench
  memforge init mybench --family video --size small
  memforge init mybench --family visual --url http://127.0.0.1:8000/v1 --model qwen3-vl`
}

const (
	configFile = "pipeline.yaml"
	schemaFile = "pipeline.schema.json"
	ignoreFile = ".gitignore"
)

// sizes are in the order of the arguments of {{size}}.
func sizes() []string { return []string{"small", "medium", "large"} }

func (c initCmd) Run(e *env) error {
	file := filepath.Join(c.Dir, configFile)
	if _, err := os.Lstat(file); err == nil {
		return &usageError{fmt.Errorf("init: %s exists and is left as it is; name another folder", file)}
	}
	if f, ok := e.in.(*os.File); ok && isatty.IsTerminal(f.Fd()) {
		if err := c.ask(e); err != nil {
			return err
		}
	}
	c.Name = cmp.Or(c.Name, nameFromFolder(c.Dir))
	c.Size = cmp.Or(c.Size, sizes()[0])
	if c.URL != "" {
		c.KeyEnv = cmp.Or(c.KeyEnv, defaultKeyEnv(c.URL))
	}
	if err := c.check(); err != nil {
		return &usageError{fmt.Errorf("init: %w", err)}
	}
	text, warnings, err := c.render(e.reg)
	if err != nil {
		return fmt.Errorf("init: %w", err)
	}
	written, err := c.write(e.reg, text)
	if err != nil {
		return err
	}
	for _, path := range written {
		safetext.Fprintf(e.out, "wrote %s\n", path)
	}
	for _, w := range warnings {
		safetext.Fprintf(e.err, "note: %s\n", w)
	}
	where := ""
	if c.Dir != "." {
		where = "cd '" + c.Dir + "' && "
	}
	_, err = fmt.Fprintf(e.out, "\nNext: %smemforge build\n", where)
	return err
}

// check looks at what was given or answered, before anything is written.
func (c initCmd) check() error {
	if c.Family == "" {
		return fmt.Errorf("--family says what to build: %s", joinNames(c.starters, starterName))
	}
	if _, err := selectNamed("--family", c.Family, c.starters, starterName); err != nil {
		return err
	}
	if !slices.Contains(sizes(), c.Size) {
		return fmt.Errorf("--size must be one of %s, and is %q", strings.Join(sizes(), ", "), c.Size)
	}
	if _, known := license.Find(c.License); c.License != "" && !known {
		return fmt.Errorf("--license %q is not one that a release may be published under; there are %s", c.License, strings.Join(license.IDs(), ", "))
	}
	switch {
	case c.URL == "" && len(c.Model) > 0:
		return errors.New("--model needs --url: the server that has the model")
	case c.URL != "" && len(c.Model) == 0:
		return errors.New("--url needs --model: what the server calls its model")
	case len(c.Model) > 26:
		return errors.New("--model: at most 26")
	}
	return nil
}

// ask puts a question for each flag that was not given.
func (c *initCmd) ask(e *env) error {
	q := questioner{in: bufio.NewReader(e.in), out: e.out}
	if c.Family == "" {
		fmt.Fprintln(e.out, "What shall the benchmark be made of?")
		var names []string
		for _, s := range c.starters {
			fmt.Fprintf(e.out, "  %-12s %s\n", s.Name, s.Summary)
			names = append(names, s.Name)
		}
		q.choose(&c.Family, "Family", names)
	}
	q.text(&c.Name, "Name of the release", nameFromFolder(c.Dir))
	q.text(&c.License, "Licence (SPDX id; nothing: the strictest of its parts)", "")
	if c.Size == "" {
		q.choose(&c.Size, "Size: small takes about a minute, medium minutes, large longer", sizes())
	}
	if c.URL == "" {
		q.text(&c.URL, "Address of an OpenAI-compatible server (nothing: build offline, without a model)", "")
	}
	if c.URL != "" && len(c.Model) == 0 {
		models := ""
		q.text(&models, "Its model, or two with a space between them", "")
		c.Model = strings.Fields(models)
		q.text(&c.KeyEnv, "Environment variable with its key", defaultKeyEnv(c.URL))
	}
	return q.err
}

// defaultKeyEnv is empty for a server on this machine, which mostly wants no key.
func defaultKeyEnv(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
		return ""
	}
	return "OPENAI_API_KEY"
}

// questioner asks until an answer is right; after an error it asks nothing.
type questioner struct {
	in  *bufio.Reader
	out io.Writer
	err error
}

func (q *questioner) text(value *string, question, preset string) {
	if q.err != nil || *value != "" {
		return
	}
	if preset != "" {
		question += " [" + preset + "]"
	}
	fmt.Fprintf(q.out, "%s: ", question)
	line, err := q.in.ReadString('\n')
	if err != nil && (line == "" || !errors.Is(err, io.EOF)) {
		q.err = &usageError{fmt.Errorf("init: the questions ended early: %w; flags answer them, too", err)}
		return
	}
	*value = cmp.Or(strings.TrimSpace(line), preset)
}

// choose takes one of the words, or its number from 1.
func (q *questioner) choose(value *string, question string, all []string) {
	for q.err == nil && *value == "" {
		var given string
		q.text(&given, fmt.Sprintf("%s (%s)", question, strings.Join(all, ", ")), all[0])
		for i, w := range all {
			if given == w || given == fmt.Sprint(i+1) {
				*value = w
			}
		}
	}
}

var notInName = regexp.MustCompile(`[^a-z0-9._-]+`)

// nameFromFolder makes a release's name of a folder's.
func nameFromFolder(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	name := notInName.ReplaceAllString(strings.ToLower(filepath.Base(dir)), "-")
	name = strings.TrimLeft(name[:min(len(name), 64)], "._-")
	return cmp.Or(strings.TrimRight(name, "-"), "benchmark")
}

// render fills the template and has the result read, so that what is written is a
// configuration that builds. It returns the reader's warnings.
func (c initCmd) render(reg *pipeline.Registry) (text []byte, warnings []string, err error) {
	starter, err := selectNamed("--family", c.Family, c.starters, starterName)
	if err != nil {
		return nil, nil, err
	}
	file := starterFile{initCmd: c, Starter: starter}
	draft, err := file.render()
	if err != nil {
		return nil, nil, err
	}
	cfg, err := config.Parse(configFile, draft, reg, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("starter %s: %w", starter.Name, err)
	}
	if file.Roles, err = playRoles(reg, cfg, len(c.Model)); err != nil {
		return nil, nil, err
	}
	file.Models = c.Model
	if text, err = file.render(); err != nil {
		return nil, nil, err
	}
	if cfg, err = config.Parse(configFile, text, reg, nil); err != nil {
		return nil, nil, err
	}
	return text, cfg.Warnings, nil
}

// starterFile is what the template of pipeline.yaml shows.
type starterFile struct {
	initCmd
	Starter pipeline.Starter
	Models  []string
	Roles   []rolePlayer
}

// rolePlayer says which of the models plays a role.
type rolePlayer struct {
	Role  string
	Model int
}

func (f starterFile) render() ([]byte, error) {
	size := slices.Index(sizes(), f.Size)
	all, err := template.New("").Funcs(template.FuncMap{
		"size":   func(small, medium, large any) any { return []any{small, medium, large}[size] },
		"join":   func(words []string) string { return strings.Join(words, ", ") },
		"scalar": scalar,
		"letter": func(i int) string { return string(rune('a' + i)) },
	}).ParseFS(templates, "templates/pipeline.yaml.tmpl")
	if err != nil {
		return nil, fmt.Errorf("template of %s: %w", configFile, err)
	}
	if _, err := all.New("steps").Parse(f.Starter.Steps); err != nil {
		return nil, fmt.Errorf("starter %s: %w", f.Starter.Name, err)
	}
	var b bytes.Buffer
	if err := all.ExecuteTemplate(&b, "pipeline.yaml.tmpl", f); err != nil {
		return nil, fmt.Errorf("starter %s: %w", f.Starter.Name, err)
	}
	return b.Bytes(), nil
}

var plainScalar = regexp.MustCompile(`^[A-Za-z][\w./:-]*$`)

// scalar writes a text as a value of YAML, in quotes where it could be read as more.
func scalar(text string) string {
	if plainScalar.MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}

// playRoles gives every role that the steps ask to a model: the seats of a panel to one
// after the other, all else to the first.
func playRoles(reg *pipeline.Registry, cfg *config.Config, models int) (out []rolePlayer, err error) {
	asked := map[string]bool{}
	for _, step := range cfg.Plan.Steps {
		built, err := reg.Build(pipeline.Identity{Kind: step.Kind, Use: step.Use, Version: step.Version, Config: step.Config})
		if err != nil {
			return nil, fmt.Errorf("step %s: %w", step.Name, err)
		}
		for _, a := range built.Spec().Asks {
			asked[a.Role] = true
		}
	}
	seats := 0
	for _, role := range slices.Sorted(maps.Keys(asked)) {
		p := rolePlayer{Role: role}
		if strings.HasPrefix(role, "panel_") && models > 0 {
			p.Model, seats = seats%models, seats+1
		}
		out = append(out, p)
	}
	return out, nil
}

// write makes the files, of which the configuration must not be there. What else is there
// stays as it is.
func (c initCmd) write(reg *pipeline.Registry, text []byte) (written []string, err error) {
	var schema bytes.Buffer
	if err := config.WriteSchema(&schema, reg); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return nil, &inputError{fmt.Errorf("init: %w", err)}
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{configFile, text}, {schemaFile, schema.Bytes()}, {ignoreFile, []byte("/out/\n")}} {
		path := filepath.Join(c.Dir, f.name)
		err := atomicfile.Create(path, 0o644, f.data)
		switch {
		case errors.Is(err, fs.ErrExist) && f.name != configFile:
			continue
		case err != nil:
			return nil, fmt.Errorf("init: %w", err)
		}
		written = append(written, path)
	}
	return written, nil
}

func starterName(s pipeline.Starter) string { return s.Name }
