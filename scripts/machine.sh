# SPDX-License-Identifier: BSD-3-Clause
# What scripts/run and scripts/test share: packages, cores, the GPU, builds.  Sourced by bash; expects $root.

say() { printf 'shocklet: %s\n' "$*" >&2; }
die() { say "$1"; exit "${2:-3}"; }

# ---------------------------------------------------------------- packages (Debian 12, Ubuntu 24.04)

has_header() { printf '#include <%s>\n' "$1" | cc -E -x c - >/dev/null 2>&1; }
has_library() { echo 'int main(void) { return 0; }' | cc -x c - -o /dev/null "-l$1" >/dev/null 2>&1; }
has_pc() { pkg-config --exists "$@" 2>/dev/null; }
has_command() { command -v "$1" >/dev/null 2>&1; }
has_cmake() { has_command cmake && cmake --help 2>/dev/null | grep -q -e --fresh; } # --fresh came with 3.24

# A line a package: its name, and the command that succeeds where what it brings is there already.  Debian's
# libhdf5-mpich-dev without libhdf5-openmpi-dev beside Open MPI makes hdf5.pc an empty file, so hdf5-serial.pc is asked
# for first.
packages_to_build="
cmake            has_cmake
ninja-build      has_command ninja
gcc              has_command cc
libc6-dev        has_header stdlib.h
pkg-config       has_command pkg-config
openmpi-bin      has_command mpiexec
libopenmpi-dev   has_command mpicc
libhdf5-dev      has_pc hdf5-serial || has_pc hdf5
libyaml-dev      has_pc yaml-0.1
libmetis-dev     has_header metis.h
libopenblas-dev  has_header cblas.h && { has_library openblas || has_library mkl_rt || has_library blis; }
liblapacke-dev   has_header lapacke.h
"
packages_to_test="
libcmocka-dev    has_pc cmocka
python3          test -x /usr/bin/python3
python3-numpy    /usr/bin/python3 -c 'import numpy'
python3-h5py     /usr/bin/python3 -c 'import h5py'
python3-matplotlib  /usr/bin/python3 -c 'import matplotlib'
python3-vtk9     /usr/bin/python3 -c 'import vtk'
"
# Beside Open MPI's, which mpicc and mpiexec go on to mean: Debian gives it the higher priority.
packages_for_mpich="
mpich              has_command mpiexec.mpich
libmpich-dev       has_command mpicc.mpich
libhdf5-mpich-dev  has_command h5pcc.mpich
"
# Names of libc's own functions, by which tests/lsan.supp knows a leak of MPI's.
packages_for_asan="
libc6-dbg        test -d /usr/lib/debug/.build-id
"
packages_to_simulate="
libsimgrid-dev   has_command smpicc
g++              has_command c++
"
packages_to_lint="
clang-format-14  has_command clang-format-14
clang-tidy-14    has_command clang-tidy-14
cppcheck         has_command cppcheck
"

# In front of a command: a SIGTERM once this shell is gone, however it ended.  ninja ends its compilers, ctest's tests have the same.
tied=()
if setpriv --pdeathsig TERM true 2>/dev/null; then tied=(setpriv --pdeathsig TERM); fi

missing_packages() { # table ...: the names of what is not there
  printf '%s\n' "$@" | while read -r package check; do
    [ -z "$package" ] || eval "$check" >/dev/null 2>&1 || printf '%s\n' "$package"
  done | sort -u | tr '\n' ' '
}

apt_install() { # as root: fetches the lists only when the packages are not found with those at hand
  local apt="$1" options="-y --no-install-recommends -o DPkg::Lock::Timeout=300"
  shift
  $apt install $options "$@" >&2 || { $apt update >&2 && $apt install $options "$@" >&2; }
}

require_packages() { # table ...: installs what is missing, or names it and exits 3
  local missing apt="env DEBIAN_FRONTEND=noninteractive apt-get -q"
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  local sentence="these packages are missing: ${missing% }"
  has_command apt-get || die "$sentence; there is no apt-get here to install them, so please install what they bring"
  [ -z "${SHOCKLET_NO_INSTALL:-}" ] || die "$sentence; SHOCKLET_NO_INSTALL is set, so please run: apt-get install ${missing% }"
  if [ "$(id -u)" != 0 ]; then
    has_command sudo || die "$sentence; only root may install them, so please have root run: apt-get install ${missing% }"
    if [ ! -t 0 ] && ! sudo -n true 2>/dev/null; then
      die "$sentence; sudo asks for a password and there is no terminal, so please run: sudo apt-get install ${missing% }"
    fi
    apt="sudo $apt"
  fi
  say "$sentence; installing them${apt##*apt-get -q} with apt-get"
  apt_install "$apt" $missing || die "apt-get could not install them; please run: apt-get install ${missing% }"
  missing=$(missing_packages "$@")
  [ -z "$missing" ] || die "after apt-get these are still not usable: ${missing% }"
}

# ---------------------------------------------------------------- the machine

cores() { # those that this shell may use: affinity and a container's quota
  local n quota period
  n=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc) # which heeds these two
  if read -r quota period 2>/dev/null </sys/fs/cgroup/cpu.max && [ "$quota" != max ]; then
    quota=$(((quota + period - 1) / period))
    [ "$quota" -lt "$n" ] && n=$quota
  fi
  echo "$n"
}

allowed_processors() { # " 0 1 5 ": those of this shell's affinity
  local key list range
  while read -r key list; do [ "$key" = Cpus_allowed_list: ] && break; done </proc/self/status
  for range in ${list//,/ }; do seq -s ' ' "${range%-*}" "${range#*-}"; done | tr '\n' ' ' | sed 's/^/ /'
}

ticks() { # allowed processors, text of /proc/stat: their ticks at work and in all
  local name user nice system idle iowait irq softirq steal rest work=0 all=0
  while read -r name user nice system idle iowait irq softirq steal rest; do
    case $name in cpu[0-9]*) ;; *) continue ;; esac
    case $1 in *" ${name#cpu} "*) ;; *) continue ;; esac
    work=$((work + user + nice + system + irq + softirq + steal))
    all=$((all + user + nice + system + irq + softirq + steal + idle + iowait))
  done <<<"$2"
  echo "$work $all"
}

busy_cores() { # of the allowed ones, how many others use, to the nearest whole one; looks for half a second
  local allowed before after
  { allowed=$(allowed_processors) && before=$(ticks "$allowed" "$(cat /proc/stat)"); } 2>/dev/null || { echo 0; return; }
  sleep 0.5
  after=$(ticks "$allowed" "$(cat /proc/stat)")
  set -- $allowed
  share_of $# $before $after
}

share_of() { # cores, ticks at work and in all before, and after: cores at work between, rounded
  local work=$(($4 - $2)) all=$(($5 - $3))
  [ "$all" -gt 0 ] && echo $(((2 * work * $1 + all) / (2 * all))) || echo 0
}

free_cores() { # those that others leave of what this shell may use, where they use so many; at least one
  local all others=$1 free
  all=$(cores)
  set -- $(allowed_processors 2>/dev/null)
  free=$(($# > 0 ? $# - others : all)) # a quota may be less than these
  [ "$free" -lt "$all" ] || free=$all
  [ "$free" -ge 1 ] || free=1
  echo "$free"
}

find_nvcc() { # puts nvcc into PATH
  has_command nvcc && return 0
  [ -x /usr/local/cuda/bin/nvcc ] || return 1
  PATH=$PATH:/usr/local/cuda/bin
}

gpus() { nvidia-smi -L 2>/dev/null | grep -c '^GPU ' || true; }

cuda_options() { # into cuda: CUDA for a GPU that is here, none where there is nvcc alone
  cuda=()
  find_nvcc || return 0
  cuda=(-DSHOCKLET_CUDA=OFF)
  [ "$(gpus)" -gt 0 ] || return 0
  require_packages 'g++ has_command c++'
  cuda=(-DSHOCKLET_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=native)
}

# A rank that waits for another one lets others have its core, and a rank goes where there is a free one.
share_cores() {
  export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_hwloc_default_binding_policy=none
}

# MPI as root, in containers, with more ranks than cores: Open MPI 4 and 5; MPICH reads none of these.
mpi_environment() { # ranks
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
  export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl_base_warn_component_unused=0
  [ "${1:-1}" -le "$(cores)" ] || share_cores
  export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1} OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-1}
}

# ---------------------------------------------------------------- builds

configured() { # preset [-Dname=value ...]: is the folder one of this tree, with these options?
  local folder=$root/build/$1 option
  [ -f "$folder/build.ninja" ] && grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt" || return 1
  shift
  for option in "${@#-D}"; do
    grep -q "^${option%%=*}:[A-Z]*=${option#*=}\$" "$folder/CMakeCache.txt" || return 1
  done
}

build() { # target, preset [-Dname=value ...]: configures once, again only when an option changed; compiles what changed
  local target=$1
  shift
  if ! configured "$@"; then
    say "configuring build/$*"
    (cd "$root" && cmake --fresh --preset "$@" >&2) || return 1
  fi
  say "building build/$1"
  ${tied[@]+"${tied[@]}"} ninja -C "$root/build/$1" -j "$(cores)" "$target" >&2
}
