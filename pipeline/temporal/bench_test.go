package temporal

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/cluster"
	"github.com/memforge/memforge/pipeline/pipelinetest/temporalserver"
)

// BenchmarkCarry tells what it takes to carry a parcel that is handled in no time: the
// processor time of the server, and that of the driver and the worker, which are this
// process.
func BenchmarkCarry(b *testing.B) {
	s := temporalserver.Started(b)
	e, w := dial(b, s), dial(b, s)
	queue := fmt.Sprintf("%s-%d", b.Name(), time.Now().UnixNano())
	works(b, w, cluster.Queue{Name: queue, Slots: 8}, handlers{handle: func(_ context.Context, p pipeline.Digest) (pipeline.Digest, error) {
		return replyTo(p), nil
	}})
	carry := func(from, to int) {
		var work sync.WaitGroup
		places := make(chan struct{}, 16)
		for n := from; n < to; n++ {
			places <- struct{}{}
			work.Go(func() {
				defer func() { <-places }()
				if _, err := e.Carry(b.Context(), queue, pipeline.DigestOf(fmt.Appendf(nil, "%s %d", queue, n))); err != nil {
					b.Error(err)
				}
			})
		}
		work.Wait()
	}
	carry(-50, 0)
	server, own := processorTime(b, s.PID()), ownProcessorTime(b)
	b.ResetTimer()
	carry(0, b.N)
	b.StopTimer()
	per := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(b.N) }
	b.ReportMetric(per(processorTime(b, s.PID())-server), "server-ms/op")
	b.ReportMetric(per(ownProcessorTime(b)-own), "own-ms/op")
}

func ownProcessorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// processorTime of another process, in hundredths of a second as Linux counts it.
func processorTime(b *testing.B, pid int) (d time.Duration) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skip(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	for _, field := range strings.Fields(rest)[11:13] {
		ticks, err := strconv.Atoi(field)
		if err != nil {
			b.Fatal(err)
		}
		d += time.Duration(ticks) * 10 * time.Millisecond
	}
	return d
}
