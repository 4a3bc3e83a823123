package score

// FindMissing returns which of the ids have no answer. These are an error unless the run
// is incomplete.
func FindMissing(ids []string, answers map[string]string, o Options) (missing []string, err error) {
	for _, id := range ids {
		if _, given := answers[id]; !given {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 && !o.Incomplete {
		return nil, &MissingError{IDs: missing}
	}
	return missing, nil
}
