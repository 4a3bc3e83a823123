package wire_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"image"
	"image/color/palette"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/server"
	"github.com/memforge/memforge/pipeline/model/wire"
)

const good = `{"model":"m","choices":[{"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}],"usage":{"prompt_tokens":12,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":40}}}`

func TestReadBody(t *testing.T) {
	said, err := wire.ReadCompletion([]byte(good))
	if err != nil || said.Text != "yes" || said.Outcome != model.OK || said.Usage.Input != 12 || said.Usage.Output != 3 {
		t.Errorf("%+v, %v", said, err)
	}
	if said.Usage.Cached != 12 {
		t.Errorf("%d cached tokens of 12: more cannot be", said.Usage.Cached)
	}
	for name, body := range map[string]string{
		"nothing": "", "half": good[:len(good)/2], "twice": good + good, "something after": good + " x", "a list": "[1]",
		"error": `{"error":{"message":"overloaded"}}`, "error text": `{"error":"overloaded"}`, "no choices": `{"choices":[]}`,
		"empty answer": strings.Replace(good, `"yes"`, `""`, 1), "null answer": strings.Replace(good, `"yes"`, `null`, 1),
		"not UTF-8": strings.Replace(good, "yes", "\xff", 1),
	} {
		if said, err := wire.ReadCompletion([]byte(body)); err == nil {
			t.Errorf("%s: taken for an answer: %+v", name, said)
		}
	}
}

func FuzzReadBody(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`{"choices":[{"message":{"content":[{"type":"text","text":"x"}]}}]}`))
	f.Add([]byte(`{"error":null,"choices":[{"message":{"refusal":"no"}}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		said, err := wire.ReadCompletion(b)
		if err == nil && said.Outcome == model.OK && said.Text == "" {
			t.Errorf("an empty answer of %q", b)
		}
		if said.Usage.Input < 0 || said.Usage.Cached < 0 || said.Usage.Output < 0 || said.Usage.Cached > said.Usage.Input {
			t.Errorf("usage %+v", said.Usage)
		}
	})
}

func TestEncodedIsWhatChatSends(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	schema, err := model.CompileSchema([]byte(`{"type":"object"}`))
	if err != nil {
		t.Fatal(err)
	}
	zero, seed := 0.0, 1
	e := wire.Endpoint{Model: server.Model{
		Sampling:     server.Sampling{Temperature: &zero, Seed: &seed, MaxTokens: 9},
		Capabilities: server.Capabilities{JSONSchema: true, Images: true, MaxCompletionTokens: true},
		Media:        server.Media{MaxLongSide: 2, MaxBytes: 4096, Detail: "low"},
	}}
	r := pipeline.Request{Model: "m", Task: "video.describe", Sample: 2, Messages: []pipeline.Message{{Role: "user", Text: "look", Images: []pipeline.Digest{"a picture"}}}}
	in, err := wire.Encode(t.Context(), e, r, schema, func(context.Context, pipeline.Digest, int64) ([]byte, error) { return picture.Bytes(), nil })
	if err != nil {
		t.Fatal(err)
	}
	b, err := in.JSON()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"temperature":0,"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + base64.StdEncoding.EncodeToString(picture.Bytes()) + `","detail":"low"}},{"type":"text","text":"look"}]}],"max_completion_tokens":9,"stream":false,"response_format":{"type":"json_schema","json_schema":{"name":"video_describe","schema":{"type":"object"},"strict":false}},"seed":3}`
	if string(b) != want {
		t.Errorf("body\n got %s\nwant %s", b, want)
	}
}

func TestPictureRefusesWhatItCannotSend(t *testing.T) {
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewGray(image.Rect(0, 0, 300, 200))); err != nil {
		t.Fatal(err)
	}
	whole := buf.Bytes()
	huge := bytes.Clone(whole)
	copy(huge[16:], []byte{0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff}) // width and height
	for name, data := range map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "gif": []byte("GIF89a"), "webp": []byte("RIFF0000WEBPVP8 "),
		"half of a PNG": whole[:len(whole)/2], "a header alone": whole[:8], "more pixels than memory": huge, "JPEG that is none": []byte("\xff\xd8\xff\xe0 no"),
	} {
		if _, err := wire.FitImage(data, wire.ImageBounds{LongSide: 100, Bytes: 1 << 20}); !errors.Is(err, wire.ErrImage) {
			t.Errorf("%s: %v, want ErrImage", name, err)
		}
	}
	img, err := wire.FitImage(whole, wire.ImageBounds{LongSide: 100, Bytes: 1 << 20})
	if err != nil || img.Type != "image/png" {
		t.Errorf("%s, %v", img.Type, err)
	}
}

// TestPicturesGoUprightAndKnown: a picture held sideways is turned though it fits, and
// a WebP becomes a PNG; any other that fits is sent byte by byte.
func TestPicturesGoUprightAndKnown(t *testing.T) {
	webp, err := os.ReadFile(filepath.Join("..", "..", "media", "still", "testdata", "small.webp"))
	if err != nil {
		t.Fatal(err)
	}
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 40, 24)), nil); err != nil {
		t.Fatal(err)
	}
	exif := append([]byte("Exif\x00\x00"), 'M', 'M', 0, '*', 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0)
	sideways := append(bytes.Clone(photo.Bytes()[:2]), 0xff, 0xe1, 0, byte(len(exif)+2))
	sideways = append(append(sideways, exif...), photo.Bytes()[2:]...)
	limits := wire.ImageBounds{LongSide: 4096, Bytes: 1 << 20}
	for name, c := range map[string]struct {
		data []byte
		mime string
		same bool
		tall bool
	}{"upright": {photo.Bytes(), "image/jpeg", true, false}, "sideways": {sideways, "image/jpeg", false, true}, "webp": {webp, "image/png", false, false}} {
		got, err := wire.FitImage(c.data, limits)
		if err != nil || got.Type != c.mime || bytes.Equal(got.Data, c.data) != c.same {
			t.Errorf("%s: %s, %d bytes of %d, %v", name, got.Type, len(got.Data), len(c.data), err)
			continue
		}
		is, _, err := image.DecodeConfig(bytes.NewReader(got.Data))
		if err != nil || c.tall != (is.Height > is.Width) {
			t.Errorf("%s: %d x %d, %v", name, is.Width, is.Height, err)
		}
	}
}

func FuzzPicture(f *testing.F) {
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewPaletted(image.Rect(0, 0, 20, 20), palette.Plan9)); err == nil {
		f.Add(buf.Bytes())
	}
	f.Add([]byte("\xff\xd8\xff\xc0\x00\x11\x08\x00\x10\x00\x10\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		img, err := wire.FitImage(b, wire.ImageBounds{LongSide: 16, Bytes: 4096})
		if err == nil && len(img.Data) > 4096 {
			t.Errorf("%d bytes are sent", len(img.Data))
		}
	})
}
