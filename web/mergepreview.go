package web

import (
	"context"
	"errors"
	"net/http"

	"fieldmark/internal/identify"
	"fieldmark/web/jobs"
	"fieldmark/web/spool"
)

// jobAbout is what the user began last about a bundle, a preview or taking it in,
// whatever came of it.
func (s *site) jobAbout(r *http.Request, id string) (jobs.Job, bool) {
	for _, j := range s.Jobs.Of(s.User(r).ID) {
		if j.From == bundleAddress(id) {
			return j, true
		}
	}
	return jobs.Job{}, false
}

// previewed is what the user saw last of a bundle, nil where nobody remembers.
func (s *site) previewed(r *http.Request, id string) *identify.MergePreview {
	for _, j := range s.Jobs.Of(s.User(r).ID) {
		if j.Kind == jobs.Preview && j.From == bundleAddress(id) && j.State == jobs.Done {
			return j.Outcome.Preview
		}
	}
	return nil
}

// preview works out what taking a bundle in would do, which goes on when the answer is
// there, and returns how far it is after a while, or why the bundle is refused. Nothing
// is stored: what was broken off is begun anew. A file that there is nothing to decide
// about leaves the shelf.
func (s *site) preview(r *http.Request, x spool.Noted, d identify.MergeDecisions) (jobs.Job, error) {
	u := s.User(r)
	f, b, source, err := s.Shelf.Bundle(x)
	if err != nil {
		return jobs.Job{}, err
	}
	id, err := s.Jobs.Start(jobs.Work{User: u.ID, Kind: jobs.Preview, Name: x.Name, Of: x.Digest, From: bundleAddress(x.ID), File: f,
		Do: func(ctx context.Context, _ bool, told func(identify.ImportProgress)) (jobs.Outcome, error) {
			p, err := s.Bundles.PlanMerge(ctx, u, source, b, d, told)
			if err != nil {
				s.dropUseless(ctx, x, err)
				return jobs.Outcome{}, err
			}
			return jobs.Outcome{Preview: &p.MergePreview}, nil
		}})
	if err != nil {
		_ = f.Close() // it was only read
		return jobs.Job{}, err
	}
	j, err := s.patiently(r, id)
	if err != nil {
		s.Jobs.Forget(id, u.ID) // it is said at once
	}
	return j, err
}

// dropUseless takes a file off the shelf that was refused for what is in it, or that was
// taken in already: there is nothing to be decided about it.
func (s *site) dropUseless(ctx context.Context, x spool.Noted, why error) {
	var refused *identify.Error
	if !errors.As(why, &refused) || !errors.Is(why, identify.ErrTakenIn) && (refused.Kind != identify.Invalid || refused.Field != "file") {
		return
	}
	if err := s.Shelf.Remove(x.ID); err != nil {
		s.Log.WarnContext(ctx, "a bundle that was refused is still on its shelf", "err", err)
	}
}
