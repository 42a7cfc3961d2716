#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "alfcg/core/buffer.hpp"

namespace alfcg {

/// Entries that are looked at, together with whoever keeps them alive. A copy copies no entries.
template <class T>
class SharedArray {
  public:
    SharedArray() = default;
    /// Takes over a buffer.
    SharedArray(Buffer<T> entries) : size_(entries.size()) {
        auto owner = std::make_shared<Buffer<T>>(std::move(entries));
        buffer_ = owner.get();
        data_ = writable_ = owner->data();
        owner_ = std::move(owner);
    }
    /// Looks at entries that live as long as `owner`, or as the caller promises when it is null. They are never changed.
    SharedArray(const T* entries, std::size_t size, std::shared_ptr<const void> owner = nullptr)
        : data_(entries), size_(size), owner_(std::move(owner)) {}
    /// Entries of an owner who has no other use for them: they may be changed when nobody else looks at them.
    static SharedArray handed_over(T* entries, std::size_t size, std::shared_ptr<void> owner) {
        SharedArray result(entries, size, std::move(owner));
        result.writable_ = entries;
        return result;
    }

    /// The same with pages of a file that was mapped: they are read when they are looked at.
    static SharedArray mapped(T* entries, std::size_t size, std::shared_ptr<void> owner) {
        SharedArray result = handed_over(entries, size, std::move(owner));
        result.on_disk_ = true;
        return result;
    }

    [[nodiscard]] const T* data() const { return data_; }
    [[nodiscard]] bool on_disk() const { return on_disk_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    [[nodiscard]] const T* begin() const { return data_; }
    [[nodiscard]] const T* end() const { return data_ + size_; }

    /// `size` of its entries, from the `first` on; all stay for as long as they are looked at.
    [[nodiscard]] SharedArray part(std::size_t first, std::size_t size) const {
        SharedArray result = *this;
        result.data_ += first;
        result.size_ = size;
        if (result.writable_ != nullptr) result.writable_ += first;
        result.buffer_ = nullptr;
        return result;
    }

    /// The entries to write to, where they were taken or handed over and no copy of this array is left; else null.
    [[nodiscard]] T* writable() const { return owner_.use_count() == 1 ? writable_ : nullptr; }
    /// Keeps the first `size` entries; a buffer that nobody else looks at gives the rest of its memory back.
    void truncate(std::size_t size) {
        size_ = size;
        if (buffer_ == nullptr || owner_.use_count() != 1) return;
        buffer_->resize(size);
        buffer_->shrink_to_fit();
        data_ = writable_ = buffer_->data();
    }

  private:
    const T* data_ = nullptr;
    std::size_t size_ = 0;
    T* writable_ = nullptr;        // the same, if it may be written to
    bool on_disk_ = false;         // they are pages of a file
    Buffer<T>* buffer_ = nullptr;  // the owner, if it is one
    std::shared_ptr<const void> owner_;
};

}  // namespace alfcg
