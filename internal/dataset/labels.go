package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fieldmark/internal/protocol"
)

// divide parts the rows by what split says of them; without it all are asked.
func (x labelled) divide(zeroShot bool) (taught, asked labelled, err error) {
	taught, asked = labelled{numbers: x.numbers, encoder: x.encoder}, labelled{numbers: x.numbers, encoder: x.encoder}
	if x.split == nil {
		if !zeroShot {
			return taught, asked, errors.New(`the file has no array "split" ("train" or "test" for each row); or give train and test in two files`)
		}
		return taught, x, nil
	}
	for i, s := range x.split {
		into := &asked
		switch strings.ToLower(strings.TrimSpace(s)) {
		case "test":
		case "train":
			if zeroShot {
				continue
			}
			into = &taught
		default:
			return taught, asked, fmt.Errorf(`split of row %d is %q, neither "train" nor "test"`, i, s)
		}
		into.vectors, into.labels = append(into.vectors, x.vectors[i]), append(into.labels, x.labels[i])
	}
	return taught, asked, nil
}

// classesOf returns the labels of a task: the text labels, in their order, or
// else all that rows have, sorted.
func classesOf(texts named, sets ...labelled) ([]string, error) {
	if texts.labels != nil {
		return texts.labels, nil
	}
	var all []string
	for _, x := range sets {
		if x.numbers && len(x.labels) > 0 {
			return nil, errors.New("its labels are numbers, which count text_labels: give these, or labels of text")
		}
		all = append(all, x.labels...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) < 2 {
		return nil, errors.New("fewer than two labels occur in it")
	}
	return all, nil
}

// splitOf counts the labels of rows by their place in classes.
func splitOf(x labelled, classes []string) (protocol.Split, error) {
	at := make(map[string]int, len(classes))
	for c, class := range classes {
		at[class] = c
	}
	s := protocol.Split{Vectors: x.vectors, Labels: make([]int, len(x.labels))}
	for i, label := range x.labels {
		c, known := at[label]
		if !known && x.numbers {
			n, err := strconv.Atoi(label)
			c, known = n, err == nil && n >= 0 && n < len(classes)
		}
		if !known {
			return s, fmt.Errorf("row %d has the label %q, which is none of its %d text labels", i, label, len(classes))
		}
		s.Labels[i] = c
	}
	return s, nil
}
