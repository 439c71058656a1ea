#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# install.sh <batched's build folder> | --alone [ON|OFF [shared]]: installs batched into a folder of its own, then builds
# and runs consumer/ against it: by find_package and by pkg-config, in C, C++, Fortran and, if it is shared, Python.
# --alone configures and builds batched by itself first (ON: with CUDA).
set -eu
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=$1
if [ "$build" = --alone ]; then
  build=$work/build
  cmake -S "$source/batched" -B "$build" -D CMAKE_BUILD_TYPE=Debug -D SHOCKLET_CUDA="${2:-OFF}" \
    -D BUILD_SHARED_LIBS="$([ "${3:-}" = shared ] && echo ON || echo OFF)" > "$work/log"
  cmake --build "$build" --parallel "$(nproc)" >> "$work/log" || { cat "$work/log"; exit 1; }
fi
cmake --install "$build" --prefix "$work/prefix" > /dev/null
"$work/prefix/bin/batched-tune" --help > /dev/null # finds the library that was installed

cmake -S "$source/tests/batched/consumer" -B "$work/consumer" -D CMAKE_PREFIX_PATH="$work/prefix" > /dev/null
cmake --build "$work/consumer" > /dev/null
[ "$("$work/consumer/consumer")" = "1 2  1 1" ]

library=$(find "$work/prefix" -name 'libbatched.so')
[ -z "$library" ] || export LD_LIBRARY_PATH="${library%/*}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
[ "${3:-}" != shared ] || [ -n "$library" ]
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name batched.pc)")
export PKG_CONFIG_PATH
read -ra flags <<< "$(pkg-config --cflags --libs batched)"
cc "$source/tests/batched/consumer/main.c" "${flags[@]}" -o "$work/by_pkg_config"
[ "$("$work/by_pkg_config")" = "1 2  1 1" ]

# nothing that a strict compiler of C99 warns of
cc -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only "${flags[@]}" -include batched/batched_blas.h -include batched/batched_lowrank.h \
  -x c /dev/null

# every header finds those that it includes; blas/ is included by batched_blas.h
find "$work/prefix/include" -name '*.h' -not -path '*/blas/*' > "$work/headers"
while read -r header; do cc -std=c11 -Wall -Wextra -Werror -fsyntax-only "${flags[@]}" -x c "$header"; done < "$work/headers"

if command -v gfortran > "$work/log"; then
  gfortran -J "$work" "$source/tests/batched/consumer/solve.f90" "${flags[@]}" -o "$work/in_fortran"
  [ "$("$work/in_fortran")" = "1 2 1 1" ]
fi
if [ -n "$library" ]; then
  [ "$(python3 "$source/tests/batched/consumer/solve.py" "$library")" = "0 1 2 1 1" ]
fi

# every header but batched_blas.h is for C++, too
if command -v c++ > "$work/log"; then
  c++ -std=c++11 -Wall -Wextra -pedantic -Werror "$source/tests/batched/consumer/main.cpp" "${flags[@]}" -o "$work/in_cpp"
  [ "$("$work/in_cpp")" = "2 1 3" ]
fi

# the example of the README, as it stands there
sed -n '/^```c$/,/^```$/p' "$source/README.md" | sed '/^```/d' > "$work/readme.c"
cc "$work/readme.c" "${flags[@]}" -o "$work/readme"
[ "$("$work/readme")" = "x: 1 1 1" ]

# nothing of the build machine in what was installed
if grep -rF "$source" "$work/prefix" --include='*.cmake' --include='*.pc' --include='*.h'; then exit 1; fi
echo "installed, found and used"
