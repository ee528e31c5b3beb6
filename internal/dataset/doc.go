// Package dataset reads what an evaluation is made of, as a manifest lists it
// (Manifest), into a protocol.Suite: photos by class, which an encoder embeds and
// a Cache remembers; embeddings that were made elsewhere (npz, npy); the
// reference pack. What is left out of it, an unreadable photo say, is told by
// name (Suite.Notes), never passed over in silence.
package dataset
