// Package beetles draws beetles that do not exist, for the first lesson: nobody's
// encoder has learned them, and no photo of anybody's is needed.
//
// A picture is drawn from a species and a pose, always the same. Shapes are filled
// by golang.org/x/image/vector; lengths are in beetles: from head to tail it is 1.
package beetles
