package main

import (
	"flag"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"fieldmark/web/auth"
)

// Network is how others reach the server.
type Network struct {
	Hosts      names // it answers to, besides addresses and the machine's own
	TrustProxy bool  // a proxy before us says whom requests are from
	Cert, Key  string
	ACME       names  // names to get certificates for
	SelfSigned bool   // with a certificate of our own making
	Redirect   string // address from which http is sent on to https
}

func (n *Network) register(fs *flag.FlagSet) {
	fs.Var(&n.Hosts, "host", "`name` that the server answers to, besides its addresses and the machine's own names; can be given again")
	fs.BoolVar(&n.TrustProxy, "trust-proxy", false, "believe the X-Forwarded-For of a proxy before the server, when counting who tries too often")
	fs.StringVar(&n.Cert, "tls-cert", "", "`file` of the certificate to serve https with; read again when it changes")
	fs.StringVar(&n.Key, "tls-key", "", "`file` of its private key")
	fs.Var(&n.ACME, "acme-host", "`name` to get a certificate for from Let's Encrypt, whose terms you accept by this; can be given again")
	fs.BoolVar(&n.SelfSigned, "tls-self-signed", false, "serve https with a certificate made here, which browsers warn of until it is installed")
	fs.StringVar(&n.Redirect, "redirect-addr", "", "`address`, like :80, from which http is sent on to https")
}

// names is a flag that can be given again, and takes several with commas.
type names []string

func (n *names) String() string { return strings.Join(*n, ",") }

func (n *names) Set(list string) error {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			*n = append(*n, name)
		}
	}
	return nil
}

// local reports whether nobody signs in: the server is for its own machine.
func (a *App) local() bool {
	return auth.IsLoopback(a.listener.Addr().String()) && !a.config.SignIn
}

// hosts are the names that the server answers to.
func (a *App) hosts() auth.Hosts {
	h := auth.Hosts{Loopback: a.local(), Given: append(append([]string{}, a.config.Network.Hosts...), a.config.Network.ACME...)}
	if len(a.config.Network.ACME) > 0 {
		h.Only = true
		return h
	}
	// Without a name of its own the machine is reached by its addresses.
	h.Machine, _ = os.Hostname()
	return h
}

// URL is where the app answers, as one can open it on this machine.
func (a *App) URL() string { return a.urlAt("localhost") }

// OutsideURL is where others reach the app, as well as that can be known.
func (a *App) OutsideURL() string {
	n := a.config.Network
	if given := append(append([]string{}, n.ACME...), n.Hosts...); len(given) > 0 {
		return a.urlAt(given[0])
	}
	addr, err := netip.ParseAddrPort(a.listener.Addr().String())
	if err == nil && addr.Addr().IsUnspecified() {
		return a.urlAt(outsideAddress())
	}
	return a.URL()
}

// urlAt is the address with a host, unless the app listens on just one.
func (a *App) urlAt(host string) string {
	addr := a.listener.Addr().(*net.TCPAddr) // net.Listen("tcp") gives no other
	if !addr.IP.IsUnspecified() && host == "localhost" {
		host = addr.IP.String()
	}
	scheme, usual := "http://", 80
	if a.tls != nil {
		scheme, usual = "https://", 443
	}
	if addr.Port == usual && !strings.Contains(host, ":") {
		return scheme + host
	}
	return scheme + net.JoinHostPort(host, strconv.Itoa(addr.Port))
}

// outsideAddress is an address at which the local network is likely to reach
// this machine; "localhost" if there is none.
func outsideAddress() string {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return "localhost"
	}
	for _, a := range addrs {
		if n, is := a.(*net.IPNet); is && n.IP.To4() != nil && n.IP.IsGlobalUnicast() {
			return n.IP.String()
		}
	}
	return "localhost"
}
