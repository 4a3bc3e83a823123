package pipeline

import (
	"fmt"
	"sync"
)

// Item is what a gate judges, whatever its schema: a record, or the row that it
// has in a release. It is read into its type once and must not be changed. It may
// be read by several at once.
type Item struct {
	ID, Schema string

	mu     sync.Mutex
	record Record
	read   func() (Record, error) // or nil
	value  any                    // pointer to the typed value, or nil
}

// RecordItem is a record as an item.
func RecordItem(r Record) *Item { return &Item{ID: r.ID, Schema: r.Schema, record: r} }

// LazyItem is an item whose record is read whenever somebody asks for it: many of them
// take no memory.
func LazyItem(schema, id string, read func() (Record, error)) *Item {
	return &Item{ID: id, Schema: schema, read: read}
}

// NewItem is the item with a typed value.
func NewItem[T any](schema, id string, v *T) *Item { return &Item{ID: id, Schema: schema, value: v} }

// Record is the item as a record. That of a value has no blobs.
func (i *Item) Record() (Record, error) {
	switch {
	case i.record.ID != "":
		return i.record, nil
	case i.read != nil:
		return i.read()
	}
	return NewRecord(i.Schema, i.ID, i.value)
}

// ItemValue is the typed value of an item: nil of a nil item, an error where the item
// is of another type.
func ItemValue[T any](i *Item) (*T, error) {
	if i == nil {
		return nil, nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if v, ok := i.value.(*T); ok {
		return v, nil
	}
	if i.record.ID == "" && i.read == nil {
		return nil, fmt.Errorf("item %q is a %s and no %T", i.ID, i.Schema, *new(T))
	}
	rec, err := i.Record()
	if err != nil {
		return nil, err
	}
	v, err := Decode[T](rec)
	if err != nil {
		return nil, err
	}
	i.value = &v
	return &v, nil
}

// Because is a judgement with its reason, which begins with the code.
func (o Outcome) Because(code, format string, args ...any) Judgement {
	return Judgement{Outcome: o, Code: code, Reason: code + ": " + fmt.Sprintf(format, args...)}
}
