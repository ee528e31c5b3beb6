-- What stands, by name and by teacher: the gallery of the memory.
CREATE INDEX identifications_standing_taxon ON identifications (taxon_id) WHERE withdrawn_at IS NULL;
CREATE INDEX identifications_standing_user ON identifications (user_id) WHERE withdrawn_at IS NULL;

-- Exemplars that looked wrong and that a curator looked at and found right. Evidence
-- is what spoke against each then; with other evidence it is in doubt again.
CREATE TABLE kept_doubts (
    identification_id INTEGER PRIMARY KEY REFERENCES identifications (id),
    user_id           INTEGER NOT NULL REFERENCES users (id),
    at                INTEGER NOT NULL,
    evidence          TEXT NOT NULL CHECK (json_valid(evidence)) -- list of identify.Evidence
) STRICT;

-- What came without a photo: an embedding alone.
CREATE INDEX photos_absent ON photos (hash) WHERE bytes = 0;
