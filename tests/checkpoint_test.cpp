// A run that goes on from a checkpoint has the bits of one that was never interrupted: every method, on every kind of data, over every
// region, with factors and with entries; and what no run can go on from is refused in one line.
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "alfcg/core/error.hpp"
#include "alfcg/method/catalogue.hpp"
#include "alfcg/method/solve.hpp"
#include "alfcg/objective/completion.hpp"
#include "alfcg/region/combined.hpp"
#include "alfcg/region/spec.hpp"
#include "region_examples.hpp"
#include "temporary_folder.hpp"

namespace alfcg {
namespace {

// A problem that can be made again and again, always the same.
template <class Real>
struct Maker {
    std::function<std::unique_ptr<Objective<Real>>()> objective;
    std::function<std::unique_ptr<Region<Real>>()> region;
    std::function<Iterate<Real>()> start = {};  // of factors; none: where the region says
};

// What is seen of an iterate, to the last bit.
struct Seen {
    Index iteration;
    double epochs;
    std::optional<double> step;
    std::optional<double> gap;
    std::optional<double> objective;
    std::uint64_t point;
    bool operator==(const Seen&) const = default;
};

template <class Real>
std::uint64_t digest_of(const Matrix<Real>& x) {
    Digest digest;
    digest.add(x.data(), static_cast<std::size_t>(x.size()) * sizeof(Real));
    return digest.value();
}

template <class Real>
struct Outcome {
    Solution<Real> solution;
    std::vector<Seen> seen;
};

enum class Looks { none, all };

template <class Real>
Outcome<Real> run(const Maker<Real>& maker, const Options& options, Looks looks = Looks::none) {
    const auto objective = maker.objective();
    const auto region = maker.region();
    Outcome<Real> outcome;
    const auto watch = [&](const Snapshot<Real>& now) {
        if (now.last) return;
        Seen seen{now.iteration, now.epochs, now.step, now.estimated_gap, std::nullopt, digest_of(now.x())};
        if (looks == Looks::all) seen.objective = now.metrics().objective;
        outcome.seen.push_back(seen);
    };
    if (maker.start) {
        const Iterate<Real> start = maker.start();
        outcome.solution = solve<Real>(*objective, *region, options, watch, &start);
    } else {
        outcome.solution = solve<Real>(*objective, *region, options, watch);
    }
    return outcome;
}

template <class Real>
void expect_same(const Solution<Real>& a, const Solution<Real>& b) {
    EXPECT_EQ(to_text(a.status), to_text(b.status));
    EXPECT_EQ(a.iterations, b.iterations);
    EXPECT_EQ(a.epochs, b.epochs);
    EXPECT_EQ(a.metrics.objective, b.metrics.objective);
    EXPECT_EQ(a.metrics.gap, b.metrics.gap);
    EXPECT_EQ(a.intercept, b.intercept);
    EXPECT_EQ(a.scale, b.scale);
    EXPECT_EQ(a.counters.component_gradients, b.counters.component_gradients);
    EXPECT_EQ(a.counters.function_evaluations, b.counters.function_evaluations);
    EXPECT_EQ(a.counters.oracle_calls, b.counters.oracle_calls);
    ASSERT_EQ(a.x.shape(), b.x.shape());
    EXPECT_EQ(digest_of(a.x), digest_of(b.x));
    ASSERT_EQ(a.factors.has_value(), b.factors.has_value());
    if (a.factors) {
        EXPECT_EQ(digest_of(a.factors->to_matrix()), digest_of(b.factors->to_matrix()));
    }
}

// Stops at each of these iterations, goes on from there in new objects, and must see what was seen without a stop.
template <class Real>
void expect_same_bits(const Maker<Real>& maker, Options options, const std::vector<Index>& stops, Index end,
                      Looks looks = Looks::none) {
    const TemporaryFolder folder;
    options.max_iterations = end;
    const Outcome<Real> whole = run(maker, options, looks);
    options.checkpoints.file = folder.file("checkpoint");
    std::vector<Seen> seen;
    for (const Index stop : stops) {
        if (stop >= end) break;
        options.max_iterations = stop;
        const Outcome<Real> part = run(maker, options, looks);
        seen.insert(seen.end(), part.seen.begin(), part.seen.end());
        if (part.solution.iterations < stop) break;  // there was nothing left to do
        options.checkpoints.resume = options.checkpoints.file;
    }
    options.max_iterations = end;
    const Outcome<Real> last = run(maker, options, looks);
    seen.insert(seen.end(), last.seen.begin(), last.seen.end());
    expect_same(whole.solution, last.solution);
    // A run that came to an end between two stops came there twice.
    for (std::size_t k = 0; k < std::min(seen.size(), whole.seen.size()); ++k)
        ASSERT_EQ(seen[k], whole.seen[k]) << "at iteration " << whole.seen[k].iteration;
    EXPECT_GE(seen.size(), whole.seen.size());
}

const std::vector<Index> usual_stops{1, 2, 3, 5, 11, 31, 64, 65, 66, 90};

enum class Kind { dense, shorts, bytes, patches, sparse, coded };

template <class Real>
Features<Real> features_of(Kind kind, Index rows, Index cols, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    if (kind == Kind::sparse || kind == Kind::coded) {
        std::vector<Index> start{0};
        std::vector<std::int32_t> column;
        std::vector<Real> value;
        for (Index i = 0; i < rows; ++i) {
            for (Index j = 0; j < cols; ++j) {
                if (uniform(random) > 0.1) continue;
                column.push_back(static_cast<std::int32_t>(j));
                value.push_back(static_cast<Real>(kind == Kind::coded ? static_cast<double>(1 + random() % 3)
                                                                      : normal(random)));
            }
            start.push_back(std::ssize(column));
        }
        const auto shared = [](const auto& from) {
            using Entry = std::decay_t<decltype(from.front())>;
            Buffer<Entry> buffer(from.size());
            std::copy(from.begin(), from.end(), buffer.data());
            return SharedArray<Entry>(std::move(buffer));
        };
        return SparseFeatures<Real>{shared(start), shared(column), shared(value), rows, cols};
    }
    Buffer<Real> entries(static_cast<std::size_t>(rows * cols));
    for (Index k = 0; k < rows * cols; ++k) {
        const bool inked = k % cols / 16 % 3 == (k / cols + 1) % 3;
        double entry = normal(random);
        if (kind == Kind::bytes) entry = static_cast<double>(random() % 200);
        if (kind == Kind::patches) entry = inked ? static_cast<double>(1 + random() % 255) : 0;
        if (kind == Kind::bytes || kind == Kind::patches) entry /= 256;
        entries.data()[k] = static_cast<Real>(entry);
    }
    return DenseFeatures<Real>(std::move(entries), rows, cols);
}

template <class Real>
Maker<Real> linear(Kind kind, const std::string& loss, Index outputs, bool intercept, Index rows, Index cols,
                   std::function<std::unique_ptr<Region<Real>>()> region, int threads = 1) {
    const auto objective = [=] {
        std::mt19937_64 random(7);
        const Features<Real> features = features_of<Real>(kind, rows, cols, random);
        Targets targets;
        targets.outputs = outputs;
        for (Index i = 0; i < rows; ++i) {
            if (outputs > 1)
                targets.classes.push_back(
                    static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(outputs)));
            else
                targets.values.push_back(random() % 2 == 0 ? 1 : -1);
        }
        return linear_objective<Real>(features, targets, {loss, {}}, threads, intercept);
    };
    return {objective, std::move(region)};
}

template <class Real>
std::function<std::unique_ptr<Region<Real>>()> nuclear(double radius) {
    return [=] { return nuclear_ball<Real>(radius, {}, 1); };
}
template <class Real>
std::function<std::unique_ptr<Region<Real>>()> l1(double radius) {
    return [=] { return lp_ball<Real>(1, radius, {}, 1); };
}

Options with_method(std::string_view method) {
    Options options;
    options.method = method;
    options.seed = 5;
    options.max_iterations = 1;
    return options;
}

enum class Constant { with_several_outputs, with_one };

template <class Real>
void every_method(Kind kind, Index rows, Index cols, int threads, Constant constant) {
    for (const MethodInfo& method : methods())
        for (const bool several : {false, true}) {
            const bool intercept = several == (constant == Constant::with_several_outputs);
            SCOPED_TRACE(std::string(method.name) + (several ? ", several outputs" : "") +
                         (intercept ? ", intercept" : ""));
            const auto maker =
                several
                    ? linear<Real>(kind, "multinomial", 4, intercept, rows, cols, nuclear<Real>(3), threads)
                    : linear<Real>(kind, "logistic", 1, intercept, rows, cols, l1<Real>(4), threads);
            expect_same_bits(maker, with_method(method.name), usual_stops, 100);
        }
}

TEST(Checkpoint, EveryMethodGoesOnOnDenseData) {
    every_method<double>(Kind::dense, 90, 30, 1, Constant::with_several_outputs);
    every_method<float>(Kind::dense, 90, 40, 2, Constant::with_one);
}
TEST(Checkpoint, EveryMethodGoesOnOnBytesAndPatches) {
    every_method<float>(Kind::bytes, 50, 80, 1, Constant::with_several_outputs);
    every_method<float>(Kind::patches, 50, 96, 1, Constant::with_one);
    every_method<double>(Kind::patches, 50, 96, 2, Constant::with_several_outputs);
}
TEST(Checkpoint, EveryMethodGoesOnOnSparseData) {
    every_method<double>(Kind::sparse, 90, 40, 1, Constant::with_one);
    every_method<float>(Kind::coded, 90, 40, 2, Constant::with_several_outputs);
}

TEST(Checkpoint, EveryMethodGoesOnWhereEveryIterateIsLookedAt) {
    for (const MethodInfo& method : methods()) {
        SCOPED_TRACE(method.name);
        expect_same_bits(linear<float>(Kind::patches, "multinomial", 4, true, 50, 96, nuclear<float>(3)),
                         with_method(method.name), usual_stops, 70, Looks::all);
    }
}

TEST(Checkpoint, EveryFormOfTheAlfScaleAndOfActiveStepsGoesOn) {
    for (const std::string rho : {"auto", "probe", "0.5"})
        for (const std::string method : {"alfcg-d", "alfcg-fs", "alfcg-mvr1", "alfcg-mvr2"}) {
            SCOPED_TRACE(method + ", rho " + rho);
            Options options = with_method(method);
            if (rho == "0.5")
                options.parameters.set("rho", 0.5);
            else
                options.parameters.set("rho", rho);
            expect_same_bits(linear<float>(Kind::dense, "multinomial", 4, true, 150, 24, nuclear<float>(30)),
                             options, usual_stops, 100);
        }
    for (const std::string step : {"alf", "search", "secant"})
        for (const std::string method : {"fw-away", "fw-pairwise", "fw-blended"}) {
            SCOPED_TRACE(method + ", step " + step);
            Options options = with_method(method);
            options.parameters.set("step", step);
            expect_same_bits(linear<double>(Kind::dense, "logistic", 1, true, 150, 24, l1<double>(6)),
                             options, usual_stops, 100);
        }
}

// alfcg-c has a way of its own for each kind of region, and for data with many rows.
template <class Real>
void every_corrector() {
    const auto lp = [](double p, double radius) -> std::function<std::unique_ptr<Region<Real>>()> {
        return [=] { return lp_ball<Real>(p, radius, {}, 1); };
    };
    const auto named = [](const std::string& name,
                          double radius) -> std::function<std::unique_ptr<Region<Real>>()> {
        return [=] { return make_region<Real>({name, {{"radius", radius}}, {}}, {1, {}, {}}); };
    };
    const std::vector<Index> stops{1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 13, 17, 25};
    const auto check = [&](const std::string& what, const Maker<Real>& maker,
                           std::optional<Index> memory = {}) {
        SCOPED_TRACE(what);
        Options options = with_method("alfcg-c");
        options.memory = memory;
        expect_same_bits(maker, options, stops, 30);
    };
    check("l1", linear<Real>(Kind::dense, "logistic", 1, true, 300, 40, lp(1, 5)));
    check("l1, wide", linear<Real>(Kind::dense, "logistic", 1, true, 100, 500, lp(1, 20)));
    check("l1, sparse", linear<Real>(Kind::sparse, "logistic", 1, true, 300, 400, lp(1, 20)));
    check("l1, coded, no intercept", linear<Real>(Kind::coded, "squared", 1, false, 300, 400, lp(1, 20)));
    check("l1, several outputs", linear<Real>(Kind::dense, "multinomial", 4, true, 200, 30, lp(1, 20)));
    check("l1, many rows", linear<Real>(Kind::dense, "multinomial", 4, true, 5000, 8, lp(1, 20)));
    check("l1, no room", linear<Real>(Kind::dense, "logistic", 1, true, 300, 40, lp(1, 5)), 1000);
    check("nuclear", linear<Real>(Kind::dense, "multinomial", 5, true, 300, 20, nuclear<Real>(20)));
    check("nuclear, many rows",
          linear<Real>(Kind::dense, "multinomial", 5, true, 5000, 8, nuclear<Real>(20)));
    check("nuclear, wide", linear<Real>(Kind::dense, "multinomial", 5, true, 80, 300, nuclear<Real>(20)));
    check("l2", linear<Real>(Kind::dense, "logistic", 1, true, 300, 30, lp(2, 5)));
    check("l2, several outputs", linear<Real>(Kind::sparse, "multinomial", 4, false, 300, 30, lp(2, 5)));
    check("hull", linear<Real>(Kind::dense, "logistic", 1, true, 300, 30, named("k-sparse", 3)));
    check("hull, several outputs",
          linear<Real>(Kind::sparse, "multinomial", 4, true, 300, 30, named("k-sparse", 3)));
    check("l1, a loss without second derivatives",
          linear<Real>(Kind::dense, "sigmoid", 1, true, 300, 30, lp(1, 5)));
}
TEST(Checkpoint, EveryWayOfAlfcgCGoesOn) {
    every_corrector<double>();
    every_corrector<float>();
}

// Of alfcg-c on a caller's function, of which nothing is known.
TEST(Checkpoint, ACallersFunctionGoesOn) {
    const auto objective = [] {
        return custom_objective<double>({2, 9}, [](std::span<const double> x, std::span<double> gradient) {
            double value = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double r = x[i] - std::sin(static_cast<double>(i));
                value += std::cosh(r) + 0.1 * r * x[(i + 1) % x.size()];
                gradient[i] += std::sinh(r) + 0.1 * x[(i + 1) % x.size()];
                gradient[(i + 1) % x.size()] += 0.1 * r;
            }
            return value;
        });
    };
    for (const std::string region : {"l1", "l2", "nuclear", "k-sparse"})
        for (const std::string method : {"alfcg-c", "alfcg-d", "accelerated", "fw-away", "saga-fw"}) {
            if (method == "accelerated" && region == "k-sparse") continue;
            SCOPED_TRACE(method + ", " + region);
            const Maker<double> maker{
                objective, [=] {
                    return make_region<double>({region, {{"radius", 2}}, {}}, {1, {}, {}});
                }};
            expect_same_bits(maker, with_method(method), usual_stops, 90);
        }
}

template <class Real>
void every_region() {
    for (const RegionInfo& info : regions()) {
        const auto example = testing::region_examples().find(info.name);
        if (example == testing::region_examples().end()) continue;
        if (info.name == "linear" && !region::has_linear_solver()) continue;
        for (const Parameters& parameters : example->second.parameters)
            for (const Shape shape : example->second.shapes) {
                const RegionSpec spec{std::string(info.name), parameters, {}};
                // ½ ‖x − a‖² with some more bend along one direction.
                const auto objective = [shape] {
                    return custom_objective<Real>(
                        shape, [](std::span<const Real> x, std::span<Real> gradient) {
                            double value = 0;
                            double along = 0;
                            for (std::size_t i = 0; i < x.size(); ++i)
                                along += static_cast<double>(x[i]) * (i % 3 == 0 ? 1 : -0.5);
                            for (std::size_t i = 0; i < x.size(); ++i) {
                                const double r =
                                    static_cast<double>(x[i]) - 2 * std::sin(1.7 * static_cast<double>(i));
                                value += r * r / 2;
                                gradient[i] = static_cast<Real>(r + along * (i % 3 == 0 ? 1 : -0.5));
                            }
                            return value + along * along / 2;
                        });
                };
                const Maker<Real> maker{objective, [=] { return make_region<Real>(spec, {1, {}, {}}); }};
                for (const std::string method : {"alfcg-d", "fw-away", "alfcg-c"}) {
                    SCOPED_TRACE(std::string(info.name) + ", " + method + ", " + std::to_string(shape.rows) +
                                 " x " + std::to_string(shape.cols));
                    try {
                        maker.region()->check(shape);
                    } catch (const Error&) {
                        continue;
                    }
                    Options options = with_method(method);
                    options.max_iterations = 30;
                    try {
                        run(maker, options);
                    } catch (const Error&) {
                        continue;  // the linear solver's vertices are right to 1e-9, and gaps may say so
                    }
                    expect_same_bits(maker, options, {1, 2, 3, 5, 8, 13, 21}, 30);
                }
            }
    }
}
TEST(Checkpoint, EveryRegionGoesOn) {
    every_region<double>();
    every_region<float>();
}

TEST(Checkpoint, LongSidesAndRememberedVerticesGoOn) {
    const auto wide = [](auto region) {
        return linear<float>(Kind::dense, "multinomial", 260, false, 400, 280, region);
    };
    for (const std::string method : {"alfcg-d", "alfcg-fs", "fw-openloop"}) {
        SCOPED_TRACE(method);
        expect_same_bits(wide(nuclear<float>(20)), with_method(method), {1, 2, 3, 5, 8}, 12);
        expect_same_bits(linear<double>(Kind::dense, "logistic", 1, true, 150, 24,
                                        [] { return lazy(lp_ball<double>(1, 6, {}, 1), 5); }),
                         with_method(method), usual_stops, 90);
    }
}

template <class Real>
Maker<Real> completion(bool biases, bool signs) {
    const auto known = [=] {
        std::mt19937_64 random(3);
        std::normal_distribution<double> normal;
        Triples<Real> triples;
        for (Index j = 0; j < 25; ++j)
            for (Index i = 0; i < 40; ++i) {
                if (random() % 3 != 0) continue;
                triples.rows.push_back(static_cast<std::int32_t>(i));
                triples.columns.push_back(static_cast<std::int32_t>(j));
                const double value = std::sin(0.3 * static_cast<double>(i * j)) + 0.1 * normal(random);
                triples.values.push_back(static_cast<Real>(signs ? (value > 0 ? 1 : -1) : value));
            }
        return observations(Shape{40, 25}, std::move(triples));
    };
    const BiasSpec spec{.used = biases, .penalty = 0.5};
    return {[=] {
                return completion_objective<Real>(known(), {signs ? "logistic" : "squared", {}}, spec, 1);
            },
            [] { return nuclear_ball<Real>(15, {}, 1); },
            [=] {
                const auto data = known();
                return Iterate<Real>(Factors<Real>(data.pattern.shape), data.pattern, 1);
            }};
}

TEST(Checkpoint, FactorsGoOnWithEveryMethodThatWorksOnThem) {
    for (const MethodInfo& method : methods()) {
        if (method.needs_entries) continue;
        for (const bool biases : {false, true})
            for (const bool signs : {false, true}) {
                SCOPED_TRACE(std::string(method.name) + (biases ? ", biases" : "") +
                             (signs ? ", signs" : ""));
                const std::vector<Index> stops{1, 2, 6, 20, 66};
                expect_same_bits(completion<double>(biases, signs), with_method(method.name), stops, 70);
                if (biases == signs) continue;
                expect_same_bits(completion<float>(biases, signs), with_method(method.name), stops, 70);
            }
    }
}

TEST(Checkpoint, ReplayedBatchesAndSeedsGoOn) {
    Options options = with_method("sfw");
    options.batches.emplace();
    for (Index k = 0; k < 60; ++k) options.batches->push_back({k % 7, k % 11, (3 * k) % 50});
    expect_same_bits(linear<double>(Kind::dense, "logistic", 1, true, 150, 24, l1<double>(6)), options,
                     usual_stops, 60);
}

// ---- what is refused -----------------------------------------------------------------------------------------------

std::string message_of(const std::function<void()>& body) {
    try {
        body();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

// One that says nothing about what it remembers.
struct Own final : Method<double> {
    void propose(Run<double>& run, Proposal<double>& proposal) override {
        proposal.value = run.full_gradient(proposal.gradient);
        run.aim(proposal);
        proposal.step = 2.0 / static_cast<double>(run.iteration() + 2);
    }
};

class Refused : public ::testing::Test {
  protected:
    Refused() {
        options.checkpoints.file = file;
        options.max_iterations = 9;
        run(maker, options);
        options.checkpoints.file.clear();
        options.checkpoints.resume = file;
        options.max_iterations = 20;
    }
    std::string bytes() const {
        std::ifstream in(file, std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        return text.str();
    }
    void write(const std::string& text) const { std::ofstream(file, std::ios::binary) << text; }
    std::string refusal() const {
        return message_of([&] { run(maker, options); });
    }

    TemporaryFolder folder;
    std::string file = folder.file("run.checkpoint");
    Maker<double> maker = linear<double>(Kind::dense, "logistic", 1, true, 60, 12, l1<double>(4));
    Options options = with_method("alfcg-fs");
};

TEST_F(Refused, OtherOptionsAreToldByName) {
    EXPECT_EQ(refusal(), "");
    options.seed = 6;
    EXPECT_EQ(refusal(), file + ": cannot go on from this checkpoint: it was made with seed 5, here 6");
    options.seed = 5;
    options.method = "alfcg-d";
    EXPECT_NE(refusal().find("method alfcg-fs, here alfcg-d"), std::string::npos) << refusal();
    options.method = "alfcg-fs";
    options.parameters.set("batch", 3.0);
    EXPECT_NE(refusal().find("batch 7, here 3"), std::string::npos) << refusal();
    options.parameters = {};
    maker.region = l1<double>(5);
    EXPECT_NE(refusal().find("of radius 4, here"), std::string::npos) << refusal();
    maker.region = l1<double>(4);
    options.checkpoints.facts.push_back({"data", "a digest", true});
    EXPECT_EQ(refusal(), file + ": cannot go on from this checkpoint: it was made with other data");
    options.checkpoints.facts.clear();
    options.tolerance = 0.1;
    EXPECT_NE(refusal().find("tol needs the objective at the start"), std::string::npos) << refusal();
}

TEST_F(Refused, DamageIsFoundWhereverItIs) {
    const std::string whole = bytes();
    std::mt19937_64 random(1);
    for (std::size_t at = 0; at < whole.size(); at += 1 + random() % 97) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ static_cast<char>(1U << (random() % 8)));
        write(damaged);
        const std::string told = refusal();
        EXPECT_EQ(told.substr(0, file.size()), file) << "byte " << at;
        EXPECT_EQ(told.find('\n'), std::string::npos);
        write(whole.substr(0, at));
        EXPECT_EQ(refusal().substr(0, file.size()), file) << "cut at " << at;
    }
    write(whole + "x");
    EXPECT_NE(refusal().find("damaged"), std::string::npos);
    write(whole);
    EXPECT_EQ(refusal(), "");
}

TEST_F(Refused, OtherVersionsAndOtherFilesAreNamed) {
    std::string other = bytes();
    other[16 + 4] = 9;  // the format, behind the word and the order of bytes
    write(other);
    EXPECT_NE(refusal().find("(format 9)"), std::string::npos) << refusal();
    write("iteration,epochs\n1,2\n");
    EXPECT_EQ(refusal(), file + ": is not a checkpoint of alfcg");
    options.checkpoints.resume = folder.path();
    EXPECT_NE(refusal().find("is a directory"), std::string::npos);
    options.checkpoints.resume = folder.file("none");
    EXPECT_NE(refusal().find("cannot open the checkpoint"), std::string::npos);
    options.checkpoints.resume.clear();
    options.checkpoints.file = folder.file("no/such/folder");
    EXPECT_NE(refusal().find("cannot write"), std::string::npos);
}

TEST_F(Refused, AMethodThatDoesNotSayWhatItRemembers) {
    Own method;
    const auto objective = maker.objective();
    const auto region = maker.region();
    Limits limits;
    limits.max_iterations = 3;
    Checkpoints checkpoints;
    checkpoints.file = folder.file("own");
    const std::string told = message_of([&] {
        solve<double>(*objective, *region, method, limits, {}, static_cast<const Matrix<double>*>(nullptr),
                      checkpoints);
    });
    EXPECT_NE(told.find("does not say what it remembers"), std::string::npos) << told;
    EXPECT_FALSE(std::filesystem::exists(checkpoints.file));
}

TEST_F(Refused, AStopLeavesACheckpointToGoOnFrom) {
    const Outcome<double> whole = run(maker, [&] {
        Options plain = options;
        plain.checkpoints = {};
        return plain;
    }());
    std::filesystem::remove(file);
    Options stopped = options;
    stopped.checkpoints.resume.clear();
    stopped.checkpoints.file = file;
    const auto objective = maker.objective();
    const auto region = maker.region();
    const auto first = solve<double>(*objective, *region, stopped, [](const Snapshot<double>& now) {
        return now.iteration == 6 ? Action::stop : Action::proceed;
    });
    EXPECT_EQ(first.status, Status::interrupted);
    expect_same(whole.solution, run(maker, options).solution);
}

}  // namespace
}  // namespace alfcg
