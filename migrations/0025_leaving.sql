-- People who left, with what was personal of them. Their lessons stay, or go with them:
-- then the quarantine that takes those out of the memory ends with their removal.
ALTER TABLE users ADD COLUMN left_at INTEGER;     -- NULL: they have not left
ALTER TABLE users ADD COLUMN takes_back INTEGER NOT NULL DEFAULT 0 CHECK (takes_back IN (0, 1)); -- their lessons are to be withdrawn
CREATE INDEX users_takes_back ON users (id) WHERE takes_back = 1;
