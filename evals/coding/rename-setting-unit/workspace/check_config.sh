#!/bin/bash
# Checks that every environment has a host, and the default has a timeout in milliseconds.

for file in config/*.json; do
  grep -q '"host"' "$file" || { echo "$file: host is missing"; exit 1; }
done
grep -q '"timeout": [0-9]' config/default.json || { echo "default.json: timeout is missing"; exit 1; }
