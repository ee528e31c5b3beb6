// Package report turns the result of a protocol.Run into what people read: tables
// as text and CSV, charts as SVG and PNG, JSON, and one HTML page that holds all
// of it and needs nothing from elsewhere. Compose decides what is said, the other
// files how it looks. The page stands beside the figures that the paper printed
// (METHOD.md section 5) where these can be compared.
package report
