#pragma once

#include <memory>
#include <optional>

#include "corrective/corrector.hpp"

namespace alfcg {

/// Outer steps ask the oracle and certify, inner steps work (alfcg-c).
template <class Real>
class Corrective final : public Method<Real> {
  public:
    /// Parts of the problem may take so many bytes; none: see Options.
    explicit Corrective(std::optional<Index> memory = std::nullopt) : memory_(memory) {}
    void propose(Run<Real>& run, Proposal<Real>& proposal) override;

  private:
    std::optional<Index> memory_;
    std::unique_ptr<Corrector<Real>> corrector_;
    Move<Real> better_;
};

}  // namespace alfcg
