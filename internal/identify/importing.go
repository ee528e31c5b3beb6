package identify

import (
	"context"
	"fmt"
	"time"
)

// importBatch is how many rows are stored in one transaction, and withdrawBatch how many
// are taken back in one: whoever teaches meanwhile waits for it.
const (
	importBatch   = 1000
	withdrawBatch = 500
)

// ImportProgress says how far an import, or its withdrawal, has come.
type ImportProgress struct {
	Done, Total int           // rows
	Left        time.Duration // at the pace so far; 0 until it is known
	Seq         Seq           // of the last event of the log
	Bad         []BadRow      // rows that turned out bad since the last time, and were left out
}

// RunImport does what was planned: it takes the file in, in transactions of
// 1,000 rows, each durable before told is called with how far it has come. When
// it is broken off, the import of the same file goes on where this one stopped.
// The file must not have changed since.
func RunImport(ctx context.Context, st Store, plan ImportPlan, f EmbeddingFile, by UserID, now func() time.Time, told func(ImportProgress)) (Import, error) {
	m, err := plan.begin(ctx, st, by, now())
	if err != nil {
		return m, err
	}
	if err := plan.taxa.settle(ctx, st); err != nil {
		return m, err
	}
	b := &importBatcher{store: st, run: m, now: now, told: told, pace: newPace(m.Done, m.Total, now)}
	err = f.Each(func(row EmbeddingRow) error {
		if row.Row < m.Done {
			return nil
		}
		if plan.skip[row.Row] {
			return b.put(ctx, ImportedExemplar{Skip: true})
		}
		return b.add(ctx, row, plan.taxa.of(row).ID)
	})
	if err == nil {
		err = b.flush(ctx)
	}
	return b.run, err
}

func (p ImportPlan) begin(ctx context.Context, st Store, by UserID, at time.Time) (Import, error) {
	if p.Resumes == nil {
		return st.BeginImport(ctx, p.Source, by, p.New(), at)
	}
	return *p.Resumes, nil
}

// importBatcher gathers rows and stores them together.
type importBatcher struct {
	store Store
	run   Import
	now   func() time.Time
	told  func(ImportProgress)
	pace  pace
	rows  []ImportedExemplar
}

func (b *importBatcher) add(ctx context.Context, row EmbeddingRow, taxon TaxonID) error {
	if taxon == 0 {
		return Errorf(Conflict, "file", "Row %d is not what it was when the file was checked. Import the file again.", row.Row)
	}
	vector := make([]float32, len(row.Embedding))
	copy(vector, row.Embedding)
	return b.put(ctx, ImportedExemplar{Embedding: vector, Taxon: taxon, Ref: row.Ref})
}

func (b *importBatcher) put(ctx context.Context, x ImportedExemplar) error {
	b.rows = append(b.rows, x)
	if len(b.rows) < importBatch {
		return nil
	}
	return b.flush(ctx)
}

func (b *importBatcher) flush(ctx context.Context) error {
	if len(b.rows) == 0 {
		return nil
	}
	m, seq, err := b.store.TeachImported(ctx, b.run.ID, b.run.Done, b.rows, b.now())
	if err != nil {
		return err
	}
	b.run, b.rows = m, b.rows[:0]
	b.told(b.pace.at(m.Done, seq))
	return nil
}

// WithdrawImport takes an import back as a whole, in transactions of 500 rows.
// What people taught since then about its observations stays. When it is broken
// off, withdrawing the same import goes on.
func WithdrawImport(ctx context.Context, st Store, id ImportID, by UserID, now func() time.Time, told func(ImportProgress)) (Import, error) {
	var p pace
	for first := true; ; first = false {
		m, seq, err := st.WithdrawImported(ctx, id, by, withdrawBatch, now())
		if err != nil {
			return m, stored(err, "id")
		}
		if first {
			p = newPace(m.Withdrawn, m.Done, now)
		}
		told(p.at(m.Withdrawn, seq))
		if !m.HalfWithdrawn() {
			return m, nil
		}
	}
}

// PlanImport is the package's PlanImport, or PlanPhotos, under the encoder that
// serves. It takes a curator.
func (s *Service) PlanImport(ctx context.Context, u User, source ImportSource, f ImportFile, o ImportOptions) (ImportPlan, error) {
	if err := allow(u, Curator, "import exemplars"); err != nil {
		return ImportPlan{}, err
	}
	info := s.serving().info
	switch f := f.(type) {
	case EmbeddingFile:
		return PlanImport(ctx, s.Store, info, source, f, o)
	case PhotoSet:
		return s.planPhotos(ctx, info, source, f, o)
	}
	return ImportPlan{}, fmt.Errorf("a %T cannot be imported", f)
}

// RunImport is the package's RunImport, or RunPhotos. What has been taken in is
// learned while the rest comes in, and all of it when RunImport returns.
func (s *Service) RunImport(ctx context.Context, u User, plan ImportPlan, f ImportFile, told func(ImportProgress)) (Import, error) {
	if err := allow(u, Curator, "import exemplars"); err != nil {
		return Import{}, err
	}
	return s.learning(ctx, told, func(told func(ImportProgress)) (Import, error) {
		switch f := f.(type) {
		case EmbeddingFile:
			return RunImport(ctx, s.Store, plan, f, u.ID, s.Now, told)
		case PhotoSet:
			return s.runPhotos(ctx, plan, f, u.ID, told)
		}
		return Import{}, fmt.Errorf("a %T cannot be imported", f)
	})
}

// WithdrawImport is the package's WithdrawImport; the memory has forgotten the
// import when it returns. It takes a curator.
func (s *Service) WithdrawImport(ctx context.Context, u User, id ImportID, told func(ImportProgress)) (Import, error) {
	if err := allow(u, Curator, "withdraw an import"); err != nil {
		return Import{}, err
	}
	return s.learning(ctx, told, func(told func(ImportProgress)) (Import, error) {
		return WithdrawImport(ctx, s.Store, id, u.ID, s.Now, told)
	})
}

// learning lets the learners see each batch that run stores before it is told
// of, and waits for the last one to be in the memory that serves.
func (s *Service) learning(ctx context.Context, told func(ImportProgress), run func(told func(ImportProgress)) (Import, error)) (Import, error) {
	var last Seq
	m, err := run(func(p ImportProgress) {
		last = p.Seq
		s.tellLearners()
		told(p)
	})
	if err != nil {
		return m, err
	}
	e, release := s.acquire()
	defer release()
	_, err = e.learner.learned(ctx, last)
	return m, err
}

// Imports lists all imports, newest first. It takes a curator.
func (s *Service) Imports(ctx context.Context, u User) ([]Import, error) {
	if err := allow(u, Curator, "see imports"); err != nil {
		return nil, err
	}
	return s.Store.Imports(ctx)
}

// pace works out how long something takes that goes on evenly.
type pace struct {
	from, total int
	began       time.Time
	now         func() time.Time
}

func newPace(from, total int, now func() time.Time) pace {
	return pace{from: from, total: total, began: now(), now: now}
}

func (p pace) at(done int, seq Seq) ImportProgress {
	progress := ImportProgress{Done: done, Total: p.total, Seq: seq}
	if done > p.from {
		progress.Left = p.now().Sub(p.began) / time.Duration(done-p.from) * time.Duration(p.total-done)
	}
	return progress
}
