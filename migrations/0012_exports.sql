-- This Fieldmark, told from all others: what it exports is named after it.
CREATE TABLE instance (
    id   INTEGER PRIMARY KEY CHECK (id = 1),
    uuid TEXT NOT NULL -- version 4, drawn here
) STRICT;
INSERT INTO instance (id, uuid) SELECT 1, substr(r, 1, 8) || '-' || substr(r, 9, 4) || '-4' || substr(r, 14, 3) || '-'
    || substr('89ab', 1 + (abs(random()) & 3), 1) || substr(r, 18, 3) || '-' || substr(r, 21, 12)
    FROM (SELECT lower(hex(randomblob(16))) AS r);

-- Taxa whose places are told no more exactly than is safe, with all below them.
CREATE TABLE sensitive_taxa (
    taxon_id INTEGER PRIMARY KEY REFERENCES taxa (id),
    user_id  INTEGER NOT NULL REFERENCES users (id), -- who added it
    added_at INTEGER NOT NULL
) STRICT;

-- What exports and lists are narrowed by.
CREATE INDEX observations_license ON observations (license, id);
CREATE INDEX observations_place ON observations (latitude, longitude) WHERE latitude IS NOT NULL;
CREATE INDEX identifications_user ON identifications (user_id, created_at, observation_id);
CREATE INDEX identifications_time ON identifications (created_at, observation_id);
CREATE INDEX identifications_withdrawn ON identifications (observation_id) WHERE withdrawn_at IS NOT NULL;
