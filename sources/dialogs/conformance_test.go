package dialogs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/sources/dialogs"
)

// folder is the example as a source gets it: dialogues, then pictures.
func folder(t *testing.T) (assets []pipeline.Asset, blobs [][]byte) {
	t.Helper()
	add := func(need int, path string, data []byte) {
		assets = append(assets, pipeline.Asset{Need: need, Path: path, Blob: pipeline.DigestOf(data), Size: int64(len(data))})
		blobs = append(blobs, data)
	}
	for _, name := range []string{"Garden_Plan.json", "Garden_Plan_Open.json", "Robots.json", "flat.json", "nested.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		add(0, "dialog/"+name, data)
	}
	add(0, "dialog/broken.json", []byte(`{"session_1": `))
	add(0, "dialog/other.json", []byte(`{"rows": []}`))
	for i, path := range []string{"image/Garden_Plan/D1_IMG_001.png", "image/Garden_Plan/D2_IMG_001.png", "image/Garden_Plan/QA_IMG_001.png", "image/Robots/D1_IMG_003.png"} {
		add(1, path, dot(t, uint8(i)))
	}
	add(1, "image/Garden_Plan/D2_IMG_002.png", []byte("this is no picture"))
	return assets, blobs
}

// dot is a picture of 8 x 6 pixels in a colour of its own.
func dot(t *testing.T, shade uint8) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 8, 6))
	img.Set(1, 1, color.RGBA{shade * 40, 80, 120, 255})
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func subject(t *testing.T) testkit.Subject {
	t.Helper()
	cfg := dialogs.Config{Path: "talks", License: "CC-BY-4.0"}
	cfg.SetDefaults()
	s := testkit.Subject{Register: dialogs.Register, Use: "dialogs", Config: &cfg, Golden: "7 26104df86f1622f4129e136278c559c348fa6b030c523d488bdfe5eb908705ef"}
	s.Assets, s.Blobs = folder(t)
	return s
}

func TestConformance(t *testing.T) { testkit.ConformSource(t, subject(t)) }

// TestFolder holds every record and every loss of the example.
func TestFolder(t *testing.T) {
	records, lost, err := subject(t).Read(t)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for _, r := range records {
		fmt.Fprintf(&got, "%s %s\n", r.Schema, r.ID)
		if err := json.Indent(&got, r.Data, "", " "); err != nil {
			t.Fatal(err)
		}
		got.WriteString("\n")
	}
	for _, l := range lost {
		fmt.Fprintf(&got, "lost %s\n", l.Error())
	}
	golden.Check(t, "folder", got.String())
}

// TestGoldenSpoiled pins what is read of dialogues with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	for _, name := range []string{"Garden_Plan", "Robots"} {
		subject(t).CheckSpoiled(t, "spoiled-"+name, "dialog/"+name+".json")
	}
}
