#!/usr/bin/env bash
# Builds a Debian package of what is checked out.
# Usage: packaging/deb.sh OUT-DIRECTORY. MAINTAINER names who answers for the package.
set -euo pipefail
cd "$(dirname "$0")/.."

out=$1
maintainer=${MAINTAINER:-The Diptych maintainers <maintainers@example.org>}

# The version is the last tag's, or says from which commit the package is built.
commit=$(git log -1 --format=%cd.%h --date=format:%Y%m%d)
version=$(git describe --tags --match 'v[0-9]*' 2>/dev/null | sed 's/^v//; s/-/+/g' || true)
version=${version:-0~git$commit}-1
arch=$(dpkg --print-architecture)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
docs=$root/usr/share/doc/diptych
mkdir -p "$root/DEBIAN" "$docs"

hardened=(-trimpath -buildmode=pie -ldflags '-s -w -linkmode=external -extldflags=-Wl,-z,relro,-z,now')
go build "${hardened[@]}" -o "$root/usr/bin/diptych" ./cmd/diptych
CGO_CFLAGS='-g -O2 -w' go build "${hardened[@]}" -tags wayland \
	-o "$root/usr/lib/diptych/diptych-wayland" ./cmd/diptych
go run ./internal/cli/share "$root/usr/share"
install -Dm644 packaging/diptych.desktop -t "$root/usr/share/applications"
install -Dm644 packaging/diptych.metainfo.xml -t "$root/usr/share/metainfo"
{
	cat packaging/copyright
	tail -n +5 LICENSE | sed 's/^$/./; s/^/ /'
} >"$docs/copyright"
cat internal/notices/notices.txt >"$docs/notices.txt"
cat docs/CHANGELOG.md >"$docs/changelog"
cat >"$docs/changelog.Debian" <<END
diptych ($version) unstable; urgency=medium

  * Built from commit ${commit#*.}; docs/CHANGELOG.md says what is new.

 -- $maintainer  $(date -R -u -d "@$SOURCE_DATE_EPOCH")
END
gzip -9n "$docs"/{notices.txt,changelog,changelog.Debian} "$root"/usr/share/man/man1/*.1

# Libraries that GLFW and Gio load by name while they run are not found by dpkg-shlibdeps.
mkdir "$work/debian"
printf 'Source: diptych\n\nPackage: diptych\nArchitecture: any\n' >"$work/debian/control"
linked=$(cd "$work" && dpkg-shlibdeps -O "$root/usr/bin/diptych" "$root/usr/lib/diptych/diptych-wayland" 2>/dev/null | sed 's/^shlibs:Depends=//')
cat >"$root/DEBIAN/control" <<END
Package: diptych
Version: $version
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -ks --exclude=DEBIAN "$root" | cut -f1)
Depends: $linked, libgles2
Recommends: libxcursor1, libxi6, libxinerama1, libxrandr2, libwayland-cursor0, libwayland-egl1, libxkbcommon0, xclip, wl-clipboard, xdg-desktop-portal
Section: devel
Priority: optional
Description: compare two execution traces side by side
 Diptych opens two execution traces of a program in one window, mirrored, and
 links matching calls: where two runs match, what moved, what was repeated and
 what is missing on one side. On the command line it says the same in
 sentences and tables.
 .
 It reads traces of Chrome, Perfetto, uftrace, LTTng, Go, OTF2 and Paje, of
 OpenTelemetry and Jaeger, output of perf script, and profiles of pprof, V8,
 Firefox, speedscope and Callgrind.
END
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
chmod -R u=rwX,go=rX "$root"
find "$root" -type f ! -path '*/bin/*' ! -name diptych-wayland -exec chmod a-x {} +

mkdir -p "$out"
dpkg-deb --root-owner-group --build "$root" "$out/diptych_${version}_$arch.deb"
