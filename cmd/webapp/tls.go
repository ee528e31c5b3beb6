package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/crypto/acme/autocert"
)

// security is how the app serves https.
type security struct {
	config *tls.Config
	// strict tells browsers to never use http again. A certificate of our own
	// making is not strict: with it, a browser that knows of strictness lets
	// nobody past its warning.
	strict      bool
	fingerprint string                          // of a certificate of our own making
	file        string                          // where that lies, to be installed
	challenges  func(http.Handler) http.Handler // answers an authority that asks over http; nil: none does
}

// openTLS returns how to serve https, nil if nobody asked for that.
func openTLS(c Config) (*security, error) {
	n := c.Network
	ways := 0
	for _, asked := range []bool{n.Cert != "" || n.Key != "", len(n.ACME) > 0, n.SelfSigned} {
		if asked {
			ways++
		}
	}
	switch {
	case ways == 0 && n.Redirect != "":
		return nil, errors.New("--redirect-addr sends on to https: say with --tls-cert, --acme-host or --tls-self-signed how that is served")
	case ways == 0:
		return nil, nil
	case ways > 1:
		return nil, errors.New("choose one of --tls-cert with --tls-key, --acme-host and --tls-self-signed")
	case n.SelfSigned:
		return openSelfSigned(filepath.Join(c.Data, "tls"), n.Hosts, time.Now())
	case len(n.ACME) > 0:
		m := &autocert.Manager{Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(n.ACME...),
			Cache: autocert.DirCache(filepath.Join(c.Data, "tls", "acme"))}
		config := m.TLSConfig() // takes the authority's challenges on this port too
		config.MinVersion = tls.VersionTLS12
		return &security{config: config, strict: true, challenges: m.HTTPHandler}, nil
	}
	if n.Cert == "" || n.Key == "" {
		return nil, errors.New("--tls-cert and --tls-key come together")
	}
	files := &certificateFiles{cert: n.Cert, key: n.Key}
	if _, err := files.get(nil); err != nil {
		return nil, err
	}
	return &security{config: serverConfig(files.get), strict: true}, nil
}

func serverConfig(get func(*tls.ClientHelloInfo) (*tls.Certificate, error)) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, GetCertificate: get}
}

// certificateFiles is a certificate that something else renews.
type certificateFiles struct {
	cert, key string

	mu      sync.Mutex
	looked  time.Time
	changed time.Time // of the file that now is from
	now     *tls.Certificate
}

// lookEvery is how often at most the files are looked at.
const lookEvery = time.Minute

// get returns the certificate as the files have it. Files that are wrong, as
// they are in the middle of a renewal, leave the one that was good.
func (f *certificateFiles) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now != nil && time.Since(f.looked) < lookEvery {
		return f.now, nil
	}
	f.looked = time.Now()
	info, err := os.Stat(f.cert)
	if err == nil && f.now != nil && info.ModTime().Equal(f.changed) {
		return f.now, nil
	}
	if err == nil {
		var pair tls.Certificate
		if pair, err = tls.LoadX509KeyPair(f.cert, f.key); err == nil {
			f.now, f.changed = &pair, info.ModTime()
		}
	}
	if f.now != nil {
		return f.now, nil
	}
	return nil, fmt.Errorf("cannot use the certificate of --tls-cert and --tls-key: %w", err)
}

// strictly adds HSTS for a year.
func strictly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		next.ServeHTTP(w, r)
	})
}
