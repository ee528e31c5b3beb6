package clip

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"unicode/utf8"
)

// unigram is a tokenizer of SentencePiece's unigram language model (Kudo,
// "Subword regularization", ACL 2018): of all ways to write a text as pieces of
// the vocabulary, the one whose pieces have the greatest sum of log
// probabilities. SigLIP has such a one.
type unigram struct {
	context    int
	end, pad   int64
	start      int64 // or noToken
	unknown    int64 // of characters that no piece covers
	penalty    float64
	pieces     map[string]piece
	longest    int // bytes of the longest piece
	normalizer normalizer
	words      pretokenizer
}

type piece struct {
	id    int64
	score float64 // log probability
}

const noToken = -1

func readUnigram(folder fs.FS, t TextTower) (*unigram, error) {
	raw, err := t.Tokenizer.Model.read(folder)
	if err != nil {
		return nil, err
	}
	tok, err := newUnigram(raw, t.Tokenizer, t.Context)
	if err != nil {
		return nil, fmt.Errorf("encoder: %s: %w", t.Tokenizer.Model.File, err)
	}
	return tok, nil
}

// tokenizerJSON is what is read of a tokenizer.json with a unigram model.
type tokenizerJSON struct {
	AddedTokens []struct {
		ID      int64  `json:"id"`
		Content string `json:"content"`
	} `json:"added_tokens"`
	Normalizer   json.RawMessage `json:"normalizer"`
	PreTokenizer json.RawMessage `json:"pre_tokenizer"`
	Model        struct {
		Type         string       `json:"type"`
		Unknown      *int64       `json:"unk_id"`
		ByteFallback bool         `json:"byte_fallback"`
		Vocab        []vocabEntry `json:"vocab"`
	} `json:"model"`
}

// vocabEntry is written as ["▁the", -3.2].
type vocabEntry struct {
	piece string
	score float64
}

func (v *vocabEntry) UnmarshalJSON(raw []byte) error {
	return json.Unmarshal(raw, &[]any{&v.piece, &v.score})
}

// newUnigram reads a tokenizer.json.
func newUnigram(raw []byte, spec TokenizerSpec, context int) (*unigram, error) {
	var j tokenizerJSON
	if err := json.Unmarshal(raw, &j); err != nil {
		return nil, err
	}
	switch {
	case j.Model.Type != "Unigram":
		return nil, fmt.Errorf("its model is %q, not \"Unigram\"", j.Model.Type)
	case j.Model.ByteFallback:
		return nil, fmt.Errorf("byte_fallback is not supported")
	case j.Model.Unknown == nil || *j.Model.Unknown < 0 || *j.Model.Unknown >= int64(len(j.Model.Vocab)):
		return nil, fmt.Errorf("unk_id is missing, or no entry of the vocabulary of %d", len(j.Model.Vocab))
	}
	u := &unigram{context: context, pad: spec.PadID, unknown: *j.Model.Unknown, pieces: make(map[string]piece, len(j.Model.Vocab))}
	lowest := math.Inf(1)
	ids := map[string]int64{}
	for i, v := range j.Model.Vocab {
		if _, twice := ids[v.piece]; !twice {
			ids[v.piece] = int64(i)
			if v.piece != "" && int64(i) != u.unknown {
				u.pieces[v.piece] = piece{int64(i), v.score}
				u.longest = max(u.longest, len(v.piece))
			}
		}
		lowest = min(lowest, v.score)
	}
	// As in SentencePiece: an unknown character costs ten more than the least
	// probable piece.
	u.penalty = lowest - 10
	for _, a := range j.AddedTokens {
		ids[a.Content] = a.ID
		// A text that spells the name of a token does not get the token: no
		// name can cut its own prompt short.
		delete(u.pieces, a.Content)
	}
	var err error
	if u.start, err = specialToken(ids, spec.Start); err != nil {
		return nil, err
	}
	if u.end, err = specialToken(ids, spec.End); err != nil {
		return nil, err
	}
	if u.normalizer, err = readNormalizer(j.Normalizer); err != nil {
		return nil, err
	}
	u.words, err = readPretokenizer(j.PreTokenizer)
	return u, err
}

func specialToken(ids map[string]int64, name string) (int64, error) {
	if name == "" {
		return noToken, nil
	}
	id, ok := ids[name]
	if !ok {
		return 0, fmt.Errorf("it has no token %q", name)
	}
	return id, nil
}

// Encode implements tokenizer. A text that is too long is cut, and still ends
// in the end token.
func (u *unigram) Encode(text string) []int64 {
	ids := make([]int64, 0, u.context)
	if u.start != noToken {
		ids = append(ids, u.start)
	}
	for _, word := range u.words(u.normalizer(head(text))) {
		if len(ids) >= u.context {
			break
		}
		ids = u.appendPieces(ids, word)
	}
	if u.end != noToken {
		ids = append(ids[:min(len(ids), u.context-1)], u.end)
	}
	ids = ids[:min(len(ids), u.context)]
	for len(ids) < u.context {
		ids = append(ids, u.pad)
	}
	return ids
}

// attended is all: towers with these tokenizers (SigLIP's) are trained with
// padding in view.
func (u *unigram) attended(ids []int64) int { return len(ids) }

// appendPieces finds the best way to write word as pieces, by Viterbi's
// algorithm over its bytes. Ties go to the longer last piece.
func (u *unigram) appendPieces(ids []int64, word string) []int64 {
	type step struct {
		score float64
		from  int
		id    int64
	}
	best := make([]step, len(word)+1) // of the part of word that ends here
	for i := range best {
		best[i].score = math.Inf(-1)
	}
	best[0].score = 0
	for from := 0; from < len(word); {
		_, size := utf8.DecodeRuneInString(word[from:])
		single := false
		for to := from + 1; to <= min(from+u.longest, len(word)); to++ {
			p, ok := u.pieces[word[from:to]]
			if !ok {
				continue
			}
			single = single || to == from+size
			if score := best[from].score + p.score; score > best[to].score {
				best[to] = step{score, from, p.id}
			}
		}
		if score := best[from].score + u.penalty; !single && score > best[from+size].score {
			best[from+size] = step{score, from, u.unknown}
		}
		from += size
	}
	first := len(ids)
	for to := len(word); to > 0; to = best[to].from {
		ids = append(ids, best[to].id)
	}
	return u.fuseUnknown(ids, first)
}

// fuseUnknown turns the ids from first on the right way round, and makes rows
// of unknown characters one token.
func (u *unigram) fuseUnknown(ids []int64, first int) []int64 {
	reversed := ids[first:]
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	kept := ids[:first]
	for _, id := range reversed {
		if id == u.unknown && len(kept) > first && kept[len(kept)-1] == u.unknown {
			continue
		}
		kept = append(kept, id)
	}
	return kept
}
