#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bad_input.sh TABLE RANKS [EACH]: runs $SHOCKLET on every row of the table (its head says how rows look), or on each
# fourth if EACH is 4, and wants exit status 2 of every rank, one line on stderr from all ranks together that holds the
# expected words, nothing on stdout, and no new file.
set -u
table=$1 ranks=$2 each=${3:-1}
mpiexec=${SHOCKLET_MPIEXEC:-mpiexec}
program=${SHOCKLET:?the program to test}
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
trap 'exit 1' INT TERM
rows=0 failed=0 wanted=$(printf '2 %.0s' $(seq "$ranks"))

fail() {
  failed=$((failed + 1))
  printf 'row %d (line %d): %s\n  words: %s\n' "$rows" "$line" "$1" "$expected"
  sed 's/^/  stderr: /' "$top/stderr"
}

# Each rank's words and status go to files of its own: mpiexec adds some words to stderr, and waits for a second after a
# rank that did not end with 0.
launch() {
  if [ "$ranks" = 1 ]; then
    # All processes without mpiexec are session 0: a folder of its own, that none removes another's.
    OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_orte_tmpdir_base=$top OMPI_MCA_pml=ob1 OMPI_MCA_btl=self "$program" "$@" >"$top/stdout" 2>"$top/stderr.0"
    echo $? >"$top/status.0"
  else
    TOP=$top PROGRAM=$program "$mpiexec" -n "$ranks" sh -c '
      rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
      "$PROGRAM" "$@" >>"$TOP/stdout" 2>"$TOP/stderr.$rank"
      echo $? >"$TOP/status.$rank"' sh "$@" >/dev/null 2>&1
  fi
}

check() { # the row's words are the arguments
  rm -rf "$top"/stdout "$top"/stderr* "$top"/status*
  : >"$top/stdout"
  before=$(ls -AR)
  launch "$@" </dev/null
  cat "$top"/stderr.* >"$top/stderr"
  statuses=$(cat "$top"/status.* | tr '\n' ' ')
  [ "$statuses" = "$wanted" ] || fail "exit status of each rank: $statuses"
  [ "$(grep -c '' "$top/stderr")" = 1 ] || fail "not one line on stderr"
  grep -qF -e "$expected" "$top/stderr" || fail "other words"
  [ ! -s "$top/stdout" ] || fail "something on stdout"
  [ "$before" = "$(ls -AR)" ] || fail "files left behind: $(ls -A | tr '\n' ' ')"
}

trim() { printf '%s' "$1" | sed 's/^ *//; s/ *$//'; }

mkdir "$top/work" && cd "$top/work" || exit 1
line=0
while IFS= read -r text; do
  line=$((line + 1))
  case $text in
  '' | '#'*) continue ;;
  '@ '*) # a file for the rows below
    text=${text#@ }
    printf '%b' "${text#* }" >"${text%% *}"
    continue
    ;;
  esac
  rows=$((rows + 1))
  [ $((rows % each)) = 0 ] || continue
  expected=$(trim "${text%%|*}")
  rest=${text#*|}
  deck=$(trim "${rest%%|*}")
  arguments=$(trim "${rest#*|}")
  rm -f deck.yaml
  [ -z "$deck" ] || printf '%b' "$deck" >deck.yaml
  eval "set -- $arguments"
  check "$@"
done <"$table"

echo "$((rows / each)) of $rows rows on $ranks ranks, $failed complaints"
[ "$rows" -ge 60 ] && [ "$failed" = 0 ]
