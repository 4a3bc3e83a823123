package release

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
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

func writeFeatureFields(b *bytes.Buffer, columns []column) {
	b.WriteByte('{')
	for i, c := range columns {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "%q:", c.name)
		writeFeature(b, c)
	}
	b.WriteByte('}')
}

func writeFeature(b *bytes.Buffer, c column) {
	switch c.kind {
	case kindList:
		b.WriteByte('[')
		writeFeature(b, *c.elem)
		b.WriteByte(']')
	case kindStruct:
		writeFeatureFields(b, c.fields)
	case kindImage:
		b.WriteString(`{"_type":"Image"}`)
	default:
		fmt.Fprintf(b, `{"dtype":%q,"_type":"Value"}`, c.kind.dtype())
	}
}

// dtype is the loaders' name of a leaf type.
func (k kind) dtype() string {
	switch k {
	case kindBool:
		return "bool"
	case kindInt32:
		return "int32"
	case kindInt64:
		return "int64"
	case kindFloat64:
		return "float64"
	case kindBytes:
		return "binary"
	}
	return "string"
}

// featuresYAML declares the same columns in the front matter of the card.
func featuresYAML(b *strings.Builder, columns []column, indent string) {
	for _, c := range columns {
		fmt.Fprintf(b, "%s- name: %s\n", indent, c.name)
		featureYAML(b, c, indent+"  ")
	}
}

func featureYAML(b *strings.Builder, c column, indent string) {
	switch c.kind {
	case kindList:
		if c.elem.kind != kindStruct {
			fmt.Fprintf(b, "%slist: %s\n", indent, c.elem.kind.dtype())
			return
		}
		fmt.Fprintf(b, "%slist:\n", indent)
		featuresYAML(b, c.elem.fields, indent)
	case kindStruct:
		fmt.Fprintf(b, "%sstruct:\n", indent)
		featuresYAML(b, c.fields, indent)
	case kindImage:
		fmt.Fprintf(b, "%sdtype: image\n", indent)
	default:
		fmt.Fprintf(b, "%sdtype: %s\n", indent, c.kind.dtype())
	}
}
