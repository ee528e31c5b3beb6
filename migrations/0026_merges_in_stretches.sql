-- Two names of many lessons are merged, and taken apart, in stretches of one transaction
-- each, so that nobody else waits long. What of it is under way; NULL: nothing. What a
-- stop broke off goes on at the next start. From the first stretch of a merge to the last
-- of its undoing taxa.accepted_id says that the one reads as the other.
ALTER TABLE synonymies ADD COLUMN under_way TEXT CHECK (under_way IN ('merged', 'undone'));
ALTER TABLE synonymies ADD COLUMN under_way_by INTEGER REFERENCES users (id); -- who decided that
ALTER TABLE synonymies ADD COLUMN under_way_at INTEGER;                       -- and when
ALTER TABLE synonymies ADD COLUMN under_way_after INTEGER NOT NULL DEFAULT 0; -- the last event that undoing has gone through
CREATE INDEX synonymies_under_way ON synonymies (id) WHERE under_way IS NOT NULL;
