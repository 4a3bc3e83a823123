// Package config reads pipeline.yaml: strictly, into a plan and the settings
// of a run. All mistakes of a file are reported together, each with its line
// and column and, for an unknown word, the nearest known one.
package config

import (
	"path/filepath"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/model/server"
	"github.com/memforge/memforge/pipeline/release"
)

// Config is a decided build.
type Config struct {
	// Plan holds everything that can change what is built, and nothing else.
	Plan engine.Plan
	// Run holds the rest: it may differ from machine to machine.
	Run Run
	// VersionRule is what becomes of a version that is too small for what changed.
	VersionRule release.VersionRule
	// Models are the language models by name, Roles the name of the model behind
	// each role. A role that is not among them is played by the built-in model.
	Models map[string]server.Model
	Roles  map[string]string
	// Panels give roles to models for audits, by the panel's name. They do not
	// take part in a build.
	Panels map[string]map[string]string
	// Warnings are what is allowed and probably not meant, each with its place.
	Warnings []string
	// Fits are the steps that show more pictures than a model of theirs takes, in
	// the order of their names within stages and gates.
	Fits []Fit
	// Reference is the published benchmark that the build is modelled on, or nil.
	// It changes nothing that is built: plan states it beside the forecast.
	Reference *Reference
	// Dir is the folder of the file; relative paths in the file start there.
	Dir string
	// File is the path of the file as given.
	File string

	tree *node
}

// Path resolves a path written in the file.
func (c *Config) Path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(c.Dir, p)
}

// Position returns where a value was written, "pipeline.yaml:12:7" or the override that
// set it: that of the deepest part of the path that is there.
func (c *Config) Position(path ...string) string {
	if c.tree == nil {
		return c.File
	}
	return c.tree.where(path...).String()
}

// StoreDir returns the folder of the store, or the URL that names another kind of it.
func (c *Config) StoreDir() string {
	if c.Run.Store != "" {
		return c.place(c.Run.Store)
	}
	return filepath.Join(c.Path(c.Run.Out), "store")
}

// PartialDir returns the folder of downloads that are not whole yet: in that of the store,
// or in out when the store is in none.
func (c *Config) PartialDir() string {
	dir := c.StoreDir()
	if _, err := atomicfile.FolderFromURL(dir); err != nil {
		dir = c.Path(c.Run.Out)
	}
	return filepath.Join(dir, "partial")
}

// place returns a folder, written as a path or a file:// URL, or any other URL as it is.
func (c *Config) place(p string) string {
	dir, err := atomicfile.FolderFromURL(p)
	if err != nil {
		return p
	}
	return c.Path(dir)
}

// LedgerDir returns the folder of the models' recorded answers. It lies beside the
// store, not in it: answers are paid for and outlive a store that is thrown away.
func (c *Config) LedgerDir() string {
	if c.Run.Ledger != "" {
		return c.place(c.Run.Ledger)
	}
	return filepath.Join(c.Path(c.Run.Out), "ledger")
}

// ReleasesDir returns the folder that holds <name>/<version> of every release.
func (c *Config) ReleasesDir() string { return filepath.Join(c.Path(c.Run.Out), "releases") }

// Run is the run block: how and where to build, never what. Nothing in it can
// enter a key.
type Run struct {
	Workers   int       `json:"workers" doc:"default for the limits not set; 0 means one per processor"`
	Limits    Limits    `json:"limits" doc:"how many tasks run at once, per resource"`
	Out       string    `json:"out" doc:"folder of what is built: releases in releases, the store in store"`
	Store     string    `json:"store" doc:"folder or postgres:// URL of the store, if it is to be elsewhere"`
	Endpoints Endpoints `json:"endpoints" doc:"where upstream hosts are really reached"`
	Ledger    string    `json:"ledger" doc:"folder or postgres:// URL of the models' recorded answers, if it is to be elsewhere than in out"`
	MaxCost   *float64  `json:"max_cost" doc:"what one run may spend on models, in the currency of their prices; 0 spends nothing, no entry means no bound"`
	// MediaDirs is not part of a source's configuration because a path must not
	// enter a key: the digests of the files do.
	MediaDirs map[string]string `json:"media_dirs" doc:"by source, the folder of videos that you obtained yourself"`
	Offline   bool              `json:"offline" doc:"never use the network; fail on what is not in the store"`
	LogFormat string            `json:"log_format" enum:"auto,text,json" doc:"how progress is shown"`
	Grace     time.Duration     `json:"grace" doc:"how long an interrupted build waits for calls on their way to models"`
	Cluster   Cluster           `json:"cluster" doc:"who carries builds out, if it is not this machine"`
}

// Cluster is the engine that brings tasks to workers on other machines.
type Cluster struct {
	On string `json:"on" doc:"where the engine is reached, temporal://host:port/namespace or river://user@host/database; nothing means that this machine builds"`
}

// Limits bound the tasks that run at once; 0 means the default.
type Limits struct {
	CPU     int `json:"cpu" doc:"tasks that compute"`
	FFmpeg  int `json:"ffmpeg" doc:"tasks that run ffmpeg"`
	Model   int `json:"model" doc:"tasks that ask a model"`
	Network int `json:"network" doc:"tasks that download"`
}

// Endpoints are addresses used instead of the public hosts: mirrors, sites
// without internet access and tests set them. Empty means the public one.
type Endpoints struct {
	Hub       string            `json:"hub" doc:"instead of https://huggingface.co"`
	GitHubAPI string            `json:"github_api" doc:"instead of https://api.github.com"`
	GitHubRaw string            `json:"github_raw" doc:"instead of https://raw.githubusercontent.com"`
	GitHubLFS string            `json:"github_lfs" doc:"instead of https://github.com, for LFS files"`
	HTTP      map[string]string `json:"http" doc:"mirror prefix by prefix of the canonical address; the longest wins"`
}

// Reference is what a publication says of its benchmark, for comparison.
type Reference struct {
	Name      string  `json:"name" required:"true" doc:"what is compared with, and where it says so"`
	Hours     float64 `json:"hours" doc:"hours of source videos"`
	Videos    int     `json:"videos" doc:"source videos"`
	Questions int     `json:"questions" doc:"questions"`
	// Inferred are choices of the configuration for which there is no source.
	Inferred []string `json:"inferred" doc:"what of the configuration was inferred and stands nowhere in the publication"`
}

// DefaultRun returns the run block of a file that has none.
func DefaultRun() Run {
	return Run{Out: "out", LogFormat: "auto", Grace: 20 * time.Second}
}

// Default share of its inputs that a step may lose.
const defaultMaxLoss = 0.1

// file is pipeline.yaml as written.
type file struct {
	modelBlocks
	// Include is gone once the files are in the tree.
	Include         []string              `json:"include" doc:"files with further sources, stages and gates, as paths relative to this one"`
	Seed            uint64                `json:"seed" doc:"decides every random choice: another seed gives other items"`
	Release         releaseBlock          `json:"release" doc:"what is written at the end"`
	Sources         map[string]sourceNode `json:"sources" doc:"steps that read data sets or make material, by name"`
	Stages          map[string]stageNode  `json:"stages" doc:"steps that turn records into records, by name"`
	Gates           map[string]gateNode   `json:"gates" doc:"steps that check items, by name"`
	MaxLoss         float64               `json:"max_loss" doc:"share of its inputs that a step may lose before the build ends, 0 to 1"`
	MaxInsufficient *float64              `json:"max_insufficient" doc:"that of gates which state none: share of the items that a gate may leave without a judgement"`
	Revise          revision              `json:"revise" doc:"how what gates with on_fail: revise flag is rewritten"`
	Reference       *Reference            `json:"reference" doc:"a published benchmark that plan compares the build with; it changes nothing that is built"`
}

// defaultFile returns what a file without any key stands for.
func defaultFile() file {
	return file{
		modelBlocks: modelBlocks{Run: DefaultRun()}, MaxLoss: defaultMaxLoss, Revise: defaultRevision(),
		Release: releaseBlock{Release: pipeline.Release{Version: "auto"}, VersionRule: string(release.RefuseVersion)},
	}
}

// releaseBlock is the release block. What it has beside the release changes no byte of
// one, and so is not part of the plan.
type releaseBlock struct {
	pipeline.Release
	VersionRule string `json:"version_rule" enum:"refuse,warn,off" doc:"what becomes of a given version that is too small for what changed since the version before"`
}

// modelBlocks is what of it says whom to ask, and how.
type modelBlocks struct {
	Version int                          `json:"version" doc:"version of this format: 1"`
	Run     Run                          `json:"run" doc:"how and where to build, never what"`
	Models  map[string]server.Model      `json:"models" doc:"language models, by name"`
	Roles   map[string]string            `json:"roles" doc:"the model that plays each role, or built-in"`
	Panels  map[string]map[string]string `json:"panels" doc:"other models for the roles, for memforge audit, by name of the panel"`
}

type sourceNode struct {
	Use     string   `json:"use" required:"true" doc:"name of the plugin"`
	With    *node    `json:"with" doc:"the plugin's own keys"`
	MaxLoss *float64 `json:"max_loss" doc:"instead of max_loss of the file"`
}

type stageNode struct {
	sourceNode
	From []string `json:"from" required:"true" doc:"names of the steps that it reads"`
}

type gateNode struct {
	stageNode
	OnFail string `json:"on_fail" enum:"drop,keep,relabel,revise" doc:"what becomes of an item that fails: it is dropped (by default), kept, gets other labels, or is rewritten and judged again (by default where a model judges sessions and a stage of revise gives sessions)"`
	// KeepBecause is needed by gates that keep written content against what a model says.
	KeepBecause string `json:"keep_because" doc:"why sessions that a model finds faulty are kept; needed with on_fail: keep at a gate that asks models about sessions, and stated on the card"`
	// MaxInsufficient is a share from 0 to 1; see engine.Step.
	MaxInsufficient *float64 `json:"max_insufficient" doc:"share of the items that this gate may leave without a judgement"`
}

// revision is the revise block: how what gates flag is rewritten.
type revision struct {
	Rounds  int     `json:"rounds" doc:"how often an item is rewritten at most, 1 to 8"`
	Use     string  `json:"use" doc:"name of the stage that rewrites"`
	With    *node   `json:"with" doc:"the stage's own keys"`
	MaxLoss float64 `json:"max_loss" doc:"share of what it is given that the stage may lose"`
	// Also are the stages that rewrite what Use does not: records of other schemas.
	Also []reviser `json:"also" doc:"further stages, for records that the first does not rewrite"`
}

type reviser struct {
	Use  string `json:"use" required:"true" doc:"name of the stage that rewrites"`
	With *node  `json:"with" doc:"the stage's own keys"`
}

// defaultRevision may lose every item: what is lost on the way round was flagged
// before, and dropping it is no worse than having no loop.
func defaultRevision() revision {
	return revision{Rounds: 3, Use: "question.revise", MaxLoss: 1}
}
