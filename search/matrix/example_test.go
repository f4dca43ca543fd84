package matrix_test

import (
	"fmt"
	"log"

	"stackmate/search/matrix"
)

// Rock, paper, scissors, where rock beats scissors for two points.
func ExampleNative_Nash() {
	payoffs := []float64{
		0, -1, 2,
		1, 0, -1,
		-2, 1, 0,
	}
	row, column := make([]float64, 3), make([]float64, 3)
	value, err := matrix.NewNative().Nash(payoffs, 3, 3, row, column)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("value %.3f, rock %.2f, paper %.2f, scissors %.2f\n", value, row[0], row[1], row[2])
	// Output: value 0.000, rock 0.25, paper 0.50, scissors 0.25
}
