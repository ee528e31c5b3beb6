-- What pages read fast, however much there is.

-- A lesson says itself which import it came with, as the event that gave it does, and
-- whether it was taken back: withdrawn by its teacher, or with its import as a whole.
-- So a source's lessons are counted, listed and quarantined without reading the log.
ALTER TABLE identifications ADD COLUMN import_id INTEGER REFERENCES imports (id);
ALTER TABLE identifications ADD COLUMN taken_back INTEGER NOT NULL DEFAULT 0 CHECK (taken_back IN (0, 1));
UPDATE identifications SET import_id = e.import_id FROM events e
    WHERE e.identification_id = identifications.id AND e.kind IN ('taught', 'held') AND e.import_id IS NOT NULL;
UPDATE identifications SET taken_back = 1 FROM events w
    WHERE w.identification_id = identifications.id AND w.kind = 'withdrawn'
        AND (w.import_id IS NOT NULL OR w.user_id = identifications.user_id AND w.quarantine_id IS NULL);
CREATE INDEX identifications_source ON identifications (import_id, user_id, created_at, withdrawn_at, quarantine_id, taken_back);

-- The audit trail of one person, and of one kind.
CREATE INDEX events_user ON events (user_id, at, seq) WHERE import_id IS NULL AND quarantine_id IS NULL AND synonymy_id IS NULL;
CREATE INDEX events_kind ON events (kind, at, seq) WHERE import_id IS NULL AND quarantine_id IS NULL AND synonymy_id IS NULL;

-- Trials that are no first lesson of their photo are only counted.
CREATE INDEX trials_encoder ON trials (encoder, first);

-- What the review queue asks for and is ordered by: an observation waits that has a
-- photo, that nobody has named, and that nobody set aside.
ALTER TABLE observations ADD COLUMN photoless INTEGER NOT NULL DEFAULT 0 CHECK (photoless IN (0, 1)); -- its photo has 0 bytes
ALTER TABLE observations ADD COLUMN set_aside INTEGER NOT NULL DEFAULT 0 CHECK (set_aside IN (0, 1)); -- by a decision that stands
ALTER TABLE observations ADD COLUMN doubt REAL NOT NULL DEFAULT 1; -- identify.Reading.Doubt of its last reading
UPDATE observations SET photoless = 1 WHERE photo_hash IN (SELECT hash FROM photos WHERE bytes = 0);
UPDATE observations SET set_aside = 1 WHERE id IN (SELECT i.observation_id FROM decision_items i JOIN decisions d ON d.id = i.decision_id
    WHERE i.undone_at IS NULL AND d.kind = 'set-aside');
UPDATE observations SET doubt = coalesce(
    (SELECT 1 - (r.chance - r.second) FROM readings r WHERE r.observation_id = observations.id),
    1 - (coalesce(suggested ->> '$[0].probability', 0) - coalesce(suggested ->> '$[1].probability', 0)));
CREATE INDEX observations_photoless ON observations (id) WHERE photoless = 1;
CREATE INDEX observations_waiting_doubt ON observations (doubt DESC, id, observer_id) WHERE current_taxon_id IS NULL AND photoless = 0 AND set_aside = 0;
CREATE INDEX observations_waiting_time ON observations (coalesce(observed_at, created_at), id, observer_id) WHERE current_taxon_id IS NULL AND photoless = 0 AND set_aside = 0;
-- What people saw themselves, by time.
CREATE INDEX observations_seen ON observations (observer_id, created_at) WHERE import_id IS NULL;

CREATE TRIGGER observations_photoless AFTER INSERT ON observations WHEN (SELECT bytes = 0 FROM photos WHERE hash = NEW.photo_hash)
BEGIN
    UPDATE observations SET photoless = 1 WHERE id = NEW.id;
END;
CREATE TRIGGER photos_found AFTER UPDATE OF bytes ON photos WHEN (OLD.bytes = 0) <> (NEW.bytes = 0)
BEGIN
    UPDATE observations SET photoless = (NEW.bytes = 0) WHERE photo_hash = NEW.hash;
END;
CREATE TRIGGER decision_items_set_aside AFTER INSERT ON decision_items WHEN (SELECT kind FROM decisions WHERE id = NEW.decision_id) = 'set-aside'
BEGIN
    UPDATE observations SET set_aside = 1 WHERE id = NEW.observation_id;
END;
CREATE TRIGGER decision_items_put_back AFTER UPDATE OF undone_at ON decision_items WHEN (SELECT kind FROM decisions WHERE id = NEW.decision_id) = 'set-aside'
BEGIN
    UPDATE observations SET set_aside = EXISTS (SELECT 1 FROM decision_items i JOIN decisions d ON d.id = i.decision_id
        WHERE i.observation_id = NEW.observation_id AND i.undone_at IS NULL AND d.kind = 'set-aside') WHERE id = NEW.observation_id;
END;
CREATE TRIGGER readings_doubt AFTER INSERT ON readings
BEGIN
    UPDATE observations SET doubt = 1 - (NEW.chance - NEW.second) WHERE id = NEW.observation_id;
END;
CREATE TRIGGER readings_doubt_anew AFTER UPDATE ON readings
BEGIN
    UPDATE observations SET doubt = 1 - (NEW.chance - NEW.second) WHERE id = NEW.observation_id;
END;

-- Free text is looked for in here, not in the wide rows.
CREATE INDEX observations_text ON observations (id, current_taxon_id, suggested_taxon_id, folded_suggestion, folded_notes);
