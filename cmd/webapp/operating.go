package main

import (
	"flag"
	"fmt"
	"io"
	"log/slog"
	"time"

	"fieldmark/web/requests"
)

// Operating is what who runs a server decides about its running.
type Operating struct {
	Admin      string        // address of pprof and metrics for this machine; "" for none
	Grace      time.Duration // how long stopping may take; 0: as long as it needs
	LogFormat  string
	LogLevel   slog.Level
	Addresses  bool          // log from where requests come
	Slow       time.Duration // answers that take longer are warned of
	Renditions int64         // MiB of photos in other sizes that are kept
}

func (o *Operating) register(fs *flag.FlagSet) {
	fs.StringVar(&o.Admin, "admin-addr", "", "loopback `address`, like 127.0.0.1:6060, of /metrics and /debug/pprof/, without sign-in; none if not given")
	fs.DurationVar(&o.Grace, "grace", 20*time.Second, "longest `time` that stopping takes: requests under way get three fifths of it")
	fs.StringVar(&o.LogFormat, "log-format", "text", "`format` of the log: text or json")
	fs.TextVar(&o.LogLevel, "log-level", slog.LevelInfo, "least `level` that is logged: debug, info, warn or error")
	fs.BoolVar(&o.Addresses, "log-addresses", false, "log from which address each request comes; without it the log has no personal data")
	fs.DurationVar(&o.Slow, "log-slow", 2*time.Second, "`time` from which an answer is logged as slow; 0: none is")
	fs.Int64Var(&o.Renditions, "renditions", 1024, "most `MiB` of photos in other sizes that are kept for pages; those go first that nobody looked at for longest")
}

// logger writes the log as the flags say, each line with its request's id.
func (o *Operating) logger(w io.Writer) (*slog.Logger, error) {
	options := &slog.HandlerOptions{Level: o.LogLevel}
	switch o.LogFormat {
	case "text":
		return slog.New(requests.Logger{Handler: slog.NewTextHandler(w, options)}), nil
	case "json":
		return slog.New(requests.Logger{Handler: slog.NewJSONHandler(w, options)}), nil
	}
	return nil, fmt.Errorf("%w: --log-format is text or json, not %q", errUsage, o.LogFormat)
}

// forRequests is the share of the grace that requests under way get. Half of the
// rest is for the memory's snapshot, and what is left for closing everything.
func (o *Operating) forRequests() time.Duration { return o.Grace * 3 / 5 }

func (o *Operating) forSnapshot() time.Duration { return o.Grace / 5 }
