# Sourced by the scripts that fetch what is pinned by SHA-256. Linux has sha256sum,
# macOS shasum.

# digest FILE: its SHA-256.
digest() {
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum "$1" | cut -d' ' -f1
	else
		shasum -a 256 "$1" | cut -d' ' -f1
	fi
}

# is_wanted FILE DIGEST: the file is there, and has the digest.
is_wanted() { [ -f "$1" ] && [ "$(digest "$1")" = "$2" ]; }
