package describe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// Croissant describes a release of these files, besides what it writes itself, in Croissant 1.1 (mlcommons.org/croissant/1.1)
// with the fields of its responsible-AI vocabulary 1.0. What only its maintainer knows, as the
// date of publication, is left out where the manifest does not state it.
func (rel Release) Croissant(files []manifest.FileInfo) ([]byte, error) {
	files = slices.DeleteFunc(slices.SortedFunc(slices.Values(files), manifest.ComparePaths), func(f manifest.FileInfo) bool { return f.Path == CroissantName })
	about := pipeline.About{}
	if rel.Manifest.About != nil {
		about = *rel.Manifest.About
	}
	doc := map[string]any{
		"@context":                         croissantContext(),
		"@type":                            "sc:Dataset",
		"conformsTo":                       []string{"http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"},
		"name":                             rel.Manifest.Name,
		"description":                      fmt.Sprintf("%s: %s about %s, built and checked by memforge.", rel.title(), rel.countRows(pipeline.TableQuestions, "question"), rel.countRows(pipeline.TableTasks, "task")),
		"version":                          rel.Manifest.Version,
		"license":                          cmp.Or(rel.License.License.URL, LicensesName),
		"isLiveDataset":                    false,
		"creator":                          creators(about),
		"distribution":                     croissantFiles(files),
		"recordSet":                        rel.croissantRecords(),
		"prov:wasDerivedFrom":              rel.upstreams(),
		"prov:wasGeneratedBy":              map[string]any{"@type": "prov:Activity", "prov:label": "memforge build of recipe/pipeline.yaml"},
		"rai:dataCollection":               cmp.Or(about.Collection, "Records are derived from the sources that table sources lists; gold answers come from their annotations or generating scripts."),
		"rai:dataPreprocessingProtocol":    "Each step of the build with its losses is in the funnel of manifest.json; dropped items are in table rejections.",
		"rai:dataLimitations":              cmp.Or(about.Limitations, "See the section Limits of README.md."),
		"rai:dataReleaseMaintenancePlan":   "Releases are never edited; changes make a new version, listed in CHANGELOG.md.",
		"rai:personalSensitiveInformation": cmp.Or(about.Personal, "Whatever the sources show; none is added."),
	}
	for name, text := range map[string]string{
		"url": about.URL, "datePublished": about.Published, "citeAs": about.Cite,
		"rai:dataBiases": about.Biases, "rai:dataUseCases": about.UseCases, "rai:dataSocialImpact": about.SocialImpact,
	} {
		doc[name] = text
	}
	for name, value := range doc {
		if list, ok := value.([]any); value == "" || ok && len(list) == 0 {
			delete(doc, name)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return nil, fmt.Errorf("croissant: %w", err)
	}
	return b.Bytes(), nil
}

func creators(about pipeline.About) (out []any) {
	for _, c := range about.Creators {
		one := map[string]any{"@type": "sc:Person", "name": c.Name}
		if c.Kind == "organization" {
			one["@type"] = "sc:Organization"
		}
		if c.URL != "" {
			one["url"] = c.URL
		}
		out = append(out, one)
	}
	return out
}

// upstreams names one address of each source that was fetched: the first in their order.
func (rel Release) upstreams() (out []any) {
	first := map[string]string{}
	for _, s := range rel.Sources {
		if was, there := first[s.ID]; s.URL != "" && (!there || s.URL < was) {
			first[s.ID] = s.URL
		}
	}
	for _, id := range slices.Sorted(maps.Keys(first)) {
		out = append(out, map[string]any{"@id": first[id], "prov:label": id})
	}
	return out
}

// croissantFiles lists every file; of media that are too many for one folder the
// folder, as SHA256SUMS has their digests.
func croissantFiles(files []manifest.FileInfo) []any {
	var out []any
	var folder string
	for _, f := range files {
		if sharded.MatchString(f.Path) {
			if of := path.Dir(path.Dir(f.Path)); of != folder {
				folder = of
				out = append(out, map[string]any{"@type": "cr:FileSet", "@id": of, "name": of, "includes": of + "/*/*", "encodingFormat": mimeOf(f.Path)})
			}
			continue
		}
		out = append(out, map[string]any{
			"@type": "cr:FileObject", "@id": f.Path, "name": f.Path, "contentUrl": f.Path,
			"contentSize": fmt.Sprintf("%d B", f.Size), "sha256": f.SHA256, "encodingFormat": mimeOf(f.Path),
		})
	}
	return out
}

// sharded matches media in one of many folders.
var sharded = regexp.MustCompile(`^media/(images|videos)/[0-9a-f]{2}/[0-9a-f]{64}\.`)

func mimeOf(name string) string {
	kinds := []struct{ suffix, mime string }{
		{".parquet", "application/x-parquet"}, {".mp4", "video/mp4"}, {".webm", "video/webm"}, {".mkv", "video/x-matroska"},
		{".png", "image/png"}, {".jpg", "image/jpeg"}, {".webp", "image/webp"}, {".md", "text/markdown"},
		{".html", "text/html"}, {".yaml", "application/yaml"}, {".jsonl", "application/jsonl"}, {".json", "application/json"},
	}
	for _, k := range kinds {
		if strings.HasSuffix(name, k.suffix) {
			return k.mime
		}
	}
	return "application/octet-stream"
}

// croissantRecords describes each file of each table as one record set.
func (rel Release) croissantRecords() []any {
	var out []any
	for _, t := range rel.Tables {
		info, _ := rel.Manifest.Table(t.Name)
		for _, shards := range manifest.GroupBySplit(info.Splits) {
			for i, s := range shards {
				id := t.Name + "/" + s.Split
				if len(shards) > 1 {
					id += fmt.Sprintf("-%05d", i)
				}
				out = append(out, map[string]any{
					"@type": "cr:RecordSet", "@id": id, "name": id,
					"field": croissantFields(t.Columns, id, s.Path, ""),
				})
			}
		}
	}
	return out
}

func croissantFields(columns []rowschema.Column, id, file, within string) []any {
	var out []any
	for _, c := range columns {
		name := cmp.Or(strings.TrimPrefix(within+"."+c.Name, "."), c.Name)
		f := map[string]any{
			"@type": "cr:Field", "@id": id + "/" + name, "name": name,
			"source": map[string]any{"fileObject": map[string]any{"@id": file}, "extract": map[string]any{"column": name}},
		}
		leaf := c
		if c.Kind == rowschema.List {
			f["isArray"], f["arrayShape"] = true, "-1"
			leaf = *c.Elem
		}
		if leaf.Kind == rowschema.Struct {
			f["subField"] = croissantFields(leaf.Fields, id, file, name)
		} else {
			f["dataType"] = leafOf(leaf.Kind).croissant
		}
		out = append(out, f)
	}
	return out
}

// croissantContext is the JSON-LD context of the specification.
func croissantContext() map[string]any {
	context := map[string]any{
		"@language": "en", "@vocab": "https://schema.org/",
		"sc": "https://schema.org/", "prov": "http://www.w3.org/ns/prov#", "cr": "http://mlcommons.org/croissant/",
		"rai": "http://mlcommons.org/croissant/RAI/", "dct": "http://purl.org/dc/terms/",
		"conformsTo": "dct:conformsTo",
		"data":       map[string]any{"@id": "cr:data", "@type": "@json"},
		"dataType":   map[string]any{"@id": "cr:dataType", "@type": "@vocab"},
		"examples":   map[string]any{"@id": "cr:examples", "@type": "@json"},
	}
	for _, term := range []string{
		"annotation", "arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "excludes", "extract", "field", "fileObject",
		"fileProperty", "fileSet", "format", "includes", "isArray", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path",
		"readLines", "recordSet", "references", "regex", "repeated", "replace", "samplingRate", "sdVersion", "separator", "source",
		"subField", "transform", "unArchive", "value",
	} {
		context[term] = "cr:" + term
	}
	return context
}
