-- A session that a token opened: it may do no more than the token, and ends with it.
ALTER TABLE sessions ADD COLUMN token_id INTEGER REFERENCES tokens (id);
CREATE INDEX sessions_token ON sessions (token_id) WHERE token_id IS NOT NULL;
