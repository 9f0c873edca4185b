#!/bin/bash
# Copies the notes of a folder: backup.sh SOURCE TARGET

source=$1
target=$2

mkdir -p $target
count=0
for file in $(ls $source | grep -E '\.(txt|md)$'); do
  cp $source/$file $target
  count=$((count + 1))
done
echo "$count files copied"
