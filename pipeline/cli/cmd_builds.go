package cli

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/memforge/memforge/pipeline/engine/cluster/clusterstate"
)

type buildsCmd struct{}

func (buildsCmd) Help() string {
	return `Lists the builds on the shared store of the configuration, the newest first, and the
live workers.

Examples:
  memforge builds
  memforge builds --set run.store='postgres://memforge@db.example/memforge?bucket=...'`
}

func (buildsCmd) Run(e *env) error {
	cfg, err := e.load()
	if err != nil {
		return err
	}
	b, err := clusterstate.Open(e, cfg.StoreDir())
	if err != nil {
		return err
	}
	defer b.Close()
	builds, err := b.Builds(e)
	if err != nil {
		return err
	}
	workers, err := b.Workers(e)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "BUILD\tRELEASE\tSTATE\tTOOK\tDRIVER")
	for _, x := range builds {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", x.ID, x.Name, x.State, x.Took.Round(time.Second), x.Driver)
	}
	fmt.Fprintln(w, "\nWORKER\tPROGRAM\tDRIVES\tSLOTS\t")
	for _, x := range workers {
		fmt.Fprintf(w, "%s\t%s\t%t\t%s\t\n", x.ID, x.Program, x.Drives, formatSlots(x.Slots))
	}
	return w.Flush()
}
