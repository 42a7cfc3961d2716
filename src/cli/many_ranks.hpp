#pragma once

#include <memory>
#include <string>

#include "alfcg/core/ranks.hpp"

namespace alfcg::cli {

/// This process among those that mpirun has started; none where it was started alone. Only rank 0 is heard: what the others print is lost.
class ManyRanks {
  public:
    ManyRanks();
    ~ManyRanks();
    /// Throws Error where there are several processes, and the part of alfcg that knows MPI is not there.
    void open();
    ManyRanks(const ManyRanks&) = delete;
    ManyRanks& operator=(const ManyRanks&) = delete;

    /// Those of this process, for commands; null for one alone.
    [[nodiscard]] static Ranks* opened();

    /// Where errors are heard, of whatever rank.
    [[nodiscard]] static int errors();

    /// The end with an error: says it once where all ranks have met it, and else ends those that have not.
    void fail(const std::string& line, int status);
    /// The end.
    void close(int status);

  private:
    struct Library;
    std::unique_ptr<Library> library_;
};

}  // namespace alfcg::cli
