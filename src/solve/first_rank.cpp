// Observers of runs on several ranks.
#include <utility>

#include "alfcg/solve/solve.hpp"

namespace alfcg {

namespace {

// What rank 0 asks of the others while its observer looks at an iterate.
enum class Asked : char { metrics, intercept, proceed, stop };

// Has the others look along, where a look takes all of them.
template <class Real>
class SharedSnapshot final : public Snapshot<Real> {
  public:
    SharedSnapshot(Ranks& ranks, const Snapshot<Real>& now) : ranks_(ranks), now_(now) {
        this->iteration = now.iteration;
        this->epochs = now.epochs;
        this->seconds = now.seconds;
        this->last = now.last;
        this->step = now.step;
        this->estimated_gap = now.estimated_gap;
        this->curvature = now.curvature;
        this->alpha = now.alpha;
    }
    [[nodiscard]] const Matrix<Real>& x() const override { return now_.x(); }
    [[nodiscard]] const Iterate<Real>& iterate() const override { return now_.iterate(); }
    [[nodiscard]] bool metrics_free() const override { return now_.metrics_free(); }
    [[nodiscard]] const Metrics& metrics() const override {
        static_cast<void>(ranks_.told(Asked::metrics));
        return now_.metrics();
    }
    [[nodiscard]] std::vector<double> intercept() const override {
        static_cast<void>(ranks_.told(Asked::intercept));
        return now_.intercept();
    }

  private:
    Ranks& ranks_;
    const Snapshot<Real>& now_;
};

}  // namespace

template <class Real>
Observer<Real> of_first_rank(Ranks& ranks, Observer<Real> observer) {
    return [&ranks, observer = std::move(observer)](const Snapshot<Real>& now) {
        if (ranks.rank() == 0) {
            const Action action = observer(SharedSnapshot<Real>(ranks, now));
            static_cast<void>(ranks.told(action == Action::stop ? Asked::stop : Asked::proceed));
            return action;
        }
        while (true) {
            switch (ranks.told(Asked::proceed)) {
                case Asked::metrics:
                    static_cast<void>(now.metrics());
                    break;
                case Asked::intercept:
                    static_cast<void>(now.intercept());
                    break;
                case Asked::stop:
                    return Action::stop;
                case Asked::proceed:
                    return Action::proceed;
            }
        }
    };
}

template Observer<float> of_first_rank(Ranks&, Observer<float>);
template Observer<double> of_first_rank(Ranks&, Observer<double>);

}  // namespace alfcg
