#!/usr/bin/env bash
# Writes the archives of a version of memforge, from what is committed:
#
#   .ci/archives.sh [VERSION [FOLDER]]     v1.2.3 or nothing; out/archives by default
#
# For Linux and macOS on amd64 and arm64 a tar.gz with the program, README, LICENSE and the
# licences of all that is linked; SHA256SUMS over them; and memforge.rb, a formula for a
# Homebrew tap. Without VERSION, Go names the commit (v0.0.0-DATE-COMMIT). The same commit
# gives the same bytes with the same Go, wherever it is built.
#
# TARGETS="linux/amd64" builds less.
set -euo pipefail
version=${1:-}
mkdir -p "${2:-out/archives}"
folder=$(cd "${2:-out/archives}" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
targets=${TARGETS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64}
go=${GO:-go}
if [[ -n $version && ! $version =~ ^v(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?$ ]]; then
  echo "version $version: want v1.2.3" >&2
  exit 2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A clone holds what is committed and nothing else; its tag is what Go stamps.
git clone --quiet --no-local --depth 1 "file://$root" "$work/memforge"
cd "$work/memforge"
when=$(git log -1 --format=%ct)
if [[ -n $version ]]; then git tag "$version"; fi
export CGO_ENABLED=0 GOFLAGS=-buildvcs=true GOWORK=off

# The licences of every module that a program links, and of Go, whose library it holds.
licences() { # licences FOLDER, for GOOS and GOARCH
  local path dir files
  mkdir -p "$1/go"
  cp "$("$go" env GOROOT)/LICENSE" "$1/go/"
  "$go" list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}}	{{.Dir}}{{end}}{{end}}' . | sort -u | while IFS=$'\t' read -r path dir; do
    mapfile -t files < <(find "$dir" -maxdepth 1 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' \) | sort)
    if [[ ${#files[@]} -eq 0 ]]; then # some keep it in their README
      mapfile -t files < <(grep -lis 'permission is hereby granted' "$dir"/README* || true)
    fi
    if [[ ${#files[@]} -eq 0 ]]; then
      echo "$path has no licence text" >&2
      exit 1
    fi
    mkdir -p "$1/$path"
    cp "${files[@]}" "$1/$path/"
  done
}

rm -f "$folder"/memforge_*.tar.gz
for target in $targets; do
  export GOOS=${target%/*} GOARCH=${target#*/}
  echo "building for $target" >&2
  "$go" build -trimpath -ldflags '-s -w' -o "$work/program" .
  stamped=$("$go" version -m "$work/program" | awk '$1 == "mod" {print $3}')
  if [[ -n $version && $stamped != "$version" ]]; then
    echo "the program says it is $stamped, want $version" >&2
    exit 1
  fi
  name=memforge_${stamped}_${GOOS}_${GOARCH}
  mkdir -p "$work/$name"
  cp README.md LICENSE "$work/$name/"
  licences "$work/$name/licences"
  mv "$work/program" "$work/$name/memforge"
  chmod -R u=rwX,go=rX "$work/$name"
  tar -C "$work" --sort=name --mtime="@$when" --owner=0 --group=0 --numeric-owner --format=ustar -c "$name" |
    gzip -9n >"$folder/$name.tar.gz"
  rm -rf "${work:?}/$name"
done
cd "$folder"
sha256sum memforge_*.tar.gz >SHA256SUMS

# A formula needs all four.
if [[ $(wc -l <SHA256SUMS) -eq 4 ]]; then
  formula=$(<"$root/docs/deploy/memforge.rb")
  while read -r digest file; do
    place=${file#memforge_*_}
    place=${place%.tar.gz}
    formula=${formula//"{{sha256 $place}}"/$digest}
  done <SHA256SUMS
  formula=${formula//"{{version}}"/$stamped}
  if [[ $formula == *"{{"* ]]; then
    echo "docs/deploy/memforge.rb has a place that nothing fills" >&2
    exit 1
  fi
  printf '%s\n' "$formula" >memforge.rb
fi
cat SHA256SUMS
