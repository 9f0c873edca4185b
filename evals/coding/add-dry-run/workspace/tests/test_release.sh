#!/bin/bash
# Tests release.sh in a temporary folder.

here=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

fail() {
  echo "FAILED: $1"
  exit 1
}

bash "$here/release.sh" --version 1.2 out || fail "a release must succeed"
[ "$(cat out/VERSION)" = 1.2 ] || fail "the version is wrong"
[ -f out/terms.md ] || fail "terms.md is missing"

bash "$here/release.sh" --dry-run plan > output || fail "a dry run must succeed"
[ ! -e plan ] || fail "a dry run must not create the folder"
grep -q "^would create plan$" output || fail "the dry run does not name the folder"
[ "$(grep -c '^would copy ' output)" -eq 2 ] || fail "the dry run must name two files"
bash "$here/release.sh" --wrong x 2> /dev/null && fail "an unknown option must fail"
echo "all tests passed"
