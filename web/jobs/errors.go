package jobs

import (
	"errors"

	"fieldmark/internal/identify"
)

// errStopped is why the context of a job that Stop ends is done.
var errStopped = errors.New("stopped by whoever began it")

// errRuns is of work that is under way, errLooks of a preview.
var errRuns = identify.Errorf(identify.Conflict, "file", "This file is being taken in already. Wait until that has ended, or stop it first.")

var errLooks = identify.Errorf(identify.Conflict, "file", "This file is being looked through at the moment. Wait until that has ended, or stop it first.")

var errUnknown = identify.Errorf(identify.NotFound, "id", "There is no such import, or the server was started anew since. What was taken in is in the list of imports.")

// errClosed is of work that comes when the server stops.
var errClosed = identify.Errorf(identify.NotReady, "", "This server is stopping. Send the file again when it runs.")

var errGone = identify.Errorf(identify.NotFound, "file", "This file is not kept any more. Send it again.")
