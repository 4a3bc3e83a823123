package agreement

import "github.com/memforge/memforge/schemas"

// Clusters tells, by question id, what must not be torn apart by folds and
// resampling: questions about one pair of videos, over one sequence of clips, of
// one mirror group, else those of one task; and always the copies of one fact. A
// cluster has the name of its first question by id.
func Clusters(qs []schemas.Question) map[string]string {
	owner := map[string]int{}
	parent := make([]int, len(qs))
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for i, q := range qs {
		parent[i] = i
		for _, name := range []string{clusterKey(q), "fact\x00" + q.Fact()} {
			if j, known := owner[name]; known {
				parent[root(i)] = root(j)
				continue
			}
			owner[name] = i
		}
	}
	first := map[int]string{}
	for i, q := range qs {
		if r := root(i); first[r] == "" || q.QuestionID < first[r] {
			first[r] = q.QuestionID
		}
	}
	out := make(map[string]string, len(qs))
	for i, q := range qs {
		out[q.QuestionID] = first[root(i)]
	}
	return out
}

// clusterKey is what a question shares with others that tell something of its answer.
func clusterKey(q schemas.Question) string {
	for _, label := range []string{schemas.LabelPair, "sequence", schemas.LabelMirror} {
		if g := q.Labels[label]; g != "" {
			return label + "\x00" + g
		}
	}
	return "task\x00" + q.TaskID
}
