package cli

import (
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline/engine/cluster"
	"github.com/memforge/memforge/pipeline/engine/config"
)

// checkCluster connects to the engine and says what no worker offers, and why: a build
// would wait for it.
func checkCluster(e *env, cfg *config.Config, report func(what, detail string, err error)) {
	c, end, err := connectCluster(e, cfg)
	if err != nil {
		report("cluster "+scheme(cfg.Run.Cluster.On), "", err)
		return
	}
	lacks, workers, err := clusterState(e, cfg, c)
	report("cluster "+scheme(cfg.Run.Cluster.On), fmt.Sprintf("%d workers", workers), errors.Join(err, end()))
	if err == nil && lacks != "" {
		fmt.Fprintf(e.out, "look  %s\n", lacks)
	}
}

func clusterState(e *env, cfg *config.Config, c cluster.Client) (lacks string, workers int, err error) {
	program, err := cluster.ProgramOf(e, e.reg, c.Board)
	if err != nil {
		return "", 0, err
	}
	alive, err := c.Board.Workers(e)
	if err != nil {
		return "", 0, err
	}
	lacks, err = c.Missing(e, program, neededResources(e, cfg))
	return lacks, len(alive), err
}
