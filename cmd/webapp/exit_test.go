package main

import (
	"bytes"
	"errors"
	"net"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// exited is the exit status of a process that ends by itself.
func (p *process) exited(t *testing.T) int {
	t.Helper()
	late := time.AfterFunc(30*time.Second, func() { p.cmd.Process.Kill() })
	defer late.Stop()
	err := p.cmd.Wait()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return p.cmd.ProcessState.ExitCode() // −1 if it was killed
}

// lingers begins an upload that never ends, so that the server has something to wait
// for.
func (p *process) lingers(t *testing.T) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	_, err = conn.Write([]byte("POST /api/v1/observations HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\n" +
		"Content-Length: 1000000\r\nExpect: 100-continue\r\n\r\n"))
	must(t, err)
	answer := make([]byte, 100)
	n, err := conn.Read(answer) // it asks for the body, so it is at work
	must(t, err)
	if !bytes.HasPrefix(answer[:n], []byte("HTTP/1.1 100")) {
		t.Fatalf("the upload is answered %q", answer[:n])
	}
}

// stopping asks the process to end and waits until it takes no connections any more.
func (p *process) stopping(t *testing.T, by syscall.Signal) {
	t.Helper()
	must(t, p.cmd.Process.Signal(by))
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
		if err != nil {
			return
		}
		conn.Close()
		if time.Now().After(deadline) {
			t.Fatal("it does not begin to stop")
		}
	}
}

// A server says by its exit status how it ended, and however that was, what it had
// acknowledged is kept.
func TestTheExitStatusSaysHowItEnded(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	var kept []lesson
	for i, c := range []struct {
		name  string
		flags []string
		ends  func(p *process)
		want  int
	}{
		{"it was asked to", nil, func(p *process) { must(t, p.cmd.Process.Signal(syscall.SIGTERM)) }, 0},
		{"the grace was not enough", []string{"--grace", "1ms"}, func(p *process) {
			p.lingers(t)
			must(t, p.cmd.Process.Signal(syscall.SIGTERM))
		}, 3},
		{"it was asked twice", nil, func(p *process) {
			p.lingers(t)
			p.stopping(t, syscall.SIGTERM)
			must(t, p.cmd.Process.Signal(syscall.SIGTERM))
		}, 128 + 15},
		{"Ctrl-C was pressed twice", nil, func(p *process) {
			p.lingers(t)
			p.stopping(t, syscall.SIGINT)
			must(t, p.cmd.Process.Signal(syscall.SIGINT))
		}, 128 + 2},
	} {
		p := startProcess(t, data, c.flags...)
		l, err := p.teach(drawn(uint64(i)), "Lesson A")
		must(t, err)
		kept = append(kept, l)
		c.ends(p)
		if got := p.exited(t); got != c.want {
			t.Errorf("%s: exit status %d, want %d", c.name, got, c.want)
		}
	}
	p := startProcess(t, data)
	wantAll(t, p, kept)
	wants(t, 1, []string{"another Fieldmark serves"}, "serve", "--data", data, "--addr", "127.0.0.1:0")
	p.kill(t)
	wants(t, 2, []string{"not a flag"}, "serve", "--data", data, "nonsense")
	wants(t, 2, []string{"flag provided but not defined"}, "serve", "--nonsense")
	wants(t, 2, []string{"there is no command"}, "nonsense")
	wants(t, 0, []string{"all in order"}, "verify", "--data", data)
}
