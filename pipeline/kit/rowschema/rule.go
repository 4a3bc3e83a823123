package rowschema

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Rule is what holds of the values of a column, or of the elements of a list, besides
// their kind; a null has none to hold. It stands in the tag `holds` of the field, as
// options between commas:
//
//	holds:"in=user|assistant"   one of these texts; with "|" at the end also none
//	holds:"min=0,max=9"         a number from 0 to 9
//	holds:"form=time"           a text of a form: FormTime, FormDate or FormSaid
type Rule struct {
	In   []string `json:"in,omitempty"`
	Min  *float64 `json:"min,omitempty"`
	Max  *float64 `json:"max,omitempty"`
	Form string   `json:"form,omitempty"`
}

// Forms of texts: an RFC 3339 time; a day or such a time; at least one sign that is
// no space.
const (
	FormTime = "time"
	FormDate = "date"
	FormSaid = "said"
)

// maxListed bounds how many texts a stranger may list.
const maxListed = 1000

// ruleOf reads the tag of a field whose values are of a kind.
func ruleOf(f reflect.StructField, k Kind) (*Rule, error) {
	tag := f.Tag.Get("holds")
	if tag == "" {
		return nil, nil
	}
	r := &Rule{}
	for o := range strings.SplitSeq(tag, ",") {
		key, value, _ := strings.Cut(o, "=")
		var err error
		switch key {
		case "in":
			r.In = strings.Split(value, "|")
		case "min":
			r.Min, err = bound(value)
		case "max":
			r.Max, err = bound(value)
		case "form":
			r.Form = value
		default:
			err = fmt.Errorf("%q is no rule", o)
		}
		if err != nil {
			return nil, fmt.Errorf("field %s: tag holds: %w", f.Name, err)
		}
	}
	if err := r.check(k); err != nil {
		return nil, fmt.Errorf("field %s: tag holds: %w", f.Name, err)
	}
	return r, nil
}

func bound(s string) (*float64, error) {
	n, err := strconv.ParseFloat(s, 64)
	return &n, err
}

// check refuses rules that no tag gives: a manifest may declare them.
func (r *Rule) check(k Kind) error {
	number := k == Int32 || k == Int64 || k == Float64
	switch {
	case r == nil:
		return nil
	case (len(r.In) > 0 || r.Form != "") && k != String || (r.Min != nil || r.Max != nil) && !number:
		return errors.New("texts are of a list or form, numbers have bounds")
	case r.Form != "" && !slices.Contains([]string{FormTime, FormDate, FormSaid}, r.Form):
		return fmt.Errorf("%q is no form of texts", r.Form)
	case len(r.In) > maxListed:
		return fmt.Errorf("a list has up to %d texts", maxListed)
	}
	return nil
}

// Violation says which value of a row is not what the rules of its column want; empty
// where all are.
func Violation(columns []Column, row []any) string {
	for i, c := range columns {
		if i >= len(row) || row[i] == nil {
			continue
		}
		if why := c.violation(row[i]); why != "" {
			return why
		}
	}
	return ""
}

func (c Column) violation(v any) string {
	if c.Rule != nil {
		if why := c.Rule.violation(v); why != "" {
			return c.Name + " " + why
		}
	}
	parts, ok := v.([]any)
	if !ok {
		return ""
	}
	if !c.hasRule() {
		return ""
	}
	if c.Kind != List {
		if why := Violation(c.Fields, parts); why != "" {
			return c.Name + "." + why
		}
		return ""
	}
	for _, p := range parts {
		if why := c.Elem.violation(p); why != "" {
			return c.Name + strings.TrimPrefix(why, c.Elem.Name)
		}
	}
	return ""
}

func (c Column) hasRule() bool {
	return c.Rule != nil || c.Elem != nil && c.Elem.hasRule() || slices.ContainsFunc(c.Fields, Column.hasRule)
}

// HasRules reports whether any of the columns has a rule.
func HasRules(columns []Column) bool { return slices.ContainsFunc(columns, Column.hasRule) }

func (r *Rule) violation(v any) string {
	switch v := v.(type) {
	case string:
		return r.text(v)
	case int32:
		return r.number(float64(v))
	case int64:
		return r.number(float64(v))
	case float64:
		return r.number(v)
	}
	return ""
}

func (r *Rule) text(v string) string {
	if len(r.In) > 0 && !slices.Contains(r.In, v) {
		return fmt.Sprintf("is %.60q; want one of %s", v, strings.Join(slices.DeleteFunc(slices.Clone(r.In), func(s string) bool { return s == "" }), ", "))
	}
	_, timed := time.Parse(time.RFC3339, v)
	_, dated := time.Parse(time.DateOnly, v)
	switch {
	case r.Form == FormTime && timed != nil:
		return fmt.Sprintf("is %.60q; want a time as 2024-06-17T09:30:00Z", v)
	case r.Form == FormDate && timed != nil && dated != nil:
		return fmt.Sprintf("is %.60q; want a day as 2024-06-17, or a time as 2024-06-17T09:30:00Z", v)
	case r.Form == FormSaid && strings.TrimSpace(v) == "":
		return "says nothing"
	}
	return ""
}

func (r *Rule) number(v float64) string {
	low, high := math.Inf(-1), math.Inf(1)
	if r.Min != nil {
		low = *r.Min
	}
	if r.Max != nil {
		high = *r.Max
	}
	switch {
	case v >= low && v <= high:
		return ""
	case r.Max == nil:
		return fmt.Sprintf("is %v; want %v or more", v, low)
	case r.Min == nil:
		return fmt.Sprintf("is %v; want at most %v", v, high)
	}
	return fmt.Sprintf("is %v; want %v to %v", v, low, high)
}

// WithoutRules returns the columns without their rules: releases of other versions may have
// fewer of these.
func WithoutRules(columns []Column) []Column {
	out := slices.Clone(columns)
	for i := range out {
		out[i].Rule = nil
		out[i].Fields = WithoutRules(out[i].Fields)
		if out[i].Elem != nil {
			elem := WithoutRules([]Column{*out[i].Elem})[0]
			out[i].Elem = &elem
		}
	}
	return out
}
