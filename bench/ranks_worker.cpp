// How long sums over ranks take: started by bench/ranks through mpirun. Prints "numbers bytes seconds" for each length: a quarter of
// the sums are quicker than that. An argument: how many of each at most.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "alfcg/mpi/ranks.hpp"

int main(int argc, char** argv) {
    const int most = argc > 1 ? std::atoi(argv[1]) : 400;
    MPI_Init(&argc, &argv);
    {
        alfcg::MpiRanks ranks(MPI_COMM_WORLD);
        for (std::size_t count = 1; count <= std::size_t{1} << 20U; count *= 4) {
            std::vector<double> numbers(count, 1);
            std::vector<double> seconds;
            const std::int64_t before = ranks.bytes_sent();
            const int times = std::min(most, count < 10000 ? 400 : 40);
            for (int k = 0; k < times; ++k) {
                // Two, since ranks may take turns in waiting for each other.
                const auto start = std::chrono::steady_clock::now();
                for (int turn = 0; turn < 2; ++turn) ranks.sum(std::span(numbers));
                const std::chrono::duration<double> both = std::chrono::steady_clock::now() - start;
                seconds.push_back(both.count() / 2);
                std::fill(numbers.begin(), numbers.end(), 1);
            }
            std::sort(seconds.begin(), seconds.end());
            const double bytes = static_cast<double>(ranks.bytes_sent() - before) / (2 * times);
            if (ranks.rank() == 0) fmt::print("{} {} {}\n", count, bytes, seconds[seconds.size() / 4]);
        }
    }
    MPI_Finalize();
}
