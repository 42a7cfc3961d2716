#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "corrective/corrector.hpp"
#include "corrective/turns.hpp"

namespace alfcg {

/// Outer steps ask the oracle and certify, inner steps work (alfcg-c).
template <class Real>
class Corrective final : public Method<Real> {
  public:
    /// `rival`: steps on all of f, from wherever x is, which take turns with inner ones where f bends evenly. Parts of the problem may take
    /// so many bytes; none: see Options.
    explicit Corrective(std::unique_ptr<Method<Real>> rival, std::optional<Index> memory = std::nullopt)
        : memory_(memory), rival_(std::move(rival)) {}

    void propose(Run<Real>& run, Proposal<Real>& proposal) override;
    void archive(Run<Real>& run, Archive& state) override;

  private:
    void look(Run<Real>& run, const Proposal<Real>& proposal);
    [[nodiscard]] std::unique_ptr<Corrector<Real>> make_corrector(Run<Real>& run) const;

    std::optional<Index> memory_;
    std::unique_ptr<Corrector<Real>> corrector_;
    Version ended_at_ = Version::none;  // where the gap seemed small enough last
    std::unique_ptr<Method<Real>> rival_;
    Turns turns_;
    Move<Real> better_;
};

}  // namespace alfcg
