package probe

import (
	"math"

	"fieldmark/internal/vec"
)

// shares are those that Begin tries: how much of a class's exemplars is in doubt.
// It depends on how well the classes can be told apart.
var shares = [...]float64{0.5, 0.125, 0.03}

// discriminants are θ of linear discriminant analyses by all shares, and a
// Curvature of which only the eigenvectors and eigenvalues are set.
func (p *problem) discriminants() ([][]float64, *Curvature, error) {
	means, count := p.means()
	axes := &Curvature{d: p.d}
	if err := axes.decompose(p.within(means)); err != nil {
		return nil, nil, err
	}
	means = axes.rotate(means, p.workers)
	var thetas [][]float64
	for _, share := range shares {
		thetas = append(thetas, p.discriminant(axes, means, count, share))
	}
	return thetas, axes, nil
}

// discriminant is θ of linear discriminant analysis: for classes of n_k exemplars
// around the means m_k with one covariance Σ,
//
//	w_k = (Σ + I/(C·share·n_k))⁻¹ m_k,  b′_k = log(n_k/N) − ½ w_k·m_k
//
// The ridge is f's own: where share·n_k exemplars are in doubt, the penalty weighs
// as much against what they say (compare Curvature). means are in the basis of axes.
func (p *problem) discriminant(axes *Curvature, means []float32, count []float64, share float64) []float64 {
	rows, theta := make([]float32, len(means)), make([]float64, p.size())
	for k := range p.k {
		mean, weight := means[k*p.d:(k+1)*p.d], p.c*count[k]*share
		along := 0.0
		for j, l := range axes.lambda {
			w := float64(mean[j]) * weight / (1 + weight*float64(l))
			along += w * float64(mean[j])
			rows[k*p.d+j] = float32(w)
		}
		theta[p.k*p.d+k] = math.Log(count[k]/float64(len(p.rows))) - along/2
	}
	vec.Axpy(1, axes.unrotate(rows, p.workers), theta[:p.k*p.d])
	return theta
}

// means is the mean exemplar of each class, K × D, from the mean of all, and the
// number of its exemplars.
func (p *problem) means() (means []float32, count []float64) {
	means, count = make([]float32, p.k*p.d), make([]float64, p.k)
	away := make([]float32, p.d)
	for i, y := range p.y {
		vec.SubInto(away, p.rows[i], p.mean)
		vec.AddScaled(1, away, means[int(y)*p.d:(int(y)+1)*p.d])
		count[y]++
	}
	for k, n := range count {
		vec.Scale(1/n, means[k*p.d:(k+1)*p.d])
	}
	return means, count
}
