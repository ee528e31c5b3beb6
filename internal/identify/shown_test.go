package identify_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/store"
)

// orchid is where a sensitive taxon grows, and lies in the square around
// 48.15, 11.55.
const orchidLat, orchidLon = 48.13743, 11.57549

// sensitiveSight stores an observation by somebody of each kind of sensitive
// observation, and of a taxon that is none.
func sensitiveSights(t *testing.T, f *fixture, by identify.User) (secret []identify.ObservationID, plain identify.ObservationID) {
	t.Helper()
	ctx := context.Background()
	lat, lon := orchidLat, orchidLon
	see := func(i int) identify.ObservationID {
		o, _, err := f.Observe(ctx, by, identify.Upload{Photo: paint(t, palette()[i].colour), Latitude: &lat, Longitude: &lon}, identify.Question{})
		must(t, err)
		return o.ID
	}
	teach := func(o identify.ObservationID, a identify.Answer) identify.IdentificationID {
		c, err := f.Identify(ctx, by, o, a, identify.Question{})
		must(t, err)
		return c.Identification.ID
	}
	named, undone, renamed, plain := see(0), see(1), see(2), see(3)
	teach(named, identify.Answer{Taxon: 3})
	_, err := f.Withdraw(ctx, by, undone, teach(undone, identify.Answer{Taxon: 3}), identify.Question{})
	must(t, err)
	teach(renamed, identify.Answer{Taxon: 3})
	teach(renamed, identify.Answer{Label: "Wall Rocket"})
	teach(plain, identify.Answer{Label: "Wall Rocket"})
	must(t, f.AddSensitiveTaxon(ctx, f.Owner, 2)) // the family of 3
	return []identify.ObservationID{named, undone, renamed}, plain
}

// viewers are who may ask, by what they may know: the observer as an expert, and
// each role of others.
func viewers(t *testing.T, f *fixture) (observer identify.User, others map[identify.Role]identify.User) {
	t.Helper()
	program := func(name string) identify.UserID {
		u, err := f.Config.Store.(*store.Store).AddProgram(t.Context(), slices.Repeat([]byte(name[:1]), 32), identify.Token{Name: name, Role: identify.Expert, CreatedBy: f.Owner.ID, CreatedAt: f.Config.Now()})
		must(t, err)
		return u.ID
	}
	observer = identify.User{ID: program("Ben"), Role: identify.Expert}
	others = map[identify.Role]identify.User{}
	id := program("Cleo")
	for _, role := range identify.Roles() {
		others[role] = identify.User{ID: id, Role: role}
	}
	return observer, others
}

// reads are all ways in which the domain hands out where observations were made.
var reads = map[string]func(ctx context.Context, f *fixture, u identify.User, o identify.ObservationID) (lat, lon *float64, err error){
	"Observation": func(ctx context.Context, f *fixture, u identify.User, id identify.ObservationID) (lat, lon *float64, err error) {
		o, err := f.Observation(ctx, u, id)
		return o.Latitude, o.Longitude, err
	},
	"Observations": func(ctx context.Context, f *fixture, u identify.User, id identify.ObservationID) (lat, lon *float64, err error) {
		list, _, err := f.Observations(ctx, u, identify.ObservationFilter{})
		i := slices.IndexFunc(list, func(o identify.Observation) bool { return o.ID == id })
		return list[i].Latitude, list[i].Longitude, err
	},
	"Waiting": func(ctx context.Context, f *fixture, u identify.User, id identify.ObservationID) (lat, lon *float64, err error) {
		list, err := f.Waiting(ctx, u, []identify.ObservationID{id})
		if err != nil || len(list) == 0 {
			return nil, nil, err // a name stands: it does not wait
		}
		return list[0].Latitude, list[0].Longitude, nil
	},
	"LookAlikes": func(ctx context.Context, f *fixture, u identify.User, id identify.ObservationID) (lat, lon *float64, err error) {
		x, err := f.Like(ctx, u, id)
		for _, w := range x.List {
			if w.Observation == id {
				return w.Latitude, w.Longitude, err
			}
		}
		return nil, nil, err
	},
	"Asides": func(ctx context.Context, f *fixture, u identify.User, id identify.ObservationID) (lat, lon *float64, err error) {
		d, err := f.SetAside(ctx, u, []identify.ObservationID{id})
		if identify.KindOf(err) == identify.Conflict || identify.KindOf(err) == identify.Forbidden {
			return nil, nil, err // a name stands
		}
		must2(err)
		list, err := f.Asides(ctx, u)
		must2(err)
		_, err = f.Undo(ctx, u, d.Decision.ID)
		for _, a := range list {
			if a.Observation.ID == id {
				return a.Observation.Latitude, a.Observation.Longitude, err
			}
		}
		return nil, nil, err
	},
}

func must2(err error) {
	if err != nil {
		panic(err)
	}
}

// Every read, for everybody: where a sensitive taxon is, exactly, only its observer
// and curators are told.
func TestWhoIsShownThePlace(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	observer, others := viewers(t, f)
	secret, plain := sensitiveSights(t, f, observer)
	for name, read := range reads {
		for role, u := range others {
			may := role.Allows(identify.Curator)
			shown := 0
			for _, id := range append(slices.Clone(secret), plain) {
				wantLat, wantLon := orchidLat, orchidLon
				if !may && id != plain {
					wantLat, wantLon = 48.15, 11.55
				}
				lat, lon, err := read(ctx, f, u, id)
				if lat == nil {
					// Who may not review is refused, and what has a name does not wait.
					switch identify.KindOf(err) {
					case identify.Forbidden, identify.Conflict, identify.NotFound:
					default:
						must(t, err)
					}
					continue
				}
				shown++
				if *lat != wantLat || *lon != wantLon {
					t.Errorf("%s shows a %s observation %d at %v, %v; want %v, %v", name, role, id, *lat, *lon, wantLat, wantLon)
				}
			}
			if shown == 0 && role.Allows(identify.Expert) {
				t.Errorf("%s shows a %s nothing, which tests nothing", name, role)
			}
		}
		for _, id := range secret {
			if lat, _, _ := read(ctx, f, observer, id); lat != nil && *lat != orchidLat {
				t.Errorf("%s shows the observer %v", name, *lat)
			}
		}
	}
}

// What a list can be narrowed by finds a place where it is shown and nowhere else:
// halving a box never leads to what is hidden.
func TestNobodyFindsByABoxWhatIsNotShown(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	observer, others := viewers(t, f)
	secret, plain := sensitiveSights(t, f, observer)
	exact := &identify.Box{West: 11.575, South: 48.137, East: 11.576, North: 48.138}
	shown := &identify.Box{West: 11.549, South: 48.149, East: 11.551, North: 48.151}
	near := func(lat, lon float64) *identify.Circle {
		return &identify.Circle{Latitude: lat, Longitude: lon, Km: 0.1}
	}
	all := append(slices.Clone(secret), plain)
	for name, c := range map[string]struct {
		filter       identify.ObservationFilter
		knows, blind []identify.ObservationID
	}{
		"a box around the place":     {identify.ObservationFilter{Box: exact}, all, []identify.ObservationID{plain}},
		"a box where it is shown":    {identify.ObservationFilter{Box: shown}, nil, secret},
		"a circle around the place":  {identify.ObservationFilter{Near: near(orchidLat, orchidLon)}, all, []identify.ObservationID{plain}},
		"a circle where it is shown": {identify.ObservationFilter{Near: near(48.15, 11.55)}, nil, secret},
		"both":                       {identify.ObservationFilter{Box: exact, Near: near(orchidLat, orchidLon)}, all, []identify.ObservationID{plain}},
	} {
		for role, u := range others {
			want := c.blind
			if role.Allows(identify.Curator) {
				want = c.knows
			}
			findsExactly(t, f, name+", "+string(role), u, c.filter, want)
		}
		findsExactly(t, f, name+", the observer", observer, c.filter, c.knows)
		// Whatever a caller puts there, the domain says who asks.
		c.filter.Viewer = nil
		list, _, err := f.Observations(ctx, others[identify.Viewer], c.filter)
		must(t, err)
		if len(list) != len(c.blind) {
			t.Errorf("%s: %d found, want %d", name, len(list), len(c.blind))
		}
	}
}

func findsExactly(t *testing.T, f *fixture, what string, u identify.User, filter identify.ObservationFilter, want []identify.ObservationID) {
	t.Helper()
	list, _, err := f.Observations(context.Background(), u, filter)
	must(t, err)
	var got []identify.ObservationID
	for _, o := range list {
		got = append(got, o.ID)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%s finds %v, want %v", what, got, want)
	}
}

// That a place was changed is shown, and between which squares; between which
// places is not.
func TestEditsDoNotTellThePlace(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	observer, others := viewers(t, f)
	secret, _ := sensitiveSights(t, f, observer)
	_, err := f.EditDetails(ctx, observer, secret[0], func(d identify.Details) (identify.Details, error) {
		lat := 48.26262
		d.Latitude, d.Notes = &lat, "moved"
		return d, nil
	})
	must(t, err)
	for _, u := range append(slices.Collect(maps.Values(others)), observer) {
		want := map[string][2]string{"latitude": {"48.15", "48.25"}, "notes": {"", "moved"}}
		if u.Role.Allows(identify.Curator) || u.ID == observer.ID {
			want["latitude"] = [2]string{"48.13743", "48.26262"}
		}
		list, err := f.Edits(ctx, u, secret[0])
		must(t, err)
		got := map[string][2]string{}
		for _, e := range list {
			got[e.Field] = [2]string{e.Before, e.After}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", u.Role, got, want)
		}
	}
}

// Whatever numbers an observation has, none of those that are shown to somebody who
// may not know its place is the place: a field that is added to it is looked at here.
func TestNoFieldOfAnObservationTellsThePlace(t *testing.T) {
	f := newFixture(t)
	observer, others := viewers(t, f)
	secret, _ := sensitiveSights(t, f, observer)
	o, err := f.Store.Observation(t.Context(), secret[0])
	must(t, err)
	const here = 48.13743
	setFloats(reflect.ValueOf(&o).Elem(), here)
	o.Uncertainty, o.Suggested = 0, nil
	f.Config.Store = oneObservation{f.Config.Store, o}
	f.restart(t)
	shown, err := f.Observation(t.Context(), others[identify.Expert], o.ID)
	must(t, err)
	if *o.Latitude != here || !has(reflect.ValueOf(o), here) {
		t.Fatal("the observation does not tell its place, which tests nothing")
	}
	if has(reflect.ValueOf(shown), here) {
		t.Errorf("the place is in %+v", shown)
	}
}

// oneObservation is a store that knows one observation otherwise.
type oneObservation struct {
	identify.Store
	o identify.Observation
}

func (s oneObservation) Observation(context.Context, identify.ObservationID) (identify.Observation, error) {
	return s.o, nil
}

var instant = reflect.TypeFor[time.Time]()

// setFloats sets every number with a fraction, of what it points to as well.
func setFloats(v reflect.Value, x float64) {
	switch {
	case v.Kind() == reflect.Float64:
		v.SetFloat(x)
	case v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Float64:
		p := reflect.New(v.Type().Elem())
		p.Elem().SetFloat(x)
		v.Set(p)
	case v.Kind() == reflect.Struct && v.Type() != instant:
		for i := range v.NumField() {
			setFloats(v.Field(i), x)
		}
	}
}

// has reports whether a number is anywhere in a value.
func has(v reflect.Value, x float64) bool {
	switch v.Kind() {
	case reflect.Float64:
		return v.Float() == x
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil() && has(v.Elem(), x)
	case reflect.Slice:
		for i := range v.Len() {
			if has(v.Index(i), x) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type() != instant && has(v.Field(i), x) {
				return true
			}
		}
	}
	return false
}

// places are the exported types of the domain that have a place, themselves or in
// what they hold, and what was decided about who may see it.
var places = map[string]string{
	"Observation": "shownTo", "Photo": "of Observation", "Waiting": "shownTo", "Groups": "of LookAlikes", "LookAlikes": "of Waiting",
	"Aside":         "Asides: Observation.shownTo",
	"WorkshopBoard": "admins alone",
	"Details":       "of Observation as it is shown; to change it, one may know it",
	"Record":        "exports, which curators make: Observation.coarse", "Export": "of Record",
	"Lesson": "bundles, which curators make: bundleSource.Exemplars",
	"Box":    "is asked about", "Circle": "is asked about", "ObservationFilter": "is asked about: Viewer", "ExportRequest": "curators ask", "BundleRequest": "curators ask",
	"NewObservation": "comes in", "Upload": "comes in", "PhotoRow": "comes in", "ImportedPhoto": "comes in", "MergedExemplar": "comes in",
}

var ofPlace = regexp.MustCompile(`(?i)^(latitude|longitude|lat|lon|lng|locality|location|coordinates?|gps|geo|west|east)$`)

// A type of the domain that gets a place is decided about: who adds one says in
// places how it is kept from those who may not know it.
func TestEveryPlaceWasDecidedAbout(t *testing.T) {
	types := exportedStructs(t)
	found := map[string]bool{}
	for more := true; more; {
		more = false
		for name, x := range types {
			if !found[name] && (x.place || slices.ContainsFunc(x.of, func(of string) bool { return found[of] })) {
				found[name], more = true, true
			}
		}
	}
	for name := range found {
		if places[name] == "" {
			t.Errorf("%s has a place. Decide who may see it (shown.go), and say so in places", name)
		}
	}
	for name := range places {
		if !found[name] {
			t.Errorf("%s has no place any more: take it out of places", name)
		}
	}
}

// structure is what an exported struct has for all to see.
type structure struct {
	place bool     // a field is called as a place is
	of    []string // the types that its fields are made of
}

// exportedStructs reads those of the domain.
func exportedStructs(t *testing.T) map[string]structure {
	t.Helper()
	names, err := filepath.Glob("*.go")
	must(t, err)
	types := map[string]structure{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		must(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, is := n.(*ast.TypeSpec); is && spec.Name.IsExported() {
				if body, is := spec.Type.(*ast.StructType); is {
					types[spec.Name.Name] = structureOf(body)
				}
			}
			return true
		})
	}
	return types
}

func structureOf(body *ast.StructType) (x structure) {
	for _, field := range body.Fields.List {
		exported := len(field.Names) == 0
		for _, name := range field.Names {
			exported = exported || name.IsExported()
			x.place = x.place || name.IsExported() && ofPlace.MatchString(name.Name)
		}
		if !exported {
			continue
		}
		ast.Inspect(field.Type, func(n ast.Node) bool {
			if id, is := n.(*ast.Ident); is {
				x.of = append(x.of, id.Name)
			}
			return true
		})
	}
	return x
}
