//go:build temporal

package temporal

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/testkit/temporalserver"
)

func BenchmarkCarry(b *testing.B) {
	s := temporalserver.Start(b)
	site(s).Benchmark(b, func() time.Duration { return processorTime(b, s.PID()) })
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
