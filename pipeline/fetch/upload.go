package fetch

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// Upload is a file that is to be written to a dataset.
type Upload struct {
	Path   string
	Size   int64
	SHA256 pipeline.Digest
	// Large tells that LFS keeps its bytes, see ChooseLarge.
	Large bool
	// Open opens the file. That its bytes have the digest is checked before they are sent.
	Open func() (*os.File, error)
}

// ChangedFileError says that a file to upload has not the bytes that it had.
type ChangedFileError struct{ Path string }

func (e *ChangedFileError) Error() string {
	return fmt.Sprintf("%s changed while it was sent; let no program write to the release meanwhile, and run again", e.Path)
}

// openChecked opens the file and compares its digest.
func (f Upload) openChecked(ctx context.Context) (*os.File, error) {
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	got, n, err := atomicfile.Copy(ctx, io.Discard, in)
	if err == nil && (got != string(f.SHA256) || n != f.Size) {
		err = &ChangedFileError{f.Path}
	}
	if err == nil {
		_, err = in.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return in, nil
}

const (
	// uploadBatch is how many files one request asks about, as the hub's own clients do.
	uploadBatch = 256
	// sampleBytes of a file tell the hub whether it is text.
	sampleBytes = 512
	lfsType     = "application/vnd.git-lfs+json"
)

// ChooseLarge asks the hub which files LFS is to keep, and notes it in them. A file
// without bytes is none of these: hosts of objects refuse it.
func (d *Dataset) ChooseLarge(ctx context.Context, files []Upload) error {
	for batch := range chunks(files, uploadBatch) {
		type entry struct {
			Path   string `json:"path"`
			Size   int64  `json:"size"`
			Sample string `json:"sample"`
		}
		var ask struct {
			Files []entry `json:"files"`
		}
		for _, f := range batch {
			sample, err := f.sample()
			if err != nil {
				return err
			}
			ask.Files = append(ask.Files, entry{f.Path, f.Size, sample})
		}
		r, err := d.api(http.MethodPost, "/preupload/main", ask)
		if err != nil {
			return err
		}
		var told struct {
			Files []struct {
				Path string `json:"path"`
				Mode string `json:"uploadMode"`
			} `json:"files"`
		}
		if err := d.hub.web.json(ctx, r, &told); err != nil {
			return err
		}
		modes := map[string]string{}
		for _, f := range told.Files {
			modes[f.Path] = f.Mode
		}
		for i, f := range batch {
			mode := modes[f.Path]
			if mode != "lfs" && mode != "regular" {
				return &ContentError{URL: r.canonical, Want: "lfs or regular for " + f.Path, Got: strconv.Quote(mode)}
			}
			batch[i].Large = mode == "lfs" && f.Size > 0
		}
	}
	return nil
}

// chunks yields the parts of a list, of n elements each but the last.
func chunks[T any](all []T, n int) func(func([]T) bool) {
	return func(yield func([]T) bool) {
		for from := 0; from < len(all); from += n {
			if !yield(all[from:min(from+n, len(all))]) {
				return
			}
		}
	}
}

func (f Upload) sample() (string, error) {
	in, err := f.Open()
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(in, sampleBytes))
	return base64.StdEncoding.EncodeToString(b), errors.Join(err, in.Close())
}

// UploadLarge brings the bytes of large files to where LFS keeps them, those that are
// missing there. done is told of each file.
func (d *Dataset) UploadLarge(ctx context.Context, files []Upload, done func(Upload)) error {
	for batch := range chunks(files, uploadBatch) {
		objects, err := d.askUploads(ctx, batch)
		if err != nil {
			return err
		}
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(d.hub.web.opts.Concurrency)
		for i, f := range batch {
			group.Go(func() error {
				if err := d.uploadObject(ctx, f, objects[i]); err != nil {
					return fmt.Errorf("upload %s: %w", f.Path, err)
				}
				done(f)
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dataset) lfsRequest() request {
	const path = ".git/info/lfs/objects/batch"
	r := d.hub.get("api", "/datasets/"+d.hub.need.Repo+path)
	r.method, r.write, r.header = http.MethodPost, true, http.Header{"Accept": {lfsType}, "Content-Type": {lfsType}}
	return r
}

// askUploads asks how to upload files. An object without an action is there already.
func (d *Dataset) askUploads(ctx context.Context, files []Upload) ([]lfsObject, error) {
	asked := make([]map[string]any, len(files))
	for i, f := range files {
		asked[i] = map[string]any{"oid": f.SHA256, "size": f.Size}
	}
	body, err := json.Marshal(map[string]any{
		"operation": "upload", "transfers": []string{"basic", "multipart"}, "hash_algo": "sha256",
		"ref": map[string]string{"name": "refs/heads/main"}, "objects": asked,
	})
	if err != nil {
		return nil, fmt.Errorf("encode LFS request: %w", err)
	}
	r := d.lfsRequest()
	r.body = string(body)
	var answer struct {
		Objects []lfsObject `json:"objects"`
	}
	if err := d.hub.web.json(ctx, r, &answer); err != nil {
		return nil, err
	}
	told := map[string]lfsObject{}
	for _, o := range answer.Objects {
		told[o.OID] = o
	}
	objects := make([]lfsObject, len(files))
	for i, f := range files {
		o, ok := told[string(f.SHA256)]
		switch {
		case !ok:
			return nil, &ListingError{r.canonical, fmt.Sprintf("no answer for object %s of %s", f.SHA256, f.Path)}
		case o.Error != nil:
			code := codeOf(o.Error.Code)
			return nil, &StatusError{URL: r.canonical, Status: o.Error.Code, Code: code,
				Advice: fmt.Sprintf("%s, of %s (the host says %.*q)", writeAdvice(code), f.Path, maxWords, o.Error.Message)}
		}
		objects[i] = o
	}
	return objects, nil
}

// uploadRounds is how often a file is uploaded anew after its addresses expired or what
// arrived was not the file.
const uploadRounds = 4

// uploadObject does what the LFS server asks for. An answer that refuses the upload is
// about addresses, which expire, or about bytes that were damaged on their way: it asks
// for new addresses and begins again.
func (d *Dataset) uploadObject(ctx context.Context, f Upload, o lfsObject) error {
	for round := 1; ; round++ {
		if o.Actions.Upload == nil {
			return nil
		}
		err := d.transfer(ctx, f, o)
		var refused *StatusError
		if err == nil || !errors.As(err, &refused) || refused.Status >= 500 || round == uploadRounds {
			return err
		}
		again, err := d.askUploads(ctx, []Upload{f})
		if err != nil {
			return err
		}
		o = again[0]
	}
}

// transfer uploads a file whole or in parts, and has the server verify it.
func (d *Dataset) transfer(ctx context.Context, f Upload, o lfsObject) (err error) {
	in, err := f.openChecked(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if parted, known := o.Actions.Upload.Header["chunk_size"]; known {
		err = d.putParts(ctx, f, in, *o.Actions.Upload, parted)
	} else {
		_, err = d.put(ctx, *o.Actions.Upload, in, 0, f.Size)
	}
	if err != nil || o.Actions.Verify == nil {
		return err
	}
	r, err := o.Actions.Verify.request(http.MethodPost, d.lfsRequest())
	if err != nil {
		return err
	}
	if home := d.lfsRequest(); r.home == home.home {
		r.auth, r.write = home.auth, true
	}
	return d.post(ctx, r, map[string]any{"oid": f.SHA256, "size": f.Size})
}

func (d *Dataset) post(ctx context.Context, r request, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode LFS request: %w", err)
	}
	r.body = string(text)
	r.header.Set("Accept", lfsType)
	r.header.Set("Content-Type", lfsType)
	_, _, err = d.hub.web.text(ctx, r)
	return err
}

// put sends a part of a file to an address of a content host, and returns the tag that
// the host gave it.
func (d *Dataset) put(ctx context.Context, a lfsAction, in io.ReaderAt, from, size int64) (tag string, err error) {
	r, err := a.request(http.MethodPut, d.lfsRequest())
	if err != nil {
		return "", err
	}
	if err := d.checkSecure(a); err != nil {
		return "", err
	}
	r.open, r.size, r.class = func() io.Reader { return io.NewSectionReader(in, from, size) }, size, Hub+" uploads"
	_, header, err := d.hub.web.text(ctx, r)
	return header.Get("ETag"), err
}

// checkSecure refuses an upload without encryption that a hub with it asks for.
func (d *Dataset) checkSecure(a lfsAction) error {
	if home := d.lfsRequest(); home.home[:6] == "https:" && originOf(a.Href)[:6] != "https:" {
		return &ListingError{home.canonical, "the address for an upload is without encryption; refused"}
	}
	return nil
}

// putParts sends a file in parts and has the host join them by the tags that it gave.
func (d *Dataset) putParts(ctx context.Context, f Upload, in io.ReaderAt, a lfsAction, chunk string) error {
	size, err := strconv.ParseInt(chunk, 10, 64)
	if err != nil || size <= 0 {
		return &ListingError{d.lfsRequest().canonical, fmt.Sprintf("parts of %q bytes cannot be made", chunk)}
	}
	type part struct {
		Number int    `json:"partNumber"`
		ETag   string `json:"etag"`
	}
	var parts []part
	for from := int64(0); from < f.Size; from += size {
		n := len(parts) + 1
		tag, err := d.put(ctx, lfsAction{Href: a.Header[strconv.Itoa(n)]}, in, from, min(size, f.Size-from))
		if err != nil {
			return fmt.Errorf("part %d: %w", n, err)
		}
		if tag == "" {
			return &ListingError{d.lfsRequest().canonical, fmt.Sprintf("the host gave part %d of %s no tag, so the parts cannot be joined", n, f.Path)}
		}
		parts = append(parts, part{n, tag})
	}
	r, err := lfsAction{Href: a.Href}.request(http.MethodPost, d.lfsRequest())
	if err != nil {
		return err
	}
	return d.post(ctx, r, map[string]any{"oid": f.SHA256, "parts": parts})
}

// spool is a body that waits in a file, which has no name any more and goes with the
// process.
type spool struct {
	file *os.File
	size int64
}

func (s spool) open() io.Reader { return io.NewSectionReader(s.file, 0, s.size) }

// spoolChange writes a change in the form of the hub's commits, one operation a line: it
// holds the bytes of small files, and may be sent more than once.
func spoolChange(ctx context.Context, c Change) (spool, error) {
	file, err := os.CreateTemp("", "memforge-commit-*")
	if err != nil {
		return spool{}, fmt.Errorf("write the commit to a temporary file: %w", err)
	}
	out := bufio.NewWriter(file)
	err = errors.Join(os.Remove(file.Name()), writeChange(ctx, json.NewEncoder(out), c), out.Flush())
	size, sought := file.Seek(0, io.SeekCurrent)
	if err = errors.Join(err, sought); err != nil {
		return spool{}, errors.Join(fmt.Errorf("write the commit to a temporary file: %w", err), file.Close())
	}
	return spool{file, size}, nil
}

func writeChange(ctx context.Context, out *json.Encoder, c Change) error {
	write := func(key string, value map[string]any) error {
		return out.Encode(map[string]any{"key": key, "value": value})
	}
	err := write("header", map[string]any{"summary": c.Summary, "description": "", "parentCommit": c.Parent})
	for _, f := range c.Add {
		if err != nil {
			return err
		}
		if f.Large {
			err = write("lfsFile", map[string]any{"path": f.Path, "algo": "sha256", "oid": f.SHA256, "size": f.Size})
			continue
		}
		var data []byte
		if data, err = f.read(ctx); err == nil {
			err = write("file", map[string]any{"path": f.Path, "encoding": "base64", "content": data})
		}
	}
	for _, p := range c.Remove {
		err = errors.Join(err, write("deletedFile", map[string]any{"path": p}))
	}
	return err
}

func (f Upload) read(ctx context.Context) ([]byte, error) {
	in, err := f.openChecked(ctx)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(in)
	return data, errors.Join(err, in.Close())
}
