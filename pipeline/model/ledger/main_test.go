package ledger_test

import (
	"os"
	"testing"

	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/ledger/ledgers"
	"github.com/memforge/memforge/pipeline/pipelinetest/database"
)

func TestMain(m *testing.M) {
	ledger.OpenPlace = ledgers.Open
	os.Exit(database.Main(m))
}
