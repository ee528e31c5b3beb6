-- What a person decided in the review queue: what it taught, set aside as "cannot
-- tell", or put off. One decision may be about many observations, and is undone as
-- a whole, or for one of them.
CREATE TABLE decisions (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    kind    TEXT NOT NULL CHECK (kind IN ('taught', 'set-aside', 'skipped')),
    user_id INTEGER NOT NULL REFERENCES users (id),
    at      INTEGER NOT NULL
) STRICT;
CREATE INDEX decisions_user ON decisions (user_id, id);

CREATE TABLE decision_items (
    decision_id       INTEGER NOT NULL REFERENCES decisions (id),
    observation_id    INTEGER NOT NULL REFERENCES observations (id),
    identification_id INTEGER REFERENCES identifications (id), -- what was taught; NULL for the other kinds
    undone_at         INTEGER,
    PRIMARY KEY (decision_id, observation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX decision_items_observation ON decision_items (observation_id) WHERE undone_at IS NULL;

-- How a photo that nobody has named was read last, by which memory: what the
-- queue is ordered by. Only a shortcut, renewed in the background.
CREATE TABLE readings (
    observation_id INTEGER PRIMARY KEY REFERENCES observations (id),
    encoder        TEXT NOT NULL REFERENCES encoders (digest),
    seq            INTEGER NOT NULL, -- of the memory
    taxon_id       INTEGER NOT NULL, -- of the likeliest name; 0 for free text
    label          TEXT NOT NULL,
    chance         REAL NOT NULL,    -- of it
    second         REAL NOT NULL     -- of the second likeliest
) STRICT;

-- People who named it disagree (identify.Community); kept by the transactions that
-- change its identifications, and put right at each start.
ALTER TABLE observations ADD COLUMN disputed INTEGER NOT NULL DEFAULT 0 CHECK (disputed IN (0, 1));
CREATE INDEX observations_disputed ON observations (id) WHERE disputed = 1;
