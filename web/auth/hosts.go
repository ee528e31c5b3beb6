package auth

import (
	"net"
	"net/netip"
	"slices"
	"strings"
)

// Hosts says under which names a server answers. A page of another site can
// resolve its own name to our address, and its scripts would then be of our
// origin (DNS rebinding): so a name that someone else could own is refused
// unless it was given. An address is nobody's name.
type Hosts struct {
	Loopback bool     // only this machine can reach the server
	Machine  string   // what the machine calls itself, "" if that is not known
	Given    []string // names by --host, or of the certificate
	Only     bool     // the given names, and no others but those of loopback
}

// localSuffixes are those of names that a local network gives to its machines
// and that nobody can register: RFC 6762, RFC 8375, and what ICANN has set aside.
func localSuffixes() []string {
	return []string{"", ".local", ".home.arpa", ".internal", ".lan", ".home"}
}

// Allow reports whether a Host header names this server.
func (h Hosts) Allow(header string) bool {
	host := strings.ToLower(strings.TrimSuffix(hostname(header), "."))
	if loopbackName(host) || slices.ContainsFunc(h.Given, func(g string) bool { return strings.EqualFold(g, host) }) {
		return host != ""
	}
	if h.Loopback || h.Only || host == "" {
		return false
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	machine := strings.ToLower(h.Machine)
	first, _, _ := strings.Cut(machine, ".")
	return machine != "" && (host == machine ||
		slices.ContainsFunc(localSuffixes(), func(suffix string) bool { return host == first+suffix }))
}

// IsLoopback reports whether an address to listen on, "host:port", is reached
// from this machine only.
func IsLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	return err == nil && loopbackName(host)
}

// hostname is a Host header without its port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// loopbackName reports whether a host is this machine by a name that no other
// site can have: a page of another site that resolves its own name to
// 127.0.0.1 must not get in.
func loopbackName(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
