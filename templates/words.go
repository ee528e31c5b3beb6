package templates

import (
	"context"
	"html"
	"io"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"fieldmark/internal/words"
)

// t says a sentence in the reader's language: see words.T.
func t[K ~string](ctx context.Context, key K, args ...any) string { return words.T(ctx, key, args...) }

// rich says a sentence that has components in it: {1} is where the first of parts
// stands, {2} the second. Each language puts them where its grammar wants them.
func rich[K ~string](key K, parts ...templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		for _, piece := range pieces(t(ctx, key)) {
			if piece.part < 1 || piece.part > len(parts) {
				if _, err := io.WriteString(w, html.EscapeString(piece.text)); err != nil {
					return err
				}
				continue
			}
			if err := parts[piece.part-1].Render(ctx, w); err != nil {
				return err
			}
		}
		return nil
	})
}

// piece is plain text, or the place of a part.
type piece struct {
	text string
	part int // 0 for text
}

// pieces cuts a sentence at its places {1}, {2}, ….
func pieces(sentence string) []piece {
	var list []piece
	for {
		before, rest, found := strings.Cut(sentence, "{")
		number, after, closed := strings.Cut(rest, "}")
		n, err := strconv.Atoi(number)
		if !found || !closed || err != nil {
			return append(list, piece{text: sentence})
		}
		list = append(list, piece{text: before}, piece{text: "{" + number + "}", part: n})
		sentence = after
	}
}
