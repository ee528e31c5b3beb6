package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"path/filepath"
	"testing"
	"time"
)

// A phone on which the certificate is installed trusts it for this machine alone:
// whoever stole its key could vouch for no other site with it.
func TestTheCertificateVouchesForNoOther(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	_, err := openSelfSigned(dir, []string{"birds.example.org"}, now)
	must(t, err)
	own, err := tls.LoadX509KeyPair(filepath.Join(dir, "self-signed.crt"), filepath.Join(dir, "self-signed.key"))
	must(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(own.Leaf)
	for _, name := range []string{"birds.example.org", "localhost", "127.0.0.1"} {
		if _, err := own.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name, CurrentTime: now}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	forge := func(dns []string, ips []net.IP) error {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		must(t, err)
		der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{SerialNumber: big.NewInt(2), NotBefore: now, NotAfter: now.Add(time.Hour),
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, DNSNames: dns, IPAddresses: ips}, own.Leaf, key.Public(), own.PrivateKey)
		must(t, err)
		leaf, err := x509.ParseCertificate(der)
		must(t, err)
		_, err = leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: now})
		return err
	}
	if err := forge([]string{"birds.example.org"}, nil); err != nil {
		t.Errorf("its own name: %v", err)
	}
	if forge([]string{"bank.example.com"}, nil) == nil {
		t.Error("it vouches for another name")
	}
	if forge(nil, []net.IP{net.IPv4(192, 0, 2, 7)}) == nil {
		t.Error("it vouches for another address")
	}
}

// A certificate that was made while the clock was a year ahead is good for nobody once
// that is set right: another one is made. An hour is what it allows for.
func TestACertificateOfTheFutureIsMadeAnew(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	made := func(at time.Time) string {
		t.Helper()
		s, err := openSelfSigned(dir, nil, at)
		must(t, err)
		return s.fingerprint
	}
	ahead := made(now.AddDate(1, 0, 0))
	right := made(now)
	if right == ahead {
		t.Error("a certificate that is not good yet is served")
	}
	if made(now.Add(-time.Hour)) != right {
		t.Error("one that is good is made anew")
	}
}
