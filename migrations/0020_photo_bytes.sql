-- How large the photos are that a selection has, in the order of their hashes.
CREATE INDEX photos_bytes ON photos (hash, bytes) WHERE bytes > 0;
