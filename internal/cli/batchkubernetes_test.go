package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// indexedJob has the fields that the Job of docs/batch.md uses, and no others. Strict decoding finds
// a field that is misspelt or in the wrong place, without a dependency on the types of Kubernetes.
type indexedJob struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		CompletionMode       string `yaml:"completionMode"`
		Completions          int
		Parallelism          int
		BackoffLimitPerIndex int `yaml:"backoffLimitPerIndex"`
		PodFailurePolicy     struct {
			Rules []podFailureRule
		} `yaml:"podFailurePolicy"`
		Template struct{ Spec jobPod }
	}
}

// podFailureRule says what Kubernetes does after a pod has failed in some way.
type podFailureRule struct {
	Action          string
	OnPodConditions []struct{ Type string } `yaml:"onPodConditions"`
	OnExitCodes     struct {
		ContainerName string `yaml:"containerName"`
		Operator      string
		Values        []int
	} `yaml:"onExitCodes"`
}

type jobPod struct {
	RestartPolicy string `yaml:"restartPolicy"`
	Containers    []struct {
		Name         string
		Image        string
		WorkingDir   string `yaml:"workingDir"`
		Command      []string
		Env          []struct{ Name, Value string }
		Resources    struct{ Requests, Limits map[string]string }
		VolumeMounts []struct {
			Name      string
			MountPath string `yaml:"mountPath"`
		} `yaml:"volumeMounts"`
	}
	Volumes []struct {
		Name                  string
		PersistentVolumeClaim struct {
			ClaimName string `yaml:"claimName"`
		} `yaml:"persistentVolumeClaim"`
		EmptyDir *struct{} `yaml:"emptyDir"`
	}
}

// documentedJob returns the Job of docs/batch.md. Call it before the test changes its folder.
func documentedJob(t *testing.T) (job indexedJob) {
	t.Helper()
	page, err := os.ReadFile("../../docs/batch.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n## Kubernetes\n")
	_, text, _ = strings.Cut(text, "\n```yaml\n")
	text, _, found := strings.Cut(text, "\n```\n")
	in := yaml.NewDecoder(strings.NewReader(text))
	in.KnownFields(true)
	if err := in.Decode(&job); err != nil || !found {
		t.Fatalf("the Job of docs/batch.md: %v", err)
	}
	pod := job.Spec.Template.Spec
	if job.APIVersion != "batch/v1" || job.Kind != "Job" || job.Spec.CompletionMode != "Indexed" ||
		job.Spec.Completions < 2 || pod.RestartPolicy != "Never" || len(pod.Containers) != 1 ||
		pod.Containers[0].Command[0] != "diptych" {
		t.Fatalf("it is no Indexed Job whose pods run diptych: %+v", job)
	}
	return job
}

// action returns what the Job does after a pod that ended with an exit status.
func (j indexedJob) action(status int) string {
	for _, rule := range j.Spec.PodFailurePolicy.Rules {
		if on := rule.OnExitCodes; on.ContainerName == j.Spec.Template.Spec.Containers[0].Name &&
			on.Operator == "In" && slices.Contains(on.Values, status) {
			return rule.Action
		}
	}
	return "Count" // against the limit of the index
}

// claimAt returns where the volume is mounted that all pods share, empty if none is.
func (j indexedJob) claimAt() string {
	pod := j.Spec.Template.Spec
	for _, v := range pod.Volumes {
		for _, mount := range pod.Containers[0].VolumeMounts {
			if mount.Name == v.Name && v.PersistentVolumeClaim.ClaimName != "" {
				return mount.MountPath
			}
		}
	}
	return ""
}

// TestKubernetesJobIsTrue runs the pods of the documented Job one after the other, in the folder that
// stands for the volume, with the variables that Kubernetes and the Job set. Together they have to
// write what one process writes.
func TestKubernetesJobIsTrue(t *testing.T) {
	job := documentedJob(t)
	pod := job.Spec.Template.Spec
	container := pod.Containers[0]
	if where := job.claimAt(); where != container.WorkingDir {
		t.Errorf("pods work in %q, but what they share is mounted at %q", container.WorkingDir, where)
	}
	t.Chdir(t.TempDir())
	pairs := 2*job.Spec.Completions + 1
	writeRanks(t, pairs, 2) // 2 is a pair of the second share
	if status, _, errs := run(t, "batch", "pairs.csv", "-o", "local"); status != 1 {
		t.Fatalf("exit status %d, %s", status, errs)
	}

	for _, v := range container.Env {
		t.Setenv(v.Name, v.Value)
	}
	for index := range job.Spec.Completions {
		t.Setenv("JOB_COMPLETION_INDEX", strconv.Itoa(index))
		for range 2 { // the second pod of an index finds what the first has made
			want := 0
			if index == 1 {
				want = 1
			}
			if status, out, errs := run(t, container.Command[1:]...); status != want {
				t.Errorf("index %d: exit status %d, want %d: %s%s", index, status, want, out, errs)
			}
		}
	}
	for _, dir := range []string{"local", "out"} {
		if status, _, errs := run(t, "batch", "merge", dir); status != 1 || !strings.Contains(errs, fmt.Sprintf("1 of %d pairs", pairs)) {
			t.Errorf("merging %s: exit status %d, %s", dir, status, errs)
		}
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("local")
	local := content(t, ".")
	t.Chdir(filepath.Join(wd, "out"))
	if d := cmp.Diff(local, content(t, ".")); d != "" {
		t.Errorf("pods make something else than one process: %s", d)
	}
}

// TestKubernetesJobKnowsExitStatuses holds the Job's policy against what the exit statuses mean: a
// pair that cannot be compared fails in every pod, wrong usage fails in every index, and a pod that
// was stopped is started again.
func TestKubernetesJobKnowsExitStatuses(t *testing.T) {
	job := documentedJob(t)
	command := job.Spec.Template.Spec.Containers[0].Command[1:]
	t.Chdir(t.TempDir())
	writeRanks(t, 2, 1)
	broken, _, _ := run(t, command...)
	t.Setenv("JOB_COMPLETION_INDEX", "0") // but not JOB_COMPLETIONS
	misused, _, _ := run(t, command...)
	for _, c := range []struct {
		status int
		want   string
	}{{broken, "FailIndex"}, {misused, "FailJob"}, {128 + 9, "Count"}, {128 + 15, "Count"}} {
		if got := job.action(c.status); got != c.want {
			t.Errorf("after exit status %d the Job does %s, want %s", c.status, got, c.want)
		}
	}
	if first := job.Spec.PodFailurePolicy.Rules[0]; first.Action != "Ignore" ||
		len(first.OnPodConditions) != 1 || first.OnPodConditions[0].Type != "DisruptionTarget" {
		t.Errorf("the first rule has to be that evicted pods do not count: %+v", first)
	}
	if job.Spec.BackoffLimitPerIndex < 1 {
		t.Error("a pod that was killed is not started again")
	}
}

// writeRanks writes traces of so many ranks of two runs, of which rank broken cannot be read on B,
// and pairs.csv.
func writeRanks(t *testing.T, ranks, broken int) {
	t.Helper()
	for rank := range ranks {
		for k, side := range []string{"A", "B"} {
			text := fmt.Sprintf(`[{"name":"f","ph":"X","ts":1,"dur":%d,"pid":1,"tid":1}]`, 5+rank+k)
			if rank == broken-1 && side == "B" {
				text = "nothing"
			}
			name := fmt.Sprintf("%s/r%d.json", side, rank+1)
			if err := os.MkdirAll(side, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if status, _, errs := run(t, "batch", "plan", "--a", "A/*", "--b", "B/*", "--by", "rank", "-o", "pairs.csv"); status != 0 {
		t.Fatal(errs)
	}
}
