#!/bin/sh
# Installs a build tree into an empty prefix, and builds and runs examples/installed against it: what a user of the
# library meets.   tests/install_test.sh BUILD_FOLDER SOURCE_FOLDER
set -eu

if [ $# -ne 2 ]; then
    echo "usage: $0 BUILD_FOLDER SOURCE_FOLDER" >&2
    exit 2
fi
build=$1
source=$2
unset DESTDIR

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run COMMAND...: quiet unless it fails.
run() {
    if ! "$@" >"$work/log" 2>&1; then
        echo "failed: $*" >&2
        cat "$work/log" >&2
        exit 1
    fi
}
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

# The example is compiled like the library: a sanitized one cannot be linked into a plain program.
sanitize=$(cached ALFCG_SANITIZE)
run cmake --install "$build" --prefix "$work/prefix"
run cmake -S "$source/examples/installed" -B "$work/example" -G "$(cached CMAKE_GENERATOR)" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_CXX_COMPILER="$(cached CMAKE_CXX_COMPILER)" -DCMAKE_CXX_FLAGS="${sanitize:+-fsanitize=$sanitize}"
run cmake --build "$work/example"
"$work/example/example"
run "$work/prefix/bin/alfcg" --help
# Where man, bash and zsh look for them.
for file in man/man1/alfcg.1 bash-completion/completions/alfcg zsh/site-functions/_alfcg; do
    run test -s "$work/prefix/share/$file"
done
