-- Names, notes and what was suggested are looked for in one spelling, whichever way
-- their umlauts are typed, and names also by several of their words run together:
-- internal/store/spelling.go. The index of words is made anew, with those.
DROP TABLE taxon_words;
CREATE TABLE taxon_words (
    word    TEXT NOT NULL,
    name_id INTEGER NOT NULL REFERENCES taxon_names (id) ON DELETE CASCADE,
    first   INTEGER NOT NULL, -- bytes of the first of several words run together; 0: it is a word
    PRIMARY KEY (word, name_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX taxon_words_name ON taxon_words (name_id);
UPDATE taxon_names SET words = spaced_words(folded);
INSERT INTO taxon_words (word, name_id, first)
    SELECT x.value ->> 'word', n.id, x.value ->> 'first' FROM taxon_names n, json_each(search_index(n.folded)) x;
UPDATE observations SET folded_notes = spelled(folded_notes) WHERE folded_notes <> spelled(folded_notes);
UPDATE observations SET folded_suggestion = spelled(folded_suggestion) WHERE folded_suggestion <> spelled(folded_suggestion);

-- What the audit trail says of a merge names the synonym; its taxon is that one, as of
-- everything else in it.
UPDATE audit SET taxon_id = (SELECT s.synonym_id FROM synonymies s WHERE s.accepted_id = audit.taxon_id AND s.at = audit.at AND s.by_id = audit.user_id)
WHERE kind = 'names merged';
