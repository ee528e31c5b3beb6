-- A photo of which only a small picture came, in a bundle: 1 if that is kept as a file
-- (glimpses/). Where the photo itself is here (bytes > 0) it says nothing.
ALTER TABLE photos ADD COLUMN glimpse INTEGER NOT NULL DEFAULT 0 CHECK (glimpse IN (0, 1));
