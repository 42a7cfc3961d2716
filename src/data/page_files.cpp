#include "data/page_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace alfcg {

namespace {

int open_without_name(const std::string& folder) {
#ifdef O_TMPFILE
    if (const int opened = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); opened >= 0)
        return opened;
#endif
    std::string name = folder + "/.alfcg-XXXXXX";
    const int opened = mkostemp(name.data(), O_CLOEXEC);
    if (opened >= 0) unlink(name.c_str());
    return opened;
}

}  // namespace

PageFiles::~PageFiles() {
    for (const auto& file : others_) close(file->descriptor);
}

PageFile* PageFiles::next() {
    const int opened = open_without_name(folder_);
    if (opened < 0) throw std::system_error(errno, std::generic_category());
    others_.push_back(std::make_unique<PageFile>(PageFile{opened}));
    return others_.back().get();
}

}  // namespace alfcg
