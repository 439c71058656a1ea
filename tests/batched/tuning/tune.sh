#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# tune.sh <batched-tune>: it says what it wants, and what is missing; on a GPU it writes a small table.
set -u
tune=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# refused WORD ... : with exit status 2, a sentence that names the words, and the usage
refused() {
  "$tune" "$@" -o "$work/table.csv" 2> "$work/usage"
  [ $? = 2 ] && [ ! -e "$work/table.csv" ] && head -n 1 "$work/usage" | grep -q "^batched-tune: $*: " &&
    grep -q '^usage: batched-tune' "$work/usage" || { cat "$work/usage"; exit 1; }
}
refused --types x
refused --orders 8,x
refused --orders 8,
refused --orders abc
refused --orders 0
refused --megabytes 0
refused --products 8x8
refused --products 8x8x8,
refused --products 8x0x8
refused --what 1
refused --rows potrf,nosuch
refused --rhs 0
refused --widths 0
refused --space moon
refused --vendor perhaps
"$tune" -h | grep -q '^Families:' && refused --families nosuch && refused --families gemm.tile,nosuch
for word in --orders -o; do
  "$tune" "$word" 2> "$work/usage"
  [ $? = 2 ] && grep -q "^batched-tune: $word: " "$work/usage" || exit 1
done
for words in --help -h '--types d -h'; do
  "$tune" $words > "$work/usage" 2> "$work/errors" && grep -q '^usage: batched-tune' "$work/usage" && [ ! -s "$work/errors" ] || exit 1
done

# Rows on the host: a table that the library reads, and whose lines say what was measured
"$tune" --rows potrf,trsm,gesv --space host --types d --orders 24,8 --rhs 1,4 --megabytes 1 -o "$work/rows.csv" 2> "$work/errors" &&
  [ ! -s "$work/errors" ] && grep -q '^# device: host$' "$work/rows.csv" && grep -q '^# potrf d 24 x 24: host.simd [0-9]' "$work/rows.csv" &&
  grep -q '^potrf,d,host[.][a-z]*,uniform lower$' "$work/rows.csv" && grep -q '^trsm,d,host[.][a-z]*,uniform rhs=3..$' "$work/rows.csv" &&
  grep -q '^gesv,d,host[.][a-z]*,uniform rhs=3..$' "$work/rows.csv" ||
  { cat "$work/errors" "$work/rows.csv"; exit 1; }

"$tune" --types d --orders 8,33 --megabytes 8 -o "$work/table.csv" 2> "$work/errors"
case $? in
3)
  grep '^batched-tune: ' "$work/errors" && ! grep -q 'or CUDA was not built' "$work/errors" || exit 1
  [ ! -e "$work/table.csv" ] || exit 1
  echo "SKIPPED: see above"
  exit 77
  ;;
0)
  cat "$work/errors" "$work/table.csv"
  [ ! -s "$work/errors" ] && grep -q '^# device: ' "$work/table.csv" && grep -q '^# capability: ' "$work/table.csv"
  ;;
*)
  cat "$work/errors"
  exit 1
  ;;
esac
