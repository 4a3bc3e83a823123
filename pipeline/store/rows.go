package store

import (
	"context"
	"crypto/sha256"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// badRows are the ids of rows that Repair removes.
type badRows struct {
	results, records, builds []int64
}

// checkRows looks at every row. The blobs in bad count as absent.
func (d *Disk) checkRows(ctx context.Context, report *encoding.CheckReport, bad map[pipeline.Digest]bool) (badRows, error) {
	var rows badRows
	if err := d.checkRecords(ctx, report, &rows); err != nil {
		return rows, err
	}
	if err := d.checkResults(ctx, report, &rows, bad); err != nil {
		return rows, err
	}
	return rows, d.checkBuilds(ctx, report, &rows, bad)
}

func (d *Disk) checkRecords(ctx context.Context, report *encoding.CheckReport, rows *badRows) error {
	return eachPage(ctx, d.query.recordPage, func(id int64, body []byte) error {
		report.Records++
		if mayStandAt(sha256.Sum256(body), id) {
			return nil
		}
		report.Damaged++
		rows.records = append(rows.records, id)
		return nil
	}, func() error { return nil })
}

func (d *Disk) checkResults(ctx context.Context, report *encoding.CheckReport, rows *badRows, bad map[pipeline.Digest]bool) error {
	look, err := d.newLookup(ctx)
	if err != nil {
		return err
	}
	lost := look.lossy
	look.lossy = true
	for digest := range bad {
		look.blobs[digest] = false
	}
	var page []encoding.Row
	return eachPage(ctx, d.query.resultPage, func(id int64, body []byte) error {
		report.Results++
		key, r, err := encoding.DecodeRow(body, look.names)
		if err != nil || key.ID() != id {
			report.Damaged++
			rows.results = append(rows.results, id)
			return nil
		}
		r.ID = id
		page = append(page, r)
		return nil
	}, func() error {
		for _, r := range page {
			ok, err := look.whole(r)
			if err != nil {
				return err
			}
			// Of records that are lost nobody knows which runs gave them.
			if !ok || lost && encoding.IsMemory(r) {
				report.Broken = append(report.Broken, r.Result.Key)
				rows.results = append(rows.results, r.ID)
			}
		}
		page = page[:0]
		return nil
	})
}

func (d *Disk) checkBuilds(ctx context.Context, report *encoding.CheckReport, rows *badRows, bad map[pipeline.Digest]bool) error {
	builds, damaged, err := d.builds(ctx, 0)
	if err != nil {
		return err
	}
	report.Builds = len(builds) + len(damaged)
	report.BrokenBuilds = append(report.BrokenBuilds, damaged...)
	rows.builds = append(rows.builds, damaged...)
	for _, b := range builds {
		ok, err := d.hasUnits(b, bad)
		if err != nil {
			return err
		}
		if !ok {
			report.BrokenBuilds = append(report.BrokenBuilds, b.Seq)
			rows.builds = append(rows.builds, b.Seq)
		}
	}
	return nil
}

func (d *Disk) hasUnits(b pipeline.Build, bad map[pipeline.Digest]bool) (bool, error) {
	for _, n := range b.Steps {
		if n.UnitList == "" {
			continue
		}
		if bad[n.UnitList] {
			return false, nil
		}
		if ok, err := d.hasBlob(n.UnitList); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// forgetNumbers forgets which builds there were when nothing of any is left.
const forgetNumbers = `DELETE FROM sqlite_sequence
	WHERE NOT EXISTS (SELECT 1 FROM builds) AND NOT EXISTS (SELECT 1 FROM results)`

// dropRows forgets rows and, as no result is left without its records, losses.
func (w *writer) dropRows(ctx context.Context, rows badRows) error {
	return w.tx(ctx, func() error {
		for _, part := range []struct {
			text string
			ids  []int64
		}{
			{`DELETE FROM results WHERE id = ?`, rows.results},
			{`DELETE FROM records WHERE id = ?`, rows.records},
			{`DELETE FROM builds WHERE seq = ?`, rows.builds},
		} {
			for _, id := range part.ids {
				if err := w.exec(part.text, id); err != nil {
					return err
				}
			}
		}
		if err := w.exec(forgetNumbers); err != nil {
			return err
		}
		return w.exec(`UPDATE losses SET records = 0`)
	})
}

// healLosses forgets the results whose records were lost, once, so that
// lookups need not look for records.
func (d *Disk) healLosses(ctx context.Context) error {
	look, err := d.newLookup(ctx)
	if err != nil || !look.lossy {
		return err
	}
	var report encoding.CheckReport
	var rows badRows
	if err := d.checkRecords(ctx, &report, &rows); err != nil {
		return err
	}
	if err := d.checkResults(ctx, &report, &rows, nil); err != nil {
		return err
	}
	return d.write.dropRows(ctx, rows)
}
