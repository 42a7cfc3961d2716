#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "alfcg/solve/solve.hpp"
#include "arrays.hpp"
#include "report/trace.hpp"

namespace alfcg::python {

/// What a callback sees of an iterate, while it is called.
class Iteration {
  public:
    template <class Real>
    Iteration(const Snapshot<Real>& now, const std::vector<Index>& shape) : now_(&now), shape_(shape) {}
    /// The call is over.
    void close() {
        std::visit([](auto& now) { now = nullptr; }, now_);
    }

    template <class See>
    auto look(See see) const {
        return std::visit(
            [&](const auto* now) {
                if (now == nullptr)
                    throw std::runtime_error("an iterate can be looked at only while the callback runs");
                return see(*now);
            },
            now_);
    }
    /// With objective and gap where they cost nothing.
    [[nodiscard]] nb::object words() const;
    [[nodiscard]] nb::object x() const;
    [[nodiscard]] nb::object factors() const;  // none: x is not kept so

  private:
    std::variant<const Snapshot<float>*, const Snapshot<double>*> now_;
    std::vector<Index> shape_;  // of x as the caller has it; empty: a matrix
};

/// Rows of a run's course as columns by name; NaN where there is no value.
nb::dict columns_of(const std::vector<TraceRow>& rows);

/// Rows of a run's course, thinned out as it gets longer: between `points` and twice as many of them.
class History {
  public:
    History(std::size_t points, bool full) : points_(points), full_(full) {}

    template <class Real>
    void look(const Snapshot<Real>& now) {
        if (points_ == 0 || (!now.last && now.iteration % stride_ != 0)) return;
        if (!full_ && !now.metrics_free()) return;
        add(trace_row(now));
    }
    [[nodiscard]] nb::dict to_dict() const { return columns_of(rows_); }
    /// For checkpoints.
    void archive(Archive& state);

  private:
    void add(const TraceRow& row);

    std::vector<TraceRow> rows_;
    std::size_t points_;
    bool full_;
    Index stride_ = 1;
};

/// The observer of a run that was called from Python: looks for Ctrl-C, keeps the history, calls the callback.
class Watch {
  public:
    Watch(nb::object callback, History history, std::vector<Index> shape = {});

    template <class Real>
    Action look(const Snapshot<Real>& now) {
        if (interrupted_) return Action::stop;
        history_.look(now);
        if (!callback_.is_none()) call(Iteration(now, shape_));
        if (due()) check_signals();
        return interrupted_ || stopped_ ? Action::stop : Action::proceed;
    }
    template <class Real>
    Observer<Real> observer() {
        return [this](const Snapshot<Real>& now) { return look(now); };
    }
    /// Calls Python, with its lock. Ctrl-C while it is at work there ends the run, not the call alone.
    template <class Call>
    void interruptible(Call call) {
        const nb::gil_scoped_acquire lock;
        try {
            call();
        } catch (const nb::python_error& error) {
            if (!error.matches(PyExc_KeyboardInterrupt)) throw;
            interrupted_ = true;
        }
    }
    /// Calls a function that the run cannot do without, with Python's lock. Ctrl-C while it is at work ends the run after the
    /// iteration, which needs the answer: it is asked once more. Ctrl-C meanwhile goes its way.
    template <class Call>
    auto answered(Call call) {
        const nb::gil_scoped_acquire lock;
        if (interrupted_) return call();
        try {
            return call();
        } catch (const nb::python_error& error) {
            if (!error.matches(PyExc_KeyboardInterrupt)) throw;
            interrupted_ = true;
        }
        return call();
    }
    /// After a run: Ctrl-C that came since the last look is the run's too.
    void finish();
    /// For runs without iterates to look at: whether to end. Any thread may ask; the one that called looks for Ctrl-C.
    bool asked_to_stop();

    /// What goes with a run from one process to the next.
    void archive(Archive& state) { state(history_); }

    [[nodiscard]] bool interrupted() const { return interrupted_; }
    [[nodiscard]] bool stopped() const { return stopped_; }
    [[nodiscard]] const History& history() const { return history_; }

  private:
    using Clock = std::chrono::steady_clock;
    [[nodiscard]] bool due() const { return main_thread_ && Clock::now() >= next_; }
    void call(Iteration iteration);
    void check_signals();

    nb::object callback_;
    History history_;
    std::vector<Index> shape_;
    bool main_thread_;  // only there Python handles signals
    std::thread::id caller_ = std::this_thread::get_id();
    Clock::time_point next_;
    std::atomic<bool> interrupted_ = false;
    bool stopped_ = false;
};

void bind_watching(nb::module_& module);

}  // namespace alfcg::python
