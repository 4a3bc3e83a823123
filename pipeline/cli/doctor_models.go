package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/config"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/probe"
	"github.com/memforge/memforge/pipeline/model/wire"
)

// probeModels asks the servers of the models that play a role, a few tokens
// each, whether they understand what pipeline.yaml says.
func probeModels(e *env, cfg *config.Config, report func(what, detail string, err error)) {
	roles := map[string][]string{}
	for _, role := range slices.Sorted(maps.Keys(cfg.Roles)) {
		roles[cfg.Roles[role]] = append(roles[cfg.Roles[role]], role)
	}
	for _, name := range slices.Sorted(maps.Keys(roles)) {
		what := fmt.Sprintf("model %s (%s), for %s", name, cfg.Models[name].Host(), strings.Join(roles[name], ", "))
		detail, err := probeModel(e, name, cfg.Models[name])
		report(what, detail, err)
	}
}

// probeModel returns what works, or an error when pipeline.yaml counts on what
// does not.
func probeModel(e *env, name string, m config.Model) (string, error) {
	c, err := client.Wire(name, m, e.getenv, 0)
	if err != nil {
		return "", err
	}
	found, err := probe.Run(e, probe.Server{Client: c, Model: m.Model, Sampling: wire.Sampling{
		Temperature: m.Sampling.Temperature, TopP: m.Sampling.TopP, MaxTokens: m.Sampling.MaxTokens, Completion: m.Capabilities.MaxCompletionTokens,
	}})
	if err != nil {
		return "", err
	}
	stated := map[probe.Capability]bool{
		probe.JSONSchema: m.Capabilities.JSONSchema, probe.Seed: m.Capabilities.Seed,
		probe.Images: m.Capabilities.Images, probe.Embeddings: m.Capabilities.Embeddings,
	}
	var words, wrong []string
	chats := true
	for _, f := range found {
		word := "no"
		if f.Works {
			word = "yes"
		}
		words = append(words, fmt.Sprintf("%s %s", f.Capability, word))
		switch {
		case f.Capability == probe.Chat:
			chats = f.Works
			if !chats && !m.Capabilities.Embeddings {
				wrong = append(wrong, "it does not chat: "+f.Detail)
			}
		case stated[f.Capability] && !f.Works && (chats || f.Capability == probe.Embeddings):
			wrong = append(wrong, fmt.Sprintf("capabilities.%s is true and does not work: %s", f.Capability, f.Detail))
		case !stated[f.Capability] && f.Works:
			words[len(words)-1] += fmt.Sprintf(" (may be set: capabilities.%s)", f.Capability)
		}
	}
	if len(wrong) > 0 {
		return "", &model.ServerError{Reason: model.Unusable, Model: name, Host: m.Host(), Detail: strings.Join(wrong, "; "), Advice: "set what does not work to false in pipeline.yaml"}
	}
	return strings.Join(words, ", "), nil
}
