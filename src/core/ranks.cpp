#include "alfcg/core/ranks.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <new>

#include "alfcg/core/error.hpp"

namespace alfcg {

namespace {

// Nothing may be nowhere, which memcpy does not take.
void copy_bytes(void* to, const void* from, std::size_t count) {
    if (count > 0) std::memcpy(to, from, count);
}

// A block of numbers, merged with what is there.
template <class Real>
void merge_block(bool sum, const std::byte* block, std::size_t count, Real* to) {
    const auto* from = reinterpret_cast<const Real*>(block);
    if (sum) {
        for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
    } else {
        for (std::size_t i = 0; i < count; ++i) to[i] = std::max(to[i], from[i]);
    }
}

// What any number is left as it is by.
template <class Real>
constexpr Real nothing(bool sum) {
    return sum ? Real(0) : -std::numeric_limits<Real>::infinity();
}

constexpr std::size_t aligned(std::size_t bytes) {
    return (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

// What is wrong, as all ranks say it: whoever meets it knows that they all do.
struct AgreedError : Error {
    using Error::Error;
};
struct AgreedQuantityError : QuantityError {
    using QuantityError::QuantityError;
};

// The first word of a message that says of which quantity it is.
constexpr char of_quantity = '\1';
constexpr char of_anything = '\2';

}  // namespace

// All to all: every rank adds up everything itself.
template <class Real>
void Ranks::merge_small(Merge how, std::span<Real> numbers, std::span<double> few) {
    const std::size_t each = aligned(numbers.size_bytes()) + few.size_bytes();
    const auto ranks = static_cast<std::size_t>(size_);
    outgoing_.resize(each);
    incoming_.resize(each * ranks);
    copy_bytes(outgoing_.data(), few.data(), few.size_bytes());
    copy_bytes(outgoing_.data() + few.size_bytes(), numbers.data(), numbers.size_bytes());
    gather_bytes(outgoing_.data(), few.size_bytes() + numbers.size_bytes(), incoming_.data());
    const std::size_t step = few.size_bytes() + numbers.size_bytes();
    sent_ += static_cast<std::int64_t>(step) * (size_ - 1);
    ++calls_;
    const bool sum = how == Merge::sum;
    std::fill(numbers.begin(), numbers.end(), nothing<Real>(sum));
    std::fill(few.begin(), few.end(), nothing<double>(sum));
    for (std::size_t k = 0; k < ranks; ++k) {
        // Blocks of single precision may begin between two doubles.
        copy_bytes(outgoing_.data(), incoming_.data() + k * step, step);
        merge_block(sum, outgoing_.data(), few.size(), few.data());
        merge_block(sum, outgoing_.data() + few.size_bytes(), numbers.size(), numbers.data());
    }
}

// Every rank adds up a part of the numbers, and gives what comes of it to all.
template <class Real>
void Ranks::merge(Merge how, std::span<Real> numbers, std::span<double> few) {
    if (size_ == 1) return;
    if (numbers.size_bytes() <= small) return merge_small(how, numbers, few);
    const auto ranks = static_cast<std::size_t>(size_);
    const std::size_t part = (numbers.size() + ranks - 1) / ranks;
    const std::size_t step = few.size_bytes() + part * sizeof(Real);
    const std::size_t stride = aligned(step);
    outgoing_.resize(std::max(step * ranks, stride));
    incoming_.resize(std::max(step * ranks, part * sizeof(Real) * ranks));
    const auto count_of = [&](std::size_t k) {
        return std::min(part, numbers.size() - std::min(numbers.size(), k * part));
    };
    for (std::size_t k = 0; k < ranks; ++k) {
        std::byte* block = outgoing_.data() + k * step;
        copy_bytes(block, few.data(), few.size_bytes());
        copy_bytes(block + few.size_bytes(), numbers.data() + std::min(numbers.size(), k * part),
                   count_of(k) * sizeof(Real));
    }
    exchange_bytes(outgoing_.data(), step, incoming_.data());
    const bool sum = how == Merge::sum;
    std::fill(few.begin(), few.end(), nothing<double>(sum));
    std::vector<Real> merged(part, nothing<Real>(sum));
    for (std::size_t k = 0; k < ranks; ++k) {
        copy_bytes(outgoing_.data(), incoming_.data() + k * step, step);
        merge_block(sum, outgoing_.data(), few.size(), few.data());
        merge_block(sum, outgoing_.data() + few.size_bytes(), part, merged.data());
    }
    gather_bytes(merged.data(), part * sizeof(Real), incoming_.data());
    copy_bytes(numbers.data(), incoming_.data(), numbers.size_bytes());
    sent_ += static_cast<std::int64_t>(step + part * sizeof(Real)) * (size_ - 1);
    calls_ += 2;
}

void Ranks::sum(std::span<float> numbers, std::span<double> few) {
    merge(Merge::sum, numbers, few);
}

void Ranks::sum(std::span<double> numbers, std::span<double> few) {
    merge(Merge::sum, numbers, few);
}

double Ranks::sum(double number) {
    merge(Merge::sum, std::span<double>(), std::span(&number, 1));
    return number;
}

double Ranks::cost_of_sum(std::int64_t bytes) const {
    const double others = size_ - 1;
    const double all = static_cast<double>(bytes);
    if (all <= static_cast<double>(small)) return others * (all + message_bytes);
    return others * 2 * (all / size_ + message_bytes);
}

void Ranks::largest(std::span<double> numbers) {
    merge(Merge::largest, numbers, {});
}

void Ranks::tell(std::span<std::byte> bytes) {
    if (size_ == 1) return;
    tell_bytes(bytes.data(), bytes.size());
    if (rank_ == 0) sent_ += static_cast<std::int64_t>(bytes.size()) * (size_ - 1);
    ++calls_;
}

void Ranks::gather_counted(const void* mine, std::size_t bytes, void* all) {
    if (size_ == 1) {
        copy_bytes(all, mine, bytes);
        return;
    }
    gather_bytes(mine, bytes, all);
    sent_ += static_cast<std::int64_t>(bytes) * (size_ - 1);
    ++calls_;
}

std::vector<std::string> Ranks::gather(const std::string& mine) {
    const std::vector<std::size_t> lengths = gather(mine.size());
    const std::size_t longest = *std::max_element(lengths.begin(), lengths.end());
    std::string padded = mine;
    padded.resize(longest);
    std::string together(longest * lengths.size(), '\0');
    if (longest > 0) gather_counted(padded.data(), longest, together.data());
    std::vector<std::string> all;
    for (std::size_t k = 0; k < lengths.size(); ++k) all.push_back(together.substr(k * longest, lengths[k]));
    return all;
}

namespace {

// Parts of different lengths travel in pieces, the last of which are short or empty: body(at, count) for each of a part of that length.
constexpr std::size_t piece = std::size_t{1} << 20U;

std::size_t left_of(std::size_t length, std::size_t at) {
    return std::min(piece, length - std::min(length, at));
}

}  // namespace

std::vector<std::string> Ranks::collect(const std::string& mine) {
    const std::vector<std::size_t> lengths = gather(mine.size());
    const std::size_t longest = *std::max_element(lengths.begin(), lengths.end());
    const std::size_t width = std::min(piece, longest);
    std::vector<std::string> parts(rank_ == 0 ? lengths.size() : 0);
    std::string block(width, '\0');
    std::string blocks(width * parts.size(), '\0');
    for (std::size_t at = 0; at < longest; at += piece) {
        copy_bytes(block.data(), mine.data() + std::min(mine.size(), at), left_of(mine.size(), at));
        collect_bytes(block.data(), width, blocks.data());
        if (rank_ > 0) sent_ += static_cast<std::int64_t>(width);
        ++calls_;
        for (std::size_t k = 0; k < parts.size(); ++k)
            parts[k].append(blocks, k * width, left_of(lengths[k], at));
    }
    return parts;
}

std::string Ranks::deal(const std::vector<std::string>& parts) {
    std::vector<std::size_t> lengths(static_cast<std::size_t>(size_));
    for (std::size_t k = 0; k < parts.size(); ++k) lengths[k] = parts[k].size();
    tell(std::as_writable_bytes(std::span(lengths)));
    const std::size_t longest = *std::max_element(lengths.begin(), lengths.end());
    const std::size_t width = std::min(piece, longest);
    std::string mine;
    std::string block(width, '\0');
    std::string blocks(rank_ == 0 ? width * lengths.size() : 0, '\0');
    for (std::size_t at = 0; at < longest; at += piece) {
        for (std::size_t k = 0; k < parts.size(); ++k)
            copy_bytes(blocks.data() + k * width, parts[k].data() + std::min(parts[k].size(), at),
                       left_of(parts[k].size(), at));
        deal_bytes(blocks.data(), width, block.data());
        if (rank_ == 0) sent_ += static_cast<std::int64_t>(width) * (size_ - 1);
        ++calls_;
        mine.append(block, 0, left_of(lengths[static_cast<std::size_t>(rank_)], at));
    }
    return mine;
}

bool Ranks::all(bool mine) {
    const std::vector<char> answers = gather(static_cast<char>(mine));
    return std::all_of(answers.begin(), answers.end(), [](char answer) { return answer != 0; });
}

void agree(Ranks* ranks, const std::function<void()>& body) {
    if (ranks == nullptr) return body();
    std::string wrong;
    try {
        body();
    } catch (const AgreedError&) {
        throw;
    } catch (const AgreedQuantityError&) {
        throw;
    } catch (const QuantityError& error) {
        wrong = of_quantity + error.quantity() + of_quantity + error.complaint();
    } catch (const std::bad_alloc&) {
        wrong = of_anything + ("out of memory on rank " + std::to_string(ranks->rank()));
    } catch (const std::exception& error) {
        wrong = of_anything + std::string(error.what());
    }
    for (const std::string& message : ranks->gather(wrong)) {
        if (message.empty()) continue;
        if (message.front() == of_anything) throw AgreedError(message.substr(1));
        const std::size_t end = message.find(of_quantity, 1);
        throw AgreedQuantityError(message.substr(1, end - 1), message.substr(end + 1));
    }
}

}  // namespace alfcg
