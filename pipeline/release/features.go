package release

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline/shape"
)

// featuresKey is the footer key under which dataset loaders look for features.
const featuresKey = "huggingface"

// featuresJSON declares the columns for dataset loaders. Fields stand in the
// order of the columns, which loaders compare, so no Go map is involved. Lists
// take the plain form, which every version of the loaders reads.
func featuresJSON(t table) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`{"info":{"features":`)
	writeFeatureFields(&b, t.columns)
	b.WriteString(`}}`)
	if !json.Valid(b.Bytes()) {
		return nil, fmt.Errorf("features of table %s are not valid JSON", t.name)
	}
	return b.Bytes(), nil
}

func writeFeatureFields(b *bytes.Buffer, columns []shape.Column) {
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

func writeFeature(b *bytes.Buffer, c shape.Column) {
	switch c.Kind {
	case shape.List:
		b.WriteByte('[')
		writeFeature(b, *c.Elem)
		b.WriteByte(']')
	case shape.Struct:
		writeFeatureFields(b, c.Fields)
	case shape.Image:
		b.WriteString(`{"_type":"Image"}`)
	default:
		fmt.Fprintf(b, `{"dtype":%q,"_type":"Value"}`, leafOf(c.Kind).dtype)
	}
}

// leaf is what a column without parts is: what its type means in Parquet, and its names
// for dataset loaders and in Croissant.
type leaf struct{ meaning, dtype, croissant string }

// leafOf is nothing for lists and structs. To Parquet an image is a struct.
func leafOf(k shape.Kind) leaf {
	return map[shape.Kind]leaf{
		shape.String:  {" UTF8", "string", "sc:Text"},
		shape.Bytes:   {"", "binary", "sc:Text"},
		shape.Bool:    {"", "bool", "sc:Boolean"},
		shape.Int32:   {" INT_32", "int32", "sc:Integer"},
		shape.Int64:   {" INT_64", "int64", "sc:Integer"},
		shape.Float64: {"", "float64", "sc:Float"},
		shape.Image:   {dtype: "image", croissant: "sc:ImageObject"},
	}[k]
}

// featuresYAML declares the same columns in the front matter of the card.
func featuresYAML(b *strings.Builder, columns []shape.Column, indent string) {
	for _, c := range columns {
		fmt.Fprintf(b, "%s- name: %s\n", indent, c.Name)
		featureYAML(b, c, indent+"  ")
	}
}

func featureYAML(b *strings.Builder, c shape.Column, indent string) {
	switch c.Kind {
	case shape.List:
		if c.Elem.Kind != shape.Struct {
			fmt.Fprintf(b, "%slist: %s\n", indent, leafOf(c.Elem.Kind).dtype)
			return
		}
		fmt.Fprintf(b, "%slist:\n", indent)
		featuresYAML(b, c.Elem.Fields, indent)
	case shape.Struct:
		fmt.Fprintf(b, "%sstruct:\n", indent)
		featuresYAML(b, c.Fields, indent)
	default:
		fmt.Fprintf(b, "%sdtype: %s\n", indent, leafOf(c.Kind).dtype)
	}
}
