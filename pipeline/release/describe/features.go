package describe

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/memforge/memforge/pipeline/kit/rowschema"
)

// FeaturesKey is the footer key under which dataset loaders look for features.
const FeaturesKey = "huggingface"

// FeaturesJSON declares the columns for dataset loaders. Fields stand in the
// order of the columns, which loaders compare, so no Go map is involved. Lists
// take the plain form, which every version of the loaders reads.
func FeaturesJSON(table string, columns []rowschema.Column) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`{"info":{"features":`)
	writeFeatureFields(&b, columns)
	b.WriteString(`}}`)
	if !json.Valid(b.Bytes()) {
		return nil, fmt.Errorf("features of table %s are not valid JSON", table)
	}
	return b.Bytes(), nil
}

func writeFeatureFields(b *bytes.Buffer, columns []rowschema.Column) {
	b.WriteByte('{')
	for i, c := range columns {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "%q:", c.Name)
		writeFeature(b, c)
	}
	b.WriteByte('}')
}

func writeFeature(b *bytes.Buffer, c rowschema.Column) {
	switch c.Kind {
	case rowschema.List:
		b.WriteByte('[')
		writeFeature(b, *c.Elem)
		b.WriteByte(']')
	case rowschema.Struct:
		writeFeatureFields(b, c.Fields)
	case rowschema.Image:
		b.WriteString(`{"_type":"Image"}`)
	default:
		fmt.Fprintf(b, `{"dtype":%q,"_type":"Value"}`, leafOf(c.Kind).dtype)
	}
}

// leaf names the type of a column without parts for dataset loaders and in Croissant.
type leaf struct{ dtype, croissant string }

// leafOf returns nothing for lists and structs.
func leafOf(k rowschema.Kind) leaf {
	return map[rowschema.Kind]leaf{
		rowschema.String:  {"string", "sc:Text"},
		rowschema.Bytes:   {"binary", "sc:Text"},
		rowschema.Bool:    {"bool", "sc:Boolean"},
		rowschema.Int32:   {"int32", "sc:Integer"},
		rowschema.Int64:   {"int64", "sc:Integer"},
		rowschema.Float64: {"float64", "sc:Float"},
		rowschema.Image:   {"image", "sc:ImageObject"},
	}[k]
}
