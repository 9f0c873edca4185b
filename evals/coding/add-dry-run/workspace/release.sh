#!/bin/bash
# Copies the files of a release to a folder.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib/args.sh"
. "$here/lib/steps.sh"

parse_arguments "$@"
create_folder "$folder"
while IFS= read -r file; do
  copy_file "$here/$file" "$folder"
done < "$here/files.txt"
write_version "$version" "$folder"
