-- Embeddings of parts of a photo, by which its crops are found. They are made when
-- the photo is taught. An exemplar that came without a photo has none.
CREATE TABLE view_embeddings (
    photo_hash TEXT NOT NULL REFERENCES photos (hash),
    encoder    TEXT NOT NULL REFERENCES encoders (digest),
    scheme     INTEGER NOT NULL, -- which parts they are of: photo.ViewScheme
    vectors    BLOB NOT NULL,    -- raw, float32 little-endian [views, dim]; empty: the photo could not be read
    created_at INTEGER NOT NULL,
    PRIMARY KEY (photo_hash, encoder)
) STRICT;
CREATE INDEX view_embeddings_encoder ON view_embeddings (encoder);
