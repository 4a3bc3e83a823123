package film

import (
	"strings"
	"testing"
)

func BenchmarkFrame(b *testing.B) {
	for _, name := range []string{"film.json", "clip.json"} {
		b.Run(strings.TrimSuffix(name, ".json"), func(b *testing.B) {
			f := script(b, name)
			a := artistOf(b, f)
			n := int64(0)
			for b.Loop() {
				a.drawFrame(n % f.Frames)
				n++
			}
		})
	}
}

func BenchmarkBackdrop(b *testing.B) {
	f := script(b, "film.json")
	for b.Loop() {
		artistOf(b, f)
	}
}

func BenchmarkSound(b *testing.B) {
	f := script(b, "film.json")
	for b.Loop() {
		soundOf(f).pcm()
	}
}
