package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"fieldmark/internal/clip"
	"fieldmark/internal/exchange"
	"fieldmark/internal/photo"
	"fieldmark/internal/vec"
)

// embedded is one line of `webapp embed --format jsonl`. Names are unit rows;
// photos are as the encoder gives them.
type embedded struct {
	Input     string    `json:"input"`
	Embedding []float32 `json:"embedding"`
	Norm      float64   `json:"norm"`
}

func runEmbed(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var c Config
	fs := flagSet("embed", stderr)
	c.register(fs)
	text := fs.Bool("text", false, "the arguments are names, not photos")
	format := fs.String("format", "jsonl", "jsonl, or npy: one float32 array [inputs, D]")
	fs.Usage = func() {
		fmt.Fprintln(stderr, "Usage: webapp embed [flags] FILE…   or   webapp embed --text [flags] NAME…")
		fs.PrintDefaults()
	}
	if err := parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return fmt.Errorf("%w: give at least one photo, or with --text one name", errUsage)
	}
	if *format != "jsonl" && *format != "npy" {
		return fmt.Errorf("%w: --format %q is neither jsonl nor npy", errUsage, *format)
	}
	if c, err = withChosenModel(ctx, c); err != nil {
		return err
	}
	e, err := openEncoder(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	embed := e.embedName
	if !*text {
		log := slog.New(slog.NewTextHandler(stderr, nil))
		jpeg, err := openJPEG(c, log)
		if err != nil {
			return err
		}
		decoder := photo.Decoder{JPEG: jpeg, HEIC: openHEIC(log), AVIF: openAVIF(log)}
		embed = func(ctx context.Context, path string) ([]float32, error) {
			return e.embedFile(ctx, decoder, path)
		}
	}
	if *format == "npy" {
		return writeNpy(ctx, stdout, fs.Args(), e.info.Dim, embed)
	}
	return writeLines(ctx, stdout, fs.Args(), embed)
}

func (e *encoder) embedName(ctx context.Context, name string) ([]float32, error) {
	if !e.Knows(name) {
		return nil, clip.ErrUnknownName
	}
	rows, err := e.EmbedNames(ctx, [][]string{{name}})
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}

// embedFile gives a photo the embedding that the server gives it.
func (e *encoder) embedFile(ctx context.Context, d photo.Decoder, path string) ([]float32, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p, err := d.Decode(data, e.info.PhotoNeed())
	if err != nil {
		return nil, err
	}
	return e.EmbedImage(ctx, p.Scaled())
}

// embedder is embedFile or embedName.
type embedder func(ctx context.Context, input string) ([]float32, error)

// writeLines writes a line as soon as it is there.
func writeLines(ctx context.Context, w io.Writer, inputs []string, embed embedder) error {
	enc := json.NewEncoder(w)
	for _, in := range inputs {
		v, err := embed(ctx, in)
		if err != nil {
			return fmt.Errorf("%s: %w", in, err)
		}
		if err := enc.Encode(embedded{Input: in, Embedding: v, Norm: vec.Norm(v)}); err != nil {
			return err
		}
	}
	return nil
}

func writeNpy(ctx context.Context, w io.Writer, inputs []string, dim int, embed embedder) error {
	rows := make([][]float32, len(inputs))
	for i, in := range inputs {
		var err error
		if rows[i], err = embed(ctx, in); err != nil {
			return fmt.Errorf("%s: %w", in, err)
		}
	}
	return exchange.WriteNPY(w, rows, dim)
}
