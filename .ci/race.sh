#!/usr/bin/env bash
# Runs the race detector on the packages whose code or tests start goroutines or
# lock something, and on those that a build runs in: the others have nothing to
# race for. Gates and stages judge and map side by side in the builds of
# pipeline/engine/assemble and pipeline/cli. Sizes are small; make test and make test-all run
# the same tests at larger ones.
#
# pipeline/media and stages/video draw, encode and decode for minutes under the
# detector: the small build of pipeline/engine/assemble runs what they do side by side. Planted
# defects go through the panels that gates/panel tests; what pipeline/cli/plugins builds
# with models asks as the builds of pipeline/cli do.
set -euo pipefail
export GOGC=400 # as make test
cd "$(dirname "$0")/.."

concurrent='sync\.(Mutex|RWMutex|WaitGroup|Map|Pool|Cond)|"sync/|errgroup|\<go func|^[[:space:]]*go [a-zA-Z.]+\('
packages=$({
  git ls-files '*.go' | xargs grep -lE "$concurrent" | xargs -n1 dirname
  git ls-files 'pipeline/model/*_test.go' | xargs -n1 dirname
  printf '%s\n' pipeline/engine/assemble pipeline/engine/progress
} | grep -vxE '\.ci/pages|pipeline/cli/plugins|pipeline/media|stages/video|pipeline/testkit/defects|pipeline/engine/cluster/(temporal|river)' | sort -u | sed 's|^|./|')
# One thread after another works gold out, reads pictures, forges releases, goes through
# outcomes of a protocol and puts items before a gate, for minutes under the detector:
# make test does that without it. So it does with damaged bytes, each of which a server
# meets by itself, and with scripts of commands that start nothing beside themselves.
alone='^Test(Forgeries|Forged(GatesOfRecords|Decisions|Sources|Pictures|TablesOfFamilies|Questions|Points|Standings|Life)|TablesThatInflateAreRefusedWithinMemory|ContradictionsAreFound|ForgersOfPlacementsAreFound|EverySequentialVerdictIsTheFullOne|GuesserIsNoBetterThanChance|GatesFlagWhatTheyAreFor|DamagedBytesEndNoServer|TheNewDomainPasses|OfOneExhibit|GainsOfAFullProtocol|ModelsAnswer)$|^TestFaults$/^floods$|^TestScripts$/^(completion|diff|export|gates_unjudged|init|new_domain|plan|plugins|rebuild|release|reviews|sign|status|usage)$'
# Of these, tests that share something run. Families share what draws their pictures,
# and servers in tests: their conformance suites and what is written online run both. An
# audit and a release's writer and readers start no goroutine; the builds before them are
# those of pipeline/engine/assemble, and pipeline/cli asks panels again (pipeline/audit/rerun, which
# has goroutines). Tests that run beside each other over one fixture are there with some
# that read it: lives and releases that are made once, and judgements that are kept.
few='\./(pipeline/(audit|release)|stages/(crosssource|lifelong|visual)(/.*)?)'
shared='^Test(.*Conforms?|WrittenFacts.*|AKilled.*|Faults.*|MemoryOfAnAudit.*|TablesWrittenAtOnce.*|Pipes.*|Devices.*|FreshReleaseIsClean|VerdictsAreOnTheirItems|ForgedLife)$'
race() { xargs "${GO:-go}" test -race -short -vet=off -timeout 20m "$@"; }
race -tags temporal,river <<<'./pipeline/engine/cluster/temporal ./pipeline/engine/cluster/river'
log=$(mktemp)
trap 'rm -f "$log"' EXIT
grep -xE "$few" <<<"$packages" | race -run "$shared" >"$log" 2>&1 &
beside=$! # much of what the others take is waiting
failed=0
grep -vxE "$few" <<<"$packages" | race -skip "$alone" || failed=1
wait "$beside" || failed=1
cat "$log"
exit "$failed"
