-- Two taxa that a curator found to be one: the first is a synonym of the second from
-- then on, until that is undone.
CREATE TABLE synonymies (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    synonym_id  INTEGER NOT NULL REFERENCES taxa (id),
    accepted_id INTEGER NOT NULL REFERENCES taxa (id),
    lessons     INTEGER NOT NULL, -- that were given the accepted name
    moved       TEXT NOT NULL CHECK (json_valid(moved)), -- what else it took along: store.moved
    by_id       INTEGER NOT NULL REFERENCES users (id),
    at          INTEGER NOT NULL,
    returned    INTEGER,          -- lessons that were given the synonym's name back
    undone_by   INTEGER REFERENCES users (id),
    undone_at   INTEGER,          -- NULL while it stands
    CHECK (synonym_id <> accepted_id),
    CHECK ((undone_at IS NULL) = (undone_by IS NULL) AND (undone_at IS NULL) = (returned IS NULL))
) STRICT;
CREATE UNIQUE INDEX synonymies_standing ON synonymies (synonym_id) WHERE undone_at IS NULL;
CREATE INDEX synonymies_accepted ON synonymies (accepted_id);

-- Of what a taxon is a synonym by the synonymies that stand, by way of others too;
-- NULL: it stands by itself. Kept by the transactions that change those.
ALTER TABLE taxa ADD COLUMN accepted_id INTEGER REFERENCES taxa (id);
CREATE INDEX taxa_synonyms ON taxa (accepted_id) WHERE accepted_id IS NOT NULL;

-- The log learns one kind more: 'relabelled' gives a lesson another taxon. What the
-- person said stays with the event that gave it. Trials refer to the log, so they step
-- aside while it is written anew.
CREATE TABLE trials_aside AS SELECT * FROM trials;
DELETE FROM trials;
CREATE TABLE events_with_synonymies (
    seq               INTEGER PRIMARY KEY AUTOINCREMENT,
    kind              TEXT NOT NULL CHECK (kind IN ('taught', 'held', 'withdrawn', 'quarantined', 'released', 'relabelled')),
    identification_id INTEGER NOT NULL REFERENCES identifications (id),
    observation_id    INTEGER NOT NULL REFERENCES observations (id),
    photo_hash        TEXT NOT NULL REFERENCES photos (hash),
    taxon_id          INTEGER NOT NULL REFERENCES taxa (id),
    user_id           INTEGER NOT NULL REFERENCES users (id), -- who did it
    at                INTEGER NOT NULL,
    import_id         INTEGER REFERENCES imports (id),     -- of which it is a row: taken in, or taken back as a whole
    quarantine_id     INTEGER REFERENCES quarantines (id), -- of whose beginning or end it is part
    synonymy_id       INTEGER REFERENCES synonymies (id),  -- of which, or of whose undoing, it is part
    CHECK ((kind = 'relabelled') = (synonymy_id IS NOT NULL))
) STRICT;
INSERT INTO events_with_synonymies (seq, kind, identification_id, observation_id, photo_hash, taxon_id, user_id, at, import_id, quarantine_id)
    SELECT seq, kind, identification_id, observation_id, photo_hash, taxon_id, user_id, at, import_id, quarantine_id FROM events ORDER BY seq;
DROP TABLE events;
ALTER TABLE events_with_synonymies RENAME TO events;
-- An identification is given once, taught or held, and withdrawn at most once.
CREATE UNIQUE INDEX events_given ON events (identification_id) WHERE kind IN ('taught', 'held');
CREATE UNIQUE INDEX events_withdrawn ON events (identification_id) WHERE kind = 'withdrawn';
CREATE INDEX events_identification ON events (identification_id, seq);
CREATE INDEX events_photo ON events (photo_hash);
CREATE INDEX events_import ON events (import_id) WHERE import_id IS NOT NULL;
CREATE INDEX events_quarantine ON events (quarantine_id) WHERE quarantine_id IS NOT NULL;
CREATE INDEX events_synonymy ON events (synonymy_id) WHERE synonymy_id IS NOT NULL;
-- What people did one by one, by time: the audit trail.
CREATE INDEX events_single ON events (at, seq) WHERE import_id IS NULL AND quarantine_id IS NULL AND synonymy_id IS NULL;
CREATE TRIGGER events_no_update BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'the log is append-only');
END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events
BEGIN
    SELECT RAISE(ABORT, 'the log is append-only');
END;
INSERT INTO trials SELECT * FROM trials_aside;
DROP TABLE trials_aside;
