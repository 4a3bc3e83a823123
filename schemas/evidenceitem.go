package schemas

import "slices"

// Schemas that data sets, and symbolic worlds in their place, give to a family that
// spreads evidence over sources (SMMBench B.2 to B.4).
const (
	NameEvidenceItem = "evidence_item"
	NameProfile      = "profile"
)

// Tasks that an item is proposed for (SMMBench 3.3).
const (
	TaskSingleHop    = "single_hop"
	TaskMultiHop     = "multi_hop"
	TaskConflict     = "conflict_resolution"
	TaskPreference   = "preference_reasoning"
	TaskFunctionCall = "function_call"
)

// EvidenceItem is one item of a data set or of a world in a common form (SMMBench B.2,
// B.3): a question with its gold, and the units of evidence that it rests on. It
// precedes sources and conversations: a unit says what is known, not where it is said.
type EvidenceItem struct {
	// ItemID is "<data set>/<upstream's id>", for a world the world's own.
	ItemID     string `json:"item_id"`
	Dataset    string `json:"dataset"`
	UpstreamID string `json:"upstream_id"`
	SourceID   string `json:"source_id"`
	// License applies to the question and to every unit without one of its own: an SPDX
	// id, several joined by " AND ", or NOASSERTION.
	License string `json:"license"`
	// ReferenceOnly says that no text and no picture of the item may be passed on: its
	// question has neither words nor gold, and its units are references. Labels and
	// units then hold SHA-256 digests, by which an owner of the data set finds the
	// item.
	ReferenceOnly bool `json:"reference_only,omitempty"`
	// Task is one of those above.
	Task string `json:"task"`
	// Question has words, options, tools and gold as far as the data set has them. Its
	// id is ItemID, its Type upstream's kind of question in lower case. The maker of a
	// sample sets family, task, split, evidence and media.
	Question Question `json:"question"`
	// Units are in order of time if they have one, else in that of the data set.
	Units []EvidenceUnit `json:"units"`
	// Media are the rows of the pictures in question and units, each once, in the order
	// of ShownMedia; their ids are the blobs of the record.
	Media []Media `json:"media,omitempty"`
	// Profiles are ids of profiles whose preferences the question is about.
	Profiles []string `json:"profiles,omitempty"`
	// Notes list oddities of an item that was taken.
	Notes []Note `json:"notes,omitempty"`
}

// Modalities of a unit that Evidence does not have (SMMBench B.2).
const (
	ModalityDocument = "document"
	ModalityJSON     = "json"
)

// States of a unit whose content is not in the record. UnitReference may not be passed
// on; the others could not be obtained.
const (
	UnitReference = "reference"
	UnitMissing   = "missing"
	UnitGated     = "gated"
	UnitDead      = "dead"
)

// EvidenceUnit is one piece of evidence of an item (SMMBench B.2, B.3). What it holds
// depends on its modality:
//
//	text      Text
//	image     Media, one picture; Text is empty
//	table     Rows, of which the first is the header, or Media, a picture of it
//	document  Parts in reading order
//	json      Text, one JSON value
type EvidenceUnit struct {
	// UnitID is unique among all items of a data set: see UnitIDOf.
	UnitID string `json:"unit_id"`
	// UpstreamID is upstream's id of the content, in Dataset, which is the item's
	// unless the content comes from another one.
	UpstreamID string `json:"upstream_id,omitempty"`
	Dataset    string `json:"dataset"`
	// Modality is ModalityText, ModalityImage, ModalityTable, ModalityDocument or
	// ModalityJSON.
	Modality string `json:"modality"`
	// State is empty if the content is here, else one of those above.
	State string `json:"state,omitempty"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
	// Media is the id of a picture, a blob of the record.
	Media string     `json:"media,omitempty"`
	Rows  [][]string `json:"rows,omitempty"`
	Parts []UnitPart `json:"parts,omitempty"`
	// Caption is the description of the picture by upstream or a world.
	Caption string `json:"caption,omitempty"`
	// Ref locates the content upstream, SHA256 is its digest; both are set if State is
	// UnitReference and they are known.
	Ref    string `json:"ref,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	// Role is RoleClue, RoleUpdate, RoleSuperseded or RoleContext, or RoleDistractor
	// for what accompanies the gold.
	Role string `json:"role"`
	// Order counts from 1.
	Order int32 `json:"order"`
	// Revises lists units of the item that this later one replaces.
	Revises []string `json:"revises,omitempty"`
	// Time is an RFC 3339 time or a day, if the data set has one.
	Time string `json:"time,omitempty"`
	// License is set if it differs from the item's.
	License string            `json:"license,omitempty"`
	Labels  map[string]string `json:"labels,omitempty"`
}

// UnitPart is a page of a document, or a region of one.
type UnitPart struct {
	UpstreamID string `json:"upstream_id,omitempty"`
	// Page counts from 1; 0 is unknown.
	Page    int32  `json:"page,omitempty"`
	Text    string `json:"text,omitempty"`
	Media   string `json:"media,omitempty"`
	Caption string `json:"caption,omitempty"`
	// Gold says that the answer rests on this part.
	Gold bool `json:"gold,omitempty"`
}

// UnitIDOf returns the id of the n-th unit, from 1, of an item.
func UnitIDOf(item string, n int) string { return numberedID(item, 'E', 2, n) }

// Needed returns the units that the answer rests on: all but distractors.
func (i EvidenceItem) Needed() (out []EvidenceUnit) {
	for _, u := range i.Units {
		if u.Role != RoleDistractor {
			out = append(out, u)
		}
	}
	return out
}

// ContentMissing reports whether the question, or the content of a unit, is not in the
// record: the item then only says which evidence belongs together.
func (i EvidenceItem) ContentMissing() bool {
	return i.ReferenceOnly || slices.ContainsFunc(i.Units, func(u EvidenceUnit) bool { return u.State != "" })
}

// Pictures returns the media ids of a unit, in order.
func (u EvidenceUnit) Pictures() (out []string) {
	if u.Media != "" {
		out = append(out, u.Media)
	}
	for _, p := range u.Parts {
		if p.Media != "" {
			out = append(out, p.Media)
		}
	}
	return out
}

// ShownMedia returns the media ids of the item, its question's first, each once.
func (i EvidenceItem) ShownMedia() []string {
	all := slices.Clone(i.Question.QuestionMedia)
	for _, u := range i.Units {
		all = append(all, u.Pictures()...)
	}
	var out []string
	for _, id := range all {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// Profile is a person for conversations (SMMBench B.4). It steers what is said and is
// not evaluated itself.
type Profile struct {
	// ProfileID is "<data set>/<upstream's id>".
	ProfileID  string `json:"profile_id"`
	Dataset    string `json:"dataset"`
	UpstreamID string `json:"upstream_id"`
	SourceID   string `json:"source_id"`
	License    string `json:"license"`
	// Name is empty if that of the data set may not be used: it is then given later.
	Name string `json:"name,omitempty"`
	// Attributes are facts such as age and employment, Traits words on character.
	Attributes  map[string]string `json:"attributes,omitempty"`
	Traits      []string          `json:"traits,omitempty"`
	Preferences []Preference      `json:"preferences,omitempty"`
	Notes       []Note            `json:"notes,omitempty"`
}

// Preference is a person's preference: a statement, and the same in symbols.
type Preference struct {
	// Dimension is the topic of the preference; a profile has one preference each.
	Dimension string `json:"dimension"`
	// Level is the side taken: high, middle, low, like, dislike, or upstream's own.
	Level string `json:"level,omitempty"`
	Text  string `json:"text"`
}
