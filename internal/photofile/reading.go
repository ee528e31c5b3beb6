package photofile

// Reading returns the folder at root to be read from while another process may
// be writing to it: unlike Open, it makes and removes nothing.
func Reading(root string) *Dir { return &Dir{root: root} }
