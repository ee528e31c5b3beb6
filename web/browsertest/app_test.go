package browsertest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// root is the repository's folder.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// build returns the path of cmd/webapp, which is built once for all tests.
func build(t *testing.T) string {
	t.Helper()
	program, err := shared.program()
	if err != nil {
		t.Fatalf("building cmd/webapp: %v", err)
	}
	return program
}

var answers = regexp.MustCompile(`http://[0-9.:]+`)

// start runs the program on a port of its own with an empty data folder, and
// returns its address.
func start(t *testing.T) string {
	t.Helper()
	return startOn(t, t.TempDir())
}

// startOn is start with a data folder that has something in it, and further flags.
func startOn(t *testing.T, data string, flags ...string) string {
	t.Helper()
	library := filepath.Join(root(t), "build", "onnxruntime", "libonnxruntime.so.1")
	if runtime.GOOS == "darwin" {
		library = filepath.Join(root(t), "build", "onnxruntime", "libonnxruntime.1.dylib")
	}
	if _, err := os.Stat(library); err != nil {
		t.Fatalf("ONNX Runtime is not there (%v): run make setup", err)
	}
	cmd := exec.Command(build(t), append([]string{"serve", "--addr", "127.0.0.1:0", "--data", data, "--onnxruntime", library}, flags...)...)
	cmd.Stderr = t.Output()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Errorf("stopping the program: %v", err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the program did not end well: %v", err)
		}
	})
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(stdout).ReadString('\n')
		line <- text
	}()
	select {
	case text := <-line:
		if url := answers.FindString(text); url != "" {
			return url
		}
		t.Fatalf("the program said %q instead of its address", text)
	case <-time.After(2 * time.Minute):
		t.Fatal("the program did not start within two minutes")
	}
	return ""
}
