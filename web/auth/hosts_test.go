package auth

import "testing"

func TestHosts(t *testing.T) {
	loopback := Hosts{Loopback: true, Machine: "laptop"}
	lan := Hosts{Machine: "Laptop.campus.example", Given: []string{"birds.example.org"}}
	acme := Hosts{Machine: "server", Given: []string{"birds.example.org"}, Only: true}
	nameless := Hosts{}
	for _, c := range []struct {
		header                        string
		loopback, lan, acme, nameless bool
	}{
		{"localhost:8080", true, true, true, true},
		{"127.0.0.1", true, true, true, true},
		{"[::1]:8080", true, true, true, true},
		{"app.localhost", true, true, true, true},
		{"192.168.1.5:8080", false, true, false, true},
		{"[fe80::1]:8080", false, true, false, true},
		{"203.0.113.9", false, true, false, true},
		{"laptop:8080", false, true, false, false},
		{"LAPTOP.local.", false, true, false, false},
		{"laptop.lan", false, true, false, false},
		{"laptop.campus.example", false, true, false, false},
		{"laptop.evil.example", false, false, false, false},
		{"evil.example", false, false, false, false},
		{"birds.example.org", false, true, true, false},
		{"Birds.Example.org:443", false, true, true, false},
		{"birds.example.org.evil.example", false, false, false, false},
		{"1.2.3.4.evil.example", false, false, false, false},
		{"", false, false, false, false},
		{":8080", false, false, false, false},
		{".local", false, false, false, false},
	} {
		for _, on := range []struct {
			name  string
			hosts Hosts
			want  bool
		}{{"loopback", loopback, c.loopback}, {"lan", lan, c.lan}, {"acme", acme, c.acme}, {"nameless", nameless, c.nameless}} {
			if got := on.hosts.Allow(c.header); got != on.want {
				t.Errorf("%s: %q is allowed: %v", on.name, c.header, got)
			}
		}
	}
}
