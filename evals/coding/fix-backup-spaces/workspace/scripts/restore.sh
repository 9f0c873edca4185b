#!/bin/bash
# Copies a backup to a new folder: restore.sh BACKUP FOLDER

if [ -e "$2" ]; then
  echo "restore.sh: $2 exists" >&2
  exit 2
fi
cp -r -- "$1" "$2"
