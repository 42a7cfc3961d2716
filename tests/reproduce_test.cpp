// `alfcg reproduce` as a user runs it, the runs behind it, and the rules of its verdicts.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "alfcg/core/error.hpp"
#include "program.hpp"
#include "report/overview.hpp"
#include "report/paper_runs.hpp"

namespace alfcg {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Without MNIST, wherever it may be: what is skipped is known then.
class Reproduce : public testing::Test {
  protected:
    Reproduce() { unsetenv("ALFCG_DATA"); }
};

TEST_F(Reproduce, GoesOnAfterAKillWithoutRepeatingFinishedRuns) {
    TemporaryFolder folder;
    const std::vector<std::string> command{"reproduce",  "1",           "--max-epochs", "6",
                                           "--data-dir", folder.path(), "--output",     "rep"};
    const auto runs = [&] {
        std::map<std::string, fs::file_time_type> files;
        if (!fs::exists(folder.file("rep/runs"))) return files;
        for (const auto& entry : fs::recursive_directory_iterator(folder.file("rep/runs"))) {
            if (entry.path().extension() == ".csv") files[entry.path().string()] = entry.last_write_time();
        }
        return files;
    };
    Program killed(command, folder.path());
    while (runs().size() < 5) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    killed.signal(SIGKILL);
    EXPECT_EQ(killed.wait().status, 128 + SIGKILL);
    const auto before = runs();
    EXPECT_FALSE(fs::exists(folder.file("rep/report.html")));

    const auto result = run_program(command, folder.path());
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.err.find("MNIST panels skipped"), std::string::npos) << "it says what is missing";
    const auto after = runs();
    EXPECT_EQ(after.size(), 2 * 4 * select_methods("deterministic").size()) << "two comparisons";
    for (const auto& [file, time] : before) EXPECT_EQ(after.at(file), time) << file;
    const json summary = json::parse(read_bytes(folder.file("rep/summary.json")));
    EXPECT_EQ(summary["verdicts"].size(), 2U * 4U);
    EXPECT_TRUE(fs::exists(folder.file("rep/report.html")));
    EXPECT_TRUE(fs::exists(folder.file("rep/overview.svg")));
    EXPECT_TRUE(fs::exists(folder.file("rep/figures/figure-1a.svg")));
    EXPECT_TRUE(fs::exists(folder.file("rep/figures/figure-1a-auto.svg")));
}

TEST_F(Reproduce, TellsItsComparisonsApartAndTheCommandAsTyped) {
    TemporaryFolder folder;
    const auto result = run_program({"reproduce", "1", "4", "--max-iterations", "2", "--data-dir",
                                     folder.path(), "--output", "rep", "--quiet"},
                                    folder.path());
    ASSERT_EQ(result.status, 0) << result.err;
    const json summary = json::parse(read_bytes(folder.file("rep/summary.json")));
    EXPECT_EQ(summary["command"],
              "alfcg reproduce 1 4 --max-iterations 2 --data-dir " + folder.path() + " --output rep --quiet");
    const std::string page = read_bytes(folder.file("rep/report.html"));
    for (const std::string name :
         {"Figure 1, rho 1e-5", "Figure 4, rho 1e-5", "Figure 1, rho auto", "Figure 4, rho auto"})
        EXPECT_NE(page.find(">" + name + "</a>"), std::string::npos) << name;
}

TEST_F(Reproduce, PanelsAreThoseOfThePaper) {
    const auto panels = paper_panels(5);
    ASSERT_EQ(panels.size(), 8U);
    EXPECT_EQ(panels[0].letter, 'a');
    EXPECT_EQ(panels[7].letter, 'h');
    EXPECT_EQ(panels[1].data, "mnist");
    EXPECT_EQ(panels[1].radius, 10);
    EXPECT_EQ(panels[4].radius, 1);
    EXPECT_EQ(panels[6].radius, 1000);
    EXPECT_EQ(panels[0].region, "lp");
    EXPECT_EQ(panels[0].setting, "finite-sum");
    EXPECT_EQ(paper_panels(7).size(), 16U);
    for (const auto& panel : paper_panels(7))
        for (const std::string& method : select_methods(panel.setting))
            EXPECT_NE(setting_of(method), "corrective") << "no part of the paper";
    EXPECT_THROW(paper_panels(8), Error);
}

// Runs that start at 1 and end where told.
std::vector<RunRecord> runs_ending(const std::map<std::string, double>& ends) {
    std::vector<RunRecord> runs;
    for (const auto& [method, end] : ends) {
        TraceRow first;
        first.objective = 1;
        TraceRow last;
        last.iteration = 10;
        last.objective = end;
        runs.push_back({method, setting_of(method), 0, "max-epochs", std::nullopt, {first, last}});
    }
    return runs;
}

TEST_F(Reproduce, VerdictsFollowTheirRules) {
    using Outcome = Verdict::Outcome;
    std::map<std::string, double> ends{{"fw-openloop", 0.5}, {"fw-shortstep", 0.5}, {"fw-momentum", 0.5},
                                       {"fw-sliding", 0.5},  {"fw-armijo", 0.1},    {"fw-parafree", 0.2},
                                       {"alfcg-d", 0.13}};
    const auto outcome = [&](const char* setting) { return judge(setting, runs_ending(ends)).outcome; };
    EXPECT_EQ(outcome("deterministic"), Outcome::held);  // 0.03/0.9 above Armijo
    EXPECT_EQ(judge("deterministic", runs_ending(ends)).rank, 2);
    ends["alfcg-d"] = 0.3;
    EXPECT_EQ(outcome("deterministic"), Outcome::partly);
    ends["alfcg-d"] = 0.6;
    EXPECT_EQ(outcome("deterministic"), Outcome::failed);
    for (auto& [method, end] : ends) end = 0.5;
    ends["fw-momentum"] = 0.504;
    EXPECT_EQ(outcome("deterministic"), Outcome::tied);

    ends = {{"svfw", 0.5},         {"saga-fw", 0.4},  {"spider-cg", 0.5},
            {"onesample-fw", 0.5}, {"sarah-fw", 0.5}, {"alfcg-fs", 0.3}};
    EXPECT_EQ(outcome("finite-sum"), Outcome::held);
    ends["alfcg-fs"] = 0.42;
    EXPECT_EQ(outcome("finite-sum"), Outcome::partly);
    ends["alfcg-fs"] = 1.5;
    const Verdict diverged = judge("finite-sum", runs_ending(ends));
    EXPECT_EQ(diverged.outcome, Outcome::failed);
    EXPECT_NE(diverged.reason.find("above its start"), std::string::npos);

    ends = {{"sfw", 0.5},  {"sfw-gb", 0.5},     {"onesample-storm", 0.5}, {"onesample-ema", 0.4},
            {"srfw", 0.5}, {"alfcg-mvr1", 0.3}, {"alfcg-mvr2", 0.2}};
    EXPECT_EQ(outcome("expectation"), Outcome::held);
    ends["alfcg-mvr1"] = 0.45;
    EXPECT_EQ(outcome("expectation"), Outcome::partly);
    ends["alfcg-mvr2"] = 0.45;
    EXPECT_EQ(outcome("expectation"), Outcome::failed);
}

TEST_F(Reproduce, EqualEndsShareARankAndDivergenceIsNoTie) {
    std::map<std::string, double> ends{{"svfw", 0.5},         {"saga-fw", 0.3},  {"spider-cg", 0.5},
                                       {"onesample-fw", 0.5}, {"sarah-fw", 0.3}, {"alfcg-fs", 0.3}};
    EXPECT_EQ(judge("finite-sum", runs_ending(ends)).rank, 1);
    for (auto& [method, end] : ends) end = 1.001;
    const Verdict all_above = judge("finite-sum", runs_ending(ends));
    EXPECT_EQ(all_above.outcome, Verdict::Outcome::failed);
    EXPECT_EQ(all_above.reason, "no method ends below its start");
    ends.erase("alfcg-fs");
    EXPECT_THROW(judge("finite-sum", runs_ending(ends)), Error);
}

PaperPlan small_plan(const TemporaryFolder& folder, std::vector<int> figures) {
    PaperPlan plan;
    plan.figures = std::move(figures);
    plan.data_dir = folder.path();
    plan.budget.max_epochs = 2;
    plan.seeds = 1;
    plan.folder = folder.file("rep");
    return plan;
}

std::vector<PaperComparison> both_comparisons() {
    PaperComparison found{Normalization::none, {}, {{"rho", "auto"}}};
    found.parameters.set("rho", "auto");
    return {{Normalization::spectral, {{"rho", 1e-5}}, {{"rho", "1e-5"}}}, found};
}

// All that a run computes; its seconds are the machine's business.
std::vector<std::vector<TraceRow>> courses_of(const std::vector<PaperComparison>& comparisons) {
    std::vector<std::vector<TraceRow>> courses;
    for (const PaperComparison& comparison : comparisons)
        for (const PanelRuns& panel : comparison.panels)
            for (const RunRecord& run : panel.runs) {
                courses.push_back(run.trace);
                for (TraceRow& row : courses.back()) row.seconds = 0;
            }
    return courses;
}

void expect_same(const std::vector<std::vector<TraceRow>>& some,
                 const std::vector<std::vector<TraceRow>>& others) {
    ASSERT_EQ(some.size(), others.size());
    for (std::size_t k = 0; k < some.size(); ++k) EXPECT_EQ(trace_text(some[k]), trace_text(others[k])) << k;
}

TEST_F(Reproduce, RunsSideBySideAreThoseOneByOne) {
    const auto run_with = [](int workers) {
        TemporaryFolder folder;
        PaperPlan plan = small_plan(folder, {1, 5, 6});
        plan.workers = workers;
        auto comparisons = both_comparisons();
        EXPECT_TRUE(run_paper<float>(plan, comparisons));
        return courses_of(comparisons);
    };
    const auto alone = run_with(1);
    const std::size_t methods = select_methods("deterministic,finite-sum,expectation").size();
    EXPECT_EQ(alone.size(), 2 * 4 * methods);
    expect_same(run_with(3), alone);
}

TEST_F(Reproduce, GoesOnWhereItWasStopped) {
    TemporaryFolder folder;
    PaperPlan plan = small_plan(folder, {3});
    plan.workers = 2;
    auto whole = both_comparisons();
    ASSERT_TRUE(run_paper<float>(plan, whole));

    plan.folder = folder.file("stopped");
    std::atomic<int> begun = 0;
    PaperObserver observer;
    observer.before_run = [&](const PaperProgress&) { ++begun; };
    observer.stop = [&] { return begun > 10; };
    auto parts = both_comparisons();
    EXPECT_FALSE(run_paper<float>(plan, parts, observer));
    const auto kept =
        std::count_if(fs::recursive_directory_iterator(plan.folder), fs::recursive_directory_iterator(),
                      [](const fs::directory_entry& entry) { return entry.path().extension() == ".csv"; });
    EXPECT_GT(kept, 0);
    EXPECT_LE(kept, 10) << "a run that was stopped is not one";

    begun = 0;
    std::size_t done = 0;
    observer.stop = {};
    observer.before_run = [&](const PaperProgress& progress) {
        EXPECT_EQ(progress.total, 2U * 4U * select_methods("expectation").size() * 2U)
            << "MNIST is part of it until it is missed";
        EXPECT_GE(progress.done, done);
        EXPECT_GE(progress.seconds_left.value_or(0), 0);
        done = progress.done;
        ++begun;
    };
    ASSERT_TRUE(run_paper<float>(plan, parts, observer));
    EXPECT_EQ(begun, 2 * 4 * static_cast<int>(select_methods("expectation").size()) - kept);
    expect_same(courses_of(parts), courses_of(whole));
}

TEST_F(Reproduce, AFailureInAnyRunIsToldAndEndsAll) {
    TemporaryFolder folder;
    PaperPlan plan = small_plan(folder, {1});
    plan.workers = 2;
    std::vector<PaperComparison> wrong{{Normalization::none, {{"rho", -1}}, {{"rho", "-1"}}}};
    EXPECT_NE(message_of<Error>([&] { run_paper<float>(plan, wrong); }).find("rho"), std::string::npos);
}

// A run with these rows: seconds and objective.
RunRecord timed_run(const std::string& method, const std::vector<std::pair<double, double>>& rows,
                    std::uint64_t seed = 0) {
    RunRecord run{method, setting_of(method), seed, "max-epochs", std::nullopt, {}};
    for (const auto& [seconds, objective] : rows) {
        TraceRow row;
        row.seconds = seconds;
        row.objective = objective;
        run.trace.push_back(row);
    }
    return run;
}

TEST_F(Reproduce, EqualTimeIsWhenTheFirstRunEnds) {
    const auto cut = at_equal_time({timed_run("svfw", {{0, 1}, {1, 0.8}, {4, 0.2}, {5, 0.1}}),
                                    timed_run("saga-fw", {{0, 1}, {2, 0.5}}),
                                    timed_run("alfcg-fs", {{0, 1}, {2, 0.7}, {3, 0.6}})});
    ASSERT_EQ(cut[0].trace.size(), 3U);
    EXPECT_NEAR(cut[0].last().objective, 0.8 - 0.6 / 3, 1e-15) << "a third of the way from 1 s to 4 s";
    EXPECT_EQ(cut[1].last().objective, 0.5) << "the first to end";
    EXPECT_EQ(cut[2].last().objective, 0.7) << "a row at that very moment";
    for (const RunRecord& run : cut) EXPECT_EQ(run.last().seconds, 2);
    for (const RunRecord& run : cut) EXPECT_EQ(run.trace.front().objective, 1);
}

TEST_F(Reproduce, ByTimeTheCheapAreAheadOfTheGood) {
    // alfcg-fs ends lowest, but takes ten times as long for it; its seeds are cut at the same moment.
    PanelRuns panel;
    panel.panel.setting = "finite-sum";
    for (const char* method : {"svfw", "spider-cg", "onesample-fw", "sarah-fw", "saga-fw"})
        panel.runs.push_back(timed_run(method, {{0, 1}, {1, 0.5}}));
    panel.runs.push_back(timed_run("alfcg-fs", {{0, 1}, {10, 0.1}}, 0));
    panel.runs.push_back(timed_run("alfcg-fs", {{0, 1}, {20, 0.1}}, 1));
    EXPECT_EQ(panel.by_epochs().outcome, Verdict::Outcome::held);
    EXPECT_EQ(panel.by_epochs().best, "alfcg-fs");
    const Verdict by_time = panel.by_time();
    EXPECT_EQ(by_time.outcome, Verdict::Outcome::failed);
    EXPECT_NE(by_time.best, "alfcg-fs");
    EXPECT_NEAR(by_time.score, ((0.91 + 0.955) / 2 - 0.5) / 0.5, 1e-12);
}

TEST_F(Reproduce, TheOverviewShowsEveryPanel) {
    auto comparisons = both_comparisons();
    comparisons.pop_back();
    PaperPanel panel = paper_panels(2).front();
    std::vector<RunRecord> runs;
    for (const std::string& method : select_methods("finite-sum"))
        runs.push_back(
            timed_run(method, {{0, 1}, {method == "alfcg-fs" ? 3 : 1, method == "alfcg-fs" ? 0.1 : 0.5}}));
    comparisons.front().panels.push_back({panel, "(a)", runs, {}, true});
    const std::string picture = overview_picture(PaperPlan(), comparisons);
    const auto count = [&](const std::string& text) {
        int found = 0;
        for (std::size_t at = 0; (at = picture.find(text, at)) != std::string::npos; ++at) ++found;
        return found;
    };
    EXPECT_EQ(count(">not run<"), 3 * 2 * 2 * 4 - 1);
    EXPECT_EQ(count("font-weight=\"bold\">alfcg-fs<"), 1) << "best at the end";
    EXPECT_EQ(count("best: svfw; alfcg-fs: rank 6 of 6"), 1) << "not at equal time";
    EXPECT_EQ(count("<g"), count("</g>"));
}

}  // namespace
}  // namespace alfcg
