# Reads the arguments of release.sh into variables.

usage() {
  echo "usage: release.sh [--version VERSION] FOLDER" >&2
  exit 2
}

parse_arguments() {
  version=dev
  folder=
  while [ $# -gt 0 ]; do
    case $1 in
      --version)
        [ $# -ge 2 ] || usage
        version=$2
        shift
        ;;
      -*) usage ;;
      *)
        [ -z "$folder" ] || usage
        folder=$1
        ;;
    esac
    shift
  done
  [ -n "$folder" ] || usage
}
