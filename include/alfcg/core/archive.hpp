#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "alfcg/core/matrix.hpp"
#include "alfcg/core/pattern.hpp"

namespace alfcg {

/// The state of a run as bytes, and back. Whoever has some visits it in one function, `void archive(Archive& state)`, which names its
/// members and so both writes and reads them: `state(sum_, largest_)`. Numbers, words, vectors, matrices (Eigen's too) and whatever has
/// such a function may be visited. Files begin with a word that tells them apart, the format's version and the program's, and end with
/// a checksum; they are read on machines with the same order of bytes only.
class Archive {
  public:
    /// Writes.
    Archive() = default;
    /// Reads what `save` has written. Throws Error, in one line, for a file that is none, is of another version, or is damaged.
    static Archive load(const std::string& path);
    /// Reads what is in memory, of which `path` tells where it came from.
    Archive(std::string bytes, std::string path)
        : loading_(true), path_(std::move(path)), bytes_(std::move(bytes)) {}
    /// What was written.
    [[nodiscard]] std::string release() && { return std::move(bytes_); }
    /// The file appears whole or not at all.
    void save(const std::string& path) const;

    [[nodiscard]] bool loading() const { return loading_; }

    template <class... Values>
    void operator()(Values&... values) {
        (visit(values), ...);
    }

    /// A part with a name, which is checked when it is read: what does not fit is told with it.
    template <class Body>
    void section(std::string_view name, const Body& body) {
        const std::size_t end = open_section(name);
        body();
        close_section(name, end);
    }

    /// The length of a list whose items are visited one by one.
    template <class List>
    void visit_count(List& list) {
        list.resize(length(list.size(), 1));
    }

    /// Whether there is something, which is made where it was when it is read.
    template <class T, class Make>
    bool has(std::unique_ptr<T>& owned, const Make& make) {
        bool there = owned != nullptr;
        visit(there);
        if (!there) owned.reset();
        if (there && !owned) owned = make();
        return there;
    }

    /// A number that means nothing but that it is the same as another one, or not: new ones take the place of those in the file.
    void token(std::uint64_t& number, std::uint64_t (*fresh)());

    /// The places that points kept as factors are looked at, on so many threads: they belong to the objective and are not written.
    void set_places(const Pattern& pattern, int threads) {
        pattern_ = pattern;
        threads_ = threads;
    }
    [[nodiscard]] const Pattern& places() const { return pattern_; }
    [[nodiscard]] int threads() const { return threads_; }

    /// Those that matrices which are shares of a sum are shared by; they are not written either.
    void set_ranks(Ranks* ranks) { ranks_ = ranks; }

    /// Throws Error: what is to be read does not fit.
    [[noreturn]] void reject(const std::string& why) const;

  private:
    std::size_t open_section(std::string_view name);
    void close_section(std::string_view name, std::size_t end);
    void bytes(void* data, std::size_t count);
    // The length of what comes next, of items that take at least so many bytes each.
    std::size_t length(std::size_t now, std::size_t item_bytes);

    template <class T>
    void visit(T& value) {
        if constexpr (requires { value.archive(*this); }) {
            value.archive(*this);
        } else if constexpr (requires { archive_value(*this, value); }) {
            archive_value(*this, value);
        } else if constexpr (requires {
                                 value.rows() * value.cols();
                                 value.data();
                             }) {
            visit_matrix(value);
        } else if constexpr (std::is_same_v<T, bool>) {
            unsigned char byte = value ? 1 : 0;
            bytes(&byte, 1);
            value = byte != 0;
        } else {
            static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>,
                          "it needs a function archive(Archive&)");
            bytes(&value, sizeof(T));
        }
    }
    void visit(Shape& shape) { (*this)(shape.rows, shape.cols); }
    void visit(std::string& text) { visit_items(text); }
    template <class T, class Allocator>
    void visit(std::vector<T, Allocator>& items) {
        visit_items(items);
    }
    template <class T, std::size_t count>
    void visit(std::array<T, count>& items) {
        for (T& item : items) visit(item);
    }
    template <class T>
    void visit(std::optional<T>& value) {
        bool there = value.has_value();
        visit(there);
        if (there != value.has_value()) there ? static_cast<void>(value.emplace()) : value.reset();
        if (there) visit(*value);
    }
    template <class A, class B>
    void visit(std::pair<A, B>& both) {
        (*this)(both.first, both.second);
    }
    template <class T>
    void visit_items(T& items) {
        using Item = typename T::value_type;
        constexpr bool plain = std::is_arithmetic_v<Item> || std::is_enum_v<Item>;
        items.resize(length(items.size(), plain ? sizeof(Item) : 1));
        if constexpr (plain) {
            bytes(items.data(), items.size() * sizeof(Item));
        } else {
            for (Item& item : items) visit(item);
        }
    }
    template <class T>
    void visit_matrix(T& matrix) {
        auto rows = matrix.rows();
        auto cols = matrix.cols();
        using Entry = std::remove_reference_t<decltype(*matrix.data())>;
        (*this)(rows, cols);
        if (loading_) {
            const std::size_t most = left() / sizeof(Entry);
            if (rows < 0 || cols < 0 ||
                (cols > 0 && static_cast<std::size_t>(rows) > most / static_cast<std::size_t>(cols)))
                reject("a matrix is larger than the file");
            if constexpr (requires { matrix.reshape(Shape{rows, cols}); }) {
                matrix.reshape({rows, cols});
            } else {
                matrix.resize(rows, cols);
            }
        }
        bytes(matrix.data(), static_cast<std::size_t>(rows * cols) * sizeof(Entry));
        if constexpr (requires { matrix.shared_by(); }) {
            bool shared = matrix.shared_by() != nullptr;
            visit(shared);
            if (loading_) matrix.share_by(shared ? ranks_ : nullptr);
        }
    }
    [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }

    bool loading_ = false;
    std::string path_;
    std::string bytes_;
    std::size_t at_ = 0;  // read so far
    std::unordered_map<std::uint64_t, std::uint64_t> tokens_;
    Pattern pattern_;
    int threads_ = 1;
    Ranks* ranks_ = nullptr;
};

/// A number for bytes that others hardly have; not one that an adversary could not find twins for.
class Digest {
  public:
    void add(const void* data, std::size_t count);
    template <class T>
    requires std::is_arithmetic_v<T>
    void add(T number) { add(&number, sizeof(number)); }
    void add(std::string_view text) {
        add(text.size());
        add(text.data(), text.size());
    }
    [[nodiscard]] std::uint64_t value() const;
    /// Sixteen digits.
    [[nodiscard]] std::string text() const;

  private:
    std::array<std::uint64_t, 4> lanes_{0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb,
                                        0xd1342543de82ef95};
    std::uint64_t bytes_ = 0;
};

}  // namespace alfcg
