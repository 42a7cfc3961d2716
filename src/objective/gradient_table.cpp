#include <algorithm>
#include <vector>

#include "alfcg/objective/objective.hpp"
#include "kernels/vector.hpp"

namespace alfcg {

namespace {

// One stored gradient per row: for objectives about which nothing more is known.
template <class Real>
class StoredGradients final : public GradientTable<Real> {
  public:
    explicit StoredGradients(Objective<Real>& objective) : objective_(objective) {}

    double fill(const Iterate<Real>& x, Matrix<Real>& mean) override {
        stored_.resize(static_cast<std::size_t>(objective_.samples()));
        for (Index i = 0; i < objective_.samples(); ++i) {
            objective_.batch_gradient({&i, 1}, x, stored_[static_cast<std::size_t>(i)]);
        }
        return objective_.evaluate(x, mean);
    }
    void exchange(std::span<const Index> rows, const Iterate<Real>& x, Matrix<Real>& batch_change,
                  Matrix<Real>& mean_change) override {
        const Index size = x.size();
        batch_change.reshape(x.shape());
        mean_change.reshape(x.shape());
        batch_change.fill(0);
        mean_change.fill(0);
        order_.assign(rows.begin(), rows.end());
        std::sort(order_.begin(), order_.end());
        for (auto first = order_.begin(); first != order_.end();) {
            const auto last = std::upper_bound(first, order_.end(), *first);
            Matrix<Real>& old = stored_[static_cast<std::size_t>(*first)];
            objective_.batch_gradient({&*first, 1}, x, fresh_);
            kernels::axpby(size, 1, fresh_.data(), -1, old.data());  // old = fresh − old
            kernels::axpby(size, static_cast<double>(last - first) / static_cast<double>(rows.size()),
                           old.data(), 1, batch_change.data());
            kernels::axpby(size, 1 / static_cast<double>(objective_.samples()), old.data(), 1,
                           mean_change.data());
            old = fresh_;
            first = last;
        }
    }
    void archive(Archive& state) override { state(stored_); }

  private:
    Objective<Real>& objective_;
    std::vector<Matrix<Real>> stored_;
    std::vector<Index> order_;
    Matrix<Real> fresh_;
};

}  // namespace

template <class Real>
std::unique_ptr<GradientTable<Real>> Objective<Real>::gradient_table() {
    return std::make_unique<StoredGradients<Real>>(*this);
}

template std::unique_ptr<GradientTable<float>> Objective<float>::gradient_table();
template std::unique_ptr<GradientTable<double>> Objective<double>::gradient_table();

}  // namespace alfcg
