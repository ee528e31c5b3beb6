package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The names by which peers go in the table and on the command line.
const (
	scikit     = "scikit-learn"
	faissPeer  = "faiss"
	hnswWheel  = "hnswlib"        // as Debian compiles it: without AVX
	hnswNative = "hnswlib-native" // its headers compiled for this machine
	coderPeer  = "coder"
)

func allPeers() []string { return []string{scikit, faissPeer, hnswWheel, hnswNative, coderPeer} }

// peers runs what Fieldmark is compared with.
type peers struct {
	wanted []string
	python string // interpreter
	script string // tools/bench/peers.py
	native string // tools/bench/hnswlib.cpp, compiled
	// patience is how long a peer may take for one stage's work.
	patience time.Duration
}

// errSlow says that a peer was stopped because it took longer than this.
type errSlow spent

func (e errSlow) Error() string { return fmt.Sprintf("stopped after %v", e.clock) }

// found is one line that a peer says.
type found struct {
	Peer, What string
	Version    string
	Seconds    float64
	Used       float64 // seconds of processors
	Iterations int
	N          int
	Asked      int
	Target     float64
	ZeroShot   float64 `json:"zero_shot"`
	Objective  float64
	Top1       []int32
	Width      int `json:"ef"`
	Recall     float64
	PerSecond  float64 `json:"per_second"`
	P50        float64 `json:"p50_ms"`
	P99        float64 `json:"p99_ms"`
	Missing    string
}

// errMissing says that a peer is not there; a row says so in its place.
type errMissing string

func (e errMissing) Error() string { return string(e) }

// ask runs a peer on the arrays in dir and returns what it says. args go before
// dir, numbers behind it. The error is an errMissing if the peer is not there or was
// not asked for, and an errSlow, beside what it had said by then, if it was stopped.
func (p peers) ask(ctx context.Context, peer, what, dir string, threads int, numbers ...int) ([]found, error) {
	if !slices.Contains(p.wanted, peer) {
		return nil, errMissing("not asked")
	}
	var args []string
	program := p.native
	if peer != hnswNative {
		program, args = p.python, []string{p.script, what}
	}
	if _, err := exec.LookPath(program); err != nil {
		return nil, errMissing(fmt.Sprintf("no %s on this machine", filepath.Base(program)))
	}
	args = append(args, dir)
	for _, n := range numbers {
		args = append(args, strconv.Itoa(n))
	}
	limited, done := context.WithTimeout(ctx, p.patience)
	defer done()
	cmd := exec.CommandContext(limited, program, args...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("OMP_NUM_THREADS=%d", threads), fmt.Sprintf("OPENBLAS_NUM_THREADS=%d", threads))
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		list, err := parse(out)
		return list, cmp.Or[error](err, errSlow{p.patience, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()})
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", peer, err, lastLine(said.String()))
	}
	return parse(out)
}

// parse reads what a peer said.
func parse(out []byte) ([]found, error) {
	var list []found
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var f found
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			return nil, fmt.Errorf("a peer said %q: %w", lines.Text(), err)
		}
		if f.Missing != "" {
			return nil, errMissing(f.Missing)
		}
		list = append(list, f)
	}
	return list, lines.Err()
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// missing is why a peer has no figure.
func missing(err error) string {
	var m errMissing
	if errors.As(err, &m) {
		return string(m)
	}
	return err.Error()
}

// versions are the versions of the peers that are there, and what is missing.
func (p peers) versions(ctx context.Context) []string {
	out, err := exec.CommandContext(ctx, p.python, p.script, "versions").Output()
	if err != nil {
		return []string{"Python's peers: missing"}
	}
	var list []string
	for line := range strings.Lines(string(out)) {
		var f found
		if json.Unmarshal([]byte(line), &f) != nil {
			continue
		}
		if f.Missing != "" {
			f.Version = "missing"
		}
		list = append(list, f.Peer+" "+f.Version)
	}
	return list
}
