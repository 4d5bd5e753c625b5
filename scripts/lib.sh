# Sourced by scripts/run, scripts/test and scripts/lock, from the root of the project.
# Owns: which Python, the virtual environment in .venv, and the system libraries that Qt loads.
# Refuses: to change the system without being root or having sudo that asks for nothing; it prints the line to run.

QT_PACKAGES="libglib2.0-0 libgl1 libegl1 libfontconfig1 libdbus-1-3 libxkbcommon0 \
libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxkbcommon-x11-0"

say() {
    printf '%s\n' "$*" >&2
}

fail() {
    say "$*"
    exit 1
}

# Prints the first Python of a version that pyproject.toml accepts; nothing when there is none.
find_python() {
    for python in "${PYTHON:-python3.11}" python3.11 python3.12 python3; do
        if "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 13))' >/dev/null 2>&1; then
            command -v "$python"
            return
        fi
    done
}

# install_packages REASON PACKAGE...: by apt-get where that is possible, otherwise ends with the line to run.
install_packages() {
    reason=$1
    shift
    command -v apt-get >/dev/null 2>&1 ||
        fail "$reason. Install what Debian calls: $*; then run this script again."
    if [ "$(id -u)" -eq 0 ]; then
        as_root="env"
    elif sudo -n true >/dev/null 2>&1; then
        as_root="sudo -n env"
    else
        fail "$reason. Run this line, then this script again: sudo apt-get install -y --no-install-recommends $*"
    fi
    say "$reason: installing $*"
    # The package list of a new machine is empty, and an old one names files that are gone.
    for step in "update" "install -y --no-install-recommends $*"; do
        # shellcheck disable=SC2086 # both are lists of words
        $as_root DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 $step </dev/null >&2 ||
            fail "$reason, and apt-get could not install $*."
    done
}

# Makes .venv, or makes it anew where a try before this one was cut short.
make_venv() {
    if .venv/bin/python -m pip --version >/dev/null 2>&1; then
        return
    fi
    python=$(find_python)
    if [ -z "$python" ]; then
        install_packages "Spyre Studio needs Python 3.11 or 3.12" python3 python3-venv
        python=$(find_python)
        [ -n "$python" ] || fail "Spyre Studio needs Python 3.11 or 3.12. Set PYTHON to one, then run this script again."
    fi
    # Debian splits the standard library: venv can be there without the part that puts pip into the environment.
    if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        install_packages "$python cannot make virtual environments" "python$version-venv"
    fi
    "$python" -m venv --clear .venv
}

# Installs the locked packages and the project into .venv; does nothing when that was done for these very files.
install_python_packages() {
    make_venv
    # The folder is part of it: the environment names it, so that a moved project has to be installed again.
    stamp="$(cat requirements.lock pyproject.toml | cksum) $(pwd -P)"
    if [ "$(cat .venv/stamp 2>/dev/null)" = "$stamp" ]; then
        return
    fi
    say "installing the packages of requirements.lock into .venv"
    rm -f .venv/stamp
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.lock >&2
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . >&2
    printf '%s\n' "$stamp" >.venv/stamp
}

# True when Qt starts without a display, and all that its X11 part links against is there.
qt_starts() {
    QT_QPA_PLATFORM=offscreen .venv/bin/python -c 'from PySide6.QtWidgets import QApplication; QApplication([])' \
        >/dev/null 2>&1 || return 1
    case $(uname) in
        Linux) ! ldd .venv/lib/python3*/site-packages/PySide6/Qt/plugins/platforms/libqxcb.so | grep -q 'not found' ;;
    esac
}

install_qt_libraries() {
    if qt_starts; then
        return
    fi
    # shellcheck disable=SC2086 # a list of words
    install_packages "Qt lacks system libraries" $QT_PACKAGES
    qt_starts || fail "Qt does not start; this shows why: QT_DEBUG_PLUGINS=1 .venv/bin/spyre-studio"
}
