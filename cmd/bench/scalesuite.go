package main

import (
	"cmp"
	"math/rand/v2"
	"path/filepath"

	"fieldmark/internal/probe"
	"fieldmark/internal/protocol"
)

// paperSuite is tasks of random numbers with the geometry of an encoder's.
func (b *bench) paperSuite() protocol.Suite {
	classes := max(2, b.scale/(paperTargets*paperPerClass))
	return protocol.Synthetic(protocol.Shape{
		Dim: b.dim, Targets: paperTargets, ZeroShotTasks: paperZeroShotTasks, Classes: classes,
		Train: max(1, b.scale/(paperTargets*classes)), Test: scaleAsked,
	}, b.seed)
}

// writeSuite writes a suite for the peers: all that is taught, in the order of
// tasks and shuffled within each, and all that is asked.
func (b *bench) writeSuite(suite protocol.Suite) error {
	var taught, asked, texts [][]float32
	var labels, wanted, tasks, taskOf, ends []int32
	rng := rand.New(rand.NewPCG(b.seed, 1))
	for t, task := range suite.Tasks {
		first := int32(len(texts))
		for _, i := range rng.Perm(len(task.Train.Labels)) {
			taught, labels = append(taught, task.Train.Vectors[i]), append(labels, first+int32(task.Train.Labels[i]))
		}
		if !task.ZeroShot {
			ends = append(ends, int32(len(taught)))
		}
		for i, v := range task.Test.Vectors {
			asked, wanted, tasks = append(asked, v), append(wanted, first+int32(task.Test.Labels[i])), append(tasks, int32(t))
		}
		for _, v := range task.Texts {
			texts, taskOf = append(texts, v), append(taskOf, int32(t))
		}
	}
	at := func(name string) string { return filepath.Join(b.scratch, name) }
	rows := func(name string, of [][]float32) error {
		return writeRows(at(name), len(of), func(i int) []float32 { return of[i] })
	}
	return cmp.Or(
		meta{Dim: b.dim, C: probe.DefaultC}.write(b.scratch),
		rows("taught.f32", taught), rows("asked.f32", asked), rows("texts.f32", texts),
		writeInts(at("taught_labels.i32"), labels), writeInts(at("asked_labels.i32"), wanted),
		writeInts(at("tasks.i32"), tasks), writeInts(at("task_of_label.i32"), taskOf), writeInts(at("ends.i32"), ends))
}
