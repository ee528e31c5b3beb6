package vocabulary

import (
	"fmt"
	"io/fs"
	"strconv"
)

// ids is the register of taxon ids. It is append-only: an id is never given
// up, and never given to another taxon, because people's identifications
// refer to it.
type ids struct {
	byKey map[key]int64
	max   int64
}

func readIDs(fsys fs.FS) (*ids, error) {
	rows, err := readTable(fsys, "ids", "id", "scientific", "rank", "kingdom")
	if err != nil {
		return nil, err
	}
	r := &ids{byKey: make(map[key]int64, len(rows))}
	for _, row := range rows {
		id, err := strconv.ParseInt(row.get("id"), 10, 64)
		k := key{row.get("scientific"), Rank(row.get("rank")), row.get("kingdom")}
		if err != nil || id <= r.max || id > MaxID {
			return nil, row.errorf("ids must ascend, from 1 to %d", MaxID)
		}
		if _, twice := r.byKey[k]; twice {
			return nil, row.errorf("%v has an id already", k)
		}
		r.byKey[k] = id
		r.max = id
	}
	return r, nil
}

// assign gives the nodes their ids and returns those for which the register
// has none. A taxon that was renamed keeps its id under the old name, which
// its synonyms must keep.
func (r *ids) assign(nodes []*node) (missing []*node) {
	taken := make(map[int64]bool, len(nodes))
	for _, n := range nodes {
		n.id = r.byKey[n.key]
		taken[n.id] = true
	}
	for _, n := range nodes {
		for _, old := range n.synonyms {
			if id := r.byKey[key{old, n.rank, n.kingdom}]; n.id == 0 && id != 0 && !taken[id] {
				n.id = id
				taken[id] = true
			}
		}
		if n.id == 0 {
			missing = append(missing, n)
		}
	}
	return missing
}

// extend gives new ids to the nodes and returns their lines for data/ids.tsv.
func (r *ids) extend(nodes []*node) string {
	var lines []byte
	for _, n := range nodes {
		r.max++
		r.byKey[n.key] = r.max
		n.id = r.max
		lines = fmt.Appendf(lines, "%d\t%s\t%s\t%s\n", n.id, n.name, n.rank, n.kingdom)
	}
	return string(lines)
}
