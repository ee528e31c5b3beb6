-- What an upload is known by: the hash of its photo, or a word of the client's own
-- where the same bytes are meant to be another observation. A person's upload that
-- is repeated, because its answer was lost, finds the observation it made. NULL:
-- it was imported.
ALTER TABLE observations ADD COLUMN upload_key TEXT;
UPDATE observations SET upload_key = photo_hash WHERE id IN
    (SELECT min(id) FROM observations WHERE import_id IS NULL GROUP BY observer_id, photo_hash);
CREATE UNIQUE INDEX observations_upload ON observations (observer_id, upload_key) WHERE upload_key IS NOT NULL;

-- Who changed what is said of an observation, field by field. Values are as the
-- API writes them; '' is none.
CREATE TABLE observation_edits (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    observation_id INTEGER NOT NULL REFERENCES observations (id),
    user_id        INTEGER NOT NULL REFERENCES users (id),
    at             INTEGER NOT NULL,
    field          TEXT NOT NULL CHECK (field IN ('observed_at', 'latitude', 'longitude', 'license', 'rights_holder', 'notes')),
    before         TEXT NOT NULL,
    after          TEXT NOT NULL
) STRICT;
CREATE INDEX observation_edits_observation ON observation_edits (observation_id, id);
CREATE INDEX observation_edits_user ON observation_edits (user_id, id);
