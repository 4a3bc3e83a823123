package media

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// shelf holds what several tests start from: it is made once, and each test gets
// a copy, which it may spoil.
type shelf struct {
	mu   sync.Mutex
	root string
	made map[string]shelved
}

// shelved are normalised videos, and the folder in which they lie with their sources.
type shelved struct {
	dir        string
	normalised []NormalisedVideo
}

var fixtures = shelf{made: map[string]shelved{}}

func TestMain(m *testing.M) {
	m.Run()
	if fixtures.root != "" {
		os.RemoveAll(fixtures.root)
	}
}

// normalised videos copies to dir what make makes in the folder given to it. Whatever
// shapes that must be in the name.
func (s *shelf) normalised(t testing.TB, name, dir string, make func(dir string) []NormalisedVideo) []NormalisedVideo {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, found := s.made[name]
	if !found {
		kept.dir = s.folder(t)
		kept.normalised = make(kept.dir)
		s.made[name] = kept
	}
	if err := os.CopyFS(dir, os.DirFS(kept.dir)); err != nil {
		t.Fatal(err)
	}
	out := slices.Clone(kept.normalised)
	for i, m := range out {
		out[i].Video, out[i].Audio = filepath.Join(dir, filepath.Base(m.Video)), filepath.Join(dir, filepath.Base(m.Audio))
		out[i].Keyframes = slices.Clone(m.Keyframes)
	}
	return out
}

// folder is a new one, which no test's end removes.
func (s *shelf) folder(t testing.TB) string {
	t.Helper()
	if s.root == "" {
		root, err := os.MkdirTemp("", "memforge-media")
		if err != nil {
			t.Fatal(err)
		}
		s.root = root
	}
	dir, err := os.MkdirTemp(s.root, "made")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
