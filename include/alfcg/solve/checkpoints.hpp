#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "alfcg/core/archive.hpp"

namespace alfcg {

/// Something that a run depends on: a checkpoint of another run is told by it.
struct Fact {
    std::string name;   // "radius"
    std::string value;  // "10", or a digest
    bool is_digest = false;

    void archive(Archive& state) { state(name, value, is_digest); }
};

/// Where the whole state of a run is written to while it goes on, and where it is taken from. A run that is ended at any point and gone
/// on with has the same bits as one that was not: the same iterates, the same objective; with the same number of threads and of ranks (the
/// first of which has the file), on the same kind of CPU.
struct Checkpoints {
    std::string file;  // where to; empty: nowhere
    double every =
        300;  // seconds from one to the next; 0: every iteration. One is written at the end of a budget in any case.
    std::string resume;            // where from; empty: the run begins at its start
    std::vector<Fact> facts = {};  // a checkpoint that was made with others is refused
    /// What goes with the run's own state: a name for messages, and who reads and writes it.
    std::vector<std::pair<std::string, std::function<void(Archive&)>>> also = {};

    [[nodiscard]] bool used() const { return !file.empty() || !resume.empty(); }
    /// Throws Error when something makes no sense.
    void verify() const;
};

}  // namespace alfcg
