package protocol

import (
	"fmt"
	"math"
	"math/rand/v2"

	"fieldmark/internal/vec"
)

// Shape says how a Synthetic suite is made.
type Shape struct {
	Dim                    int
	Targets, ZeroShotTasks int // tasks
	Classes                int // of each task
	Train, Test            int // images of each class
}

// Synthetic is a suite of random numbers that have the geometry of an image-text
// encoder: a class has a text direction t, and its images lie around
//
//	g + ½t + ½u + noise,   scaled to a length near 10
//
// with g the same for all images (the gap between the modalities, which is why
// cosines of images and texts are small), and u a direction of the class that its
// text does not know, and exemplars teach. It serves tests and measurements of
// cost; its accuracies say nothing about photos. Equal seeds give equal suites.
func Synthetic(s Shape, seed uint64) Suite {
	rng := rand.New(rand.NewPCG(seed, 0))
	suite := Suite{Name: fmt.Sprintf("synthetic, seed %d", seed), Encoder: "none", Tau: 100}
	gap := randomUnit(rng, s.Dim)
	for t := range s.Targets + s.ZeroShotTasks {
		task := Task{Name: fmt.Sprintf("target %d", t+1), ZeroShot: t >= s.Targets}
		if task.ZeroShot {
			task.Name = fmt.Sprintf("zero-shot %d", t-s.Targets+1)
		}
		for c := range s.Classes {
			text, own := randomUnit(rng, s.Dim), randomUnit(rng, s.Dim)
			task.Classes = append(task.Classes, fmt.Sprintf("%s, class %d", task.Name, c+1))
			task.Texts = append(task.Texts, text)
			images := func(n int, into *Split) {
				for range n {
					into.Vectors = append(into.Vectors, image(rng, gap, text, own))
					into.Labels = append(into.Labels, c)
				}
			}
			if !task.ZeroShot {
				images(s.Train, &task.Train)
			}
			images(s.Test, &task.Test)
		}
		suite.Tasks = append(suite.Tasks, task)
	}
	return suite
}

// noise is the length of an image's own part beside the gap's 1.
const noise = 1.2

func image(rng *rand.Rand, gap, text, own []float32) []float32 {
	v := make([]float32, len(gap))
	scale := noise / math.Sqrt(float64(len(v)))
	for i := range v {
		v[i] = gap[i] + .5*text[i] + .5*own[i] + float32(scale*rng.NormFloat64())
	}
	vec.Normalize(v)
	for i := range v {
		v[i] *= 10
	}
	return v
}

func randomUnit(rng *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(rng.NormFloat64())
	}
	vec.Normalize(v)
	return v
}
