package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/capability"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/server"
	"github.com/memforge/memforge/pipeline/model/wire"
	"github.com/memforge/memforge/prompts"
	"github.com/memforge/memforge/schemas"
)

// testModels asks the servers of the models that play a role, a few tokens
// each, whether they understand what pipeline.yaml says.
func testModels(e *env, cfg *config.Config, report func(what, detail string, err error)) {
	roles := map[string][]string{}
	for _, role := range slices.Sorted(maps.Keys(cfg.Roles)) {
		roles[cfg.Roles[role]] = append(roles[cfg.Roles[role]], role)
	}
	for _, name := range slices.Sorted(maps.Keys(roles)) {
		what := fmt.Sprintf("model %s (%s), for %s", name, cfg.Models[name].Host(), strings.Join(roles[name], ", "))
		detail, err := testModel(e, name, cfg.Models[name], longestTask(e, cfg, roles[name]))
		report(what, detail, err)
	}
}

// serverError is the error of a server that told nothing: it says which model's.
func serverError(name string, m server.Model, err error) error {
	var known *model.ServerError
	if errors.As(err, &known) {
		told := *known
		told.Model, told.Host = name, m.Host()
		return &told
	}
	return &model.ServerError{
		Reason: model.Unavailable, Model: name, Host: m.Host(), Detail: err.Error(), Err: err,
		Advice: "start the server, mend base_url, or leave it out with --skip-models",
	}
}

// testModel returns what works, or an error when pipeline.yaml counts on what
// does not.
func testModel(e *env, name string, m server.Model, task string) (string, error) {
	c, err := client.Wire(name, m, e.getenv, 0)
	if err != nil {
		return "", err
	}
	schema, err := answerSchemaOf(task)
	if err != nil {
		return "", err
	}
	found, err := capability.Run(e, capability.Server{Client: c, Endpoint: wire.Endpoint{Name: name, Model: m}, Task: task, Schema: schema})
	if err != nil {
		return "", serverError(name, m, err)
	}
	return checkCapabilities(name, m, found)
}

// checkCapabilities holds what was found against what pipeline.yaml counts on.
func checkCapabilities(name string, m server.Model, found []capability.Finding) (string, error) {
	stated := map[capability.Kind]bool{
		capability.JSONSchema: m.Capabilities.JSONSchema, capability.Seed: m.Capabilities.Seed,
		capability.Images: m.Capabilities.Images, capability.Embeddings: m.Capabilities.Embeddings,
	}
	var words, wrong []string
	chats := true
	for _, f := range found {
		word := "no"
		if f.Works {
			word = "yes"
		}
		words = append(words, fmt.Sprintf("%s %s", f.Kind, word))
		switch {
		case f.Kind == capability.Chat:
			chats = f.Works
			if !chats && !m.Capabilities.Embeddings {
				wrong = append(wrong, "it does not chat: "+f.Detail)
			}
		case stated[f.Kind] && !f.Works && (chats || f.Kind == capability.Embeddings):
			wrong = append(wrong, fmt.Sprintf("capabilities.%s is true and does not work: %s", f.Kind, f.Detail))
		case !stated[f.Kind] && f.Works:
			words[len(words)-1] += fmt.Sprintf(" (may be set: capabilities.%s)", f.Kind)
		}
	}
	if len(wrong) > 0 {
		return "", &model.ServerError{Reason: model.Unusable, Model: name, Host: m.Host(), Detail: strings.Join(wrong, "; "), Advice: "set what does not work to false in pipeline.yaml"}
	}
	return strings.Join(words, ", "), nil
}

// defaultTestTask stands for the tasks of a model that this program puts none to. Its
// answers are lists of objects with texts, numbers and choices.
const defaultTestTask = "gate.point_coverage"

// longestTask is the task of a plan that is put to one of the roles and has the longest
// schema.
func longestTask(e *env, cfg *config.Config, roles []string) string {
	longest, most := defaultTestTask, 0
	for _, n := range cfg.Plan.Steps {
		p, ok := e.reg.Plugin(n.Kind, n.Use)
		if !ok {
			continue
		}
		built, err := p.BuildRaw(n.Config)
		if err != nil {
			continue // said of the node
		}
		for _, a := range built.(interface{ Spec() pipeline.Spec }).Spec().Asks {
			s, err := answerSchemaOf(a.Task)
			if err == nil && slices.Contains(roles, a.Role) && len(s.Text()) > most {
				longest, most = a.Task, len(s.Text())
			}
		}
	}
	return longest
}

// answerSchemaOf is the schema of the answer to a task whose prompt this program has.
func answerSchemaOf(task string) (model.Schema, error) {
	p, err := prompts.Get(task)
	if err != nil {
		return model.Schema{}, err
	}
	raw, err := schemas.AnswerSchema(p.Schema)
	if err != nil {
		return model.Schema{}, fmt.Errorf("prompt %s: %w", task, err)
	}
	return model.CompileSchema(raw)
}
