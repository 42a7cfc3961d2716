#pragma once

#include <cstdint>
#include <string>

#include "alfcg/core/matrix.hpp"

/// What the hardware can do at best, measured with the same threads: the two sides of the roofline.
namespace alfcg::bench {

/// How to walk through memory: each thread reads its share as several streams side by side, and asks for
/// lines `ahead` bytes before it needs them (0: leaves that to the hardware).
struct ReadPlan {
    int streams = 1;
    Index ahead = 0;
};

/// Reads every byte once; the answer depends on all of them, so that nothing can be left out.
std::uint64_t read_once(const void* data, Index bytes, int threads, ReadPlan plan);

/// The fastest plan for this memory, by trial, with at most so many streams: 1 is a streaming read in the
/// usual sense, more of them can draw more from the memory.
ReadPlan fastest_read(const void* data, Index bytes, int threads, int most_streams);

/// Independent chains of multiply-adds in registers, on every thread; returns the operations done (a
/// multiply-add is two).
template <class Real>
double multiply_adds(Index rounds, int threads);

/// The instruction set that was chosen for this CPU.
std::string simd_name();

}  // namespace alfcg::bench
