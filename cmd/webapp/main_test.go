package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fieldmark/internal/clip"
)

// programVar names the webapp that tests start as processes of their own, and kill.
const programVar = "FIELDMARK_TEST_PROGRAM"

// TestMain builds the program for that. It is built without the race detector: nobody
// reads what that says in a process that is killed, and a start takes three times as
// long with it. Those tests that run an App here have it.
func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "webapp-test-")
	if err != nil {
		panic(err)
	}
	program := filepath.Join(folder, "webapp")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("building the program: %v\n%s", err, out))
	}
	os.Setenv(programVar, program)
	status := m.Run()
	os.RemoveAll(folder)
	os.Exit(status)
}

// process is a webapp that serves in a process of its own, and who asks it.
type process struct {
	cmd    *exec.Cmd
	url    string
	client http.Client
}

func startProcess(t *testing.T, data string, flags ...string) *process {
	t.Helper()
	cmd := exec.Command(os.Getenv(programVar), append([]string{"serve", "--addr", "127.0.0.1:0", "--data", data}, flags...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() }) // also where the test ends early
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		cmd.Wait()
		t.Fatalf("webapp did not start: %v\n%s", err, stderr.String())
	}
	return &process{cmd: cmd, url: line[strings.Index(line, "http://") : len(line)-1]}
}

// kill ends the process as a power cut would.
func (p *process) kill(t *testing.T) {
	t.Helper()
	must(t, p.cmd.Process.Kill())
	p.cmd.Wait()
}

// What was acknowledged is there after kill -9, whenever that comes; and what
// is there is whole.
func TestKillLosesNothingAcknowledged(t *testing.T) {
	if _, err := clip.FindRuntime(""); err != nil {
		t.Fatal(err)
	}
	const rounds, people = 3, 3
	data, seed := t.TempDir(), uint64(time.Now().UnixNano())
	if again := os.Getenv("FIELDMARK_TEST_SEED"); again != "" {
		if _, err := fmt.Sscan(again, &seed); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("FIELDMARK_TEST_SEED=%d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	var acknowledged []lesson
	for round := range rounds {
		p := startProcess(t, data)
		var mu sync.Mutex
		var teaching sync.WaitGroup
		heard := make(chan struct{}, 1000) // more than are waited for
		for person := range people {
			teaching.Go(func() {
				for i := 0; ; i++ {
					l, err := p.teach(drawn(uint64(round*1000+person*100+i)), fmt.Sprintf("Lesson %c %c", 'A'+person, 'A'+i%3))
					if err != nil {
						return // killed in the middle: nothing was acknowledged
					}
					mu.Lock()
					acknowledged = append(acknowledged, l)
					mu.Unlock()
					heard <- struct{}{}
				}
			})
		}
		go func() {
			teaching.Wait()
			close(heard)
		}()
		for range 1 + rnd.IntN(10) {
			if _, teaching := <-heard; !teaching {
				t.Fatal("nobody could teach any more, though nothing was killed")
			}
		}
		time.Sleep(time.Duration(rnd.IntN(30)) * time.Millisecond)
		p.kill(t)
		for range heard { // until everyone has noticed
		}
	}
	p := startProcess(t, data)
	for _, l := range acknowledged {
		if err := p.has(l); err != nil {
			t.Error(err)
		}
	}
	p.kill(t)
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"verify", "--data", data}, &out, &errs); code != 0 {
		t.Errorf("verify: %d\n%s%s", code, out.String(), errs.String())
	}
	t.Logf("%d lessons in %d rounds; %s", len(acknowledged), rounds, strings.TrimSpace(out.String()))
}

// lesson is an identification that was acknowledged.
type lesson struct {
	Observation, Identification int64
}

// teach uploads a photo and names what it shows.
func (p *process) teach(photo []byte, label string) (lesson, error) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("photo", "drawn.jpg")
	if err != nil {
		return lesson{}, err
	}
	part.Write(photo)
	w.Close()
	var observation, identification struct{ ID int64 }
	if err := post(&p.client, p.url+"/api/v1/observations", w.FormDataContentType(), &form, &observation); err != nil {
		return lesson{}, err
	}
	body, err := json.Marshal(map[string]string{"label": label})
	if err != nil {
		return lesson{}, err
	}
	to := fmt.Sprintf("%s/api/v1/observations/%d/identifications", p.url, observation.ID)
	err = post(&p.client, to, "application/json", bytes.NewReader(body), &identification)
	return lesson{observation.ID, identification.ID}, err
}

// has checks that a lesson and its photo are still there.
func (p *process) has(l lesson) error {
	var got struct {
		Identifications []struct{ ID int64 }
	}
	at := fmt.Sprintf("%s/api/v1/observations/%d", p.url, l.Observation)
	resp, err := p.client.Get(at)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || resp.StatusCode != http.StatusOK {
		return fmt.Errorf("observation %d: %s, %v", l.Observation, resp.Status, err)
	}
	for _, i := range got.Identifications {
		if i.ID == l.Identification {
			return nil
		}
	}
	return fmt.Errorf("observation %d has lost identification %d", l.Observation, l.Identification)
}

func post(c *http.Client, url, contentType string, body io.Reader, into any) error {
	resp, err := c.Post(url, contentType, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusCreated {
		return fmt.Errorf("%s: %s: %s", url, resp.Status, answer)
	}
	return json.Unmarshal(answer, into)
}

// drawn is a JPEG of coloured discs, its own for each seed.
func drawn(seed uint64) []byte {
	rnd := rand.New(rand.NewPCG(seed, 7))
	img := image.NewRGBA(image.Rect(0, 0, 240, 200))
	for range 12 {
		c := color.RGBA{uint8(rnd.Uint32()), uint8(rnd.Uint32()), uint8(rnd.Uint32()), 255}
		cx, cy, r := rnd.IntN(240), rnd.IntN(200), 10+rnd.IntN(60)
		for y := max(0, cy-r); y < min(200, cy+r); y++ {
			for x := max(0, cx-r); x < min(240, cx+r); x++ {
				if (x-cx)*(x-cx)+(y-cy)*(y-cy) < r*r {
					img.SetRGBA(x, y, c)
				}
			}
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		panic(err) // a JPEG of an image in memory cannot fail
	}
	return b.Bytes()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
