package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// Nobody here runs the files below docs/deploy: what can go wrong with them is looked for
// instead.

const deploy = "docs/deploy/"

// queues are those that workers serve.
var queues = []string{"cpu", "driver", "ffmpeg", "model", "network"}

// object is what is read of a manifest of Kubernetes.
type object struct {
	Kind      string
	Metadata  struct{ Name string }
	Data      map[string]string
	Resources []string
	Images    []struct{ Name, NewTag string }
	Spec      struct {
		Replicas *int
		Selector struct{ MatchLabels map[string]string }
		Template struct {
			Metadata struct{ Labels map[string]string }
			Spec     pod
		}
		ScaleTargetRef  struct{ Name string }
		MinReplicaCount int
		Triggers        []struct {
			Type     string
			Metadata map[string]any
		}
	}
}

type pod struct {
	TerminationGracePeriodSeconds int
	AutomountServiceAccountToken  *bool
	SecurityContext               struct {
		RunAsNonRoot bool
		RunAsUser    int
	}
	Containers []container
	Volumes    []struct{ Name string }
}

type container struct {
	Name, Image     string
	Args            []string
	EnvFrom         []map[string]struct{ Name string }
	SecurityContext struct {
		AllowPrivilegeEscalation *bool
		ReadOnlyRootFilesystem   bool
		Capabilities             struct{ Drop []string }
	}
	VolumeMounts []struct{ Name string }
	Resources    struct{ Requests, Limits map[string]any }
}

// service is what is read of one of a compose file.
type service struct {
	Image, User string
	Network     string `json:"network_mode"`
	Restart     string
	Build       any
	Command     any
	Privileged  bool
	Drop        []string `json:"cap_drop"`
	Options     []string `json:"security_opt"`
	Ports       []any
	Environment map[string]string
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// decode reads YAML as JSON is read, whose keys may be spelt in any case.
func decode(t *testing.T, name, document string, to any) {
	t.Helper()
	var plain any
	if err := yaml.Unmarshal([]byte(document), &plain); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	b, err := json.Marshal(plain)
	if err == nil {
		err = json.Unmarshal(b, to)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// manifests are those of a file, by name.
func manifests(t *testing.T, file string) map[string]object {
	t.Helper()
	out := map[string]object{}
	for part := range strings.SplitSeq(content(t, deploy+"kubernetes/"+file), "\n---\n") {
		var o object
		if decode(t, file, part, &o); o.Kind == "" {
			continue // a comment on all of them
		}
		if _, twice := out[o.Metadata.Name]; twice {
			t.Errorf("%s holds %s twice", file, o.Metadata.Name)
		}
		out[o.Metadata.Name] = o
	}
	return out
}

func services(t *testing.T) map[string]service {
	t.Helper()
	var c struct{ Services map[string]service }
	decode(t, "compose.yaml", content(t, deploy+"compose.yaml"), &c)
	return c.Services
}

// Whatever is pulled has a version, so that it is the same tomorrow.
func TestDeployImagesHaveVersions(t *testing.T) {
	images := map[string]string{}
	for name, s := range services(t) {
		images["service "+name] = s.Image
	}
	stages := regexp.MustCompile(`(?m)^FROM (?:--platform=\S+ )?(\S+)`).FindAllStringSubmatch(content(t, deploy+"Containerfile"), -1)
	for _, m := range stages {
		images["Containerfile "+m[1]] = m[1]
	}
	var k object
	decode(t, "kustomization.yaml", content(t, deploy+"kubernetes/kustomization.yaml"), &k)
	for _, i := range k.Images {
		images["kustomization "+i.Name] = i.Name + ":" + i.NewTag
	}
	if len(stages) != 2 || len(k.Images) != 1 || len(images) < 12 {
		t.Fatalf("found %d images: %v", len(images), images)
	}
	pinned := regexp.MustCompile(`^[\w./-]+:(v?\d+\.\d+[\w.-]*|\$\{MEMFORGE_VERSION:\?[^}]+\})$`)
	for where, image := range images {
		if !pinned.MatchString(image) {
			t.Errorf("%s: the image %q has no exact version", where, image)
		}
	}
}

// secretLines finds what is assigned to names that hold secrets, and URLs with one.
var secretLines = regexp.MustCompile(`([A-Z_]*(?:PASSWORD|PWD|SECRET_KEY|API_KEY|ACCESS_KEY|SECRET_ACCESS_KEY|ACCESS_KEY_ID|TOKEN))(?:: |=)("?[^\s,]+)|\w+://[^\s/@:]+:[^\s/@]+@`)

func TestDeployHoldsNoSecret(t *testing.T) {
	names, err := filepath.Glob(deploy + "*/*")
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, deploy+"Containerfile", deploy+"compose.yaml", "docs/workers.md", "docs/cluster.md")
	seen := 0
	for _, name := range names {
		for _, m := range secretLines.FindAllStringSubmatch(content(t, name), -1) {
			seen++
			// A name that stands for it, a command that makes one, or dots; the user of a bucket is none.
			if !strings.HasPrefix(strings.Trim(m[2], `"`), "$") && !strings.HasPrefix(m[2], "...") && m[0] != "BUCKET_ACCESS_KEY=memforge" {
				t.Errorf("%s: %q looks like a secret", name, m[0])
			}
		}
		if strings.Contains(content(t, name), "kind: Secret\n") {
			t.Errorf("%s holds a Secret; the page says how to make it", name)
		}
	}
	if seen < 10 {
		t.Errorf("only %d places that name a secret were found: the pattern misses them", seen)
	}
}

// What runs memforge is neither root nor able to become it.
func TestDeployRunsWithoutPrivileges(t *testing.T) {
	users := regexp.MustCompile(`(?m)^USER (.*)$`).FindAllStringSubmatch(content(t, deploy+"Containerfile"), -1)
	if len(users) != 1 || users[0][1] != "10001:10001" {
		t.Errorf("the image runs as %v", users)
	}
	ours := 0
	for name, s := range services(t) {
		if s.Privileged || len(s.Ports) > 0 {
			t.Errorf("service %s is privileged or opens ports", name)
		}
		if s.User == "0:0" && (s.Network != "none" || s.Restart != "") {
			t.Errorf("service %s runs as root and stays or has a network", name)
		}
		if s.Build == nil {
			continue
		}
		ours++
		if s.User != "10001:10001" || !slices.Equal(s.Drop, []string{"ALL"}) || !slices.Contains(s.Options, "no-new-privileges:true") {
			t.Errorf("service %s has more rights than it needs: %+v", name, s)
		}
	}
	if ours != 3 {
		t.Errorf("%d services run memforge", ours)
	}
	common := manifests(t, "common.yaml")["any"].Spec.Template.Spec
	c := common.Containers[0]
	if !common.SecurityContext.RunAsNonRoot || common.SecurityContext.RunAsUser != 10001 || common.AutomountServiceAccountToken == nil || *common.AutomountServiceAccountToken ||
		c.SecurityContext.AllowPrivilegeEscalation == nil || *c.SecurityContext.AllowPrivilegeEscalation || !c.SecurityContext.ReadOnlyRootFilesystem || !slices.Equal(c.SecurityContext.Capabilities.Drop, []string{"ALL"}) {
		t.Errorf("pods have more rights than they need: %+v", common)
	}
}

// The manifests name each other as they are called, and each queue has workers.
func TestDeployManifestsFitTogether(t *testing.T) {
	workers, budgets, scalers, common := manifests(t, "workers.yaml"), manifests(t, "disruption.yaml"), manifests(t, "autoscaling.yaml"), manifests(t, "common.yaml")["any"]
	settings := manifests(t, "settings.yaml")["memforge"].Data
	var volumes, mounts []string
	for _, v := range common.Spec.Template.Spec.Volumes {
		volumes = append(volumes, v.Name)
	}
	for _, m := range common.Spec.Template.Spec.Containers[0].VolumeMounts {
		mounts = append(mounts, m.Name)
	}
	if !slices.Equal(volumes, mounts) {
		t.Errorf("volumes %v are mounted as %v", volumes, mounts)
	}
	var served []string
	for name, w := range workers {
		served = append(served, checkWorker(t, strings.TrimPrefix(name, "memforge-"), w, common, settings)...)
		if b := budgets[name]; b.Kind != "PodDisruptionBudget" || !maps.Equal(b.Spec.Selector.MatchLabels, w.Spec.Selector.MatchLabels) {
			t.Errorf("%s has no budget of disruptions of its own: %+v", name, b.Spec.Selector)
		}
		if _, scaled := scalers[name]; scaled == (w.Spec.Replicas != nil) {
			t.Errorf("%s has both replicas and a scaler, or neither", name)
		}
	}
	slices.Sort(served)
	if !slices.Equal(served, queues) || len(budgets) != len(workers) {
		t.Errorf("queues %v are served, %d budgets", served, len(budgets))
	}
	for name, s := range scalers {
		checkScaler(t, name, s, queuesOf(workers[name].Spec.Template.Spec.Containers[0].Args))
		if _, ok := workers[s.Spec.ScaleTargetRef.Name]; !ok || s.Spec.ScaleTargetRef.Name != name {
			t.Errorf("scaler %s is that of %s", name, s.Spec.ScaleTargetRef.Name)
		}
	}
}

// queuesOf are those that a worker with such arguments serves.
func queuesOf(args []string) []string {
	for _, a := range args {
		if named, ok := strings.CutPrefix(a, "--queues="); ok {
			return strings.Split(named, ",")
		}
	}
	return nil
}

// checkWorker looks at a Deployment and gives the queues that it serves.
func checkWorker(t *testing.T, component string, w, common object, settings map[string]string) []string {
	t.Helper()
	p := w.Spec.Template.Spec
	c := p.Containers[0]
	if w.Kind != "Deployment" || !maps.Equal(w.Spec.Selector.MatchLabels, w.Spec.Template.Metadata.Labels) || w.Spec.Selector.MatchLabels["app.kubernetes.io/component"] != component {
		t.Errorf("%s selects other pods than its own: %+v", component, w.Spec.Selector)
	}
	if c.Name != common.Spec.Template.Spec.Containers[0].Name || c.Image != "memforge" || c.Args[0] != "worker" || p.TerminationGracePeriodSeconds < 60 {
		t.Errorf("%s: container %s of image %s runs %v, %d s to end", component, c.Name, c.Image, c.Args, p.TerminationGracePeriodSeconds)
	}
	for _, what := range []string{"memory", "ephemeral-storage"} {
		if c.Resources.Requests[what] == nil || c.Resources.Limits[what] == nil {
			t.Errorf("%s asks for no %s, or has no bound", component, what)
		}
	}
	// A patch replaces this list: what stands here would be lost without a word.
	if len(c.EnvFrom) > 0 {
		t.Errorf("%s: envFrom belongs into common.yaml or the patches", component)
	}
	for _, m := range regexp.MustCompile(`\$\((\w+)\)`).FindAllStringSubmatch(strings.Join(c.Args, " "), -1) {
		if settings[m[1]] == "" {
			t.Errorf("%s: settings.yaml does not say what %s is", component, m[1])
		}
	}
	return queuesOf(c.Args)
}

// temporalTrigger are keys of KEDA's scaler "temporal" that all its versions know,
// https://keda.sh/docs/2.22/scalers/temporal/.
var temporalTrigger = []string{"endpoint", "namespace", "queueTypes", "targetQueueSize", "taskQueue"}

// checkScaler makes sure that a scaler looks at the queues that its workers serve.
func checkScaler(t *testing.T, name string, s object, serves []string) {
	t.Helper()
	var watched []string
	for _, trigger := range s.Spec.Triggers {
		queue, ok := trigger.Metadata["taskQueue"].(string)
		if keys := slices.Sorted(maps.Keys(trigger.Metadata)); !ok || trigger.Type != "temporal" || !slices.Equal(keys, temporalTrigger) {
			t.Errorf("%s scales by %+v", name, trigger)
		}
		watched = append(watched, strings.TrimPrefix(queue, "memforge-PROGRAM-"))
		for key, value := range trigger.Metadata {
			if _, ok := value.(string); !ok {
				t.Errorf("%s: %s is %T; KEDA takes texts only", name, key, value)
			}
		}
	}
	if !slices.Equal(watched, serves) {
		t.Errorf("%s serves %v and is scaled by %v", name, serves, watched)
	}
	// A queue has no length while its tasks are at work: the last worker would go then.
	if s.Spec.MinReplicaCount < 1 {
		t.Errorf("%s may have no worker at all", name)
	}
}

// All files of the folder are used.
func TestDeployKustomizationIsWhole(t *testing.T) {
	k := content(t, deploy+"kubernetes/kustomization.yaml")
	files, err := filepath.Glob(deploy + "kubernetes/*.yaml")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if name := filepath.Base(f); name != "kustomization.yaml" && !regexp.MustCompile(`(?m)^  - (path: )?`+regexp.QuoteMeta(name)+`$`).MatchString(k) {
			t.Errorf("kustomization.yaml does not name %s", name)
		}
	}
}
