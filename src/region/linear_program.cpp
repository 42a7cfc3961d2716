#include "region/linear_program.hpp"

#include <utility>
#include <vector>

#include "alfcg/core/error.hpp"

#ifdef ALFCG_HAS_CLP
#include <Clp_C_Interface.h>
#endif

namespace alfcg::region {

#ifdef ALFCG_HAS_CLP

namespace {

constexpr double lp_tolerance = 1e-9;

}  // namespace

bool has_linear_solver() {
    return true;
}

struct LinearProgram::Solver {
    Solver() : model(Clp_newModel()) {}
    ~Solver() { Clp_deleteModel(model); }
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;

    Clp_Simplex* model;
    std::size_t columns = 0;
    std::size_t rows = 0;
};

LinearProgram::LinearProgram(const LinearConstraints& constraints, double bound)
    : solver_(std::make_unique<Solver>()) {
    const Matrix<double>& coefficients = constraints.coefficients;
    std::vector<CoinBigIndex> start{0};
    std::vector<int> index;
    std::vector<double> value;
    for (Index j = 0; j < coefficients.cols(); ++j) {
        for (Index i = 0; i < coefficients.rows(); ++i) {
            if (coefficients(i, j) == 0) continue;
            index.push_back(static_cast<int>(i));
            value.push_back(coefficients(i, j));
        }
        start.push_back(static_cast<CoinBigIndex>(index.size()));
    }
    solver_->columns = static_cast<std::size_t>(coefficients.cols());
    solver_->rows = static_cast<std::size_t>(coefficients.rows());
    const std::vector<double> least(solver_->columns, -bound);
    const std::vector<double> most(solver_->columns, bound);
    Clp_setLogLevel(solver_->model, 0);
    Clp_loadProblem(solver_->model, static_cast<int>(coefficients.cols()),
                    static_cast<int>(coefficients.rows()), start.data(), index.data(), value.data(),
                    least.data(), most.data(), nullptr, constraints.lower.data(), constraints.upper.data());
    Clp_setPrimalTolerance(solver_->model, lp_tolerance);
    Clp_setDualTolerance(solver_->model, lp_tolerance);
    Clp_setPerturbation(solver_->model, 100);  // none: vertices are to be exact
}

LinearProgram::Status LinearProgram::minimize(std::span<const double> costs) {
    Clp_Simplex* model = solver_->model;
    Clp_chgObjCoefficients(model, costs.data());
    Clp_primal(model, 0);  // the last basis is feasible for other costs
    switch (Clp_status(model)) {
        case 0:
            return Status::solved;
        case 1:
            return Status::empty;
        case 2:
            return Status::endless;
        default:
            throw Error("the linear programming solver gave up on the region linear");
    }
}

std::span<const double> LinearProgram::point() const {
    return {Clp_primalColumnSolution(solver_->model), solver_->columns};
}

std::span<const double> LinearProgram::prices() const {
    return {Clp_dualRowSolution(solver_->model), solver_->rows};
}

void LinearProgram::archive(Archive& state) {
    const std::size_t count = solver_->rows + solver_->columns;
    unsigned char* const basis = Clp_statusArray(solver_->model);
    std::vector<unsigned char> known(basis, basis + count);
    const auto entries = point();
    std::vector<double> x(entries.begin(), entries.end());
    state(known, x);
    if (!state.loading()) return;
    if (known.size() != count || x.size() != solver_->columns)
        state.reject("its linear program is another one");
    Clp_copyinStatus(solver_->model, known.data());
    Clp_setColSolution(solver_->model, x.data());
}

#else

void LinearProgram::archive(Archive& /*state*/) {}

bool has_linear_solver() {
    return false;
}

struct LinearProgram::Solver {};

LinearProgram::LinearProgram(const LinearConstraints& /*constraints*/, double /*bound*/) {
    throw Error(
        "the region linear needs a linear programming solver, and alfcg was built without one: install CLP "
        "(Debian: "
        "coinor-libclp-dev) and build it again");
}

LinearProgram::Status LinearProgram::minimize(std::span<const double> /*costs*/) {
    return Status::empty;
}

std::span<const double> LinearProgram::point() const {
    return {};
}

std::span<const double> LinearProgram::prices() const {
    return {};
}

#endif

LinearProgram::~LinearProgram() = default;
LinearProgram::LinearProgram(LinearProgram&&) noexcept = default;

}  // namespace alfcg::region
