// Package onnx reads ONNX files without running them: what a graph takes and
// gives, constants that are written into it, and the part of it that leads to
// one output, as a graph of its own. It knows the wire format of onnx.proto
// (github.com/onnx/onnx) and nothing of the operators but those that LogitScale
// looks for.
package onnx
