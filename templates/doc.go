// Package templates draws the pages: templ components and the structs that they
// show. It asks nothing and decides nothing; web fills the structs in.
//
// The generated *_templ.go files are committed (go tool templ generate).
package templates
