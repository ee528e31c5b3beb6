package words

import "testing"

func TestNumbers(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for language, want := range map[string][]string{
		"en": {"12,400", "65%", ">99%", "<1%", "100%", "0%", "1 kB", "2.5 MB"},
		"de": {"12.400", "65\u00a0%", ">99\u00a0%", "<1\u00a0%", "100\u00a0%", "0\u00a0%", "1 kB", "2,5 MB"},
	} {
		ctx := With(t.Context(), c.Choose(language, ""))
		got := []string{Number(ctx, 12400), Percent(ctx, 0.651), Percent(ctx, 0.999), Percent(ctx, 0.001), Percent(ctx, 1), Percent(ctx, 0), Size(ctx, 3), Size(ctx, 2_500_000)}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: %q, want %q", language, got[i], want[i])
			}
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{12: "1 kB", 4321: "4 kB", 999_499: "999 kB", 2_540_000: "2.5 MB"} {
		if got := Size(t.Context(), n); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
}
