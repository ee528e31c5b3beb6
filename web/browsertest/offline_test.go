package browsertest

import (
	"bufio"
	"net"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
)

// server is a program on an address of its own, which can be stopped and started
// again as a connection that is lost and comes back.
type server struct {
	t                   *testing.T
	program, data, addr string
	cmd                 *exec.Cmd
}

func newServer(t *testing.T) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, program: build(t), data: t.TempDir(), addr: l.Addr().String()}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	s.start()
	t.Cleanup(s.stop)
	return s
}

func (s *server) start() {
	s.t.Helper()
	library := filepath.Join(root(s.t), "build", "onnxruntime", "libonnxruntime.so.1")
	s.cmd = exec.Command(s.program, "serve", "--addr", s.addr, "--data", s.data, "--onnxruntime", library)
	stdout, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	if text, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		s.t.Fatalf("the program said %q: %v", text, err)
	}
}

// stop kills the program, as a cable that is pulled: nothing is said good-bye to.
func (s *server) stop() {
	if s.cmd == nil {
		return
	}
	if err := s.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		s.t.Error(err)
	}
	_ = s.cmd.Wait() // it was killed
	s.cmd = nil
}

// TestOffline loses the connection: photos wait, the page opens all the same and
// takes another one, and all are sent, once each, when the connection is back.
func TestOffline(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	b := open(t)
	b.do(chromedp.Navigate("http://" + s.addr + "/"))
	b.until("the worker has the page", `(navigator.serviceWorker.controller !== null) && (caches.match("/offline", {ignoreVary: true}).then((r) => { window.hasOffline = Boolean(r); }), window.hasOffline)`)
	s.stop()
	b.drop(drawPhotos(300, 4))
	b.until("it says that there is no connection", `document.querySelector("[data-queue-advice]").textContent.startsWith("No connection. 4 photos are kept")`)
	b.until("they are kept", keptPhotos(`n === 4`))
	b.gallery("offline-waiting")

	b.do(chromedp.Navigate("http://" + s.addr + "/observations"))
	b.until("the page for when there is no connection comes", `document.querySelector("[data-offline]")`)
	b.until("it knows of them", `document.querySelector("[data-queue-text]").textContent.startsWith("0 of 4 photos")`)
	b.drop(drawPhotos(310, 1))
	b.until("it takes another one", keptPhotos(`n === 5`))
	b.gallery("offline-page")

	s.start()
	b.do(chromedp.Navigate("http://" + s.addr + "/"))
	b.until("all are sent", keptPhotos(`n === 0`))
	b.until("all are shown", `document.querySelectorAll("#results [data-card]").length === 5`)
	b.stored(5)
}
