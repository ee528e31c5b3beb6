-- A source that exemplars came from at once. Each of its rows is an observation
-- whose identification the import made; it can be withdrawn as a whole.
--
-- An exemplar that came without its photo has a row in photos all the same, with
-- 0 bytes: no file came with it. It is known by the SHA-256 of its embedding.
CREATE TABLE imports (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    kind         TEXT NOT NULL,    -- 'npz'
    name         TEXT NOT NULL,    -- of the file, as it was given
    digest       TEXT NOT NULL,    -- SHA-256 of the file
    encoder      TEXT NOT NULL REFERENCES encoders (digest),
    total        INTEGER NOT NULL CHECK (total > 0), -- rows of the file
    done         INTEGER NOT NULL CHECK (done BETWEEN 0 AND total),         -- of them taken in, in order; it goes on there
    known        INTEGER NOT NULL CHECK (known BETWEEN 0 AND done),         -- of those, taught before, so not taught again
    withdrawn    INTEGER NOT NULL CHECK (withdrawn BETWEEN 0 AND done),     -- of those, taken back, in order
    user_id      INTEGER NOT NULL REFERENCES users (id),
    began_at     INTEGER NOT NULL,
    ended_at     INTEGER,          -- when the last row was in; NULL before
    withdrawn_at INTEGER           -- when its withdrawal began; NULL if it stands
) STRICT;
-- The same file is imported once, until that is withdrawn.
CREATE UNIQUE INDEX imports_standing ON imports (digest, encoder) WHERE withdrawn_at IS NULL;

ALTER TABLE observations ADD COLUMN import_id INTEGER REFERENCES imports (id);
ALTER TABLE observations ADD COLUMN import_row INTEGER; -- from 0
ALTER TABLE observations ADD COLUMN import_ref TEXT;    -- which observation it is where it comes from
CREATE UNIQUE INDEX observations_import ON observations (import_id, import_row) WHERE import_id IS NOT NULL;

-- The photo of an embedding: its norm is compared first.
DROP INDEX embeddings_encoder;
CREATE INDEX embeddings_encoder ON embeddings (encoder, norm);
