package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

// SynonymyService is what the API needs to merge names that mean the same.
type SynonymyService interface {
	PreviewSynonymy(ctx context.Context, u identify.User, synonym, accepted identify.TaxonID) (identify.SynonymyPreview, error)
	MergeTaxa(ctx context.Context, u identify.User, synonym, accepted identify.TaxonID) (identify.Synonymy, error)
	UndoSynonymy(ctx context.Context, u identify.User, id identify.SynonymyID) (identify.Synonymy, error)
	Synonymies(ctx context.Context, about identify.TaxonID) ([]identify.Synonymy, error)
}

// synonymy is one taxon that is a synonym of another.
type synonymy struct {
	ID        int64      `json:"id"`
	Synonym   namedTaxon `json:"synonym"`
	Accepted  namedTaxon `json:"accepted"`
	Lessons   int        `json:"lessons" doc:"That were given the accepted taxon"`
	By        string     `json:"by"`
	At        time.Time  `json:"at"`
	Returned  int        `json:"returned,omitempty" doc:"Lessons that were given the synonym back when it was undone"`
	UndoneBy  string     `json:"undone_by,omitempty" doc:"Left out while it stands"`
	UndoneAt  *time.Time `json:"undone_at,omitempty"`
	UnderWay  string     `json:"under_way,omitempty" enum:"merged,undone" doc:"Its lessons are being given the accepted taxon, or their own back; it goes on by itself, after a restart too, and all of them read as the accepted taxon until it is done"`
	PendingTo int64      `json:"pending_seq,omitempty" doc:"What was decided is kept; answers are as before until memory_seq has come to this"`
}

type namedTaxon struct {
	TaxonID        int64  `json:"taxon_id"`
	Label          string `json:"label"`
	ScientificName string `json:"scientific_name,omitempty"`
}

type synonymyOutput struct{ Body synonymy }

type synonymiesInput struct {
	TaxonID int64 `query:"taxon_id" minimum:"1" doc:"On either side; all if left out"`
}

type synonymiesOutput struct {
	Body struct {
		Synonymies []synonymy `json:"synonymies" nullable:"false" doc:"Newest first, those that were undone included"`
	}
}

type synonymyInput struct {
	Body struct {
		TaxonID    int64 `json:"taxon_id" minimum:"1" doc:"That becomes a synonym"`
		AcceptedID int64 `json:"accepted_taxon_id" minimum:"1" doc:"Of this taxon, which stays"`
	}
}

type synonymyPreviewInput struct {
	TaxonID    int64 `query:"taxon_id" required:"true" minimum:"1"`
	AcceptedID int64 `query:"accepted_taxon_id" required:"true" minimum:"1"`
}

type synonymyPreviewOutput struct {
	Body struct {
		Lessons      int      `json:"lessons" doc:"Of the synonym, that stand"`
		Waiting      int      `json:"waiting" doc:"Of the synonym, in quarantine"`
		Known        int      `json:"accepted_lessons" doc:"Of the accepted taxon, that stand"`
		Observations int      `json:"observations" doc:"That go by the synonym"`
		Read         int      `json:"photos_read" doc:"That wait for a name and read, last, as the synonym"`
		Children     int      `json:"children" doc:"Taxa right below the synonym"`
		Names        []string `json:"names" nullable:"false" doc:"By which a search would find the accepted taxon, too"`
		Sets         []string `json:"label_sets" nullable:"false" doc:"In which the accepted taxon would stand for the synonym"`
	}
}

func (s *server) registerSynonymies(h huma.API) {
	errors := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity}
	add(s, h, huma.Operation{
		OperationID: "list-synonymies", Method: http.MethodGet, Path: "/api/v1/synonymies", Tags: []string{"taxa"},
		Summary: "Taxa that were found to be others", Errors: errors[:1],
	}, s.listSynonymies)
	add(s, h, huma.Operation{
		OperationID: "preview-synonymy", Method: http.MethodGet, Path: "/api/v1/synonymies/preview", Tags: []string{"taxa"},
		Summary: "What would come of making a taxon a synonym of another", Description: "Changes nothing. Needs the role curator.", Errors: errors,
	}, s.previewSynonymy)
	add(s, h, huma.Operation{
		OperationID: "add-synonymy", Method: http.MethodPost, Path: "/api/v1/synonymies", Tags: []string{"taxa"}, DefaultStatus: http.StatusCreated,
		Summary:     "Make a taxon a synonym of another",
		Description: "Its lessons read as the accepted taxon at once; its names, what is below it and label sets follow. Who said what stays. Needs the role curator.",
		Errors:      errors,
	}, s.addSynonymy)
	add(s, h, huma.Operation{
		OperationID: "undo-synonymy", Method: http.MethodDelete, Path: "/api/v1/synonymies/{id}", Tags: []string{"taxa"},
		Summary:     "Take back that a taxon is a synonym",
		Description: "What was taught since stays with the accepted taxon. Needs the role curator.", Errors: errors,
	}, s.undoSynonymy)
}

func (s *server) listSynonymies(ctx context.Context, in *synonymiesInput) (*synonymiesOutput, error) {
	list, err := s.service.Synonymies(ctx, identify.TaxonID(in.TaxonID))
	if err != nil {
		return nil, err
	}
	out := &synonymiesOutput{}
	out.Body.Synonymies = make([]synonymy, len(list))
	for i, y := range list {
		out.Body.Synonymies[i] = newSynonymy(y)
	}
	return out, nil
}

func (s *server) previewSynonymy(ctx context.Context, in *synonymyPreviewInput) (*synonymyPreviewOutput, error) {
	p, err := s.service.PreviewSynonymy(ctx, auth.UserFrom(ctx), identify.TaxonID(in.TaxonID), identify.TaxonID(in.AcceptedID))
	if err != nil {
		return nil, err
	}
	out := &synonymyPreviewOutput{}
	b := &out.Body
	b.Lessons, b.Waiting, b.Known, b.Observations, b.Read, b.Children = p.Lessons, p.Waiting, p.Known, p.Observations, p.Read, p.Children
	b.Names, b.Sets = append([]string{}, p.Names...), make([]string, len(p.Sets))
	for _, v := range p.Vernacular {
		b.Names = append(b.Names, v.Name)
	}
	for i, set := range p.Sets {
		b.Sets[i] = set.Name
	}
	return out, nil
}

func (s *server) addSynonymy(ctx context.Context, in *synonymyInput) (*synonymyOutput, error) {
	y, err := s.service.MergeTaxa(ctx, auth.UserFrom(ctx), identify.TaxonID(in.Body.TaxonID), identify.TaxonID(in.Body.AcceptedID))
	return &synonymyOutput{newSynonymy(y)}, err
}

func (s *server) undoSynonymy(ctx context.Context, in *struct {
	ID int64 `path:"id" minimum:"1"`
}) (*synonymyOutput, error) {
	y, err := s.service.UndoSynonymy(ctx, auth.UserFrom(ctx), identify.SynonymyID(in.ID))
	return &synonymyOutput{newSynonymy(y)}, err
}

func newSynonymy(y identify.Synonymy) synonymy {
	return synonymy{ID: int64(y.ID), Synonym: namedTaxon{int64(y.Synonym), y.SynonymLabel, y.SynonymName},
		Accepted: namedTaxon{int64(y.Accepted), y.AcceptedLabel, y.AcceptedName}, Lessons: y.Lessons, By: y.ByName, At: y.At,
		Returned: y.Returned, UndoneBy: y.UndoneBy, UndoneAt: y.UndoneAt, UnderWay: string(y.UnderWay), PendingTo: int64(y.Pending)}
}
