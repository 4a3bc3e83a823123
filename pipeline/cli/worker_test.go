package cli

import "testing"

// Orders name variables with keys; those of the cluster itself are none of theirs.
func TestKeysOfModels(t *testing.T) {
	getenv := modelKeys(func(string) string { return "secret" })
	for _, name := range []string{"PGPASSWORD", "pgpassword", "AWS_SECRET_ACCESS_KEY", "TEMPORAL_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS", "AZURE_STORAGE_KEY", "MEMFORGE_SIGN_PASSWORD"} {
		if getenv(name) != "" {
			t.Errorf("%s is read", name)
		}
	}
	if getenv("OPENAI_API_KEY") != "secret" {
		t.Error("the key of a model is not read")
	}
}

func TestDatabaseOfAStore(t *testing.T) {
	got, err := databaseOf("postgres://me@h/db?bucket=s3%3A%2F%2Fb&cache=/c&cache_mb=5&schema=s&sslmode=require")
	if err != nil || got != "postgres://me@h/db?schema=s&sslmode=require" {
		t.Errorf("%s, %v", got, err)
	}
}
