-- A source of lessons, a person or an import, whose lessons wait outside the
-- memory: they are neither taught nor withdrawn for good.
CREATE TABLE quarantines (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id   INTEGER REFERENCES users (id),   -- whose own lessons; imports are sources of their own
    import_id INTEGER REFERENCES imports (id), -- or what came with this import
    reason    TEXT NOT NULL,
    lessons   INTEGER NOT NULL,                -- that left the memory when it began
    by_id     INTEGER NOT NULL REFERENCES users (id),
    began_at  INTEGER NOT NULL,
    outcome   TEXT CHECK (outcome IN ('released', 'removed')), -- NULL while it lasts
    ended_by  INTEGER REFERENCES users (id),
    ended_at  INTEGER,
    CHECK ((user_id IS NULL) <> (import_id IS NULL)),
    CHECK ((outcome IS NULL) = (ended_at IS NULL) AND (outcome IS NULL) = (ended_by IS NULL))
) STRICT;
CREATE UNIQUE INDEX quarantines_user ON quarantines (user_id) WHERE outcome IS NULL AND user_id IS NOT NULL;
CREATE UNIQUE INDEX quarantines_import ON quarantines (import_id) WHERE outcome IS NULL AND import_id IS NOT NULL;

-- An identification in quarantine does not stand: withdrawn_at says since when. It
-- will stand again if the quarantine ends well.
ALTER TABLE identifications ADD COLUMN quarantine_id INTEGER REFERENCES quarantines (id);
CREATE INDEX identifications_quarantine ON identifications (quarantine_id) WHERE quarantine_id IS NOT NULL;

-- The log learns three kinds: 'held' is a lesson of a source that is in quarantine,
-- 'quarantined' takes an exemplar out of the memory until it is 'released'.
CREATE TABLE events_with_quarantine (
    seq               INTEGER PRIMARY KEY AUTOINCREMENT,
    kind              TEXT NOT NULL CHECK (kind IN ('taught', 'held', 'withdrawn', 'quarantined', 'released')),
    identification_id INTEGER NOT NULL REFERENCES identifications (id),
    observation_id    INTEGER NOT NULL REFERENCES observations (id),
    photo_hash        TEXT NOT NULL REFERENCES photos (hash),
    taxon_id          INTEGER NOT NULL REFERENCES taxa (id),
    user_id           INTEGER NOT NULL REFERENCES users (id), -- who did it
    at                INTEGER NOT NULL,
    import_id         INTEGER REFERENCES imports (id),     -- of which it is a row: taken in, or taken back as a whole
    quarantine_id     INTEGER REFERENCES quarantines (id)  -- of whose beginning or end it is part
) STRICT;
INSERT INTO events_with_quarantine (seq, kind, identification_id, observation_id, photo_hash, taxon_id, user_id, at, import_id)
    SELECT e.seq, e.kind, e.identification_id, e.observation_id, e.photo_hash, e.taxon_id, e.user_id, e.at,
        (SELECT m.id FROM observations o JOIN imports m ON m.id = o.import_id
            WHERE o.id = e.observation_id AND (e.kind = 'taught' OR e.at >= m.withdrawn_at)
                AND e.identification_id = (SELECT min(x.id) FROM identifications x WHERE x.observation_id = o.id))
    FROM events e ORDER BY e.seq;
DROP TABLE events;
ALTER TABLE events_with_quarantine RENAME TO events;
-- An identification is given once, taught or held, and withdrawn at most once.
CREATE UNIQUE INDEX events_given ON events (identification_id) WHERE kind IN ('taught', 'held');
CREATE UNIQUE INDEX events_withdrawn ON events (identification_id) WHERE kind = 'withdrawn';
CREATE INDEX events_identification ON events (identification_id, seq);
CREATE INDEX events_photo ON events (photo_hash);
CREATE INDEX events_import ON events (import_id) WHERE import_id IS NOT NULL;
CREATE INDEX events_quarantine ON events (quarantine_id) WHERE quarantine_id IS NOT NULL;
-- What people did one by one, by time: the audit trail.
CREATE INDEX events_single ON events (at, seq) WHERE import_id IS NULL AND quarantine_id IS NULL;
CREATE TRIGGER events_no_update BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'the log is append-only');
END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events
BEGIN
    SELECT RAISE(ABORT, 'the log is append-only');
END;

-- What the memory answered about a photo just before it was taught it: the test
-- before the lesson. Probabilities are over all default candidates.
CREATE TABLE trials (
    seq           INTEGER PRIMARY KEY REFERENCES events (seq),
    encoder       TEXT NOT NULL REFERENCES encoders (digest),
    memory_seq    INTEGER NOT NULL,                         -- the memory that was asked
    rule          TEXT NOT NULL,
    candidates    INTEGER NOT NULL,
    known         INTEGER NOT NULL CHECK (known IN (0, 1)), -- what was taught was a candidate
    first         INTEGER NOT NULL CHECK (first IN (0, 1)), -- of its photo
    fused_taxon   INTEGER NOT NULL REFERENCES taxa (id),
    fused_p       REAL NOT NULL,
    fused_truth_p REAL NOT NULL,                            -- of what was taught; 0 if it was no candidate
    zero_taxon    INTEGER NOT NULL REFERENCES taxa (id),
    zero_p        REAL NOT NULL,
    zero_truth_p  REAL NOT NULL
) STRICT;

-- What people changed beside the log: names, people, observations' own data.
CREATE TABLE audit (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    at             INTEGER NOT NULL,
    user_id        INTEGER REFERENCES users (id), -- NULL: done at the machine, by a command
    kind           TEXT NOT NULL,                 -- identify.HistoryKind
    subject        TEXT NOT NULL,                 -- what it was done to, by name
    detail         TEXT NOT NULL,                 -- a sentence or ''
    observation_id INTEGER REFERENCES observations (id),
    taxon_id       INTEGER REFERENCES taxa (id)
) STRICT;
CREATE INDEX audit_time ON audit (at, id);
