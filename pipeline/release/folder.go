package release

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// CheckFolder says whether a folder is meant for a release, sound or not: its manifest states a
// format, which is a number, or its sums list a manifest. The error says what is
// missing; other projects have files of these names, too.
func CheckFolder(dir string) error {
	stated := formatStated(filepath.Join(dir, manifest.FileName))
	if stated == nil {
		return nil
	}
	if data, err := atomicfile.Read(filepath.Join(dir, manifest.SumsName), manifest.MaxBytes); err == nil {
		if listed, err := manifest.ParseSums(string(data)); err == nil && listed.Digest(manifest.FileName) != "" {
			return nil
		}
	}
	return fmt.Errorf("%s is no release: %w, and no %s lists one", dir, stated, manifest.SumsName)
}

// formatStated looks for the format in a manifest, which may be the file of somebody
// else, or damaged behind it.
func formatStated(name string) error {
	file, err := atomicfile.Open(name)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", manifest.FileName, err)
	}
	defer file.Close()
	dec := json.NewDecoder(io.LimitReader(file, manifest.MaxBytes))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return fmt.Errorf("%s is no JSON object", manifest.FileName)
	}
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err == nil {
			err = dec.Decode(&value)
		}
		if err != nil {
			return fmt.Errorf("%s is no JSON: %w", manifest.FileName, err)
		}
		if key != "format" {
			continue
		}
		var format int
		if json.Unmarshal(value, &format) != nil || format < 1 {
			return fmt.Errorf("the format that %s states is %.40s, and that of a release is a number from 1 on", manifest.FileName, value)
		}
		return nil
	}
	return fmt.Errorf("%s states no format", manifest.FileName)
}
