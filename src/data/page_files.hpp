#pragma once

#include <memory>
#include <string>
#include <vector>

#include "alfcg/core/buffer.hpp"
#include "alfcg/data/dataset.hpp"

namespace alfcg {

/// Files that readers have their data in instead of memory, so that data may be larger: one that stays, which somebody else has
/// opened, and others without a name, which are gone when this is.
class PageFiles {
  public:
    /// Others lie in `folder`.
    PageFiles(PageFile main, std::string folder) : main_(main), folder_(std::move(folder)) {}
    ~PageFiles();
    PageFiles(const PageFiles&) = delete;
    PageFiles& operator=(const PageFiles&) = delete;

    /// The file that stays, for whoever asks first; then others.
    PageFile* next_main() { return main_given_ ? next() : (main_given_ = true, &main_); }
    PageFile* next();
    /// Whether memory of a buffer in the file that stays begins here.
    [[nodiscard]] bool is_in_main(const void* memory) const {
        return main_.pages != nullptr && main_.pages == memory;
    }

  private:
    PageFile main_;
    bool main_given_ = false;
    std::string folder_;
    std::vector<std::unique_ptr<PageFile>> others_;
};

/// What a reader's entries go to: memory, unless the options say otherwise.
template <class T>
Buffer<T> buffer_of_entries(const ReadOptions& options) {
    return Buffer<T>(options.pages != nullptr ? options.pages->next_main() : nullptr);
}
/// The same for what belongs to them.
template <class T>
Buffer<T> buffer_beside(const ReadOptions& options) {
    return Buffer<T>(options.pages != nullptr ? options.pages->next() : nullptr);
}

}  // namespace alfcg
