// Package clip runs an encoder with two towers that share one space, as CLIP
// does (Radford et al., 2021): photos and texts become vectors whose cosine
// says how well they match. Everything that tells one encoder from another is
// in its folder's manifest (METHOD.md, section 6); nothing of it is compiled in.
//
// The way of a photo is Preprocess, then the image tower, through a batcher
// that lets concurrent callers share one run. The way of a name is a prompt,
// the Tokenizer, then the text tower.
package clip
