-- What goes to other Fieldmarks and comes from them as bundles.

-- What this Fieldmark is called by others, and the key that it signs with: one row,
-- made when it is first needed.
CREATE TABLE site (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    name       TEXT NOT NULL, -- '' until it was given one
    seed       BLOB NOT NULL CHECK (length(seed) = 32), -- of the Ed25519 key
    created_at INTEGER NOT NULL
) STRICT;

-- Whose keys a curator knows.
CREATE TABLE signers (
    public_key BLOB PRIMARY KEY CHECK (length(public_key) = 32), -- Ed25519
    name       TEXT NOT NULL,
    user_id    INTEGER NOT NULL REFERENCES users (id),
    at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What was decided about a bundle that is, or was, taken in: an import of kind
-- 'bundle', whose rows are those that are taken.
CREATE TABLE merges (
    import_id  INTEGER PRIMARY KEY REFERENCES imports (id),
    instance   TEXT NOT NULL, -- that made the bundle
    site       TEXT NOT NULL, -- its name
    public_key BLOB NOT NULL, -- that signed it
    rows       INTEGER NOT NULL, -- of the bundle
    known      INTEGER NOT NULL, -- of those, were here before
    taken      BLOB NOT NULL, -- a byte for each row: 1 if it is taken
    taxa       TEXT NOT NULL CHECK (json_valid(taxa)) -- which taxon here each taxon of the bundle is
) STRICT;

-- Where an observation that came with a bundle was first, and who taught it there.
CREATE TABLE observation_origins (
    observation_id INTEGER PRIMARY KEY REFERENCES observations (id),
    instance       TEXT NOT NULL,
    foreign_id     INTEGER NOT NULL,
    observer       TEXT NOT NULL,
    taught_by      TEXT NOT NULL,
    taught_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX observation_origins_foreign ON observation_origins (instance, foreign_id);

-- Which taxon here a local taxon of another Fieldmark is.
CREATE TABLE taxon_origins (
    instance   TEXT NOT NULL,
    foreign_id INTEGER NOT NULL,
    taxon_id   INTEGER NOT NULL REFERENCES taxa (id),
    PRIMARY KEY (instance, foreign_id)
) STRICT, WITHOUT ROWID;
