package assemble

import "github.com/memforge/memforge/pipeline/release"

// CompareBuilt is Rebuild.Compare of a release without a recipe.
func CompareBuilt(info release.Info, dir string) (RebuildReport, error) {
	return (&Rebuild{info: info}).Compare(dir)
}
