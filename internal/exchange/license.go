package exchange

import "strings"

// licenseURI is the address of a licence's text, by which aggregators know it,
// or its name as it is given where there is none.
func licenseURI(name string) string {
	base, version, ok := cutVersion(name)
	if !ok {
		return name
	}
	if base == "CC0" {
		return "http://creativecommons.org/publicdomain/zero/" + version + "/legalcode"
	}
	return "http://creativecommons.org/licenses/" + strings.ToLower(strings.TrimPrefix(base, "CC-")) + "/" + version + "/legalcode"
}

// cutVersion cuts "CC-BY-NC-4.0" into "CC-BY-NC" and "4.0"; ok is false for what
// is no Creative Commons licence.
func cutVersion(name string) (base, version string, ok bool) {
	name = strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(name), " ", "-"))
	at := strings.LastIndex(name, "-")
	if at < 0 {
		base, version = name, ""
	} else if base, version = name[:at], name[at+1:]; strings.Trim(version, "0123456789.") != "" {
		base, version = name, ""
	}
	switch base {
	case "CC0":
		if version == "" {
			version = "1.0"
		}
		return base, version, version == "1.0"
	case "CC-BY", "CC-BY-SA", "CC-BY-NC", "CC-BY-ND", "CC-BY-NC-SA", "CC-BY-NC-ND":
		if version == "" {
			version = "4.0"
		}
		return base, version, true
	}
	return "", "", false
}
