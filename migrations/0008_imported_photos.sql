-- Rows of an import that were left out because they could not be taken.
ALTER TABLE imports ADD COLUMN skipped INTEGER NOT NULL DEFAULT 0 CHECK (skipped BETWEEN 0 AND done);
