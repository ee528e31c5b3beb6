-- A guest has no other key than their session. Who has lost it comes back by a code that
-- an admin makes for them, which is an invitation of its own.
ALTER TABLE invitations ADD COLUMN guest_id INTEGER REFERENCES users (id); -- who comes back by it; NULL: whoever joins is new
CREATE INDEX invitations_guest ON invitations (guest_id) WHERE guest_id IS NOT NULL;
