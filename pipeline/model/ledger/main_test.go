package ledger_test

import (
	"os"
	"testing"

	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/ledger/ledgerurl"
	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
)

func TestMain(m *testing.M) {
	ledger.OpenPlace = ledgerurl.Open
	os.Exit(testpostgres.RunTests(m))
}
