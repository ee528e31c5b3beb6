-- A checklist that is being taken in. It is written down as a whole first, so that all of
-- it comes to be there or nothing; then it is stored in stretches of one transaction each,
-- so that nobody else waits long. What a stop broke off goes on at the next start. There
-- is one at a time.
CREATE TABLE checklist (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    name       TEXT NOT NULL,              -- of its file
    set_name   TEXT NOT NULL,              -- of the label set to be made of its members; '' none
    set_folded TEXT NOT NULL,
    taxa       INTEGER NOT NULL,           -- of the list
    left_out   INTEGER NOT NULL,           -- rows that could not be taken
    added      INTEGER NOT NULL DEFAULT 0, -- taxa, so far
    changed    INTEGER NOT NULL DEFAULT 0,
    newest     INTEGER NOT NULL,           -- the highest number of a taxon when it was decided
    by_id      INTEGER NOT NULL REFERENCES users (id),
    at         INTEGER NOT NULL
) STRICT;

-- What is still to be stored of it, a stretch each: store.waitingTaxon in JSON, deflated.
CREATE TABLE checklist_parts (
    id   INTEGER PRIMARY KEY,
    taxa BLOB NOT NULL
) STRICT;

-- Which taxa those of it became that are stored.
CREATE TABLE checklist_taxa (
    position INTEGER PRIMARY KEY,                       -- within the list
    taxon_id INTEGER NOT NULL REFERENCES taxa (id),
    member   INTEGER NOT NULL CHECK (member IN (0, 1)), -- of the label set
    below    INTEGER REFERENCES taxa (id)               -- where it goes at the end, since it was above that when it was stored; NULL: it is in its place
) STRICT;
CREATE INDEX checklist_taxa_taxon ON checklist_taxa (taxon_id);
