-- A quarantine of many lessons begins, and ends, in stretches of one transaction each,
-- so that nobody else waits long. What of it is under way; NULL: nothing. What a stop
-- broke off goes on at the next start.
ALTER TABLE quarantines ADD COLUMN under_way TEXT CHECK (under_way IN ('quarantined', 'released', 'removed'));
ALTER TABLE quarantines ADD COLUMN under_way_by INTEGER REFERENCES users (id); -- who decided that
CREATE INDEX quarantines_under_way ON quarantines (id) WHERE under_way IS NOT NULL;

-- The lessons of a source that stand, in order.
CREATE INDEX identifications_standing_source ON identifications (import_id, user_id, id) WHERE withdrawn_at IS NULL;
