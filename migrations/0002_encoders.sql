-- Which encoder serves, and which is to. There is one row.
CREATE TABLE encoder_choice (
    id             INTEGER PRIMARY KEY CHECK (id = 1),
    serving        TEXT NOT NULL,                     -- by the name it is chosen by; '' until one was
    serving_digest TEXT REFERENCES encoders (digest), -- of its embeddings when it was made to serve
    wanted         TEXT NOT NULL,                     -- is to serve once its memory is ready; '' none
    paused         INTEGER NOT NULL CHECK (paused IN (0, 1)),
    problem        TEXT NOT NULL,                     -- why it cannot; '' none
    wishes         INTEGER NOT NULL,                  -- how often an encoder was asked for
    revision       INTEGER NOT NULL                   -- grows with everything that people ask for
) STRICT;
INSERT INTO encoder_choice (id, serving, wanted, paused, problem, wishes, revision) VALUES (1, '', '', 0, '', 0, 0);

-- Photos that an encoder could not be shown, and why.
CREATE TABLE embedding_failures (
    encoder    TEXT NOT NULL REFERENCES encoders (digest),
    photo_hash TEXT NOT NULL REFERENCES photos (hash),
    reason     TEXT NOT NULL, -- a sentence
    at         INTEGER NOT NULL,
    PRIMARY KEY (encoder, photo_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX embedding_failures_photo ON embedding_failures (photo_hash);

-- Which photos were ever taught.
CREATE INDEX events_photo ON events (photo_hash);
