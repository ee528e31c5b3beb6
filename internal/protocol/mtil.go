package protocol

import "slices"

// MTIL makes the multi-domain task-incremental figures (Zheng, Ma, Wang, Qin, Yue
// and You, "Preventing Zero-Shot Transfer Degradation in Continual Learning of
// Vision-Language Models", ICCV 2023; METHOD section 5) of the task-incremental
// rows: one Matrix for each system and rule. With A[i][j] the accuracy on task j
// after task i was taught, of n tasks numbered in the order of teaching:
//
//	Transfer = mean over j = 2…n of mean over i < j of A[i][j]
//	Avg.     = mean over j of mean over i of A[i][j]
//	Last     = mean over j of A[n][j]
func MTIL(rows []Row) []Matrix {
	var order []series
	of := map[series]map[pass][]Row{}
	for _, r := range rows {
		if r.Protocol != TaskIncremental {
			continue
		}
		k := r.series()
		if of[k] == nil {
			of[k] = map[pass][]Row{}
			order = append(order, k)
		}
		p := pass{r.Order, r.Seed}
		of[k][p] = append(of[k][p], r)
	}
	out := make([]Matrix, len(order))
	for i, k := range order {
		out[i] = matrixOf(k, of[k])
	}
	return out
}

func matrixOf(k series, passes map[pass][]Row) Matrix {
	m := Matrix{System: k.system, Rule: k.rule, LongTailRule: k.longTail}
	var transfer, avg, last []float64
	for _, p := range sortedPasses(passes) {
		tasks, a := accuracies(passes[p])
		if m.Tasks == nil {
			m.Tasks, m.Accuracy = tasks, a
		}
		if t, ok := transferOf(a); ok {
			transfer = append(transfer, t)
		}
		avg, last = append(avg, avgOf(a)), append(last, mean(a[len(a)-1]))
	}
	if len(transfer) > 0 {
		f := figure(transfer)
		m.Transfer = &f
	}
	m.Avg, m.Last = figure(avg), figure(last)
	return m
}

func sortedPasses(passes map[pass][]Row) []pass {
	var out []pass
	for p := range passes {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b pass) int {
		if a.seed != b.seed {
			if a.seed < b.seed {
				return -1
			}
			return 1
		}
		return a.order - b.order
	})
	return out
}

// accuracies is the matrix of one run, whose stages are named after their tasks.
func accuracies(rows []Row) (tasks []string, a [][]float64) {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b Row) int { return a.Stage - b.Stage })
	for _, r := range rows {
		tasks = append(tasks, r.StageName)
	}
	for _, r := range rows {
		line := make([]float64, len(tasks))
		for _, s := range r.Scores {
			if j := slices.Index(tasks, s.Task); j >= 0 {
				line[j] = s.Top1()
			}
		}
		a = append(a, line)
	}
	return tasks, a
}

func transferOf(a [][]float64) (float64, bool) {
	var means []float64
	for j := 1; j < len(a); j++ {
		var before []float64
		for i := range j {
			before = append(before, a[i][j])
		}
		means = append(means, mean(before))
	}
	return mean(means), len(means) > 0
}

func avgOf(a [][]float64) float64 {
	means := make([]float64, len(a))
	for i, line := range a {
		means[i] = mean(line)
	}
	return mean(means)
}

func mean(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v / float64(len(x))
	}
	return sum
}
