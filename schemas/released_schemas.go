package schemas

// ReleasedSchema reports whether records of a schema become rows of a release.
func ReleasedSchema(schema string) bool {
	switch schema {
	case NameQuestion, NameTask, NameMedia, NameStatements, NameVerdict, NameProbes:
		return true
	}
	return false
}

// IntermediateSchema reports whether stages of this program consume records of a
// schema, so that a release need not have them.
func IntermediateSchema(schema string) bool {
	switch schema {
	case NameFilm, NameVideo, NamePair, NameComposition, NameTrial, NameFlagged, NameEvidenceItem, NameProfile:
		return true
	}
	return false
}

// Codes of records that no gate or stage dropped, but that a release excludes: a
// question without its medium, a row of a plugin's table without a record it refers to,
// what is too large for a row (with the gate as stage, if it is only a form that a gate
// judged), and what violates a rule of the tables.
const (
	ExcludedMedia  = "withheld-media"
	ExcludedRecord = "withheld-record"
	ExcludedSize   = "withheld-size"
	ExcludedRule   = "withheld-rule"
)

// Excluded reports whether a code is one of these.
func Excluded(code string) bool {
	return code == ExcludedMedia || code == ExcludedRecord || code == ExcludedSize || code == ExcludedRule
}
