package main

import (
	"net"
	"strconv"

	"fieldmark/web"
)

// reach says how other devices reach the app, as the machine's networks are now.
func (a *App) reach() web.Reach {
	addr := a.listener.Addr().(*net.TCPAddr) // net.Listen("tcp") gives no other
	r := web.Reach{Local: addr.IP.IsLoopback(), SelfSigned: a.tls != nil && a.tls.fingerprint != ""}
	if r.Local {
		r.Listen = net.JoinHostPort("0.0.0.0", strconv.Itoa(addr.Port))
	}
	for _, name := range append(append([]string{}, a.config.Network.ACME...), a.config.Network.Hosts...) {
		r.Origins = append(r.Origins, a.originAt(name, addr.Port))
	}
	if !addr.IP.IsUnspecified() && !r.Local {
		r.Origins = append(r.Origins, a.originAt(addr.IP.String(), addr.Port))
		return r
	}
	for _, ip := range lanAddresses() {
		r.Origins = append(r.Origins, a.originAt(ip, addr.Port))
	}
	return r
}

func (a *App) originAt(host string, port int) string {
	scheme, usual := "http://", 80
	if a.tls != nil {
		scheme, usual = "https://", 443
	}
	if port == usual {
		return scheme + host
	}
	return scheme + net.JoinHostPort(host, strconv.Itoa(port))
}

// lanAddresses are this machine's in local networks, private ones first: those are
// where a room's phones are.
func lanAddresses() (list []string) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil // no network that we know of
	}
	var others []string
	for _, a := range addrs {
		n, is := a.(*net.IPNet)
		switch {
		case !is || n.IP.To4() == nil || !n.IP.IsGlobalUnicast():
		case n.IP.IsPrivate():
			list = append(list, n.IP.String())
		default:
			others = append(others, n.IP.String())
		}
	}
	return append(list, others...)
}
