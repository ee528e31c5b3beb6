// Package bundle reads and writes .fieldmark files: a stretch of one Fieldmark's
// log, to be learned by another. It knows the format and nothing of what is done
// with it.
//
// # The container
//
// A bundle is a zip archive (APPNOTE 6.3, Zip64 where it must be). A zip needs no
// size before its content, so that it is written in one go and in little memory;
// it is read from its directory, so that a reader sees the manifest first and
// opens the members in any order; unzip, Python and NumPy open it. A tar has
// neither; a format of our own nobody else could look into. What zip does not
// give, order and trust, the manifest adds. A bundle has no comment, no
// encryption, no folders, no links, and no members but these:
//
//	taxa.jsonl          the taxa that are taught, and those above them; a Taxon each line
//	exemplars.jsonl     an Exemplar each line, in the order of the log
//	embeddings.npy      float32 [N, D], raw, as the encoder gave them; row i is line i's
//	views.npy           float32 [V, D], those of photos' parts, in the order of the lines
//	                    that have some; left out if V is 0
//	thumbnails/H.jpg    the thumbnail of the photo with the SHA-256 H; optional
//	photos/H            the photo itself, as it was uploaded; optional
//	files.sha256        a line "SHA-256  NAME" for each thumbnail and photo, as sha256sum
//	                    checks it; left out if there are none
//	manifest.json       a Manifest
//	signature           64 bytes
//
// Text is UTF-8; members that end in .jsonl are stored or deflated, all others are
// stored. The header of an .npy is NumPy's, version 1.0, byte for byte what
// numpy.save writes for its shape.
//
// # What is signed
//
// The manifest has the length and the SHA-256 of each member before it but
// thumbnails and photos, whose digests are in files.sha256. The signature is
// Ed25519 (RFC 8032) over the ASCII text "fieldmark bundle 1\n" followed by the
// bytes of manifest.json, by the key that the manifest carries. So one signature
// covers every byte that is read. Who a key belongs to is not this package's to
// say: its fingerprint is the first 16 bytes of the SHA-256 of the 32 bytes of the
// public key, in hex.
//
// # What a reader refuses
//
// Open checks the container, the manifest and the signature before anything else
// is read, and Each compares every digest by the end. Counts are believed only
// where the bytes are there: N and V follow from the lengths of stored members
// within the file, a line of N may have 16 KB on the average, and no more than
// 400,000 members are looked at. What is refused is an *Error, which says why.
package bundle
