-- Workshops: people who join by one code for some hours.
CREATE TABLE workshops (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    title         TEXT NOT NULL,
    label_set_id  INTEGER REFERENCES label_sets (id) ON DELETE SET NULL, -- that guests' questions begin with
    invitation_id INTEGER NOT NULL UNIQUE REFERENCES invitations (id),
    code          TEXT NOT NULL,   -- of the invitation, as it is shown on the wall; '' once the workshop was ended
    start_seq     INTEGER NOT NULL, -- last event of the log before it
    started_at    INTEGER NOT NULL,
    host_id       INTEGER NOT NULL REFERENCES users (id),
    ends_at       INTEGER NOT NULL,
    ended_at      INTEGER,         -- NULL: nobody has ended it before
    ended_by      INTEGER REFERENCES users (id),
    reset_at      INTEGER          -- NULL: what its guests taught stands
) STRICT;
CREATE INDEX users_invitation ON users (invitation_id) WHERE invitation_id IS NOT NULL;
