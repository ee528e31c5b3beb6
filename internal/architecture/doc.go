// Package architecture holds no code of the product: its test enforces which
// packages may import which (doc/architecture.md says why).
package architecture
