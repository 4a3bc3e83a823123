#!/usr/bin/env bash
# Installs memforge as a user does, go install github.com/memforge/memforge@VERSION, from a
# module proxy in a folder that holds what is committed, and looks at the version that the
# program prints.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
module=$("$go" list -m)
version=v0.0.1-installed
work=$(mktemp -d)
cache=$("$go" env GOMODCACHE)
trap 'chmod -R u+w "$work" "$cache/$module@$version" 2>/dev/null || true; rm -rf "$work" "$cache/$module@$version" "$cache/cache/download/$module/@v/$version".*' EXIT

at=$work/proxy/$module/@v
mkdir -p "$at"
# What has a go.mod of its own is no part of the module.
mapfile -t others < <(git ls-files '*/go.mod' | xargs -r -n1 dirname | sed 's/^/:!/')
git archive --format=zip --prefix="$module@$version/" -o "$at/$version.zip" HEAD -- . "${others[@]}"
git show HEAD:go.mod >"$at/$version.mod"
echo "$version" >"$at/list"
printf '{"Version":"%s"}\n' "$version" >"$at/$version.info"

GOBIN=$work/bin GOFLAGS=-trimpath GONOSUMDB=$module GOPROXY="file://$work/proxy,$("$go" env GOPROXY)" \
  "$go" install "$module@$version"
said=$("$work/bin/memforge" version)
echo "$said"
[[ $said == "memforge $version "* ]]
(cd "$work" && bin/memforge init bench --family visual && bin/memforge plan --no-forecast -f bench/pipeline.yaml >/dev/null)
