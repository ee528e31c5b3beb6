-- People: passwords, invitations, tokens, the set-up link. Of what opens a door
-- only a hash is stored.

CREATE TABLE invitations (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    hash       BLOB NOT NULL UNIQUE CHECK (length(hash) = 32), -- argon2id of the code
    role       TEXT NOT NULL CHECK (role IN ('viewer', 'expert', 'curator', 'admin')),
    name       TEXT NOT NULL,    -- of who is invited; '' if they choose it
    guest      INTEGER NOT NULL CHECK (guest IN (0, 1)),
    uses       INTEGER NOT NULL CHECK (uses > 0),
    used       INTEGER NOT NULL DEFAULT 0 CHECK (used BETWEEN 0 AND uses),
    created_at INTEGER NOT NULL,
    created_by INTEGER NOT NULL REFERENCES users (id),
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER,
    revoked_by INTEGER REFERENCES users (id)
) STRICT;

ALTER TABLE users ADD COLUMN password TEXT;      -- argon2id in PHC string form; NULL: signs in otherwise
ALTER TABLE users ADD COLUMN guest INTEGER NOT NULL DEFAULT 0 CHECK (guest IN (0, 1)); -- a session is the only key
ALTER TABLE users ADD COLUMN seen_at INTEGER;    -- last request of a session or token, to the minute
ALTER TABLE users ADD COLUMN created_by INTEGER REFERENCES users (id);
ALTER TABLE users ADD COLUMN invitation_id INTEGER REFERENCES invitations (id);
ALTER TABLE users ADD COLUMN changed_at INTEGER; -- of the role, last
ALTER TABLE users ADD COLUMN changed_by INTEGER REFERENCES users (id);
ALTER TABLE users ADD COLUMN revoked_by INTEGER REFERENCES users (id);

ALTER TABLE sessions ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET seen_at = created_at;
CREATE INDEX sessions_user ON sessions (user_id);

CREATE TABLE tokens (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    hash       BLOB NOT NULL UNIQUE CHECK (length(hash) = 32), -- SHA-256
    user_id    INTEGER NOT NULL REFERENCES users (id),
    name       TEXT NOT NULL,
    role       TEXT NOT NULL CHECK (role IN ('viewer', 'expert', 'curator', 'admin')), -- it may do no more
    created_at INTEGER NOT NULL,
    created_by INTEGER REFERENCES users (id),
    expires_at INTEGER,          -- NULL: never
    used_at    INTEGER,          -- to the minute
    revoked_at INTEGER,
    revoked_by INTEGER REFERENCES users (id)
) STRICT;
CREATE INDEX tokens_user ON tokens (user_id);

-- A user had one token. The column stays, empty: SQLite drops no UNIQUE column
-- without writing a table anew that half of the others refer to.
INSERT INTO tokens (hash, user_id, name, role, created_at)
    SELECT token_hash, id, name, role, created_at FROM users WHERE token_hash IS NOT NULL;
UPDATE users SET token_hash = NULL;

-- The link with which the first admin is made: there is one.
CREATE TABLE setup (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    hash       BLOB NOT NULL CHECK (length(hash) = 32), -- SHA-256
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at    INTEGER,
    user_id    INTEGER REFERENCES users (id)
) STRICT;
