package nearest_test

import (
	"fmt"

	"fieldmark/internal/nearest"
)

// The two nearest of three vectors, and of those that are kept: versions share storage,
// and what was appended later is not in an earlier one.
func Example() {
	v := nearest.NewVectors(2, nearest.Half)
	for _, row := range [][]float32{{1, 0}, {4, 3}, {0, 2}} {
		var err error
		if v, err = v.Append(row); err != nil {
			panic(err)
		}
	}
	index := nearest.Exact{Vectors: v}
	for _, n := range index.Search([]float32{2, 0}, 2, nil) {
		fmt.Printf("%d %.1f\n", n.ID, n.Cos)
	}
	fmt.Println(index.Search([]float32{2, 0}, 2, func(id int) bool { return id == 2 })[0].ID)
	// Output:
	// 0 1.0
	// 1 0.8
	// 2
}
