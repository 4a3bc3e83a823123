package release

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// CheckFolder says whether a folder is meant for a release, sound or not: its manifest states a
// format, which is a number, or its sums list a manifest. The error says what is
// missing; other projects have files of these names, too.
func CheckFolder(dir string) error {
	stated := formatStated(filepath.Join(dir, manifestName))
	if stated == nil {
		return nil
	}
	if data, err := atomicfile.Read(filepath.Join(dir, sumsName), maxManifest); err == nil {
		if listed, err := parseSums(string(data)); err == nil && listed.digest(manifestName) != "" {
			return nil
		}
	}
	return fmt.Errorf("%s is no release: %w, and no %s lists one", dir, stated, sumsName)
}

// formatStated looks for the format in a manifest, which may be the file of somebody
// else, or damaged behind it.
func formatStated(name string) error {
	file, err := atomicfile.Open(name)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", manifestName, err)
	}
	defer file.Close()
	dec := json.NewDecoder(io.LimitReader(file, maxManifest))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return fmt.Errorf("%s is no JSON object", manifestName)
	}
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err == nil {
			err = dec.Decode(&value)
		}
		if err != nil {
			return fmt.Errorf("%s is no JSON: %w", manifestName, err)
		}
		if key != "format" {
			continue
		}
		var format int
		if json.Unmarshal(value, &format) != nil || format < 1 {
			return fmt.Errorf("the format that %s states is %.40s, and that of a release is a number from 1 on", manifestName, value)
		}
		return nil
	}
	return fmt.Errorf("%s states no format", manifestName)
}
