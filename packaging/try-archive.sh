#!/bin/sh
# try-archive.sh ARCHIVE RELEASE DIRECTORY: unpacks the archive in a Debian RELEASE of its own under DIRECTORY and debugs a program that was compiled there.
# Needs root and debootstrap; the packages come from where this machine's own come from.
set -eu
archive=$1 release=$2 root=$3
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -x "$root/usr/bin/g++" ]; then
  mirror=$(cat /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null | sed -n 's/^URIs: *//p; s/^deb \(\[.*\] \)\{0,1\}\(http[^ ]*\).*/\2/p' | head -n 1)
  debootstrap --variant=minbase --include=g++ "$release" "$root" "$mirror" >"$root.log" 2>&1 || {
    echo "try-archive: debootstrap failed, see $root.log" >&2
    exit 125
  }
fi
rm -rf "$root/opt/heddle"
mkdir -p "$root/opt/heddle"
tar -xzf "$archive" -C "$root/opt/heddle" --strip-components=1
cp "$here/../examples/bank.cpp" "$root/opt/bank.cpp"
trap 'umount "$root/proc" "$root/dev" 2>/dev/null || true' EXIT
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
chroot "$root" /bin/sh -eu <<'INSIDE'
cd /opt
g++ -g -O0 -pthread bank.cpp -o bank
/opt/heddle/bin/heddle doctor || true
rm -rf .heddle
code=0
/opt/heddle/bin/heddle debug --simplify-time 10 -- ./bank || code=$?
[ "$code" = 1 ] || { echo "heddle debug ended with $code, not with 1" >&2; exit 1; }
code=0
/opt/heddle/bin/heddle replay || code=$?
[ "$code" = 1 ] || { echo "heddle replay ended with $code, not with 1" >&2; exit 1; }
. /etc/os-release
echo "works on $PRETTY_NAME, $(ldd --version | head -n 1)"
INSIDE
