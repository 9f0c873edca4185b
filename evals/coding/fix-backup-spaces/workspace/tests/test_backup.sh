#!/bin/bash
# Tests scripts/backup.sh in a temporary folder.

script=$(cd "$(dirname "$0")/.." && pwd)/scripts/backup.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

fail() {
  echo "FAILED: $1"
  exit 1
}

mkdir notes
echo one > notes/plain.txt
echo two > "notes/shopping list.md"
echo three > notes/picture.png
bash "$script" notes copy > output || fail "a normal backup must succeed"
cmp -s notes/plain.txt copy/plain.txt || fail "plain.txt is missing"
cmp -s "notes/shopping list.md" "copy/shopping list.md" || fail "a name with a space is missing"
[ ! -e copy/picture.png ] || fail "picture.png must not be copied"
grep -qx "2 files copied" output || fail "the count is wrong"

bash "$script" missing copy2 > output 2>&1
[ $? -eq 2 ] || fail "a missing source must end with status 2"
echo "all tests passed"
