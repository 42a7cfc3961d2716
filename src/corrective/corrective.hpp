#pragma once

#include <memory>

#include "corrective/corrector.hpp"

namespace alfcg {

/// Outer steps ask the oracle and certify, inner steps work (alfcg-c).
template <class Real>
class Corrective final : public Method<Real> {
  public:
    void propose(Run<Real>& run, Proposal<Real>& proposal) override;

  private:
    std::unique_ptr<Corrector<Real>> corrector_;
    Move<Real> better_;
};

}  // namespace alfcg
