package web

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/web/jobs"
)

// withJobs lets a test wait for what a site does in the background.
func withJobs(t *testing.T) func(*Config) {
	j := jobs.New(t.Context())
	return func(c *Config) { c.Jobs = j }
}

// uploaded is the address of a bundle that was sent.
func (b *bench) uploaded(t *testing.T) string {
	t.Helper()
	return b.do(bundleForm(t, emptyBundle(t)), http.StatusSeeOther).Header.Get("Location")
}

// What taking a bundle in would do is worked out without its page, which says how far it
// is with and without scripts; it is begun once, and can be stopped and begun anew.
func TestABundleIsLookedThroughInTheBackground(t *testing.T) {
	b, f := bundleBench(t, owner, withJobs(t))
	f.look = make(chan struct{})
	at := b.uploaded(t)
	job := b.get(at, http.StatusSeeOther).Header.Get("Location")
	p := b.get(job, 200)
	b.want(p, "A bundle is looked through", "25% of it looked through, about 3 minutes left.", "Nothing is taught before you have seen")
	if !strings.Contains(p.body, `<noscript><meta http-equiv="refresh" content="3">`) {
		t.Error("without scripts the page stands still")
	}
	if again := b.get(at, http.StatusSeeOther).Header.Get("Location"); again != job {
		t.Errorf("%s, and then %s", job, again)
	}
	b.want(b.do(form(at, "do", "look"), http.StatusConflict), "looked through at the moment")
	b.want(b.do(form(at, "do", "take"), http.StatusConflict), "looked through at the moment")
	b.want(b.do(form(at, "do", "drop"), http.StatusConflict), "looked through at the moment", "under way")
	renew := attr(p.find("#import-jobs")[0], "hx-get")
	if p := b.do(fragment(httptest.NewRequest("GET", renew, nil)), 200); p.Header.Get("HX-Refresh") != "" || !strings.Contains(p.body, "25%") {
		t.Errorf("renewed: %s", p.body)
	}
	b.want(b.get(b.do(form(job+"/stop"), http.StatusSeeOther).Header.Get("Location"), 200), "it stopped. Nothing of it has been taught.", "Look at it again")
	if p := b.do(fragment(httptest.NewRequest("GET", renew, nil)), 200); p.Header.Get("HX-Refresh") != "true" {
		t.Error("the end is not shown")
	}
	anew := b.get(at, http.StatusSeeOther).Header.Get("Location")
	if anew == job {
		t.Error("it is not begun anew")
	}
	close(f.look)
	id, err := strconv.ParseInt(strings.TrimPrefix(anew, "/jobs/"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	b.config.Jobs.Wait(t.Context(), id, 20*time.Second)
	if to := b.get(anew, http.StatusSeeOther).Header.Get("Location"); to != at {
		t.Errorf("the job leads to %s", to)
	}
	b.want(b.get(at, 200), "3 lessons would be taught")
	if f.ran {
		t.Error("a look teaches")
	}
}

// A bundle whose page was closed is found again by every curator, also after the server
// was killed while it was looked through, which is then begun anew; and thrown away.
func TestABundleThatWaitsIsFoundAgain(t *testing.T) {
	b, f := bundleBench(t, owner)
	f.look = make(chan struct{})
	defer close(f.look)
	at := b.uploaded(t)
	first := b.get(at, http.StatusSeeOther).Header.Get("Location")

	// Another server, over the same folder: the first is as good as killed.
	bea := identify.User{ID: 8, Name: "Bea", Role: identify.Curator}
	killed := b.config
	b, _ = bundleBench(t, bea, func(c *Config) { c.Shelf = killed.Shelf })
	for _, page := range []string{"/imports", "/bundles"} {
		p := b.get(page, 200)
		b.want(p, "Bundles that wait for a decision", "lab-b.fieldmark", "0 lessons from Lab B", "kB, sent by Ana", "Go on")
		if n := strings.Count(p.body, `<a href="`+at+`"`) + strings.Count(p.body, `<a class="button button-small" href="`+at+`"`); n != 2 {
			t.Errorf("%s: %d links to it", page, n)
		}
	}
	b.get(first, http.StatusNotFound)
	b.want(b.get(at, 200), "3 lessons would be taught")
	if again := b.uploaded(t); again != at {
		t.Errorf("sent again it waits twice, at %s and %s", at, again)
	}
	if to := b.do(form(at, "do", "drop"), http.StatusSeeOther).Header.Get("Location"); to != "/bundles" {
		t.Error(to)
	}
	if strings.Contains(b.get("/imports", 200).body, "wait for a decision") {
		t.Error("it is still listed")
	}
	b.get(at, http.StatusNotFound)

	v, _ := bundleBench(t, viewer, func(c *Config) { c.Shelf = killed.Shelf })
	v.get("/imports", http.StatusForbidden)
	v.get(at, http.StatusForbidden)
}

// Two curators do not look through the same bundle at once.
func TestOneLookAtATime(t *testing.T) {
	b, f := bundleBench(t, owner, withJobs(t))
	share := func(c *Config) { c.Shelf, c.Jobs = b.config.Shelf, b.config.Jobs }
	f.look = make(chan struct{})
	at := b.uploaded(t)
	b.get(at, http.StatusSeeOther)
	other, _ := bundleBench(t, identify.User{ID: 8, Name: "Bea", Role: identify.Curator}, share)
	other.want(other.get(at, http.StatusConflict), "looked through at the moment", "under way")
	close(f.look)
}

// A file that proves to be damaged leaves nothing behind; what is refused for another
// reason waits on.
func TestADamagedBundleLeavesTheShelf(t *testing.T) {
	b, f := bundleBench(t, owner)
	f.refuse = identify.Errorf(identify.Conflict, "taxa", "Somebody has changed this name.")
	at := b.uploaded(t)
	b.want(b.get(at, http.StatusConflict), "has changed this name", "Bundles that wait for a decision")
	f.refuse = identify.Errorf(identify.Invalid, "encoder", "Another encoder made it.")
	b.want(b.get(at, 422), "Another encoder made it", "Bundles that wait for a decision")
	f.refuse = identify.Errorf(identify.Invalid, "file", "The bundle is damaged.")
	if p := b.get(at, 422); !strings.Contains(p.body, "The bundle is damaged.") || strings.Contains(p.body, "wait for a decision") {
		t.Error("it still waits")
	}
	b.get(at, http.StatusNotFound)
}

// A bundle that was taken in and is sent again is said to be so, and waits for nobody:
// neither whoever looks at it finds it afterwards, nor whoever decides at once.
func TestABundleThatWasTakenInDoesNotWait(t *testing.T) {
	b, f := bundleBench(t, owner)
	f.refuse = identify.Errorf(identify.Conflict, "file", "This bundle was taken in already.").Because(identify.ErrTakenIn)
	for _, ask := range []func(at string) reply{
		func(at string) reply { return b.get(at, http.StatusConflict) },
		func(at string) reply { return b.do(form(at, "do", "take"), http.StatusConflict) },
	} {
		at := b.uploaded(t)
		if p := ask(at); !strings.Contains(p.body, "taken in already") || strings.Contains(p.body, "wait for a decision") {
			t.Error("it is not said, or still waits")
		}
		b.get(at, http.StatusNotFound)
	}
}

// What is chosen for all of a kind goes before what the form says of each.
func TestManyAreDecidedAtOnce(t *testing.T) {
	b, f := bundleBench(t, owner)
	f.more = 300
	at := b.uploaded(t)
	b.want(b.get(at, 200), "All of these", "All of these names", "300 more names are not listed.", "Those names")
	each := []string{"do", "look", "group-photo-7-9", "take", "group-photo-8-9", "leave", "taxon-11", "create", "taxon-12", "create"}
	one := map[int64]identify.TaxonDecision{11: {Create: true}, 12: {Create: true}}
	for _, c := range []struct {
		all  []string
		want identify.MergeDecisions
	}{
		{[]string{"all-photo", "", "all-taxa", "", "other-taxa", "leave"}, identify.MergeDecisions{Groups: map[string]bool{"photo-7-9": true, "photo-8-9": false},
			Taxa: one, Others: identify.TaxonDecision{Leave: true}}},
		{[]string{"all-photo", "leave", "all-taxa", "leave", "other-taxa", "create"}, identify.MergeDecisions{Groups: map[string]bool{"photo": false},
			Taxa: map[int64]identify.TaxonDecision{}, Others: identify.TaxonDecision{Leave: true}}},
		{[]string{"all-photo", "take", "all-taxa", "suggested"}, identify.MergeDecisions{Groups: map[string]bool{"photo": true}, Taxa: map[int64]identify.TaxonDecision{}}},
	} {
		b.do(form(at, append(c.all, each...)...), http.StatusSeeOther)
		if !reflect.DeepEqual(f.decided, c.want) {
			t.Errorf("%q: decided %+v", c.all, f.decided)
		}
	}
}

// A form with a name that nothing has is shown again as it was filled in, to be mended,
// whether it was to be counted or to be taken in.
func TestAMergeFormIsMended(t *testing.T) {
	b, f := bundleBench(t, owner)
	at := b.uploaded(t)
	b.get(at, 200)
	f.refuse = identify.Errorf(identify.Invalid, "taxa", "No taxon is called %q. Look it up on the page Names.", "Yeti")
	for _, do := range []string{"look", "take"} {
		p := b.do(form(at, "do", do, "new", "leave", "group-photo-7-9", "leave", "group-photo-8-9", "take", "taxon-11", "leave", "taxon-12", "create", "taxon-12-name", "Yeti"), 422)
		b.want(p, "No taxon is called", "From Lab B")
		for _, checked := range []string{`name="new" value="leave"`, `name="group-photo-7-9" value="leave"`, `name="group-photo-8-9" value="take"`} {
			if !strings.Contains(p.body, checked+" checked") {
				t.Errorf("%s: %s is not chosen any more", do, checked)
			}
		}
		if !strings.Contains(p.body, `name="taxon-12-name" value="Yeti"`) || f.decided.Taxa[12].Name != "Yeti" || !f.decided.Taxa[11].Leave {
			t.Errorf("%s: what was typed is gone: %+v", do, f.decided)
		}
	}
	f.refuse = nil
	f.seq++ // somebody teaches
	b.want(b.get(at, 200), "Something was taught or withdrawn here since this was counted")
}

// Photos of the bundle are shown to whoever decides, as pictures and nothing else.
func TestAWaitingBundleHasPictures(t *testing.T) {
	b, _ := bundleBench(t, owner)
	at := b.uploaded(t)
	picture := at + "/photos/abc"
	if n := strings.Count(b.get(at, 200).body, `<img src="`+picture+`"`); n != 1 {
		t.Errorf("%d pictures of an unknown name", n)
	}
	p := b.get(picture, 200)
	if p.Header.Get("Content-Type") != "image/jpeg" || !strings.Contains(p.Header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%v", p.Header)
	}
	b.get(at+"/photos/abd", http.StatusNotFound)
	b.do(form(at, "do", "drop"), http.StatusSeeOther)
	b.get(picture, http.StatusNotFound)
}
