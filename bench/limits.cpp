// Compiled once per instruction set, as the library's kernels are.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "limits.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "case.hpp"
#include "core/parallel.hpp"
#include "limits.hpp"

HWY_BEFORE_NAMESPACE();
namespace alfcg::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

std::uint64_t ReadShare(const std::uint8_t* HWY_RESTRICT data, std::size_t bytes, std::size_t streams,
                        std::size_t ahead) {
    const hn::ScalableTag<std::uint64_t> tag;
    const std::size_t lanes = hn::Lanes(tag);
    const std::size_t step = 4 * lanes * sizeof(std::uint64_t);
    const std::size_t stream = bytes / streams / step * step;
    auto a = hn::Zero(tag);
    auto b = hn::Zero(tag);
    auto c = hn::Zero(tag);
    auto d = hn::Zero(tag);
    for (std::size_t i = 0; i < stream; i += step) {
        for (std::size_t s = 0; s < streams; ++s) {
            const std::uint8_t* place = data + s * stream + i;
            if (ahead > 0) {
                for (std::size_t line = 0; line < step; line += 64) hwy::Prefetch(place + ahead + line);
            }
            const auto* from = reinterpret_cast<const std::uint64_t*>(place);
            a = hn::Xor(a, hn::LoadU(tag, from));
            b = hn::Xor(b, hn::LoadU(tag, from + lanes));
            c = hn::Xor(c, hn::LoadU(tag, from + 2 * lanes));
            d = hn::Xor(d, hn::LoadU(tag, from + 3 * lanes));
        }
    }
    std::uint64_t parts[HWY_MAX_BYTES / sizeof(std::uint64_t)] = {};
    hn::StoreU(hn::Xor(hn::Xor(a, b), hn::Xor(c, d)), tag, parts);
    std::uint64_t total = 0;
    for (const std::uint64_t part : parts) total += part;
    for (std::size_t i = streams * stream; i < bytes; ++i) total += data[i];
    return total;
}

// Twelve chains hide the latency of a multiply-add on every CPU at hand and fit the 16 registers of AVX2. They
// start at different numbers: the compiler would compute equal chains once.
template <class Real>
double Chains(Index rounds, double start) {
    const hn::ScalableTag<Real> tag;
    const auto number = [&](double offset)
                            HWY_ATTR { return hn::Set(tag, static_cast<Real>(start + offset)); };
    const auto factor = hn::Set(tag, static_cast<Real>(0.5));
    const auto term = number(0);
    auto a = number(1), b = number(2), c = number(3), d = number(4), e = number(5), f = number(6);
    auto g = number(7), h = number(8), i = number(9), j = number(10), k = number(11), l = number(12);
    for (Index round = 0; round < rounds; ++round) {
        a = hn::MulAdd(a, factor, term);
        b = hn::MulAdd(b, factor, term);
        c = hn::MulAdd(c, factor, term);
        d = hn::MulAdd(d, factor, term);
        e = hn::MulAdd(e, factor, term);
        f = hn::MulAdd(f, factor, term);
        g = hn::MulAdd(g, factor, term);
        h = hn::MulAdd(h, factor, term);
        i = hn::MulAdd(i, factor, term);
        j = hn::MulAdd(j, factor, term);
        k = hn::MulAdd(k, factor, term);
        l = hn::MulAdd(l, factor, term);
    }
    const auto first = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, d)), hn::Add(e, f));
    const auto second = hn::Add(hn::Add(hn::Add(g, h), hn::Add(i, j)), hn::Add(k, l));
    // Never negative: only the use of the sum matters.
    const bool used = hn::GetLane(hn::SumOfLanes(tag, hn::Add(first, second))) >= 0;
    return used ? 12.0 * 2.0 * static_cast<double>(hn::Lanes(tag)) * static_cast<double>(rounds) : 0.0;
}

double ChainsFloat(Index rounds, double start) {
    return Chains<float>(rounds, start);
}
double ChainsDouble(Index rounds, double start) {
    return Chains<double>(rounds, start);
}
const char* TargetName() {
    return hwy::TargetName(HWY_TARGET);
}

}  // namespace alfcg::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alfcg::bench {

HWY_EXPORT(ReadShare);
HWY_EXPORT(ChainsFloat);
HWY_EXPORT(ChainsDouble);
HWY_EXPORT(TargetName);

std::uint64_t read_once(const void* data, Index bytes, int threads, ReadPlan plan) {
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(threads));
    parallel(threads, [&](int part) {
        const auto [first, last] = range_of_part(bytes, part, threads);
        sums[static_cast<std::size_t>(part)] = HWY_DYNAMIC_DISPATCH(ReadShare)(
            static_cast<const std::uint8_t*>(data) + first, static_cast<std::size_t>(last - first),
            static_cast<std::size_t>(plan.streams), static_cast<std::size_t>(plan.ahead));
    });
    std::uint64_t total = 0;
    for (const std::uint64_t sum : sums) total += sum;
    return total;
}

ReadPlan fastest_read(const void* data, Index bytes, int threads, int most_streams) {
    struct Trial {
        ReadPlan plan;
        double seconds = std::numeric_limits<double>::infinity();
    };
    std::vector<Trial> trials;
    for (int streams = 1; streams <= most_streams; streams *= 2)
        for (const Index ahead : {0, 256, 512}) trials.push_back({{streams, ahead}});
    volatile std::uint64_t sink = 0;
    // Plan by plan within a round, so that a moment when the machine is busy hits all of them alike.
    for (int round = 0; round < 5; ++round) {
        for (Trial& trial : trials) {
            const double seconds = seconds_of([&] { sink = read_once(data, bytes, threads, trial.plan); });
            trial.seconds = std::min(trial.seconds, seconds);
        }
    }
    return std::ranges::min_element(trials, {}, &Trial::seconds)->plan;
}

template <class Real>
double multiply_adds(Index rounds, int threads) {
    std::vector<double> done(static_cast<std::size_t>(threads));
    parallel(threads, [&](int part) {
        if constexpr (sizeof(Real) == sizeof(float)) {
            done[static_cast<std::size_t>(part)] = HWY_DYNAMIC_DISPATCH(ChainsFloat)(rounds, 1.0 + part);
        } else {
            done[static_cast<std::size_t>(part)] = HWY_DYNAMIC_DISPATCH(ChainsDouble)(rounds, 1.0 + part);
        }
    });
    double total = 0;
    for (const double operations : done) total += operations;
    return total;
}

template double multiply_adds<float>(Index, int);
template double multiply_adds<double>(Index, int);

std::string simd_name() {
    return HWY_DYNAMIC_DISPATCH(TargetName)();
}

}  // namespace alfcg::bench
#endif
