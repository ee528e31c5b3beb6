package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// server is the webapp under test, in a process of its own.
type server struct {
	cmd   *exec.Cmd
	url   string
	admin string     // host and port of who runs it
	ended chan error // gets the process's end
	log   *os.File
}

// startServer starts the webapp on a data folder and waits until it answers. Its log
// is appended to DATA.log.
func startServer(webapp, data string, flags ...string) (*server, error) {
	log, err := os.OpenFile(data+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	admin, err := freeAddress()
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	s := &server{log: log, admin: admin, ended: make(chan error, 1)}
	s.cmd = exec.Command(webapp, append([]string{"serve", "--addr", "127.0.0.1:0", "--admin-addr", admin, "--data", data}, flags...)...)
	s.cmd.Stderr = log
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	if err := s.cmd.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	words := bufio.NewReader(stdout)
	line, err := words.ReadString('\n')
	at := strings.Index(line, "http://")
	if err != nil || at < 0 {
		return nil, errors.Join(fmt.Errorf("the webapp did not start; see %s", log.Name()), s.cmd.Process.Kill(), s.cmd.Wait())
	}
	s.url = strings.TrimSpace(line[at:])
	go func() {
		io.Copy(io.Discard, words) // ends with the process
		s.ended <- s.cmd.Wait()
	}()
	return s, nil
}

// kill ends the process as a power cut would.
func (s *server) kill() error {
	err := s.cmd.Process.Kill()
	<-s.ended
	return errors.Join(err, s.log.Close())
}

// stop ends the process as its operator would, and fails if it does not go cleanly
// within half a minute.
func (s *server) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return errors.Join(fmt.Errorf("the webapp had ended by itself; see %s", s.log.Name()), err)
	}
	select {
	case err := <-s.ended:
		return errors.Join(err, s.log.Close())
	case <-time.After(30 * time.Second):
		return errors.Join(errors.New("the webapp did not stop within 30 s"), s.kill())
	}
}

// alive reports whether the process has not ended.
func (s *server) alive() bool { return s.cmd.Process.Signal(syscall.Signal(0)) == nil }

// command runs a subcommand of the webapp to its end and returns what it printed.
func command(ctx context.Context, webapp string, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, webapp, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("webapp %s: %w\n%s%s", args[0], err, stdout.String(), stderr.String())
	}
	return stdout.String(), nil
}
