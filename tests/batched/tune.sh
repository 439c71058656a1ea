#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# tune.sh <batched-tune>: it says what it wants, and what is missing; on a GPU it writes a small table.
set -u
tune=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$tune" --orders 2> "$work/usage" && exit 1
grep -q '^usage: batched-tune' "$work/usage" || exit 1
for words in '--types x' '--orders 8,x' '--orders 8,' '--orders 0' '--megabytes 0' '--what 1'; do
  "$tune" $words -o "$work/table.csv" 2> "$work/usage"
  [ $? = 2 ] && grep -q '^usage: batched-tune' "$work/usage" && [ ! -e "$work/table.csv" ] || exit 1
done
"$tune" --help | grep -q '^usage: batched-tune' || exit 1

"$tune" --types d --orders 8,33 --megabytes 8 -o "$work/table.csv" 2> "$work/errors"
case $? in
3)
  grep -q '^batched-tune: ' "$work/errors" || exit 1
  [ ! -e "$work/table.csv" ] || exit 1
  echo "SKIPPED: no CUDA device, or CUDA was not built"
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
