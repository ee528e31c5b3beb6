package dataset

import (
	"context"
	"fmt"
	"slices"

	"fieldmark/internal/protocol"
)

// readPhotos lists, divides and embeds the photos of all tasks that have any.
// Tasks whose photos lie below one root are read together.
func (l *loader) readPhotos(ctx context.Context) error {
	byRoot := map[string][]*pile{}
	var roots []string
	var piles []*pile
	at := map[*pile]int{}
	for i, t := range l.manifest.Tasks {
		if t.Photos == "" {
			continue
		}
		root := l.manifest.path(t.Photos)
		if byRoot[root] == nil {
			roots = append(roots, root)
		}
		p := &pile{task: t}
		piles, byRoot[root], at[p] = append(piles, p), append(byRoot[root], p), i
	}
	if len(piles) == 0 {
		return nil
	}
	if l.options.Encoder == nil {
		return fmt.Errorf("task %q: %w", piles[0].task.Name, errNoEncoder)
	}
	names, err := l.names()
	if err != nil {
		return err
	}
	listed := 0
	found := func() { listed++; l.options.tell("photos found", listed, 0) }
	for _, root := range roots {
		err := gather(ctx, root, byRoot[root], found, func(name string, err error) { l.note("%s was left out: %v", name, err) })
		if err != nil {
			return err
		}
	}
	for _, p := range piles {
		if err := l.arrange(p, names); err != nil {
			return fmt.Errorf("task %q: %w", p.task.Name, err)
		}
	}
	l.notes = append(l.notes, keepTestsUntaught(piles)...)
	e, err := newEmbedder(ctx, l.options, piles)
	if err != nil {
		return err
	}
	for _, root := range roots {
		if err := e.embed(ctx, root, byRoot[root]); err != nil {
			return err
		}
	}
	l.notes = append(l.notes, e.notes...)
	l.embedded = e.done - len(e.notes)
	for _, p := range piles {
		if l.tasks[at[p]], err = l.photoTask(ctx, p, names, e.vectors); err != nil {
			return fmt.Errorf("task %q: %w", p.task.Name, err)
		}
	}
	return nil
}

func (l *loader) names() (ClassNames, error) {
	if l.manifest.Names == "" {
		return nil, nil
	}
	names, err := ReadNames(l.manifest.path(l.manifest.Names))
	if err != nil {
		return nil, fmt.Errorf("names: %w", err)
	}
	return names, nil
}

// arrange checks a task's photos and decides which of them are used, and how.
func (l *loader) arrange(p *pile, names ClassNames) error {
	if p.task.Named {
		kept := p.photos[:0]
		for _, x := range p.photos {
			if len(names[p.key(x.class)]) > 0 {
				kept = append(kept, x)
			}
		}
		p.photos = kept
	}
	if err := p.check(); err != nil {
		return err
	}
	if len(p.odd) > 0 {
		l.note("%s: %s passed over, %s for one, since they lie neither as CLASS/FILE nor as train/CLASS/FILE",
			p.task.Name, plural(len(p.odd), "photo was", "photos were"), p.odd[0])
	}
	p.list = p.classes()
	p.divide(l.manifest.SplitSeed)
	if note := p.unique(); note != "" {
		l.notes = append(l.notes, note)
	}
	if p.task.ZeroShot {
		p.photos = slices.DeleteFunc(p.photos, func(x photoRef) bool { return x.side == train })
	}
	return nil
}

// photoTask is a task of embedded photos. A class of which no photo is left stays
// a candidate.
func (l *loader) photoTask(ctx context.Context, p *pile, names ClassNames, vectors map[inputKey][]float32) (protocol.Task, error) {
	t := protocol.Task{Name: p.task.Name, ZeroShot: p.task.ZeroShot}
	label := map[string]int{}
	var toEmbed [][]string
	for i, class := range p.list {
		label[class] = i
		t.Classes = append(t.Classes, plainName(class))
		toEmbed = append(toEmbed, names.Of(p.key(class)))
	}
	for _, x := range p.photos {
		v := vectors[x.hash]
		if v == nil {
			continue
		}
		into := &t.Train
		if x.side == test {
			into = &t.Test
		}
		into.Vectors, into.Labels = append(into.Vectors, v), append(into.Labels, label[x.class])
	}
	var err error
	t.Texts, err = l.texts(ctx, p.task, toEmbed)
	return t, err
}
