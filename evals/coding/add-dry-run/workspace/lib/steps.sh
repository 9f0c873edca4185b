# The steps of a release.

create_folder() {
  mkdir -p -- "$1"
}

copy_file() {
  cp -- "$1" "$2/"
}

write_version() {
  echo "$1" > "$2/VERSION"
}
