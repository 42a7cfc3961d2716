#include "solve/keeper.hpp"

#include <algorithm>
#include <cmath>

#include "alfcg/core/error.hpp"
#include "alfcg/core/output_file.hpp"
#include "alfcg/core/text.hpp"

namespace alfcg {

void Checkpoints::verify() const {
    if (!(every >= 0 && std::isfinite(every)))
        throw QuantityError("checkpoint-every",
                            "must be a number of seconds, 0 or more, not " + format_number(every));
}

namespace {

// The states of the ranks that a checkpoint is of.
std::vector<std::string> parts_of_checkpoint(Archive& whole) {
    std::vector<std::string> parts;
    whole.section("ranks", [&] { whole(parts); });
    return parts;
}

std::vector<Fact> read_facts(Archive& state) {
    std::vector<Fact> facts;
    state.section("facts", [&] { state(facts); });
    return facts;
}

}  // namespace

std::string recorded_fact(const std::string& file, std::string_view name) {
    Archive whole = Archive::load(file);
    std::vector<std::string> parts = parts_of_checkpoint(whole);
    if (parts.empty()) whole.reject("it is of no rank");
    Archive state(std::move(parts.front()), file);
    for (const Fact& fact : read_facts(state))
        if (fact.name == name) return fact.value;
    return {};
}

Keeper::Keeper(const Checkpoints& checkpoints, Ranks* ranks) : checkpoints_(checkpoints), ranks_(ranks) {
    checkpoints.verify();
    if (!keeps()) return;
    agree(ranks, [&] {
        if (leads()) OutputFile(checkpoints.file);  // nothing is left of it
    });
}

// One clock for all.
bool Keeper::due() const {
    if (!keeps()) return false;
    const bool own = Clock::now() - last_ >= std::chrono::duration<double>(checkpoints_.every);
    return ranks_ == nullptr ? own : ranks_->told(own);
}

void Keeper::visit_others(Archive& state) {
    for (const auto& other : checkpoints_.also) state.section(other.first, [&] { other.second(state); });
}

void Keeper::write(const std::function<void(Archive&)>& visit) {
    Archive state;
    std::vector<Fact> facts = checkpoints_.facts;
    state.section("facts", [&] { state(facts); });
    visit(state);
    visit_others(state);
    std::vector<std::string> parts;
    if (ranks_ == nullptr) {
        parts.push_back(std::move(state).release());
    } else {
        parts = ranks_->collect(std::move(state).release());
    }
    agree(ranks_, [&] {
        if (!leads()) return;
        Archive whole;
        whole.section("ranks", [&] { whole(parts); });
        whole.save(checkpoints_.file);
    });
    last_ = Clock::now();
}

// The states of as many ranks as there are, in their order.
std::vector<std::string> Keeper::load() const {
    Archive whole = Archive::load(checkpoints_.resume);
    std::vector<std::string> parts = parts_of_checkpoint(whole);
    const std::size_t here = ranks_ == nullptr ? 1 : static_cast<std::size_t>(ranks_->size());
    const auto named = [](std::size_t count) {
        return std::to_string(count) + (count == 1 ? " rank" : " ranks");
    };
    if (parts.size() != here)
        whole.reject("it was made on " + named(parts.size()) + ", here " + (here == 1 ? "is " : "are ") +
                     named(here));
    return parts;
}

void Keeper::read(const std::function<void(Archive&)>& visit) {
    std::vector<std::string> parts;
    agree(ranks_, [&] {
        if (leads()) parts = load();
    });
    Archive state(ranks_ == nullptr ? std::move(parts.front()) : ranks_->deal(parts), checkpoints_.resume);
    state.set_ranks(ranks_);
    agree(ranks_, [&] {
        check(state, read_facts(state));
        visit(state);
        visit_others(state);
    });
}

// What was chosen otherwise tells more than that other numbers came out: digests are told where there is nothing else.
void Keeper::check(const Archive& state, const std::vector<Fact>& theirs) const {
    std::string chosen;
    std::string contents;
    const auto note = [](std::string& list, const std::string& what) {
        list += (list.empty() ? "" : ", ") + what;
    };
    const auto named = [](const std::vector<Fact>& facts, const std::string& name) {
        return std::find_if(facts.begin(), facts.end(), [&](const Fact& fact) { return fact.name == name; });
    };
    for (const Fact& own : checkpoints_.facts) {
        const auto there = named(theirs, own.name);
        if (there != theirs.end() && there->value == own.value) continue;
        if (there != theirs.end() && own.name == "program")
            state.reject("it is one of " + there->value + ", not of " + own.value);  // all else differs too
        if (own.is_digest) {
            note(contents, "other " + own.name);
        } else {
            note(chosen, there == theirs.end() ? "no " + own.name + ", which is " + own.value + " here"
                                               : own.name + " " + there->value + ", here " + own.value);
        }
    }
    for (const Fact& there : theirs)
        if (named(checkpoints_.facts, there.name) == checkpoints_.facts.end())
            note(there.is_digest ? contents : chosen,
                 there.is_digest ? there.name : there.name + " " + there.value + ", here none");
    if (chosen.empty() && contents.empty()) return;
    state.reject("it was made with " + (chosen.empty() ? contents : chosen));
}

}  // namespace alfcg
