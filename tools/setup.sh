#!/bin/sh
# First step of every make target: makes sure there is a Python that can build a virtual environment, then hands over to
# setup.py. Safe to run again and again; touches nothing when everything is in place.
set -eu
cd "$(dirname "$0")/.."

have_python() { python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

if ! have_python; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "setup: installing python3 and python3-venv"
        apt-get update -q >/dev/null
        DEBIAN_FRONTEND=noninteractive apt-get install -y -q python3 python3-venv >/dev/null
    fi
    have_python || {
        echo "setup: Python 3.11 or newer with venv is missing; install it (Debian: apt-get install python3 python3-venv) and run make again" >&2
        exit 1
    }
fi
exec python3 tools/setup.py "$@"
