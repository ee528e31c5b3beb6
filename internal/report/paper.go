package report

import "fieldmark/internal/fusion"

// What the paper printed (METHOD.md section 5): its accuracies are in percent.

// paperTask is its task-incremental run: eight target tasks, three zero-shot tasks.
type paperTask struct {
	encoder, system  string
	target, zeroShot float64
}

func paperTasks() []paperTask {
	return []paperTask{
		{"ViT-B/32", "zero-shot", 60.2, 54.0},
		{"ViT-B/32", "TreeProbe (50k)", 80.5, 53.8},
		{"ViT-L/14@336", "zero-shot", 72.1, 65.6},
		{"ViT-L/14@336", "TreeProbe (50k)", 86.6, 65.4},
		{"ViT-H/14", "zero-shot", 79.2, 71.7},
		{"ViT-H/14", "TreeProbe (50k)", 90.2, 71.6},
	}
}

// paperMatrix is its MTIL, order I, ViT-B/16.
type paperMatrix struct {
	system              string
	transfer, avg, last float64
}

func paperMTIL() []paperMatrix {
	return []paperMatrix{
		{"zero-shot", 69.4, 65.3, 65.3},
		{"KNN", 69.3, 72.7, 78.4},
		{"LinProbe", 69.3, 77.1, 86.0},
		{"TreeProbe (50k)", 69.3, 75.9, 85.5},
		{"ZSCL (fine-tunes the encoder)", 68.1, 75.4, 83.6},
	}
}

// paperTime is the seconds of its task-incremental run, on its authors' machine.
type paperTime struct {
	kind                fusion.System
	training, inference float64
}

func paperTimes() []paperTime {
	return []paperTime{
		{fusion.KNNWAvg, 9.8, 416},
		{fusion.LinProbe, 30_971, 449},
		{fusion.Tree, 2_082, 614},
	}
}

// paperExemplars is about how many exemplars that run learned.
const paperExemplars = 220_000
