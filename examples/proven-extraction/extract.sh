#!/usr/bin/env bash
# Prints the email addresses in each text file of a folder as CSV: file, address.
# A reply with an address that is not in the file is rejected, and the file is named at the end.
#
#   extract.sh FOLDER
set -euo pipefail

rejected=()
for file in "$1"/*.txt; do
    if found=$(holm extract --target email --text - --model "${HOLM_MODEL:-openai/gpt-5-mini}" <"$file"); then
        jq -r --arg file "$(basename "$file")" '.email[] | [$file, .] | @csv' <<<"$found"
    else
        # 3: the guards rejected the reply. Anything else is trouble with the model or with this machine.
        status=$?
        [ "$status" -eq 3 ] || exit "$status"
        rejected+=("$file")
    fi
done
if [ ${#rejected[@]} -gt 0 ]; then
    echo "not proven, look at them yourself: ${rejected[*]}" >&2
    exit 3
fi
