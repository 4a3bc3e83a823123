package paint

import (
	"math/rand/v2"
	"testing"

	"github.com/memforge/memforge/stages/visual/simulate"
)

// TestPixelsArePinned: a scene of each scenario has the same pixels on any machine.
// Compiled for another architecture and run there (CONTRIBUTING.md says how), this
// finds arithmetic that the compiler fuses. Who changes how something is painted
// writes the digests that the test prints here, and raises the version of
// visual.render.
func TestPixelsArePinned(t *testing.T) {
	want := map[string]string{
		"home_renovation":     "3c8898f611fe6a964ac65108417c5cc4b6609dceaa0dff0040ef45c1ec95e7bd",
		"brand_memory":        "ec14ca89ff0a4cc4e38f22464cd886ab01e392cc642063745599d17165f7a57f",
		"card_playlog":        "0c810c3bd9ab1c9447b7853f2c8bd818ed8edb33b757b0053ff47416bff0fdcd",
		"cartoon_companion":   "23309656fcd30edf2bfd21e62d00945e7159755d9198cd2870c7f2fc25f6d121",
		"cross_scene_archive": "d00438a155a4b650284e8374627863b3f3837a5a042488b674b0ba33a5872be7",
		"outdoor_navigation":  "ba6b24e62448d62032686c16f4d982eb99099dd35ee3ef6fc8c3654b1441d2d1",
		"health_dashboard":    "4c7f34df9add248ba6bc9edda341169f627238df39d7c0df75094c97362ff5ae",
		"social_chat":         "6033f169e64c34616d54c8d6f597ccec61341b103565c6dc099fe9341e06e894",
	}
	r := NewRenderer()
	for _, s := range simulate.Scenarios() {
		l, err := s.Simulate(rand.New(rand.NewPCG(3, 3)), simulate.Size{Sessions: 2, Rounds: 6, Pictures: 6})
		if err != nil {
			t.Fatal(err)
		}
		c, err := r.Draw(l.Scenes[4])
		if err != nil {
			t.Fatal(err)
		}
		if got := string(c.PixelDigest()); got != want[s.Name] {
			t.Errorf("%q: %q, want %q", s.Name, got, want[s.Name])
		}
	}
}

// BenchmarkPicture draws and encodes pictures of all scenarios in turn, at their full
// size.
func BenchmarkPicture(b *testing.B) {
	r := NewRenderer()
	var lives []simulate.Simulation
	for _, s := range simulate.Scenarios() {
		l, err := s.Simulate(rand.New(rand.NewPCG(3, 3)), simulate.Size{Sessions: 2, Rounds: 12, Pictures: 12})
		if err != nil {
			b.Fatal(err)
		}
		lives = append(lives, l)
	}
	for i := 0; b.Loop(); i++ {
		l := lives[i%len(lives)]
		s := l.Scenes[i/len(lives)%len(l.Scenes)]
		c, err := r.Draw(s)
		if err != nil {
			b.Fatal(err)
		}
		encode := c.PNG
		if s.Photo {
			encode = c.JPEG
		}
		if _, err := encode(); err != nil {
			b.Fatal(err)
		}
	}
}
