#!/usr/bin/env bash
# Tries the project on a machine that has nothing: a bare Debian 12 in a folder, a clone, and the commands that README.md promises.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
project=$(readlink -f "$here/..")

help() {
  cat <<TEXT
tools/fresh_machine.sh [VARIANT] [--commands "WORD..."] [--root DIR] [--keep] [--ccache DIR]

Makes a bare Debian 12 in a folder (mmdebstrap, from this machine's apt sources, proxies and certificates), clones the
committed state of this project into it and runs there, from nothing: ./dev demo and ./dev test.

variants (default: root, with a network, with nothing else)
  --node-elsewhere  Node is there from its maker's package, which conflicts with apt's npm
  --offline         no network once the Debian packages are installed: what npm would fetch is missing
  --user            neither root nor sudo: ./dev must say the line that root is to run; root runs it, the user goes on

  --commands LIST   default "demo test". Each word is a verb of ./dev, or one of
                      packages   only install what ./dev test installs
                      configure  the same, then configure the build
                      deb        install out/packages/armature_*.deb (./dev package makes it) and run README.md's first command
                                 with it, its man page, its completion and README.md's lines of Python; then the first
                                 command with the tarball, unpacked in a folder of its own
                      pip        README.md's pip line in the clone, as a user, then its lines of Python
                      wheel      the same with out/packages/armature_robotics-*.whl, which has to be there; nothing is compiled
  --root DIR        the folder of the root; one that is there already is taken as it is. Default: a temporary folder
  --keep            do not remove the root at the end (a root named with --root stays anyway)
  --ccache DIR      share this machine's compiler cache, so that variants need not compile everything again
TEXT
}

variant=default commands="demo test" root='' keep=no ccache=''
while [ $# != 0 ]; do
  case $1 in
    --node-elsewhere | --offline | --user) variant=${1#--} ;;
    --commands) commands=$2; shift ;;
    --root) root=$2 keep=yes; shift ;;
    --keep) keep=yes ;;
    --ccache) ccache=$(readlink -f "$2"); shift ;;
    -h | --help) help; exit ;;
    *) echo "fresh_machine: what is '$1'?" >&2; help >&2; exit 2 ;;
  esac
  shift
done
say() { printf '\n== fresh_machine, %s: %s\n' "$variant" "$*"; }
die() { echo "fresh_machine: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || die "this must be run as root (it mounts and changes its root folder)"
command -v mmdebstrap >/dev/null || die "mmdebstrap is not here; apt-get install mmdebstrap"

if [ -z "$root" ]; then
  root=$(mktemp -d)
  chmod 755 "$root"
fi
log=$(mktemp)
# Mounts live in name spaces of their own (see inside) and end with them: here there is nothing but files to remove.
# shellcheck disable=SC2317 # the trap calls it
leave() {
  rm -f "$log"
  if [ "$keep" = yes ]; then echo "the root stays: $root"; else rm -rf --one-file-system "$root"; fi
}
trap leave EXIT
trap 'exit 130' INT TERM

clone=/srv/armature account=root
[ "$variant" != user ] || account=someone
network=yes

# inside ACCOUNT COMMAND...: runs it in the root, in the clone where that is there. proc, sys and dev are mounted in a name space
# that ends with the command, so that nothing stays mounted, whatever happens.
inside() {
  local who=$1 spaces=(--mount --pid --fork --kill-child --propagation private) settings=() name
  shift
  [ "$network" = yes ] || spaces+=(--net)
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY NODE_EXTRA_CA_CERTS npm_config_registry; do
    [ -z "${!name:-}" ] || settings+=("$name=${!name}")
  done
  if [ -n "$ccache" ]; then # found again where the compiler and what is compiled are the same, wherever they lie
    settings+=(CCACHE_DIR=/ccache CCACHE_BASEDIR=/srv CCACHE_NOHASHDIR=1 CCACHE_COMPILERCHECK=content CCACHE_TEMPDIR=/tmp)
    [ "$who" = root ] || settings+=(CCACHE_READONLY=1)
  fi
  [ "$who" = root ] && settings+=(HOME=/root) || settings+=("HOME=/home/$who")
  # shellcheck disable=SC2016 # the inner shells expand these
  unshare "${spaces[@]}" bash -c '
    set -e
    root=$1 ccache=$2 clone=$3 who=$4
    shift 4
    mount -t proc proc "$root/proc"
    mount -t sysfs sysfs "$root/sys"
    mount --rbind /dev "$root/dev"
    if [ -n "$ccache" ]; then mkdir -p "$root/ccache"; mount --bind "$ccache" "$root/ccache"; fi
    ip link set lo up 2>/dev/null || true
    exec chroot --userspec="$who:$who" "$root" /usr/bin/env -i LANG=C.UTF-8 \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
  ' inside "$root" "$ccache" "$clone" "$who" "${settings[@]}" \
    sh -c 'cd "$0" 2>/dev/null || cd /; exec "$@"' "$clone" "$@" </dev/null
}

make_root() {
  say "a bare Debian 12 in $root"
  local sources options include=''
  sources=$(find /etc/apt/sources.list /etc/apt/sources.list.d \( -name '*.list' -o -name '*.sources' \) 2>/dev/null | sort) || true
  # shellcheck disable=SC2086 # one argument each
  grep -qs bookworm $sources || sources='' # another release: Debian's own servers
  options=$(mktemp --suffix=.conf)
  apt-config dump | grep -E '^Acquire::(https?|Check-Valid-Until|Retries|Proxy)' >"$options" || true
  # shellcheck disable=SC2086
  if [ -n "$(ls /usr/local/share/ca-certificates 2>/dev/null)" ] || grep -qs 'https:' $sources; then include=--include=ca-certificates; fi
  # shellcheck disable=SC2086
  mmdebstrap --quiet --variant=minbase $include --aptopt="$options" bookworm "$root" $sources
  rm -f "$options"
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  cp -r /etc/apt/auth.conf /etc/apt/auth.conf.d /etc/apt/keyrings "$root/etc/apt/" 2>/dev/null || true
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/fresh_machine" # it lives for an hour
  if [ -n "$include" ]; then
    cp -r /usr/local/share/ca-certificates "$root/usr/local/share/"
    inside root update-ca-certificates >/dev/null
  fi
  inside root useradd --create-home someone
  local npmrc=${NPM_CONFIG_USERCONFIG:-$HOME/.npmrc} # where npm finds its registry
  if [ -f "$npmrc" ]; then
    install -m 600 "$npmrc" "$root/root/.npmrc"
    install -m 600 -o "$(inside root id -u someone)" "$npmrc" "$root/home/someone/.npmrc"
  fi
}

# Node as its maker packages it: with its own npm, and in conflict with Debian's.
node_from_elsewhere() {
  local package node npm
  package=$(mktemp -d) node=$(command -v node) npm=$(command -v npm) || die "--node-elsewhere needs node and npm on this machine"
  npm=$(dirname "$(dirname "$(readlink -f "$npm")")")
  mkdir -p "$package/DEBIAN" "$package/usr/bin" "$package/usr/lib/node_modules"
  chmod 755 "$package"
  cp "$(readlink -f "$node")" "$package/usr/bin/node"
  cp -r "$npm" "$package/usr/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$package/usr/bin/npm"
  printf '%s\n' 'Package: nodejs' "Version: $(node -p process.versions.node)-1elsewhere" "Architecture: $(dpkg --print-architecture)" \
    'Maintainer: somebody else' 'Conflicts: npm' 'Description: Node from elsewhere' >"$package/DEBIAN/control"
  dpkg-deb --build "$package" "$root/tmp/nodejs.deb" >/dev/null
  rm -rf "$package"
  inside root dpkg -i /tmp/nodejs.deb >/dev/null
  inside root npm --version >/dev/null || die "this machine's Node does not run elsewhere"
  inside root apt-get update -qq
  if inside root apt-get install -s npm >"$log" 2>&1; then die "apt's npm can be installed, which this variant is to rule out"; fi
  echo "node $(inside root node --version); apt-get install npm: $(grep -m 1 '^E: ' "$log")"
}

# The user is told what root is to run, and root runs just that.
packages_by_root() {
  local status=0 line lines
  inside someone ./dev packages >"$log" 2>&1 || status=$?
  cat "$log"
  [ $status = 2 ] || die "a user without root and sudo must be refused with 2, not $status"
  mapfile -t lines < <(sed -n 's/^    \(apt-get update && .*\)/\1/p' "$log")
  [ ${#lines[@]} != 0 ] || die "the refusal names no line to run"
  for line in "${lines[@]}"; do
    say "root runs: $line"
    inside root sh -c "DEBIAN_FRONTEND=noninteractive; export DEBIAN_FRONTEND; $line" >"$log" 2>&1 || { tail -n 20 "$log"; die "root cannot run that line"; }
  done
}

# The first command of README.md, run as `$1` in an empty folder beside the scenarios in `$2`; it must leave a page.
try_first_command() {
  local command folder=/home/someone/first
  command=$(cd "$here" && python3 -B -c 'import check_readme as c; print(next(c.examples((c.ROOT / "README.md").read_text().splitlines()))[1])') || return
  rm -rf "$root$folder" && inside someone mkdir "$folder" && ln -s "$2" "$root$folder/scenarios" || return
  printf '$ %s\n' "$1 ${command#armature }"
  # shellcheck disable=SC2016 # the inner shell expands these
  inside someone sh -c 'cd "$0" && exec "$@"' "$folder" "$1" ${command#armature } || return
  find "$root$folder/out" -name index.html -size +100k | grep -q . || { echo "there is no page"; return 1; }
}
# What a shell completes of `armature compute inverse-dyn`, asked as bash asks when Tab is pressed.
completed() {
  # shellcheck disable=SC2016
  inside someone bash -c '
    . /usr/share/bash-completion/bash_completion && _completion_loader armature
    COMP_WORDS=(armature compute inverse-dyn) COMP_CWORD=2 COMP_LINE="armature compute inverse-dyn" COMP_POINT=${#COMP_LINE}
    how=$(complete -p armature) && how=${how#*-F } && ${how%% *} armature inverse-dyn compute && echo "${COMPREPLY[@]}"'
}
deb() {
  local words
  rm -rf "$root/tmp/packages" "$root/opt/armature" && mkdir -p "$root/tmp/packages" "$root/opt/armature" &&
    cp "$project"/out/packages/armature[_-]0* "$root/tmp/packages/" &&
    rm -f "$root/etc/dpkg/dpkg.cfg.d/excludes" && # man pages are wanted
    inside root apt-get update -qq &&
    inside root sh -c 'DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends man-db bash-completion python3-numpy >/dev/null' &&
    inside root sh -c 'DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends /tmp/packages/armature_*.deb >/dev/null' &&
    inside someone dpkg -s armature | grep -E '^(Version|Depends|Recommends|Provides|Installed-Size)' &&
    try_first_command armature /usr/share/armature/scenarios &&
    inside someone sh -c 'MANWIDTH=100 man armature | sed -n 1,6p' &&
    words=$(completed) && echo "armature compute inverse-dyn<Tab>: $words" && grep -qw inverse-dynamics <<<"$words" &&
    python_lines /usr/bin/python3 armature &&
    inside root dpkg -r armature >/dev/null && # the libraries it needs stay
    tar -xzf "$root"/tmp/packages/armature-*.tar.gz -C "$root/opt/armature" --strip-components=1 &&
    try_first_command /opt/armature/bin/armature /opt/armature/share/armature/scenarios
}
# README.md's lines of Python, run by `$1`, with an arm, a log and a scenario under the names that they use; then the program, called `$2`.
python_lines() {
  rm -rf "$root/home/someone/lines" && inside someone mkdir /home/someone/lines &&
    cp "$project/scenarios/rrr_shaken.yaml" "$root/home/someone/lines/" &&
    { cat <<'PYTHON' && sed -n '/^```python$/,/^```$/{/^```/d;p}' "$project/README.md" && echo 'print(tau.shape, found, found.arm)'; } >"$root/home/someone/lines/lines.py" &&
import os, armature
os.chdir("/home/someone/lines")
print("armature", armature.__version__, "from", armature.__file__)
armature.load("rrr").save("robot.urdf")
run = armature.simulate("rrr_shaken.yaml")
columns = {"time": run.time, **{name: run[name] for i in (1, 2, 3) for name in (f"q{i}_meas", f"tau{i}")}}
with open("log.csv", "w") as log:
    log.write(",".join(columns) + "\n")
    log.writelines(",".join(map(repr, row)) + "\n" for row in zip(*(column.tolist() for column in columns.values())))
with open("reach.yaml", "w") as file:
    file.write("scenario: reach\nrobot: rrr\nreference: {kind: polynomial, to: 0.5, duration: 1 s}\n"
               "controller: {kind: computed_torque, kp: 400, kd: 40}\nrun: {duration: 5 s}\n")
PYTHON
    inside someone "$1" /home/someone/lines/lines.py &&
    inside someone ls -l /home/someone/lines/reach.html &&
    inside someone "$2" check /home/someone/lines/robot.urdf
}
# The same in an environment of its own, in which pip installs "$@".
python_lines_with() {
  local folder=/home/someone/python
  inside root apt-get update -qq &&
    inside root sh -c 'DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv python3-numpy >/dev/null' &&
    rm -rf "$root$folder" && inside someone python3 -m venv --system-site-packages "$folder" &&
    inside someone "$folder/bin/pip" --quiet --no-cache-dir install --no-index "$@" &&
    python_lines "$folder/bin/python" "$folder/bin/armature"
}
wheel() {
  rm -rf "$root/tmp/packages" && mkdir -p "$root/tmp/packages" && cp "$project"/out/packages/armature_robotics-*.whl "$root/tmp/packages/" &&
    python_lines_with "/tmp/packages/$(cd "$root/tmp/packages" && ls)"
}
pip() {
  inside root tools/packages.sh build wheel && inside root chown -R someone: "$clone" && python_lines_with --no-build-isolation "$clone"
}
# ./dev test, and no test skipped that this machine could run.
all_tests() {
  local skipped=' 0 skipped$'
  [ "$variant" != offline ] || skipped=' [1-9][0-9]* skipped$'
  inside "$account" ./dev test | tee "$root/tmp/tests.txt" || return
  tail -n 1 "$root/tmp/tests.txt" | grep -q "$skipped" || { echo "the count should end with$skipped"; return 1; }
}

if [ ! -e "$root/etc/debian_version" ]; then
  make_root
  case $variant in
    node-elsewhere) node_from_elsewhere ;;
  esac
fi
if [ "$commands" != deb ] && [ "$commands" != wheel ]; then
  rm -rf "${root:?}$clone"
  git clone --quiet --no-local --depth 1 "file://$project" "$root$clone"
  inside root chown -R "$account:" "$clone"
fi
case $variant in
  offline)
    say "the packages, while there is a network"
    inside root ./dev packages
    network=no
    ;;
  user) packages_by_root ;;
esac

results=() failures=0
for word in $commands; do
  say "$word, as $account"
  case $word in
    deb) work=(deb) ;;
    pip) work=(pip) ;;
    wheel) work=(wheel) ;;
    test) work=(all_tests) ;;
    packages) work=(inside "$account" ./dev packages) ;;
    configure) work=(inside "$account" sh -c './dev packages && cmake --preset dev') ;;
    *) work=(inside "$account" ./dev "$word") ;;
  esac
  status=0 TIMEFORMAT='%R s, processor %U + %S s'
  { time "${work[@]}" 2>&1; } 2>"$log" || status=$?
  [ $status = 0 ] || failures=1
  results+=("$variant $word: $([ $status = 0 ] && echo well || echo "FAILED with $status"), $(tail -n 1 "$log")")
done
printf '\n'
printf '%s\n' "${results[@]}"
exit $failures
