-- Times are microseconds since 1970 UTC. Where the clock on the wall matters
-- (when a photo was taken), the offset from UTC in seconds stands beside it.

CREATE TABLE encoders (
    digest        TEXT PRIMARY KEY,
    name          TEXT NOT NULL,
    dim           INTEGER NOT NULL CHECK (dim > 0),
    registered_at INTEGER NOT NULL
) STRICT;

CREATE TABLE users (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT NOT NULL,
    role       TEXT NOT NULL CHECK (role IN ('viewer', 'expert', 'curator', 'admin')),
    token_hash BLOB UNIQUE CHECK (length(token_hash) = 32), -- SHA-256; NULL for the owner
    owner      INTEGER NOT NULL DEFAULT 0 CHECK (owner IN (0, 1)),
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;
-- Whoever sits at the machine itself: there is one.
CREATE UNIQUE INDEX users_owner ON users (owner) WHERE owner = 1;

CREATE TABLE sessions (
    hash       BLOB PRIMARY KEY CHECK (length(hash) = 32), -- SHA-256 of the cookie's value
    user_id    INTEGER NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Taxa are never deleted: identifications refer to them for good.
CREATE TABLE taxa (
    id              INTEGER PRIMARY KEY,
    scientific_name TEXT NOT NULL,
    english_name    TEXT NOT NULL,
    rank            TEXT NOT NULL,
    group_key       TEXT NOT NULL,
    parent_id       INTEGER REFERENCES taxa (id) DEFERRABLE INITIALLY DEFERRED,
    local           INTEGER NOT NULL CHECK (local IN (0, 1)),
    created_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX taxa_parent ON taxa (parent_id);

CREATE TABLE taxon_names (
    id       INTEGER PRIMARY KEY,
    taxon_id INTEGER NOT NULL REFERENCES taxa (id),
    kind     INTEGER NOT NULL CHECK (kind IN (1, 2, 3)), -- scientific, English, synonym: also their order of precedence
    name     TEXT NOT NULL,
    folded   TEXT NOT NULL, -- lower case, without accents: internal/store/fold.go
    words    TEXT NOT NULL  -- its words, each after a space
) STRICT;
CREATE INDEX taxon_names_folded ON taxon_names (folded);
CREATE INDEX taxon_names_taxon ON taxon_names (taxon_id);

-- The words of each folded name, to be found by their beginnings.
CREATE TABLE taxon_words (
    word    TEXT NOT NULL,
    name_id INTEGER NOT NULL REFERENCES taxon_names (id) ON DELETE CASCADE,
    PRIMARY KEY (word, name_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX taxon_words_name ON taxon_words (name_id);

-- Which vocabulary was seeded last, to skip doing it again at each start.
CREATE TABLE seeds (
    what    TEXT PRIMARY KEY,
    version TEXT NOT NULL,
    digest  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE label_sets (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    key        TEXT UNIQUE, -- of a built-in set; NULL for one that people made
    name       TEXT NOT NULL,
    folded     TEXT NOT NULL,
    position   INTEGER NOT NULL, -- order among the built-in sets
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX label_sets_folded ON label_sets (folded);

CREATE TABLE label_set_taxa (
    label_set_id INTEGER NOT NULL REFERENCES label_sets (id) ON DELETE CASCADE,
    position     INTEGER NOT NULL,
    taxon_id     INTEGER NOT NULL REFERENCES taxa (id),
    PRIMARY KEY (label_set_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX label_set_taxa_taxon ON label_set_taxa (taxon_id);

CREATE TABLE photos (
    hash         TEXT PRIMARY KEY, -- SHA-256 of the file, lower-case hex
    media_type   TEXT NOT NULL,
    bytes        INTEGER NOT NULL,
    width        INTEGER NOT NULL,
    height       INTEGER NOT NULL,
    taken_at     INTEGER,
    taken_offset INTEGER,
    latitude     REAL,
    longitude    REAL,
    created_at   INTEGER NOT NULL
) STRICT;

CREATE TABLE embeddings (
    photo_hash TEXT NOT NULL REFERENCES photos (hash),
    encoder    TEXT NOT NULL REFERENCES encoders (digest),
    vector     BLOB NOT NULL, -- raw, float32 little-endian [dim]
    norm       REAL NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (photo_hash, encoder)
) STRICT;
CREATE INDEX embeddings_encoder ON embeddings (encoder);

CREATE TABLE observations (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    photo_hash          TEXT NOT NULL REFERENCES photos (hash),
    observer_id         INTEGER NOT NULL REFERENCES users (id),
    observed_at         INTEGER,
    observed_offset     INTEGER,
    latitude            REAL,
    longitude           REAL,
    license             TEXT NOT NULL,
    rights_holder       TEXT NOT NULL,
    notes               TEXT NOT NULL,
    folded_notes        TEXT NOT NULL,
    created_at          INTEGER NOT NULL,
    suggested           TEXT NOT NULL CHECK (json_valid(suggested)), -- the answer given when the photo came in
    suggested_seq       INTEGER NOT NULL,
    suggested_taxon_id  INTEGER, -- of its first line
    folded_suggestion   TEXT NOT NULL,
    -- The identification that stands, kept by the transactions that change it.
    current_id          INTEGER REFERENCES identifications (id) DEFERRABLE INITIALLY DEFERRED,
    current_taxon_id    INTEGER REFERENCES taxa (id)
) STRICT;
CREATE INDEX observations_photo ON observations (photo_hash);
CREATE INDEX observations_observer ON observations (observer_id, id);
CREATE INDEX observations_time ON observations (observed_at);
CREATE INDEX observations_taxon ON observations (current_taxon_id, id);

CREATE TABLE identifications (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    observation_id  INTEGER NOT NULL REFERENCES observations (id),
    taxon_id        INTEGER NOT NULL REFERENCES taxa (id),
    user_id         INTEGER NOT NULL REFERENCES users (id),
    from_suggestion INTEGER NOT NULL CHECK (from_suggestion IN (0, 1)),
    created_at      INTEGER NOT NULL,
    withdrawn_at    INTEGER
) STRICT;
CREATE INDEX identifications_observation ON identifications (observation_id, id);
CREATE INDEX identifications_taxon ON identifications (taxon_id);
-- A person has at most one standing identification of an observation.
CREATE UNIQUE INDEX identifications_standing ON identifications (observation_id, user_id) WHERE withdrawn_at IS NULL;

-- The log is the memory: it is only ever appended to.
CREATE TABLE events (
    seq               INTEGER PRIMARY KEY AUTOINCREMENT,
    kind              TEXT NOT NULL CHECK (kind IN ('taught', 'withdrawn')),
    identification_id INTEGER NOT NULL REFERENCES identifications (id),
    observation_id    INTEGER NOT NULL REFERENCES observations (id),
    photo_hash        TEXT NOT NULL REFERENCES photos (hash),
    taxon_id          INTEGER NOT NULL REFERENCES taxa (id),
    user_id           INTEGER NOT NULL REFERENCES users (id), -- who did it
    at                INTEGER NOT NULL
) STRICT;
-- An identification is taught once and withdrawn at most once.
CREATE UNIQUE INDEX events_identification ON events (identification_id, kind);

CREATE TRIGGER events_no_update BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'the log is append-only');
END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events
BEGIN
    SELECT RAISE(ABORT, 'the log is append-only');
END;
