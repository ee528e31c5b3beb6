-- Names in other languages: a synonym (kind 3) with a language, as a BCP 47 tag, is
-- what a taxon is called in it; 'und' where nobody says which.
ALTER TABLE taxon_names ADD COLUMN language TEXT;

-- When a curator or a checklist changed a taxon last: a newer vocabulary leaves it
-- as it is. NULL: never.
ALTER TABLE taxa ADD COLUMN edited_at INTEGER;

-- Taxa by rank and name, to be browsed from the top.
CREATE INDEX taxa_roots ON taxa (rank, scientific_name) WHERE parent_id IS NULL;
