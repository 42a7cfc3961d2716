#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

namespace alfcg {

/// Page-backed raw memory that grows without a second copy of its contents (the operating system moves
/// pages). `resize_pages(p, old, new)` with p = nullptr allocates, with new = 0 releases. Throws
/// std::bad_alloc.
void* resize_pages(void* pages, std::size_t old_bytes, std::size_t new_bytes);

/// A place in an open file, behind whole pages, that stands in for memory.
struct PageFile {
    int descriptor = -1;
    std::size_t offset = 0;
    void* pages = nullptr;  // of the buffer that has its memory there, if one has
};
/// The same as resize_pages for pages of a file, which becomes as long; what was written stays there when they are released.
/// Throws std::system_error, before anything is written, when the disk has no room.
void* resize_file_pages(PageFile& file, std::size_t old_bytes, std::size_t new_bytes);
void release_file_pages(PageFile& file, std::size_t bytes) noexcept;

/// Memory aligned to a cache line; for a large block the system is asked for large pages, which spare address
/// look-ups in random access. Throws std::bad_alloc.
void* allocate_aligned(std::size_t bytes);
void release_aligned(void* memory, std::size_t bytes);

/// A growing array for large data of unknown length: peak memory stays near the final size, because
/// growth never copies and pages that were reserved but not yet written cost nothing.
template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Buffer() = default;
    explicit Buffer(std::size_t n) { resize(n); }
    /// With the pages of a file for its memory, which the system puts on the disk when memory is short; without a file: an ordinary
    /// one. The file must outlast it.
    explicit Buffer(PageFile* file) : file_(file) {}
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        Buffer(std::move(other)).swap(*this);
        return *this;
    }
    ~Buffer() {
        if (data_ == nullptr) return;
        if (file_ != nullptr)
            release_file_pages(*file_, capacity_ * sizeof(T));
        else
            resize_pages(data_, capacity_ * sizeof(T), 0);
    }

    [[nodiscard]] T* data() { return data_; }
    [[nodiscard]] const T* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    [[nodiscard]] const T* begin() const { return data_; }
    [[nodiscard]] const T* end() const { return data_ + size_; }

    void push_back(T value) {
        if (size_ == capacity_) reserve(std::max<std::size_t>(size_ + size_ / 2, 4096 / sizeof(T) + 1));
        data_[size_++] = value;
    }
    /// New entries are zero.
    void resize(std::size_t n) {
        if (n > capacity_) reserve(n);
        if (n > size_) std::fill(data_ + size_, data_ + n, T{});
        size_ = n;
    }
    /// Longer by n entries that are not initialised; returns the first of them.
    T* extend(std::size_t n) {
        if (size_ + n > capacity_) reserve(std::max(size_ + n, size_ + size_ / 2));
        T* first = data_ + size_;
        size_ += n;
        return first;
    }
    void reserve(std::size_t n) {
        if (n <= capacity_) return;
        if (n > std::numeric_limits<std::size_t>::max() / 2 / sizeof(T)) throw std::bad_alloc();
        change_capacity(n);
    }
    void shrink_to_fit() {
        if (size_ != capacity_) change_capacity(size_);
    }
    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        std::swap(file_, other.file_);
    }

  private:
    void change_capacity(std::size_t n) {
        data_ =
            static_cast<T*>(file_ != nullptr ? resize_file_pages(*file_, capacity_ * sizeof(T), n * sizeof(T))
                                             : resize_pages(data_, capacity_ * sizeof(T), n * sizeof(T)));
        capacity_ = n;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
    PageFile* file_ = nullptr;  // that the memory is part of
};

}  // namespace alfcg
