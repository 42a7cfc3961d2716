#include "alfcg/point/iterate.hpp"

namespace alfcg {

template <class Real>
void Iterate<Real>::make(const Move<Real>& move, double step) {
    if (step == 0) return;
    apply(move, step, x_);
    if (!intercept_.next.empty()) intercept_.at.swap(intercept_.next);
    intercept_.next.clear();
    intercept_.best = false;
    MadeMove<Real>& made = made_[next_];
    made.from = version_;
    made.to = version_ = new_version();
    made.move = move.version();
    made.step = step;
    made.keep = move.keep(step);
    made.atoms = move.atoms();
    for (std::size_t k = 0; k < move.atoms(); ++k) {
        made.coefficient[k] = step * move.coefficient(k);
        if (move.atom(k).kind == Vertex<Real>::Kind::dense) {
            made.atom[k].kind = Vertex<Real>::Kind::dense;
        } else {
            made.atom[k] = move.atom(k);
        }
    }
    next_ = (next_ + 1) % made_.size();
    if (known_ < made_.size()) ++known_;
}

template class Iterate<float>;
template class Iterate<double>;

}  // namespace alfcg
