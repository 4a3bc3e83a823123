package publish

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/store/bucket"
)

// pointer is VERSION.json in a bucket: where the files of a version are. It is written
// last, so that a version is there whole or not at all.
type pointer struct {
	Format  int    `json:"format"`
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version string `json:"version"`
	// Folder is beside the pointer, and holds the release as it is on a disk.
	Folder string `json:"folder"`
	// Sums is the digest of SHA256SUMS.
	Sums  pipeline.Digest `json:"sums"`
	Files int             `json:"files"`
}

const (
	pointerFormat = 1
	pointerSuffix = ".json"
	maxPointer    = 64 << 10
	// transfers is how many files are sent to a bucket or fetched at once.
	transfers = 4
)

// bucketTarget is a bucket of a cloud.
type bucketTarget struct {
	at     Place
	opts   Options
	bucket *bucket.Bucket
}

func openBucket(ctx context.Context, at Place, opts Options) (*bucketTarget, error) {
	b, err := bucket.Open(ctx, at.URL)
	if err != nil {
		return nil, err
	}
	return &bucketTarget{at, opts, b}, nil
}

func (l *local) pointer() pointer {
	sums, _ := l.file(manifest.SumsName)
	return pointer{
		Format: pointerFormat, ID: l.manifest.ID, Name: l.manifest.Name, Version: l.manifest.Version,
		Folder: ".releases/" + l.manifest.Name + "-" + l.manifest.Version + "-" + string(sums.SHA256[:16]),
		Sums:   sums.SHA256, Files: len(l.files),
	}
}

func (t *bucketTarget) compare(ctx context.Context, rel *local) (Plan, error) {
	own := rel.pointer()
	plan := Plan{Place: t.at.String(), Name: own.Version + pointerSuffix}
	is, found, err := t.readPointer(ctx, own.Version)
	if err != nil {
		return plan, err
	}
	if found {
		if is.Sums != own.Sums {
			return plan, otherBytes(plan.Place, own.Version, "release "+is.ID)
		}
		plan.Done, plan.Kept = true, len(rel.files)
		return plan, nil
	}
	if !t.opts.Replace {
		if err := t.checkName(ctx, rel); err != nil {
			return plan, err
		}
	}
	plan.Send, err = t.lacks(ctx, rel)
	plan.Kept = len(rel.files) - len(plan.Send)
	return plan, err
}

// checkName refuses a place with releases of another name.
func (t *bucketTarget) checkName(ctx context.Context, rel *local) error {
	versions, err := t.versions(ctx)
	if err != nil || len(versions) == 0 {
		return err
	}
	newest := versions[len(versions)-1].String()
	is, _, err := t.readPointer(ctx, newest)
	if err == nil && is.Name != rel.manifest.Name {
		err = &TakenError{t.at.String(), fmt.Sprintf("it holds release %s %s, and this is %s; publish to another place, or give --replace", is.Name, newest, rel.manifest.Name)}
	}
	return err
}

// versions lists the versions that have a pointer, in their order.
func (t *bucketTarget) versions(ctx context.Context) (out []manifest.Version, err error) {
	listed, err := t.bucket.ListObjects(ctx, t.at.Prefix, false)
	for _, o := range listed {
		name, ok := bytes.CutSuffix([]byte(path.Base(o.Name)), []byte(pointerSuffix))
		if v, err := manifest.ParseVersion(string(name)); ok && err == nil {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, manifest.Version.Compare)
	return out, err
}

func (t *bucketTarget) readPointer(ctx context.Context, version string) (is pointer, found bool, err error) {
	name := t.at.name(version + pointerSuffix)
	r, err := t.bucket.OpenObject(ctx, name, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return is, false, nil
	}
	if err != nil {
		return is, false, err
	}
	text, err := io.ReadAll(io.LimitReader(r, maxPointer))
	if err = errors.Join(err, r.Close()); err != nil {
		return is, false, err
	}
	if err := json.Unmarshal(text, &is); err != nil {
		return is, false, fmt.Errorf("object %s does not name a release: %w", name, err)
	}
	_, sumsErr := pipeline.ParseDigest(string(is.Sums))
	switch {
	case is.Format != pointerFormat:
		return is, false, fmt.Errorf("object %s has format %d, and this memforge reads %d; use a newer one", name, is.Format, pointerFormat)
	case is.Version != version || !manifest.NamePattern.MatchString(is.Name) || manifest.CheckPath(is.Folder) != nil || sumsErr != nil:
		return is, false, fmt.Errorf("object %s contradicts itself; it does not name a release", name)
	}
	return is, true, nil
}

// lacks lists the files that the bucket does not hold yet. What it holds below the folder
// of these bytes was put there whole; that its size is right, and its MD5 where the bucket
// knows it, is compared.
func (t *bucketTarget) lacks(ctx context.Context, rel *local) (lacks []manifest.FileInfo, err error) {
	folder := t.at.name(rel.pointer().Folder)
	listed, err := t.bucket.ListObjects(ctx, folder, true)
	if err != nil {
		return nil, err
	}
	there := map[string]bucket.Object{}
	for _, o := range listed {
		there[o.Name] = o
	}
	for _, f := range rel.files {
		o, found := there[folder+"/"+f.Path]
		same := found && o.Size == f.Size
		if same && len(o.MD5) > 0 {
			sum, err := rel.md5(f)
			if err != nil {
				return nil, err
			}
			same = bytes.Equal(sum, o.MD5)
		}
		if !same {
			lacks = append(lacks, f)
		}
	}
	return lacks, nil
}

func (l *local) md5(of manifest.FileInfo) (_ []byte, err error) {
	f, err := l.root.Open(of.Path)
	if err != nil {
		return nil, fmt.Errorf("read release: %w", err)
	}
	h := md5.New()
	_, err = io.Copy(h, f)
	return h.Sum(nil), errors.Join(err, f.Close())
}

// send puts the files below a folder that no listing of versions shows, looks whether all
// are there, and then writes the pointer.
func (t *bucketTarget) send(ctx context.Context, rel *local, plan Plan) error {
	own := rel.pointer()
	sent := &counter{opts: t.opts, verb: "uploaded", all: len(plan.Send), want: plan.Bytes()}
	group, inGroup := errgroup.WithContext(ctx)
	group.SetLimit(transfers)
	for _, f := range plan.Send {
		group.Go(func() error {
			in, err := rel.open(inGroup, f)
			if err != nil {
				return err
			}
			err = t.bucket.PutObject(inGroup, t.at.name(own.Folder+"/"+f.Path), in)
			if err = errors.Join(err, in.Close()); err == nil {
				sent.add(f.Size)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	lacks, err := t.lacks(ctx, rel)
	if err != nil {
		return err
	}
	if len(lacks) > 0 {
		return &TakenError{plan.Place, fmt.Sprintf("the bucket lacks %d files that were put there (%s), so the version was not published; run again", len(lacks), difference{lacks: lacks})}
	}
	text, err := json.MarshalIndent(own, "", "  ")
	if err != nil {
		return fmt.Errorf("encode pointer: %w", err)
	}
	err = t.bucket.CreateObject(ctx, t.at.name(plan.Name), append(text, '\n'))
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	// Another process was quicker, or the reply to the first try was lost.
	is, found, err := t.readPointer(ctx, own.Version)
	if err == nil && (!found || is.Sums != own.Sums) {
		err = otherBytes(plan.Place, own.Version, "release "+is.ID)
	}
	return err
}
