package main

import (
	"errors"
	"os/exec"
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
			hanging(t, p)
			must(t, p.cmd.Process.Signal(syscall.SIGTERM))
		}, 3},
		{"it was asked twice", nil, func(p *process) {
			hanging(t, p)
			must(t, p.cmd.Process.Signal(syscall.SIGINT))
			p.waitUntilStopping(t)
			must(t, p.cmd.Process.Signal(syscall.SIGTERM))
		}, 128 + 15},
		{"Ctrl-C was pressed at last", nil, func(p *process) {
			hanging(t, p)
			must(t, p.cmd.Process.Signal(syscall.SIGTERM))
			p.waitUntilStopping(t)
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
	wants(t, 0, []string{"Usage: webapp [command] [flags]", "healthcheck"}, "help")
	wants(t, 0, []string{"Usage of webapp export", "-format"}, "help", "export")
	wants(t, 2, []string{"there is no command", "healthcheck"}, "help", "nonsense")
	wants(t, 0, []string{"all in order"}, "verify", "--data", data)
}
