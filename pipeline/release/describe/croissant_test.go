package describe

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

func aboutSmall() *pipeline.About {
	return &pipeline.About{
		URL: "https://example.org/small", Published: "2026-01-31", Cite: "@misc{small}",
		Creators:   []pipeline.Creator{{Name: "A. Person", URL: "https://example.org/a"}, {Name: "A Lab", Kind: "organization"}},
		Collection: "By hand.", Biases: "Few.", Limitations: "Small.", UseCases: "Tests.", SocialImpact: "None.", Personal: "None.",
	}
}

// The dataset-level properties of Croissant 1.1, of RAI 1.0 and of PROV-O that the first
// recommends: required ones with true.
var croissantProperties = map[string]bool{
	"@context": true, "@type": true, "conformsTo": true, "description": true, "license": true, "name": true, "url": true, "creator": true, "datePublished": true, "distribution": true,
	"keywords": false, "publisher": false, "version": false, "dateCreated": false, "dateModified": false, "sameAs": false, "sdLicence": false, "inLanguage": false,
	"isLiveDataset": false, "citeAs": true, "sdVersion": false, "recordSet": false, "prov:wasDerivedFrom": false, "prov:wasGeneratedBy": true,
	"rai:dataCollection": true, "rai:dataCollectionType": false, "rai:dataCollectionMissingData": false, "rai:dataCollectionRawData": false, "rai:dataCollectionTimeframe": false,
	"rai:dataImputationProtocol": false, "rai:dataManipulationProtocol": false, "rai:dataPreprocessingProtocol": false, "rai:dataAnnotationProtocol": false, "rai:dataAnnotationPlatform": false,
	"rai:dataAnnotationAnalysis": false, "rai:dataReleaseMaintenancePlan": false, "rai:personalSensitiveInformation": true, "rai:dataSocialImpact": true, "rai:dataBiases": true,
	"rai:dataLimitations": true, "rai:dataUseCases": true, "rai:annotationsPerItem": false, "rai:annotatorDemographics": false, "rai:machineAnnotationTools": false,
}

// croissantOf returns the description of a small release as readers decode it.
func croissantOf(t *testing.T, about *pipeline.About) map[string]any {
	t.Helper()
	rel := small(t)
	rel.Manifest.About = about
	rel.Sources = append(rel.Sources, schemas.Source{ID: "hub", URL: "https://hub.example/b"}, schemas.Source{ID: "hub", URL: "https://hub.example/a"})
	var files []manifest.FileInfo
	for _, table := range rel.Manifest.Tables {
		for _, s := range table.Splits {
			files = append(files, manifest.FileInfo{Path: s.Path, SHA256: "a", Size: 1})
		}
	}
	text, err := rel.Croissant(append(files, manifest.FileInfo{Path: "recipe/versions.json", SHA256: "b", Size: 2}, manifest.FileInfo{Path: "recipe/answers.jsonl", SHA256: "c", Size: 3}))
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestCroissantHasThePropertiesOfTheSpecification(t *testing.T) {
	doc := croissantOf(t, aboutSmall())
	for name, required := range croissantProperties {
		if v, there := doc[name]; required && (!there || v == "" || v == nil) {
			t.Errorf("%s is missing, which is required", name)
		}
	}
	for name := range doc {
		if _, known := croissantProperties[name]; !known {
			t.Errorf("%s is no property of the specification", name)
		}
	}
	if got := doc["conformsTo"].([]any); got[0] != "http://mlcommons.org/croissant/1.1" || got[1] != "http://mlcommons.org/croissant/RAI/1.0" {
		t.Errorf("it conforms to %v", got)
	}
	creators := doc["creator"].([]any)
	if a, b := creators[0].(map[string]any), creators[1].(map[string]any); a["@type"] != "sc:Person" || a["url"] != "https://example.org/a" || b["@type"] != "sc:Organization" || b["url"] != nil {
		t.Errorf("creators %v", creators)
	}
	if from := doc["prov:wasDerivedFrom"].([]any); len(from) != 1 || from[0].(map[string]any)["@id"] != "https://hub.example/a" {
		t.Errorf("derived from %v", from)
	}
	bare := croissantOf(t, nil)
	for _, name := range []string{"url", "creator", "datePublished", "citeAs", "rai:dataBiases", "rai:dataUseCases", "rai:dataSocialImpact"} {
		if v, there := bare[name]; there {
			t.Errorf("%s is %v although nobody said so", name, v)
		}
	}
}

// TestCroissantIdsResolve: ids are unique, each field has a type or parts, lists are arrays as
// 1.1 has them, and each field comes from a file that is listed.
func TestCroissantIdsResolve(t *testing.T) {
	doc := croissantOf(t, aboutSmall())
	context := doc["@context"].(map[string]any)
	ids, files := map[string]bool{}, map[string]bool{}
	add := func(of map[string]any) {
		id := of["@id"].(string)
		if ids[id] {
			t.Errorf("two have the id %s", id)
		}
		ids[id] = true
		for key := range of {
			_, known := context[key]
			if prefix, _, has := strings.Cut(key, ":"); !known && !has && !strings.HasPrefix(key, "@") && !slices.Contains([]string{"name", "contentUrl", "contentSize", "sha256", "encodingFormat"}, key) {
				t.Errorf("%s: the context has no %s (prefix %s)", id, key, prefix)
			}
		}
	}
	for _, f := range doc["distribution"].([]any) {
		file := f.(map[string]any)
		add(file)
		files[file["@id"].(string)] = true
		if strings.HasPrefix(file["name"].(string), "recipe/") && !strings.HasPrefix(file["encodingFormat"].(string), "application/json") {
			t.Errorf("%s has the format %s", file["name"], file["encodingFormat"])
		}
	}
	arrays := 0
	var visit func(fields []any)
	visit = func(fields []any) {
		for _, f := range fields {
			field := f.(map[string]any)
			add(field)
			if from := field["source"].(map[string]any)["fileObject"].(map[string]any)["@id"].(string); !files[from] {
				t.Errorf("%s comes from %s, which is not listed", field["@id"], from)
			}
			sub, hasParts := field["subField"].([]any)
			if _, typed := field["dataType"].(string); typed == hasParts {
				t.Errorf("%s: typed %t, with parts %t", field["@id"], typed, hasParts)
			}
			if field["isArray"] == true {
				if arrays++; field["arrayShape"] != "-1" {
					t.Errorf("%s has the shape %v", field["@id"], field["arrayShape"])
				}
			}
			visit(sub)
		}
	}
	for _, r := range doc["recordSet"].([]any) {
		set := r.(map[string]any)
		add(set)
		visit(set["field"].([]any))
	}
	if arrays == 0 {
		t.Error("no list was looked at")
	}
}
