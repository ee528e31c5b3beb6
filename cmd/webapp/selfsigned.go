package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// selfSignedAge is the most that browsers take of a certificate that was
	// installed by hand.
	selfSignedAge = 825 * 24 * time.Hour
	// selfSignedLeft is how long before its end a new one is made.
	selfSignedLeft = 30 * 24 * time.Hour
)

// openSelfSigned opens the certificate of a folder, or makes one that is good
// for a machine's names, its addresses and more names. It is kept as long as it
// is good for those names, so that whoever trusts it goes on doing so; that the
// machine has another address now is no reason for a new one.
func openSelfSigned(dir string, more []string, now time.Time) (*security, error) {
	certFile, keyFile := filepath.Join(dir, "self-signed.crt"), filepath.Join(dir, "self-signed.key")
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the certificate in %s cannot be read: %w; remove it, and another one is made", dir, err)
	}
	if err != nil || !goodFor(pair, more, now) {
		if err := makeSelfSigned(certFile, keyFile, more, now); err != nil {
			return nil, fmt.Errorf("making a certificate: %w", err)
		}
		if pair, err = tls.LoadX509KeyPair(certFile, keyFile); err != nil {
			return nil, err
		}
	}
	sum := sha256.Sum256(pair.Certificate[0])
	return &security{
		config:      serverConfig(func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &pair, nil }),
		fingerprint: strings.ReplaceAll(fmt.Sprintf("% X", sum), " ", ":"),
		file:        certFile,
	}, nil
}

func goodFor(pair tls.Certificate, more []string, now time.Time) bool {
	return !now.Before(pair.Leaf.NotBefore) && now.Add(selfSignedLeft).Before(pair.Leaf.NotAfter) &&
		!slices.ContainsFunc(more, func(name string) bool { return pair.Leaf.VerifyHostname(name) != nil })
}

// makeSelfSigned writes a certificate that vouches for itself, so that a phone
// can be told to trust it, and for no other.
func makeSelfSigned(certFile, keyFile string, more []string, now time.Time) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "Fieldmark on " + machineName()},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(selfSignedAge),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true, MaxPathLenZero: true,
	}
	template.DNSNames, template.IPAddresses = ownNames(more)
	constrain(template)
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(certFile), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600); err != nil {
		return err
	}
	return os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644)
}

// constrain lets a certificate vouch for the names that it has alone (RFC 5280,
// 4.2.1.10): phones install it as an authority's.
func constrain(c *x509.Certificate) {
	c.PermittedDNSDomainsCritical, c.PermittedDNSDomains = true, c.DNSNames
	for _, ip := range c.IPAddresses {
		if v4 := ip.To4(); v4 != nil {
			ip = v4
		}
		c.PermittedIPRanges = append(c.PermittedIPRanges, &net.IPNet{IP: ip, Mask: net.CIDRMask(8*len(ip), 8*len(ip))})
	}
}

func machineName() string {
	name, err := os.Hostname()
	if err != nil {
		return "this machine"
	}
	return name
}

// ownNames are those by which a certificate is asked for.
func ownNames(more []string) (dns []string, ips []net.IP) {
	all := append([]string{"localhost", "127.0.0.1", "::1"}, more...)
	if name, err := os.Hostname(); err == nil {
		first, _, _ := strings.Cut(strings.ToLower(name), ".")
		all = append(all, strings.ToLower(name), first, first+".local")
	}
	if addrs, err := net.InterfaceAddrs(); err == nil {
		for _, a := range addrs {
			if n, is := a.(*net.IPNet); is && n.IP.IsGlobalUnicast() {
				all = append(all, n.IP.String())
			}
		}
	}
	slices.Sort(all)
	for _, name := range slices.Compact(all) {
		if ip := net.ParseIP(name); ip != nil {
			ips = append(ips, ip)
		} else {
			dns = append(dns, name)
		}
	}
	return dns, ips
}
