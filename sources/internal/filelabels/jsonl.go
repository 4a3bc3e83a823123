package filelabels

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

func (t *Table) readJSONL(lines []record) {
	for _, l := range lines {
		if why := check(l.text, false); why != nil {
			t.reject(l, why)
			continue
		}
		columns, why := jsonColumns(l.text)
		if why != nil {
			t.reject(l, why)
			continue
		}
		t.add(l, columns)
	}
}

// jsonColumns decodes a flat object of strings token by token: the standard
// map decoding would hide a key that occurs twice.
func jsonColumns(text []byte) (map[string]string, *pipeline.Rejection) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, badJSON(err)
	}
	columns := map[string]string{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, badJSON(err)
		}
		name := strings.TrimSpace(key.(string))
		if len(columns) == MaxColumns {
			return nil, pipeline.Reject(CodeColumns, "more than %d keys; leave out what no label needs", MaxColumns)
		}
		if _, twice := columns[name]; twice || name == "" {
			return nil, pipeline.Reject(CodeBadRow, "key %q is empty or occurs twice", truncate(name))
		}
		value, err := dec.Token()
		if err != nil {
			return nil, badJSON(err)
		}
		s, ok := value.(string)
		if !ok {
			return nil, pipeline.Reject(CodeNotText, "the value of %q is not a string; write it in quotes", truncate(name))
		}
		columns[name] = s
	}
	if _, err := dec.Token(); err != nil {
		return nil, badJSON(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, badJSON(errors.New("text after the object"))
	}
	return columns, nil
}

func badJSON(err error) *pipeline.Rejection {
	if err == nil {
		err = errors.New("not an object")
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("the object does not end on its line")
	}
	return pipeline.Reject(CodeBadRow, "%s", fmt.Sprintf("not a JSON object of strings: %v", err))
}
