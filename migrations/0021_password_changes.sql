-- When people set their passwords, for good; and which sessions that ended, until they
-- would have expired, so that the browsers that had them can be told why.
CREATE TABLE password_changes (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users (id),
    at      INTEGER NOT NULL,
    agent   TEXT NOT NULL,      -- what the browser calls itself in which it was done
    first   INTEGER NOT NULL CHECK (first IN (0, 1)) -- they were a guest until then
) STRICT;
CREATE INDEX password_changes_user ON password_changes (user_id);

CREATE TABLE ended_sessions (
    hash       BLOB PRIMARY KEY CHECK (length(hash) = 32), -- as in sessions
    change_id  INTEGER NOT NULL REFERENCES password_changes (id),
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
