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

// Lengths of what an image of length 10 and its class's text of length 1 are made
// of, as they were measured on the reference pack's foods (OpenAI's ViT-B/32): the
// mean of all images has 8.1, a class's lies 3.3 from it, an image 4.8 from that.
// How far the tasks lie apart, one task cannot tell: 4 is a guess.
const (
	imageGap, imageTask, imageClass, imageOwn = 7, 4, 3.3, 4.8
	textGap, textTask, textClass              = .8, .42, .41
	// Cosines of what images and texts have alike.
	alikeGap, alikeRest = .29, .5
)

// How fast the variance falls from one dimension to the next: as i^-fall. Images
// of a food have it near 1 (1.8, 0.5, 0.11, 0.015 in the 1st, 6th, 50th, 200th
// principal direction). What tells classes apart falls faster, or every class
// would be known by its many small dimensions.
const imageFall, classFall = 1, 2

// Synthetic is a suite of random numbers that have the geometry of an image-text
// encoder: an image is the sum of what all images have in common, what its task,
// what its class, and what it has alone. Texts are made likewise, and their parts
// agree with those of images in part; the rest is for exemplars to teach. It
// serves tests, and measurements of cost, which hangs on how classes overlap and
// on how variance falls; its accuracies say nothing about photos. Equal seeds give
// equal suites.
func Synthetic(s Shape, seed uint64) Suite {
	rng := rand.New(rand.NewPCG(seed, 0))
	suite := Suite{Name: fmt.Sprintf("synthetic, seed %d", seed), Encoder: "none", Tau: 100}
	texts := direction(rng, s.Dim, 0)
	images := near(rng, texts, alikeGap, 0)
	for t := range s.Targets + s.ZeroShotTasks {
		task := Task{Name: fmt.Sprintf("target %d", t+1), ZeroShot: t >= s.Targets}
		if task.ZeroShot {
			task.Name = fmt.Sprintf("zero-shot %d", t-s.Targets+1)
		}
		taskText := direction(rng, s.Dim, classFall)
		taskImage := near(rng, taskText, alikeRest, classFall)
		for c := range s.Classes {
			classText := direction(rng, s.Dim, classFall)
			classImage := near(rng, classText, alikeRest, classFall)
			text := sum(s.Dim, weighted{textGap, texts}, weighted{textTask, taskText}, weighted{textClass, classText})
			vec.Normalize(text)
			task.Classes = append(task.Classes, fmt.Sprintf("%s, class %d", task.Name, c+1))
			task.Texts = append(task.Texts, text)
			centre := sum(s.Dim, weighted{imageGap, images}, weighted{imageTask, taskImage}, weighted{imageClass, classImage})
			draw := func(n int, into *Split) {
				for range n {
					v := sum(s.Dim, weighted{1, centre}, weighted{imageOwn, direction(rng, s.Dim, imageFall)})
					vec.Normalize(v)
					vec.Scale(10, v)
					into.Vectors, into.Labels = append(into.Vectors, v), append(into.Labels, c)
				}
			}
			if !task.ZeroShot {
				draw(s.Train, &task.Train)
			}
			draw(s.Test, &task.Test)
		}
		suite.Tasks = append(suite.Tasks, task)
	}
	return suite
}

// direction is a random unit vector whose variance in dimension i falls as i^-fall.
func direction(rng *rand.Rand, dim int, fall float64) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(rng.NormFloat64() * math.Pow(float64(i+1), -fall/2))
	}
	vec.Normalize(v)
	return v
}

// near is a unit vector whose cosine to another is about that given.
func near(rng *rand.Rand, to []float32, cosine, fall float64) []float32 {
	v := sum(len(to), weighted{float32(cosine), to}, weighted{float32(math.Sqrt(1 - cosine*cosine)), direction(rng, len(to), fall)})
	vec.Normalize(v)
	return v
}

// weighted is a term of a sum.
type weighted struct {
	by float32
	v  []float32
}

func sum(dim int, terms ...weighted) []float32 {
	out := make([]float32, dim)
	for _, t := range terms {
		for i, x := range t.v {
			out[i] += t.by * x
		}
	}
	return out
}
