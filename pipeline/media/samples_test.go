package media

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/Eyevinn/mp4ff/mp4"
)

// TestSamplesHaveAForm: zeros are equal zeros wherever they stand, and play nowhere.
func TestSamplesHaveAForm(t *testing.T) {
	slice := []byte{0, 0, 0, 2, 0x65, 1}
	for name, tc := range map[string]struct {
		check  sampleCheck
		sample []byte
		whole  bool
	}{
		"a slice":                {brokenAVC, slice, true},
		"settings and a slice":   {brokenAVC, append([]byte{0, 0, 0, 1, 0x67}, slice...), true},
		"settings alone":         {brokenAVC, []byte{0, 0, 0, 1, 0x67}, false},
		"zeros":                  {brokenAVC, make([]byte, 64), false},
		"nothing":                {brokenAVC, nil, false},
		"a unit too long":        {brokenAVC, []byte{0, 0, 0, 3, 0x65, 1}, false},
		"half a length":          {brokenAVC, append(bytes.Clone(slice), 0, 0, 0), false},
		"a forbidden bit":        {brokenAVC, []byte{0, 0, 0, 2, 0xe5, 1}, false},
		"silence":                {brokenAAC, silentPacket[adtsHeader:], true},
		"an end over two bytes":  {brokenAAC, []byte{0x21, 0x03, 0x80}, true},
		"zeros for sound":        {brokenAAC, make([]byte, 64), false},
		"sound without its end":  {brokenAAC, []byte{0x21, 0x10, 0x04}, false},
		"less than any sound is": {brokenAAC, []byte{0xe0}, false},
	} {
		if why := tc.check(tc.sample); (why == "") != tc.whole {
			t.Errorf("%s: %q", name, why)
		}
	}
}

// TestFactsTellWhatCannotBePlayed puts zeros in the place of all packets, and
// other bytes in that of the whole file.
func TestFactsTellWhatCannotBePlayed(t *testing.T) {
	tl := tools(t)
	ctx, dir, p, lim := context.Background(), t.TempDir(), small(), DefaultLimits()
	a, b, _, _ := pairOf(t, tl, p, dir)
	joined, err := tl.Join(ctx, []Clip{whole(a), whole(b)}, p, dir, lim)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := readFacts(joined.Path); err != nil || f.Broken != "" || !f.HasAudio {
		t.Fatalf("as it was made: %+v, %v", f.Broken, err)
	}
	data, err := os.ReadFile(joined.Path)
	if err != nil {
		t.Fatal(err)
	}
	lists, err := parseMP4(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range lists {
		gone := bytes.Clone(data)
		for _, at := range l.places {
			clear(gone[at.at : at.at+at.size])
		}
		if f, err := parseFacts(bytes.NewReader(gone), int64(len(gone))); err != nil || f.Broken == "" {
			t.Errorf("stream %d of zeros: %+v, %v", i, f.Broken, err)
		}
	}
	half := data[:len(data)/2]
	if f, err := parseFacts(bytes.NewReader(half), int64(len(half))); !errors.Is(err, ErrDamaged) || f.Mime != "video/mp4" {
		t.Errorf("half a file: %+v, %v", f, err)
	}
	script := []byte("#!/bin/sh\necho this is no video\n")
	if f, err := parseFacts(bytes.NewReader(script), int64(len(script))); !errors.Is(err, ErrUnread) || f.Mime != "" {
		t.Errorf("a script: %+v, %v", f, err)
	}
	var box bytes.Buffer
	if err := mp4.NewFtyp("isom", 512, []string{"isom"}).Encode(&box); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "box.mp4")
	if err := os.WriteFile(name, box.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readFacts(name); !errors.Is(err, ErrDamaged) {
		t.Errorf("nothing but a name of the format: %v", err)
	}
}
