#!/bin/sh
# Installs pozo on a machine that runs tables, takes it away again, or goes back to the version before.
# `make install`, `make uninstall` and `make rollback` call this; every one of them may be given twice.
#
#   PREFIX=/opt/pozo     where the program is. Versions lie side by side there, each in an environment of its own
#   DESTDIR=             a folder that stands for the machine: nothing outside it is touched, no user made, nothing started
#   PYTHON=python3       the interpreter; from 3.13 on lgpio is the system's, since there is no wheel
#   EXTRAS=display,gpio  what the tables need besides the rules
#   PIP_ARGS=            handed to pip
#
# Data are never touched: /etc/pozo, /var/lib/pozo and the users stay when the program goes.

set -eu
umask 022 # whatever root's own is: the tables' user reads all of it

PREFIX=${PREFIX:-/opt/pozo}
DESTDIR=${DESTDIR:-}
PYTHON=${PYTHON:-python3}
EXTRAS=${EXTRAS-display,gpio}
PIP_ARGS=${PIP_ARGS:-}

SOURCE=$(cd "$(dirname "$0")/.." && pwd)
ROOM=$DESTDIR$PREFIX
LIB=$DESTDIR/usr/local/lib
ETC=$DESTDIR/etc/pozo
STATE=$DESTDIR/var/lib/pozo
PARTS='controller hal firmware pyproject.toml setup.py constraints.txt README.md LICENSE'
LGPIO_SINCE=0x00020200 # 0.2.2: before it, edges could be lost without a sign

say() { printf '%s\n' "$*"; }
fail() { say "$*" >&2; exit 1; }
for_real() { [ -z "$DESTDIR" ]; }

needs_root() {
    for_real || return 0
    [ "$(id -u)" = 0 ] || fail "This changes the machine: give it as root (sudo make $1)."
}

# As the tables' own user, where there is one.
as_pozo() {
    if for_real; then runuser -u pozo -- "$@"; else "$@"; fi
}

# A name for exactly these sources: its version, and a digest of every file.
version() {
    number=$(sed -n 's/^VERSION = "\(.*\)"/\1/p' "$SOURCE/controller/version.py")
    digest=$(cd "$SOURCE" && find $PARTS -type f ! -path '*/__pycache__/*' ! -name '*.mo' -print0 | LC_ALL=C sort -z |
        xargs -0 sha256sum | { cat; say "$EXTRAS" "$("$PYTHON" -VV)"; } | sha256sum | cut -c-10)
    say "$number-$digest"
}

system_packages() {
    for_real || return 0
    missing=
    "$PYTHON" -c 'import ensurepip, venv' 2>/dev/null || missing=python3-venv
    case ",$EXTRAS," in *,gpio,*) from_system && ! "$PYTHON" -c 'import lgpio' 2>/dev/null && missing="$missing python3-lgpio" ;; esac
    [ -n "$missing" ] || return 0
    apt-get update -qq
    for package in $missing; do
        apt-get install --yes -qq --no-install-recommends "$package" || fail "$package cannot be had from this system's" \
            "package sources (Raspberry Pi OS has python3-lgpio, plain Debian does not). Nothing was changed."
    done
}

from_system() { "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 13))'; }

# An environment for this version; it is whole when it has its mark.
build() {
    place=$ROOM/versions/$1
    [ -e "$place/.whole" ] && return 0
    say "installing $1 in $place"
    rm -rf "$place"
    mkdir -p "$ROOM/versions"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    (cd "$SOURCE" && cp -R $PARTS "$work/")
    if from_system; then "$PYTHON" -m venv --system-site-packages "$place"; else "$PYTHON" -m venv "$place"; fi
    pip="$place/bin/python -m pip install --quiet --disable-pip-version-check --no-cache-dir -c $SOURCE/constraints.txt"
    $pip $PIP_ARGS setuptools babel
    $pip --no-build-isolation $PIP_ARGS "$work${EXTRAS:+[$EXTRAS]}"
    check_lgpio "$place/bin/python"
    "$place/bin/python" -m compileall -q "$place/lib" || true
    [ "$("$place/bin/pozo" --version)" = "pozo ${1%-*}" ] || fail "What was installed in $place is not ${1%-*}."
    # The paths that it was made with, as they will be where it is used.
    for_real || find "$place/bin" -type f -exec sed -i "s|$DESTDIR$PREFIX|$PREFIX|g" {} +
    touch "$place/.whole"
    rm -rf "$work"
    trap - EXIT
}

check_lgpio() {
    case ",$EXTRAS," in *,gpio,*) ;; *) return 0 ;; esac
    "$1" -c "import lgpio, sys; sys.exit(lgpio.LGPIO_PY_VERSION < $LGPIO_SINCE)" ||
        fail "lgpio is missing or too old: 0.2.2 is needed (from Python 3.13 on: apt-get install python3-lgpio)."
}

# What belongs to systemd: units, users, folders, rules. $1 is what to do with each file and its place.
each_file() {
    for unit in 'pozo@.service' 'pozo-console@.service'; do "$1" "$unit" "$LIB/systemd/system/$unit"; done
    "$1" pozo.sysusers "$LIB/sysusers.d/pozo.conf"
    "$1" pozo.tmpfiles "$LIB/tmpfiles.d/pozo.conf"
    "$1" 60-pozo.rules "$LIB/udev/rules.d/60-pozo.rules"
}

put() {
    mkdir -p "$(dirname "$2")"
    sed "s|/opt/pozo|$PREFIX|g" "$SOURCE/systemd/$1" > "$2.new"
    chmod 644 "$2.new"
    mv -f "$2.new" "$2"
}

take_away() { rm -f "$2"; }

tell_system() {
    for_real || return 0
    if [ "$1" = install ]; then
        systemd-sysusers pozo.conf
        systemd-tmpfiles --create pozo.conf
    fi
    [ -d /run/systemd/system ] || return 0 # an image that is being made
    systemctl daemon-reload
    udevadm control --reload && udevadm trigger --subsystem-match=gpio --subsystem-match=i2c-dev --subsystem-match=spidev
}

# Which journal a table's file means, asked from the version $1.
journal_of() {
    STATE_DIRECTORY=$STATE/$(basename "$2" .toml) "$1/bin/python" -P -c '
import sys
from controller.config import load
print(load(sys.argv[1]).journal)' "$2"
}

pozo_of() { python=$1/bin/python; shift; as_pozo "$python" -P -m controller.cli "$@"; }

# A verified copy of every journal, before another version may write to it.
copy_journals() {
    before=$STATE/before-upgrade/$1
    for file in "$ETC"/*.toml; do
        [ -e "$file" ] || continue
        journal=$(journal_of "$2" "$file") || fail "$file cannot be read: correct it first. Nothing was changed."
        [ -n "$(find "$journal" -maxdepth 1 -name '*.db' 2>/dev/null)" ] || continue
        name=$(basename "$file" .toml)
        mkdir -p "$before"
        for_real && chown -R pozo:pozo "$STATE/before-upgrade"
        pozo_of "$2" journal copy --journal "$journal" --to "$before/$name" --language en &&
            pozo_of "$2" journal verify --journal "$before/$name" --language en ||
            fail "There is no sound copy of the journal of $name, so nothing was changed."
        say "The journal of $name as it is now: $before/$name"
    done
    # Only the copies of this upgrade and of the one before stay.
    ls -1t "$STATE/before-upgrade" 2>/dev/null | tail -n +3 | while read -r old; do rm -rf "$STATE/before-upgrade/$old"; done
}

point() {
    ln -sfn "$1" "$2.new"
    mv -fT "$2.new" "$2"
}

current() { basename "$(readlink "$ROOM/$1" 2>/dev/null)" 2>/dev/null || true; }

do_install() {
    needs_root install
    new=$(version)
    old=$(current current)
    system_packages
    build "$new"
    each_file put
    tell_system install
    mkdir -p "$ETC" "$STATE" "$ROOM/bin" "$DESTDIR/usr/local/bin" "$ROOM/share/doc/pozo"
    cp -R "$SOURCE/docs/." "$ROOM/share/doc/pozo/"
    cp -R "$SOURCE/examples" "$ROOM/share/"
    if [ "$old" != "$new" ]; then
        # By the old version, which knows all that is in there; the first time by the new one.
        if [ -x "$ROOM/versions/$old/bin/python" ] && [ -n "$old" ]; then by=$old; else by=$new; fi
        copy_journals "$new" "$ROOM/versions/$by"
        [ -z "$old" ] || point "versions/$old" "$ROOM/previous"
        point "versions/$new" "$ROOM/current"
    fi
    point ../current/bin/pozo "$ROOM/bin/pozo"
    point "$PREFIX/bin/pozo" "$DESTDIR/usr/local/bin/pozo"
    for place in "$ROOM"/versions/*; do
        case $(basename "$place") in "$(current current)" | "$(current previous)") ;; *) rm -rf "$place" ;; esac
    done
    say "pozo $new is installed in $PREFIX."
    if [ -n "$old" ] && [ "$old" != "$new" ]; then
        say "Tables that run go on with the version before, $old, until: systemctl restart pozo@NAME"
        say "The way back, make rollback, is promised until the first event of a new kind or version is in a journal."
        say "From then on the version before refuses that journal, and changes nothing in it."
    fi
}

do_rollback() {
    needs_root rollback
    old=$(current previous)
    new=$(current current)
    [ -n "$old" ] && [ -e "$ROOM/versions/$old/.whole" ] || fail "There is no version before this one."
    for file in "$ETC"/*.toml; do
        [ -e "$file" ] || continue
        journal=$(journal_of "$ROOM/versions/$old" "$file") || fail "$old cannot read $file. Nothing was changed."
        [ -d "$journal" ] || continue
        pozo_of "$ROOM/versions/$old" journal verify --journal "$journal" --language en ||
            fail "$old cannot take over the journal of $(basename "$file" .toml), so nothing was changed." \
                "As it was before the upgrade: $STATE/before-upgrade/$new"
    done
    point "versions/$old" "$ROOM/current"
    point "versions/$new" "$ROOM/previous"
    say "pozo $old is installed again. Tables that run go on with $new until: systemctl restart pozo@NAME"
}

do_uninstall() {
    needs_root uninstall
    if for_real && [ -d /run/systemd/system ]; then
        {
            systemctl list-units --all --plain --no-legend 'pozo@*.service' 'pozo-console@*.service' | cut -d ' ' -f 1
            find /etc/systemd/system -path '*.wants/pozo*@*.service' -printf '%f\n'
        } | sort -u | while read -r unit; do systemctl disable --now --quiet "$unit" || true; done
    fi
    each_file take_away
    [ "$(readlink "$DESTDIR/usr/local/bin/pozo" 2>/dev/null)" != "$PREFIX/bin/pozo" ] || rm -f "$DESTDIR/usr/local/bin/pozo"
    for part in versions current previous bin share; do rm -rf "${ROOM:?}/$part"; done
    rmdir "$ROOM" 2>/dev/null || true
    tell_system uninstall
    say "pozo is gone. What is left on purpose: /etc/pozo, /var/lib/pozo with the journals, the users pozo and pozo-console."
}

case ${1:-} in
install | uninstall | rollback) "do_$1" ;;
*) fail "usage: $0 install|uninstall|rollback" ;;
esac
