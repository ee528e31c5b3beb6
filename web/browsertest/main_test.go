package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// shared is what the tests have in common, made when the first of them asks for it
// and gone with the last.
var shared common

type common struct {
	program func() (path string, err error)
	browser func() (ctx context.Context, err error) // ctx is nil where Chromium is not installed
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "fieldmark-browser-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var chrome context.Context
	shared = common{
		program: sync.OnceValues(func() (string, error) { return built(dir) }),
		browser: sync.OnceValues(func() (_ context.Context, err error) {
			chrome, err = chromium(ctx)
			return chrome, err
		}),
	}
	code := m.Run()
	if chrome != nil {
		if err := chromedp.Cancel(chrome); err != nil {
			fmt.Fprintln(os.Stderr, "closing Chromium:", err)
		}
	}
	return code
}

// chromium starts the browser, which lives as long as ctx; nil where there is none.
func chromium(ctx context.Context) (context.Context, error) {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" && os.Getenv("CI") != "" {
		return nil, errors.New("Chromium is not installed, though .ci/run installs it")
	}
	if path == "" {
		return nil, nil
	}
	ctx, _ = chromedp.NewContext(ctx, chromedp.WithAllocatorOptions(
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Headless, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true),
	))
	return ctx, chromedp.Do(ctx)
}

func built(dir string) (program string, err error) {
	program = filepath.Join(dir, "webapp")
	cmd := exec.Command("go", "build", "-o", program, "./cmd/webapp")
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
}
