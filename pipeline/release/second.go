package release

import (
	"fmt"

	"github.com/memforge/memforge/pipeline/shape"

	"github.com/xitongsys/parquet-go/common"
	"github.com/xitongsys/parquet-go/reader"

	"github.com/memforge/memforge/pipeline/parquetrows"
)

// readTable decodes a Parquet file with an implementation that shares no code
// with the writer. It decodes column by column in this goroutine, where a
// panic can be recovered. Callers check the file's digest first. Rows that this
// program wrote itself have no other bound than those of all tables.
func readTable(data []byte, t table) (rows []row, keyValues map[string]string, err error) {
	if _, err := guard(data, t, Unlimited); err != nil {
		return nil, nil, err
	}
	rows, keyValues, _, err = decodeTable(data, t, Unlimited)
	return rows, keyValues, err
}

// decodeTable decodes what guard has passed. texts is how many bytes those of
// dictionaries have where they stand: one of a few bytes in the file may stand in
// every row. More than may are a *parquetrows.BudgetError.
func decodeTable(data []byte, t table, may int64) (rows []row, keyValues map[string]string, texts int64, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("decode table %s: damaged file: %v", t.name, p)
		}
	}()
	pr, err := parquetrows.Open(data)
	if err != nil {
		return nil, nil, 0, fmt.Errorf("decode table %s: %w", t.name, err)
	}
	footer, err := parquetrows.Footer(data) // the library renames what is in its own
	if err != nil {
		return nil, nil, 0, fmt.Errorf("decode table %s: %w", t.name, err)
	}
	dictionaries := parquetrows.Dictionaries(footer)
	streams := make([]*stream, 0, len(t.columns))
	for _, c := range t.columns {
		part, err := readStreams(pr, c, []string{pr.SchemaHandler.GetRootExName()}, 0, 0)
		if err != nil {
			return nil, nil, 0, fmt.Errorf("decode table %s: column %s: %w", t.name, c.Name, err)
		}
		streams = append(streams, part)
		if texts += part.shared(dictionaries, may-texts); texts > may {
			return nil, nil, 0, fmt.Errorf("decode table %s: column %s: %w", t.name, c.Name, &parquetrows.BudgetError{Budget: may})
		}
	}
	rows, err = assembleRows(t, streams, pr.GetNumRows())
	if err != nil {
		return nil, nil, 0, fmt.Errorf("decode table %s: %w", t.name, err)
	}
	keyValues = map[string]string{}
	for _, kv := range pr.Footer.GetKeyValueMetadata() {
		keyValues[kv.GetKey()] = kv.GetValue()
	}
	return rows, keyValues, texts, nil
}

// shared counts the bytes of texts that come from dictionaries, and stops behind
// most.
func (s *stream) shared(dictionaries map[string]bool, most int64) (n int64) {
	for _, p := range s.parts {
		n += p.shared(dictionaries, most-n)
	}
	if !dictionaries[s.place] {
		return n
	}
	for _, v := range s.values {
		text, _ := v.(string)
		if n += int64(len(text)); n > most {
			return n
		}
	}
	return n
}

// stream holds the decoded leaves of one column: values with their repetition
// and definition levels.
type stream struct {
	column      shape.Column
	place       string // its path in the schema, without the root
	values      []any
	reps, defs  []int32
	next        int
	parts       []*stream // of structs and lists
	presentFrom int32     // definition level from which the column is not null
	level       int32     // repetition level of a list's further elements
}

// readStreams decodes the leaves below c, which lies under def optional or
// repeated and rep repeated elements.
func readStreams(pr *reader.ParquetReader, c shape.Column, path []string, def, rep int32) (*stream, error) {
	path = append(path[:len(path):len(path)], c.Name)
	s := &stream{column: c, place: common.PathToStr(path[1:]), presentFrom: def + 1, level: rep + 1}
	switch c.Kind {
	case shape.List:
		inner := append(path[:len(path):len(path)], "list")
		part, err := readStreams(pr, *c.Elem, inner, def+2, rep+1)
		if err != nil {
			return nil, err
		}
		s.parts = []*stream{part}
		return s, nil
	case shape.Struct, shape.Image:
		for _, f := range c.Fields {
			part, err := readStreams(pr, f, path, def+1, rep)
			if err != nil {
				return nil, err
			}
			s.parts = append(s.parts, part)
		}
		return s, nil
	}
	if pr.GetNumRows() == 0 {
		return s, nil
	}
	var err error
	s.values, s.reps, s.defs, err = pr.ReadColumnByPath(common.PathToStr(path), pr.GetNumRows())
	return s, err
}
