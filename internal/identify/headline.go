package identify

// sure is the probability from which something is said without reserve, by
// convention: until enough lessons have been tested (sureRule).
const sure = 0.6

// headline says the most specific thing that is likely enough: the first
// candidate if it is sure, otherwise the lowest common ancestor that gathers
// enough probability from all candidates, otherwise the first as a guess.
// Candidates are likeliest first, all of them, so that their probabilities sum
// to 1. What is said without reserve has a probability of at least from;
// an ancestor's, whose headlines nobody has put to the test, of what convention asks
// besides.
func headline(all []Candidate, tax *taxonomy, from float64) Headline {
	if len(all) == 0 {
		return Headline{}
	}
	first := all[0]
	guess := Headline{Label: first.Label, Scientific: first.Scientific, Taxon: first.Taxon,
		Rank: first.Rank, Probability: first.Probability, Certain: first.Probability >= from, From: from}
	if guess.Certain || first.Taxon == 0 {
		return guess
	}
	mass := map[TaxonID]float64{}
	for _, c := range all {
		if c.Probability < negligible {
			break
		}
		for _, a := range tax.ancestors(c.Taxon) {
			mass[a.ID] += c.Probability
		}
		mass[c.Taxon] += c.Probability
	}
	for _, a := range tax.ancestors(first.Taxon) {
		if mass[a.ID] >= max(from, sure) && !tooBroad[a.Rank] {
			return Headline{Label: a.Label(), Scientific: a.ScientificName, Taxon: a.ID, Rank: a.Rank, Probability: mass[a.ID], From: from}
		}
	}
	return guess
}

// negligible is the probability below which a candidate cannot change what is
// said: a thousand of them are below a tenth.
const negligible = 1e-4

// tooBroad are the ranks that tell nobody anything: "Animals".
var tooBroad = map[Rank]bool{"kingdom": true, "phylum": true}
