package main

import (
	"flag"
	"runtime"

	"fieldmark/internal/photofile"
	"fieldmark/internal/tree"
	"fieldmark/web/metrics"
)

// Config is what can be set from outside, by flags or the environment.
type Config struct {
	Data    string // folder of the database, the photos and added encoders
	Model   string // encoder: "fieldmark-1", or a folder's name or path; "" for the one chosen last
	Runtime string // ONNX Runtime's library; "" to look for it
	Addr    string
	SignIn  bool   // ask people to sign in on a loopback address too
	Fusion  string // default rule
	Psi     int
	K       int
	Threads int

	Index     string // how the nearest exemplars are found; "" for the default
	Precision string // of the exemplars in memory; "" for the default

	TurboJPEG string // libjpeg-turbo's library; "" to look for it and do without if there is none

	Network    Network
	Operating  Operating
	metrics    *metrics.Metrics      // is told what happens; nil outside of a server
	renditions *photofile.Renditions // nil outside of a server
}

// The paper's ψ and k.
const (
	defaultPsi = tree.DefaultPsi
	defaultK   = 9
)

// register adds the flags that every command has.
func (c *Config) register(fs *flag.FlagSet) {
	fs.StringVar(&c.Data, "data", "./data", "`folder` of the database and the photos; made if it is not there")
	fs.StringVar(&c.Model, "model", "", "encoder: "+builtin+", or a `folder` with a manifest.json; if not given, the one chosen with models use, or the built-in one")
	fs.StringVar(&c.Runtime, "onnxruntime", "", "ONNX Runtime's library `file`; looked for beside the program if not given")
	fs.StringVar(&c.TurboJPEG, "turbojpeg", "", "libjpeg-turbo's library `file`; if not given, looked for, and done without if there is none")
	fs.IntVar(&c.Threads, "threads", runtime.NumCPU(), "`number` of threads for the encoder and the learner")
}

// registerServe adds the flags of serve.
func (c *Config) registerServe(fs *flag.FlagSet) {
	fs.StringVar(&c.Addr, "addr", "127.0.0.1:8080", "`address` to listen on; beyond loopback everyone signs in")
	fs.BoolVar(&c.SignIn, "sign-in", false, "ask everyone to sign in, on a loopback address too: for a server behind a proxy")
	c.Network.register(fs)
	c.Operating.register(fs)
	fs.StringVar(&c.Fusion, "fusion", string(defaultRule), "default fusion `rule`")
	c.registerMemory(fs)
	fs.IntVar(&c.K, "k", defaultK, "`number` of nearest exemplars that are asked")
}
