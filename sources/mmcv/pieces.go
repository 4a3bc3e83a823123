package mmcv

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
	"github.com/memforge/memforge/sources/internal/evidence"
)

// pieceUnits holds pieces of MultiModalQA as units.
type pieceUnits map[ref]schemas.EvidenceUnit

// Limits of a file of MultiModalQA.
const (
	maxLine     = 16 << 20
	maxInflated = 4 << 30
)

// pieces reads those that the claims rest on; none without MultiModalQA. One that should
// be there and is not is rejected.
func (s *source) pieces(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, g *evidence.Emitter, all []claim) (pieceUnits, error) {
	if !s.cfg.MultiModalQA {
		return nil, nil
	}
	wanted := map[ref]bool{}
	for _, c := range all {
		for _, r := range c.refs {
			wanted[r] = true
		}
	}
	found, paths := pieceUnits{}, map[ref]string{}
	for _, k := range kinds() {
		a, err := benchmark.AssetNamed(assets, needPieces, k.file)
		if err != nil {
			return nil, err
		}
		if err := readPieces(ctx, scope, a, k, wanted, found, paths); err != nil {
			return nil, err
		}
	}
	if err := s.pictures(ctx, scope, assets, g, found, paths); err != nil {
		return nil, err
	}
	var absent []string
	for r := range wanted {
		if _, here := found[r]; !here {
			absent = append(absent, r.String())
		}
	}
	for _, id := range slices.Sorted(slices.Values(absent)) {
		scope.Reject(id, pipeline.Reject(schemas.CodeDanglingUnit, "a claim rests on it, and MultiModalQA does not have it"))
	}
	return found, nil
}

// readPieces takes the wanted lines of a file, which is streamed: it may be large.
func readPieces(ctx context.Context, scope *pipeline.Scope, a pipeline.Asset, k kind, wanted map[ref]bool, found pieceUnits, paths map[ref]string) error {
	if a.Problem != nil {
		scope.Reject(a.Path, a.Problem)
		return nil
	}
	blob, err := scope.OpenBlob(ctx, a.Blob)
	if err != nil {
		return err
	}
	defer blob.Close()
	err = eachLine(blob, func(n int, line []byte) error {
		o, err := annotation.ParseObject(line)
		id, err1 := o.Text("id")
		r := ref{k.modality, id}
		if err == nil && err1 == nil && !wanted[r] {
			return ctx.Err()
		}
		u, file, err2 := pieceOf(o, k.modality)
		if err := errors.Join(err, err1, err2); err != nil {
			scope.Reject(fmt.Sprintf("%s:%d", a.Path, n), pipeline.Reject(benchmark.CodeBadRow, "%v", err))
			return ctx.Err()
		}
		found[r], paths[r] = u, file
		return ctx.Err()
	})
	if err != nil && ctx.Err() == nil {
		scope.Reject(a.Path, pipeline.Reject(codeOf(err), "%v; what lies behind is lost", err))
		return nil
	}
	return err
}

var errTooLarge = errors.New("it takes more than the limit once it is unpacked")

func codeOf(err error) string {
	if errors.Is(err, errTooLarge) {
		return evidence.CodeExplodes
	}
	return evidence.CodeFile
}

// eachLine visits the lines of a gzipped file, from 1.
func eachLine(packed io.Reader, visit func(n int, line []byte) error) error {
	z, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	all := &io.LimitedReader{R: z, N: maxInflated}
	lines := bufio.NewScanner(all)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		if len(lines.Bytes()) == 0 {
			continue
		}
		if err := visit(n, lines.Bytes()); err != nil {
			return err
		}
	}
	if all.N <= 0 || errors.Is(lines.Err(), bufio.ErrTooLong) {
		return errTooLarge
	}
	return lines.Err()
}

// pieceOf makes a unit of a line, and the path of its picture.
func pieceOf(o annotation.Object, modality string) (u schemas.EvidenceUnit, file string, err error) {
	u = schemas.EvidenceUnit{Modality: modality}
	if err := o.Fill(annotation.Field{Key: "title", Into: &u.Title}, annotation.Field{Key: "url", Into: &u.Ref}); err != nil {
		return u, "", err
	}
	switch modality {
	case schemas.ModalityText:
		u.Text, err = o.Text("text")
		if err == nil && u.Text == "" {
			err = errors.New("it has no text")
		}
	case schemas.ModalityImage:
		file, err = o.Text("path")
		if err == nil && file == "" {
			err = errors.New("it has no path")
		}
	default:
		u.Rows, err = rowsOf(o)
	}
	return u, file, err
}

// rowsOf reads a table: its header, then its rows, which are filled up to the longest.
func rowsOf(o annotation.Object) ([][]string, error) {
	table, err := o.Object("table")
	if err != nil {
		return nil, err
	}
	header, err1 := table.Objects("header")
	rows, err2 := annotation.ParseList(table["table_rows"])
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	first, err := cellsOf(header, "column_name")
	if err != nil {
		return nil, err
	}
	out, width := [][]string{first}, len(first)
	for _, raw := range rows {
		cells, err := (annotation.Object{"row": raw}).Objects("row")
		if err != nil {
			return nil, err
		}
		one, err := cellsOf(cells, "text")
		if err != nil {
			return nil, err
		}
		out, width = append(out, one), max(width, len(one))
	}
	if width == 0 {
		return nil, errors.New("its table is empty")
	}
	for i := range out {
		out[i] = append(out[i], make([]string, width-len(out[i]))...)
	}
	return out, nil
}

func cellsOf(cells []annotation.Object, key string) (out []string, err error) {
	for _, c := range cells {
		text, err := c.Text(key)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// pictures takes those of found pieces. One that cannot be had leaves its piece missing.
func (s *source) pictures(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, g *evidence.Emitter, found pieceUnits, paths map[ref]string) error {
	files := benchmark.IndexPictures(assets, needMedia)
	if err := files.AddArchives(ctx, scope, s.cfg.MaxBytes, assets, needMedia); err != nil {
		return err
	}
	var refs []ref
	var stems []string
	for r, file := range paths {
		if file != "" {
			refs, stems = append(refs, r), append(stems, files.Stem(file))
		}
	}
	slices.SortFunc(refs, func(a, b ref) int { return strings.Compare(a.id, b.id) })
	if err := files.Extract(ctx, scope, slices.Sorted(slices.Values(stems))); err != nil {
		return err
	}
	for _, r := range refs {
		u := found[r]
		blob, why := files.Blob(files.Stem(paths[r]))
		if why == nil {
			var err error
			if u.Media, why, err = g.Album.AddBlob(ctx, blob); err != nil {
				return err
			}
		}
		if why != nil {
			scope.Reject(r.String(), why)
			u.State, u.Labels = schemas.UnitMissing, map[string]string{"path": path.Base(paths[r])}
		}
		found[r] = u
	}
	return nil
}
