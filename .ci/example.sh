#!/usr/bin/env bash
# Vets, tests and runs the out-of-tree example as its README tells a reader to.
set -euo pipefail
cd "$(dirname "$0")/../docs/examples/domain"

go vet ./...
go test ./...
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/kitchen" .
"$bin/kitchen" stages describe kitchen.ask
"$bin/kitchen" plan
"$bin/kitchen" build --out "$bin/releases" --set "run.store=$bin/store"
"$bin/kitchen" verify "$("$bin/kitchen" release latest --out "$bin/releases")"
