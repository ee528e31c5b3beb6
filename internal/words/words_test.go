package words

import (
	"testing"
	"testing/fstest"
	"time"
)

func TestT(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, time.March, 4, 15, 6, 0, 0, time.UTC)
	for accepts, want := range map[string][]string{
		"":                 {"1 photo", "1,240 photos", "4 Mar 2026, 15:06"},
		"de-AT,en;q=0.5":   {"1 Foto", "1.240 Fotos", "4. März 2026, 15:06 Uhr"},
		"fi, en;q=0.2":     {"1 photo", "1,240 photos", "4 Mar 2026, 15:06"},
		"no such language": {"1 photo", "1,240 photos", "4 Mar 2026, 15:06"},
	} {
		ctx := With(t.Context(), c.Choose("", accepts))
		got := []string{T(ctx, "%d photos", 1), T(ctx, "%d photos", 1240), DateTime(ctx, day)}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("to somebody who accepts %q it says %q, want %q", accepts, got[i], want[i])
			}
		}
	}
	if w := c.Choose("de", "en"); w.Name != "Deutsch" {
		t.Errorf("somebody who chose German is spoken to in %s", w.Name)
	}
	if got := T(With(t.Context(), c.Marked().Choose("", "de")), "%d photos", 1); got != "⟦1 photo⟧" {
		t.Errorf("marked, a sentence is %q", got)
	}
	if got := T(t.Context(), "at %s", "noon"); got != "at noon" {
		t.Errorf("where no language was chosen a sentence is %q", got)
	}
}

func TestLoadRefusesASentenceInTwoFiles(t *testing.T) {
	_, err := load(fstest.MapFS{
		"messages/en/a.json": {Data: []byte(`{"x": "y"}`)},
		"messages/en/b.json": {Data: []byte(`{"x": "z"}`)},
	})
	if err == nil {
		t.Error("a sentence with two translations was taken")
	}
}
