#!/usr/bin/env bash
# Vets and tests the module in docs/examples/domain; .ci/docs.sh runs it.
set -euo pipefail
cd "$(dirname "$0")/../docs/examples/domain"

go vet ./...
go test ./...
